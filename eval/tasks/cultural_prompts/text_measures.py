"""Measures of how alike texts are, by the groups that they are for: word edit distance (WED) and BLEU.

Last stands how texts are parted into tokens: as ``nltk.word_tokenize`` does, by NLTK without its data.
Sentences are parted by Punkt as it is before it has learned anything, which knows no abbreviation:
``mr. smith`` is ``mr`` ``.`` ``smith`` here, and ``mr.`` ``smith`` with the data that NLTK downloads.

References:
    Bhatt and Diaz (2024), section 3.3. Levenshtein (1966). Papineni et al. (2002), BLEU, ACL; without
    smoothing and with the shortest reference for the brevity penalty, as ``compute_bleu`` of the NMT tutorial,
    which Bhatt and Diaz use through ``evaluate``.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from types import ModuleType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from blend.eval.statistics import FloatArray, divide
from blend.eval.tasks.cultural_prompts import Bleu
from blend.schemas.errors import MissingExtraError

IntArray = NDArray[np.int64]
"""An array of whole numbers."""

Definition = Literal["paper", "reference_code"]
"""``paper`` is what the paper says; ``reference_code`` repeats the published scripts, to know their numbers.

What differs under ``reference_code``: variances lack the factor 1/2; two groups with the same list of samples
are at distance 0; BLEU has the earlier group of the data as hypothesis in both directions, and is -1 where a
group has no text; rank correlations compare the names in two ordered lists, the first of each left out.
"""

ORDERS = 4
"""Tokens of the longest n-gram of BLEU."""


def scipy_module(name: str) -> ModuleType:
    """A module of SciPy.

    Raises:
        MissingExtraError: If SciPy is not installed.
    """
    try:
        return import_module(f"scipy.{name}")
    except ModuleNotFoundError:
        raise MissingExtraError(
            "comparing texts and testing what they show", extra="cultural-prompts"
        ) from None


# How alike texts are.


@dataclass(frozen=True, eq=False)
class CodedTopic:
    """The texts of a topic, group by group and in each group in the order of the samples."""

    n_groups: int
    """Groups of the data set; some may have no text here."""
    group_of: IntArray
    """Number of the group of every text, ascending, shape ``(n_texts,)``."""
    texts: tuple[IntArray, ...]
    """The codes of each text's tokens; without any for an empty text."""
    words: tuple[str, ...]
    """The token of every code, in order of first occurrence."""

    @cached_property
    def lengths(self) -> IntArray:
        """Tokens of every text."""
        return np.array([len(text) for text in self.texts], dtype=np.int64)

    @cached_property
    def samples(self) -> IntArray:
        """Texts of every group, shape ``(n_groups,)``."""
        return np.bincount(self.group_of, minlength=self.n_groups).astype(np.int64)

    @cached_property
    def tokens(self) -> IntArray:
        """The codes of all texts, one text after the other."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *self.texts])


def code_topic(texts: Sequence[Sequence[str]], group_of: Sequence[int], n_groups: int) -> CodedTopic:
    """Code the tokens of a topic's texts.

    Args:
        texts: Tokens of every text.
        group_of: Number of each text's group. Texts of one group are in the order of their samples.
        n_groups: Groups of the data set.

    Returns:
        The texts by group. Codes are of this topic alone, so that memory does not grow with topics.
    """
    order = np.argsort(np.array(group_of, dtype=np.int64), kind="stable")
    codes: dict[str, int] = {}
    coded = [
        np.array([codes.setdefault(token, len(codes)) for token in texts[i]], dtype=np.int64) for i in order
    ]
    groups = np.array([group_of[i] for i in order], dtype=np.int64)
    return CodedTopic(n_groups, groups, tuple(coded), tuple(codes))


@dataclass(frozen=True, slots=True, eq=False)
class PairSums:
    """WED of pairs of texts, added up by the two groups; all of shape ``(n_groups, n_groups)`` but the last."""

    sums: FloatArray
    """WED over all ordered pairs of a sample of one group and a sample of the other, a text with itself among
    those of the diagonal."""
    squares: FloatArray
    """The same of WED squared."""
    samples: IntArray
    """Texts of every group, shape ``(n_groups,)``."""
    same: NDArray[np.bool_]
    """Whether the lists of samples of two groups are the same; none is where either has no text."""

    @property
    def n_pairs(self) -> FloatArray:
        """Ordered pairs behind every sum."""
        counts: FloatArray = np.outer(self.samples, self.samples).astype(np.float64)
        return counts


def pair_sums(topic: CodedTopic, *, cores: int = -1) -> PairSums:
    """WED of all pairs of texts of a topic: the share of tokens to insert, delete or replace.

    Two empty texts are at distance 0, an empty one and another at 1.

    Args:
        topic: The texts.
        cores: Cores of this machine that count edits; all by -1.
    """
    longest = np.maximum.outer(topic.lengths, topic.lengths)
    weds = _edits(topic.texts, cores) / np.maximum(longest, 1)
    return PairSums(_by_groups(weds, topic), _by_groups(weds**2, topic), topic.samples, _same_lists(topic))


def wed(pairs: PairSums, *, definition: Definition = "paper") -> FloatArray:
    """The WED of every pair of groups: the mean over pairs of their samples.

    Returns:
        Shape ``(n_groups, n_groups)``; 0 on the diagonal, NaN where a group has no text.
    """
    means = divide(pairs.sums, pairs.n_pairs)
    np.fill_diagonal(means, np.where(pairs.samples > 0, 0.0, np.nan))
    if definition == "reference_code":
        means[pairs.same] = 0.0
    return means


def _edits(texts: Sequence[IntArray], cores: int) -> IntArray:
    """Tokens to insert, delete or replace between every two texts."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    # Arrays of Python, which RapidFuzz reads without a look at each number; of one list with itself it counts
    # each pair once.
    read = [array("I", text.astype(np.uint32).tobytes()) for text in texts]
    return cdist(read, read, scorer=Levenshtein.distance, dtype=np.int32, workers=cores).astype(np.int64)


