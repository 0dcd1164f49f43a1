"""BLEU of every pair of groups: how many sequences of up to four tokens their texts share.

An n-gram that a text holds k times is k features, its first, second … occurrence. Then a clipped count, the
smaller of two counts, is the number of features in common, and the counts of all pairs of groups are one
product of sparse matrices for each order.

References:
    Papineni et al. (2002), BLEU, ACL; without smoothing and with the shortest reference for the brevity
    penalty, as ``compute_bleu`` of the NMT tutorial, which Bhatt and Diaz (2024) use through ``evaluate``.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from blend.eval.statistics.clusters import FloatArray, divide
from blend.eval.tasks.cultural_prompts import Bleu
from blend.eval.tasks.cultural_prompts.coded_topics import CodedTopic, Definition, IntArray
from blend.eval.tasks.cultural_prompts.survey_agreement import scipy_module

ORDERS = 4
"""Tokens of the longest n-gram."""


def bleu(topic: CodedTopic, *, kind: Bleu = "multi-reference", definition: Definition = "paper") -> FloatArray:
    """The BLEU of every pair of groups; see `directed_bleu` and `undirected`."""
    return undirected(directed_bleu(topic, kind=kind), definition=definition)


def directed_bleu(topic: CodedTopic, *, kind: Bleu = "multi-reference") -> FloatArray:
    """The BLEU of the row's texts, measured against the column's.

    Args:
        topic: The texts; empty ones are left out.
        kind: Whether all texts of a group are the references of each text of another, or the mean over pairs of
            texts is taken.

    Returns:
        Shape ``(n_groups, n_groups)``; NaN where a group has no text that is not empty.
    """
    full = topic.lengths > 0
    groups, lengths = topic.group_of[full], topic.lengths[full]
    texts = [text for text in topic.texts if len(text)]
    if kind == "multi-reference":
        return _bleu(texts, lengths, groups, topic.n_groups)
    return _mean_of_pairs(_bleu(texts, lengths, np.arange(len(texts)), len(texts)), groups, topic.n_groups)


def undirected(directed: FloatArray, *, definition: Definition = "paper") -> FloatArray:
    """One figure for both directions of a pair.

    Args:
        directed: See `directed_bleu`.
        definition: See `coded_topics.Definition`.

    Returns:
        Shape ``(n_groups, n_groups)``, symmetric: the mean of both directions. NaN, or -1 under
        ``reference_code``, where a group has no text that is not empty.
    """
    if definition == "reference_code":
        # Above the diagonal the earlier group is the hypothesis; its figure stands for both directions.
        upper = np.triu(directed)
        both: FloatArray = upper + np.triu(directed, 1).T
        return np.where(np.isnan(both), -1.0, both)
    return (directed + directed.T) / 2


def _mean_of_pairs(single: FloatArray, groups: IntArray, n_groups: int) -> FloatArray:
    """The mean over pairs of a text of the row's group and one of the column's, its only reference."""
    # Who wrote what: ``member @ single @ member.T`` adds text by text up to group by group.
    member = (np.arange(n_groups)[:, np.newaxis] == groups).astype(np.float64)
    held = member.sum(axis=1)
    sums: FloatArray = member @ single @ member.T
    return divide(sums, np.outer(held, held))


def _bleu(texts: Sequence[IntArray], lengths: IntArray, groups: IntArray, n_groups: int) -> FloatArray:
    held = np.bincount(groups, minlength=n_groups).astype(np.float64)
    written = np.bincount(groups, weights=lengths, minlength=n_groups)
    shortest = np.full(n_groups, np.inf)
    np.minimum.at(shortest, groups, lengths)
    log_precisions = np.zeros((n_groups, n_groups))
    for order, features in enumerate(_features(texts), start=1):
        total = np.bincount(groups, weights=np.maximum(0, lengths - order + 1), minlength=n_groups)
        matches = _matches(*features, groups, n_groups)
        precisions = divide(matches, np.broadcast_to(total[:, np.newaxis], matches.shape))
        with np.errstate(divide="ignore"):
            # Without any n-gram the precision is 0, and so is the BLEU.
            log_precisions += np.log(np.nan_to_num(precisions, nan=0.0)) / ORDERS
    with np.errstate(divide="ignore", invalid="ignore"):
        # Reference length: every text of the row's group is measured against the shortest of the column's.
        references = held[:, np.newaxis] * shortest[np.newaxis, :]
        penalty = np.minimum(0.0, 1 - references / written[:, np.newaxis])
        found: FloatArray = np.exp(penalty + log_precisions)
    found[held == 0, :] = np.nan
    found[:, held == 0] = np.nan
    return found


def _features(texts: Sequence[IntArray]) -> Iterator[tuple[IntArray, IntArray]]:
    """For every order: the text and the feature (an n-gram and its how-manieth occurrence) of each n-gram."""
    tokens = np.concatenate([np.zeros(0, dtype=np.int64), *texts])
    text_of = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    n_codes = int(tokens.max(initial=0)) + 1
    # Positions in the joined texts at which an n-gram of this order begins, and the code of that n-gram.
    starts: IntArray = np.arange(len(tokens))
    grams: IntArray = tokens
    for order in range(1, ORDERS + 1):
        if order > 1:
            ends = starts + order - 1
            inside = ends < len(tokens)
            # No n-gram runs from one text into the next.
            inside[inside] = text_of[ends[inside]] == text_of[starts[inside]]
            starts = starts[inside]
            # An (n+1)-gram is its n-gram and one token more; numbered anew, codes stay small enough for the
            # product.
            longer = grams[inside] * n_codes + tokens[starts + order - 1]
            grams = np.unique(longer, return_inverse=True)[1]
        yield text_of[starts], _numbered(text_of[starts], grams)


def _numbered(text_of: IntArray, grams: IntArray) -> IntArray:
    """The feature of every n-gram: the same n-gram a second time in a text is another feature."""
    keys = text_of * (int(grams.max(initial=0)) + 1) + grams
    order = np.argsort(keys, kind="stable")
    # Sorted by text and n-gram, equal ones form runs; the place in its run is the how-manieth occurrence.
    is_first = np.diff(keys[order], prepend=-1) != 0
    run_starts = np.flatnonzero(is_first)
    occurrence = np.empty(len(grams), dtype=np.int64)
    occurrence[order] = np.arange(len(grams)) - np.repeat(run_starts, np.diff(run_starts, append=len(grams)))
    features: IntArray = np.unique(
        grams * (int(occurrence.max(initial=0)) + 1) + occurrence, return_inverse=True
    )[1]
    return features


def _matches(text_of: IntArray, features: IntArray, groups: IntArray, n_groups: int) -> FloatArray:
    """Clipped counts: how many n-grams of the row's texts some text of the column's group holds.

    Shape ``(n_groups, n_groups)``.
    """
    shape = (n_groups, int(features.max(initial=0)) + 1)
    cells = (groups[text_of], features)
    # A text has each feature once, so that the cells of a group add up to its texts that have it.
    texts_with = scipy_module("sparse").csr_array((np.ones(len(features)), cells), shape=shape)
    matches: FloatArray = (texts_with @ (texts_with > 0).astype(np.float64).T).toarray()
    return matches
