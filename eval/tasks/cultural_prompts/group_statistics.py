"""Groups of texts: how alike their texts are, how much these differ, and whether that goes with their values.

How alike texts are say word edit distance (WED) and BLEU. Lexical variance is between groups and within each of
them; cultural distance is how far the answers of two groups in a survey lie apart, and their agreement a rank
correlation.

Last stands how texts are parted into tokens: as ``nltk.word_tokenize`` does, by NLTK without its data.
Sentences are parted by Punkt as it is before it has learned anything, which knows no abbreviation:
``mr. smith`` is ``mr`` ``.`` ``smith`` here, and ``mr.`` ``smith`` with the data that NLTK downloads.

References:
    Bhatt and Diaz (2024), section 3.3. The estimates that are called unbiased here are this package's: the
    published ones are not comparable with each other, as ``docs/cultural-prompts.md`` shows.

    Levenshtein (1966). Papineni et al. (2002), BLEU, ACL; without smoothing and with the shortest reference for
    the brevity penalty, as ``compute_bleu`` of the NMT tutorial, which Bhatt and Diaz use through ``evaluate``.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from itertools import compress
from types import ModuleType
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.eval.statistics import (
    FloatArray,
    cluster_sums,
    cluster_weights,
    divide,
    percentile_interval,
)
from blend.eval.statistics.estimates import Estimate, estimates
from blend.eval.tasks.cultural_prompts import Bleu, Distance
from blend.loaders.surveys import Survey
from blend.schemas.errors import MissingExtraError
from blend.schemas.texts import pluralise

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


# How much texts of groups differ, and whether that goes along with the values of the groups.

_BoolArray = NDArray[np.bool_]


class Variances(NamedTuple):
    """The lexical variance of a topic."""

    across: Estimate
    """Between groups, with an interval over groups; null with fewer than two groups that have texts."""
    within: Estimate
    """Within groups: the mean over groups; null where no group has two texts."""
    per_group: FloatArray
    """Within every group, shape ``(n_groups,)``; NaN where it is not defined."""


def published_variances(pairs: PairSums, *, definition: Definition = "paper", seed: int = 0) -> Variances:
    """Lexical variance as published.

    Between groups, half of the squared mean distance of every ordered pair of groups, a group with itself (0)
    among them; within a group, half of the squared distance of every ordered pair of its samples, a sample
    with itself (0) among them. ``reference_code`` leaves the half out. With one sample, the variance within a
    group is not defined, and NaN here.

    Args:
        pairs: WED of the texts of a topic.
        definition: See `Definition`.
        seed: Seed of the intervals.
    """
    factor = 0.5 if definition == "paper" else 1.0
    distances = factor * wed(pairs, definition=definition) ** 2
    own = factor * divide(np.diag(pairs.squares), np.diag(pairs.n_pairs))
    present = pairs.samples > 0
    n = int(present.sum())
    # `_between` takes the mean over n(n - 1) ordered pairs; the published one is over all n**2, those with
    # itself 0.
    across = _between(distances, present, (n - 1) / n if n else 1.0, seed)
    own = np.where(pairs.samples > 1, own, np.nan)
    return Variances(across, mean_estimate(own, seed=seed), own)


def unbiased_variances(pairs: PairSums, *, seed: int = 0) -> Variances:
    """Lexical variance such that both kinds are equal on average if groups make no difference.

    Half of the mean squared distance of two different texts: of a pair of groups between, of one group within.
    See `published_variances` for the arguments.
    """
    counts = pairs.n_pairs
    between = 0.5 * divide(pairs.squares, counts)
    present = pairs.samples > 0
    # Pairs of different texts of a group: a text with itself adds 0 to the sum and is not counted.
    distinct = np.diag(counts) - pairs.samples
    own = 0.5 * divide(np.diag(pairs.squares).copy(), distinct.astype(np.float64))
    return Variances(_between(between, present, 1.0, seed), mean_estimate(own, seed=seed), own)


def anova(within: FloatArray, across: FloatArray) -> tuple[float, float] | None:
    """F and p of whether the variances of topics within and across groups have one mean; one number per topic.

    Null with fewer than two topics, or where neither list varies.

    Raises:
        MissingExtraError: If SciPy is not installed.
    """
    if min(len(within), len(across)) < 2 or not (np.ptp(within) or np.ptp(across)):
        return None
    found = scipy_module("stats").f_oneway(within, across)
    return float(found.statistic), float(found.pvalue)


def _between(values: FloatArray, present: _BoolArray, scale: float, seed: int) -> Estimate:
    """The mean of a figure over pairs of different groups, times a scale; the groups are what is drawn."""
    kept = values[np.ix_(present, present)].copy()
    n = len(kept)
    if n < 2:
        return Estimate(None, None, None, float(n))
    np.fill_diagonal(kept, 0.0)
    value = scale * kept.sum() / (n * (n - 1))
    figures = []
    for weights in cluster_weights(n, seed=seed):
        pairs = n**2 - (weights**2).sum(axis=1)
        # A group that is drawn twice is no pair with itself.
        figures.append(divide(scale * ((weights @ kept) * weights).sum(axis=1), pairs))
    interval = percentile_interval(np.concatenate(figures), n_clusters=n)
    return Estimate.of(float(value), interval, n, clusters=n)


def mean_estimate(values: FloatArray, *, seed: int) -> Estimate:
    """The mean of the values that are known, those that are not NaN, with an interval over them."""
    known = values[~np.isnan(values)]
    if not len(known):
        return Estimate(None, None, None, 0.0)
    (found,) = estimates(cluster_sums(known, range(len(known))), seed=seed, proportion=False)
    return found


class CulturalDistances(NamedTuple):
    """The distances of groups in one survey."""

    survey: str
    """Its name, for example ``hofstede``."""
    groups: tuple[str, ...]
    """The groups that the survey knows, in the order of the data set."""
    matrix: FloatArray
    """Shape ``(n_groups, n_groups)`` over `groups`; NaN where two have no dimension in common."""
    left_out: tuple[str, ...] = ()
    """Groups of the data set that the survey knows and the kind of distance leaves out."""
    dimensions: tuple[str, ...] = ()
    """The dimensions that the distances are over, in the order of the survey."""


def distances(survey: Survey, groups: Sequence[str], *, kind: Distance = "published") -> CulturalDistances:
    """The distance of every pair of groups that a survey knows.

    Args:
        survey: One row of numbers per group, NaN where one is missing.
        groups: The groups of the data set.
        kind: ``published``: Euclidean over the dimensions that both groups have, as they are, so that a
            column of large numbers decides, and a group with few dimensions looks close to all.
            ``standardised``: every dimension has mean 0 and standard deviation 1 over the groups compared,
            dimensions that are names of
            answers and not amounts are left out (`surveys.Survey.nominal`), and so are groups that lack
            one of the others.
    """
    rows = {name: row for row, name in enumerate(survey.groups)}
    known = tuple(group for group in groups if group in rows)
    values = survey.values[[rows[group] for group in known]]
    if kind == "published":
        return CulturalDistances(survey.name, known, _euclidean(values), (), survey.dimensions)
    is_amount = [name not in survey.nominal for name in survey.dimensions]
    dimensions = tuple(compress(survey.dimensions, is_amount))
    values = values[:, is_amount]
    complete: _BoolArray = np.all(~np.isnan(values), axis=1)
    kept, left_out = (tuple(compress(known, which)) for which in (complete, ~complete))
    apart = _euclidean(_standardised(values[complete]))
    return CulturalDistances(survey.name, kept, apart, left_out, dimensions)


def _euclidean(values: FloatArray) -> FloatArray:
    n = len(values)
    found = np.full((n, n), np.nan)
    for row in range(n):
        apart = values - values[row]
        both = ~np.isnan(apart)
        # Missing dimensions add nothing, and the sum is not scaled up for them: that is what was published.
        sums = np.where(both, apart, 0.0) ** 2
        found[row] = np.where(both.any(axis=1), np.sqrt(sums.sum(axis=1)), np.nan)
    return found


def _standardised(values: FloatArray) -> FloatArray:
    if not len(values):
        return values
    spread = values.std(axis=0)
    # A dimension on which all agree tells nobody apart.
    varied = values[:, spread > 0]
    scaled: FloatArray = (varied - varied.mean(axis=0)) / spread[spread > 0]
    return scaled


def survey_warnings(groups: Sequence[str], culture: CulturalDistances) -> Iterator[str]:
    """What a reader should know of a survey's distances: dimensions, groups that it lacks, nothing to rank."""
    name, n_known = culture.survey, len(culture.groups)
    shown = ", ".join(map(repr, culture.dimensions[:_SHOWN])) + ", …" * (len(culture.dimensions) > _SHOWN)
    yield f"{name}: distances are over {pluralise(len(culture.dimensions), 'dimension')} ({shown})"
    unknown = [group for group in groups if group not in {*culture.groups, *culture.left_out}]
    if unknown:
        n_found = len(groups) - len(unknown)
        yield f"{name} knows {n_found} of {len(groups)} groups (not, for example, {unknown[0]!r})"
    if culture.left_out:
        n = len(culture.left_out)
        yield f"{name}: left out for want of an answer: {n} (first: {culture.left_out[0]})"
    # Without the diagonal, where every group is at distance 0 from itself.
    apart = culture.matrix[~np.eye(n_known, dtype=bool)]
    if n_known < 3:
        yield f"{name}: too few groups to rank ({n_known}); no correlation"
    elif len(np.unique(apart[~np.isnan(apart)])) < 2:
        yield f"{name}: all distances are the same; no correlation"