def _by_groups(values: FloatArray, topic: CodedTopic) -> FloatArray:
    """Values of pairs of texts, added up by the groups of both."""
    # Groups ascend, so each is a run of rows and of columns.
    groups, starts = np.unique(topic.group_of, return_index=True)
    added = np.add.reduceat(np.add.reduceat(values, starts, axis=0), starts, axis=1)
    total = np.zeros((topic.n_groups, topic.n_groups))
    # Added up in another order, equal sums differ in the last bit, and would be no ties.
    total[np.ix_(groups, groups)] = (added + added.T) / 2
    return total


def _same_lists(topic: CodedTopic) -> NDArray[np.bool_]:
    lists: list[list[bytes]] = [[] for _ in range(topic.n_groups)]
    for group, text in zip(topic.group_of.tolist(), topic.texts, strict=True):
        lists[group].append(text.tobytes())
    return np.array([[bool(one) and one == other for other in lists] for one in lists])


def directed_bleu(topic: CodedTopic, *, kind: Bleu = "multi-reference") -> FloatArray:
    """The BLEU of the row's texts, measured against the column's.

    Args:
        topic: The texts; empty ones are left out.
        kind: Whether all texts of a group are the references of each text of another, or the mean over pairs of
            texts is taken.

    Returns:
        Shape ``(n_groups, n_groups)``; NaN where a group has no text that is not empty.
    """
    groups, lengths = topic.group_of[topic.lengths > 0], topic.lengths[topic.lengths > 0]
    if kind == "multi-reference":
        return _bleu(topic.tokens, lengths, groups, topic.n_groups)
    single = _bleu(topic.tokens, lengths, np.arange(len(groups)), len(groups))
    # Who wrote what: ``member @ single @ member.T`` adds text by text up to group by group.
    member = (np.arange(topic.n_groups)[:, np.newaxis] == groups).astype(np.float64)
    held = member.sum(axis=1)
    sums: FloatArray = member @ single @ member.T
    return divide(sums, np.outer(held, held))


def undirected(directed: FloatArray, *, definition: Definition = "paper") -> FloatArray:
    """One figure for both directions of a pair.

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


def _bleu(tokens: IntArray, lengths: IntArray, groups: IntArray, n_groups: int) -> FloatArray:
    """The BLEU of groups of texts; of the texts without the empty ones, ``lengths`` and ``groups``."""
    held = np.bincount(groups, minlength=n_groups).astype(np.float64)
    written = np.bincount(groups, weights=lengths, minlength=n_groups)
    shortest = np.full(n_groups, np.inf)
    np.minimum.at(shortest, groups, lengths)
    log_precisions = np.zeros((n_groups, n_groups))
    for order, (text_of, features) in enumerate(_features(tokens, lengths), start=1):
        total = np.bincount(groups, weights=np.maximum(0, lengths - order + 1), minlength=n_groups)
        matches = _matches(groups[text_of], features, n_groups)
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


def _features(tokens: IntArray, lengths: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """For every order: the text and the feature of each n-gram.

    An n-gram that a text holds k times is k features, its first, second … occurrence. Then a clipped count, the
    smaller of two counts, is the number of features in common.
    """
    text_of = np.repeat(np.arange(len(lengths)), lengths)
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
        occurrence = _occurrences(text_of[starts] * (int(grams.max(initial=0)) + 1) + grams)
        features = grams * (int(occurrence.max(initial=0)) + 1) + occurrence
        yield text_of[starts], np.unique(features, return_inverse=True)[1]


def _occurrences(keys: IntArray) -> IntArray:
    """Of every key how many equal ones stand before it."""
    order = np.argsort(keys, kind="stable")
    # Sorted, equal ones form runs; the place in its run is the how-manieth occurrence.
    run_starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    occurrence = np.empty(len(keys), dtype=np.int64)
    occurrence[order] = np.arange(len(keys)) - np.repeat(run_starts, np.diff(run_starts, append=len(keys)))
    return occurrence


def _matches(group_of: IntArray, features: IntArray, n_groups: int) -> FloatArray:
    """Clipped counts: how many n-grams of the row's texts some text of the column's group holds.

    Shape ``(n_groups, n_groups)``: one product of sparse matrices for all pairs.
    """
    shape = (n_groups, int(features.max(initial=0)) + 1)
    # A text has each feature once, so that the cells of a group add up to its texts that have it.
    cells = (np.ones(len(features)), (group_of, features))
    texts_with = scipy_module("sparse").csr_array(cells, shape=shape)
    matches: FloatArray = (texts_with @ (texts_with > 0).astype(np.float64).T).toarray()
    return matches


# Tokens.


def nltk_tokens(text: str) -> list[str]:
    """The tokens of a text in lower case, in order; punctuation is a token of its own.

    A double quote becomes two backticks where it opens and two apostrophes where it closes; ``don't`` is ``do``
    and ``n't``; a full stop stays with its word inside a sentence and is a token at its end.

    Raises:
        MissingExtraError: If NLTK is not installed.
    """
    sentences, words = _tokenisers()
    return [token for sentence in sentences(text.lower()) for token in words(sentence)]


_Tokeniser = Callable[[str], Sequence[str]]


@cache
def _tokenisers() -> tuple[_Tokeniser, _Tokeniser]:
    """Tokenisers of NLTK, for sentences and for words."""
    try:
        from nltk.tokenize.destructive import NLTKWordTokenizer
        from nltk.tokenize.punkt import PunktSentenceTokenizer
    except ImportError:
        raise MissingExtraError("parting texts into words", extra="cultural-prompts") from None
    return PunktSentenceTokenizer().tokenize, NLTKWordTokenizer().tokenize