_SHOWN = 12
"""Dimensions that are named at most."""


def agreement(
    likeness: FloatArray,
    groups: Sequence[str],
    culture: CulturalDistances,
    *,
    definition: Definition = "paper",
    least_first: bool = False,
) -> pl.DataFrame:
    """Kendall's tau-c of likeness and closeness for every anchor, in the order of the survey's groups.

    Args:
        likeness: How alike the texts of two groups are, higher for more, shape ``(n_groups, n_groups)``; NaN
            where unknown.
        groups: What its rows and columns stand for.
        culture: The distances of some of the groups.
        definition: See `Definition`.
        least_first: Whether the published code lists the least alike first, as it does for BLEU and not for
            WED; only for ``reference_code``.

    Returns:
        ``anchor``; ``tau``, null where it is not defined: fewer than two others, or all of them equally close
        or alike; ``p``, how likely so large a correlation is if there is none, two-sided, null likewise, and
        under ``reference_code``; ``n``, the other groups that were ranked.

    Raises:
        MissingExtraError: If SciPy is not installed.
    """
    places = [list(groups).index(group) for group in culture.groups]
    alike = likeness[np.ix_(places, places)]
    rows = []
    for anchor, group in enumerate(culture.groups):
        known = ~np.isnan(alike[anchor]) & ~np.isnan(culture.matrix[anchor])
        known[anchor] = False
        others = np.flatnonzero(known)
        # Distance with its sign turned: both grow with closeness.
        x, y = alike[anchor, others], -culture.matrix[anchor, others]
        if definition == "paper":
            tau, p = tau_c(x, y)
        else:
            sign = -1 if least_first else 1
            names = [culture.groups[other] for other in others]
            tau, p = tau_of_names(names, sign * x, sign * y), np.nan
        rows.append((group, tau, p, len(others)))
    schema = {"anchor": pl.String, "tau": pl.Float64, "p": pl.Float64, "n": pl.Int64}
    return pl.DataFrame(rows, schema, orient="row").with_columns(pl.col("tau", "p").fill_nan(None))


def tau_c(x: FloatArray, y: FloatArray) -> tuple[float, float]:
    """Kendall's tau-c and its two-sided p-value; both NaN with fewer than two different values in either."""
    if min(len(np.unique(x)), len(np.unique(y))) < 2:
        return float("nan"), float("nan")
    found = scipy_module("stats").kendalltau(x, y, variant="c")
    return float(found.statistic), float(found.pvalue)


def tau_of_names(names: Sequence[str], x: FloatArray, y: FloatArray) -> float:
    """Correlate two lists of names, in alphabetical order of names, as the published code does.

    The names ordered by likeness and by closeness, highest first, each list without its first one.
    """
    lists = [[names[i] for i in np.argsort(-values, kind="stable")][1:] for values in (x, y)]
    if min(map(len, lists)) < 2:
        return float("nan")
    codes = {name: code for code, name in enumerate(sorted(names))}
    first, second = (np.array([codes[name] for name in one]) for one in lists)
    return float(scipy_module("stats").kendalltau(first, second, variant="c").statistic)


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
