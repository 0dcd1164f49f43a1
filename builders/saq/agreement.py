"""Agreement: how far the people of a locale, or of a group of annotators, answer alike.

References:
    Krippendorff (2011), Computing Krippendorff's Alpha-Reliability,
    https://repository.upenn.edu/asc_papers/43: alpha, for any number of people and missing values.
    Passonneau (2006), Measuring Agreement on Set-valued Items (MASI), LREC,
    http://www.lrec-conf.org/proceedings/lrec2006/pdf/636_pdf.pdf: the distance between two sets.

Nobody's profile may be told from what is published. Groups have `SMALLEST` members or more, and no smaller one
can be computed from them: the members of smaller groups are counted together as `OTHER`, which is no smaller
either, if need be with those of a further group.

References:
    Sweeney (2002), k-anonymity, https://doi.org/10.1142/S0218488502001648.
    Hundepool et al. (2012), Statistical Disclosure Control, chapter 4: the further group is what they call
    complementary suppression.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.builders.saq.ballots import Ballots
from blend.builders.saq.grouping import grouped
from blend.schemas.frames import AGREEMENT, ANNOTATOR_GROUPS, KEY, empty
from blend.schemas.rows import NonAnswer

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_SAMPLES = 1000
_LEVEL = (2.5, 97.5)


class AnswerSets:
    """Answers of people, each time a set of labels, as numbers.

    Args:
        sets: Numbers of the sets, from 0, one entry per label that a set holds; each label once.
        labels: Numbers of the labels, in the same order.

    Equal sets must have the same number: `of_members` gives them numbers.
    """

    def __init__(self, sets: Ints, labels: Ints) -> None:
        order = np.lexsort((labels, sets))
        self._sets, self._labels = sets[order], labels[order]
        self.n_sets = int(self._sets[-1]) + 1 if len(sets) else 0
        self._sizes = np.bincount(self._sets, minlength=self.n_sets)
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)])
        self._span = int(self._labels.max()) + 1 if len(labels) else 1
        # In order, so that whether a set holds a label is one search.
        self._held = self._sets * self._span + self._labels

    def similarities(self, a: Ints, b: Ints) -> Floats:
        """MASI of pairs of sets: 1 for equal sets, 0 for sets without a common label.

        The Jaccard index, times 2/3 where one set is part of the other, times 1/3 where they overlap otherwise.
        """
        shared = self._shared(a, b)
        size_a, size_b = self._sizes[a], self._sizes[b]
        smaller = np.minimum(size_a, size_b)
        weight = np.where(
            (shared == size_a) & (shared == size_b), 1.0, np.where(shared == smaller, 2 / 3, 1 / 3)
        )
        return weight * shared / (size_a + size_b - shared)

    def overlapping(self) -> tuple[Ints, Ints]:
        """Every pair of different sets that have a label in common, the smaller number first."""
        # Sorted by label, sets with one label stand side by side: those of a pair are at most as far apart as
        # the label is frequent.
        order = np.argsort(self._labels, kind="stable")
        labels, sets = self._labels[order], self._sets[order]
        found = [np.empty(0, np.int64)]
        for step in range(1, int(np.bincount(labels).max()) if len(labels) else 0):
            same = labels[step:] == labels[:-step]
            found.append(np.unique(sets[:-step][same] * self.n_sets + sets[step:][same]))
        pairs = np.unique(np.concatenate(found))
        return pairs // max(self.n_sets, 1), pairs % max(self.n_sets, 1)

    def _shared(self, a: Ints, b: Ints) -> Ints:
        """Count the labels that the sets of each pair have in common."""
        sizes = self._sizes[a]
        pair = np.repeat(np.arange(len(a)), sizes)
        # Runs 0, 1, … for each pair: the labels of its first set, each of which is looked up in the second.
        within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        labels = self._labels[self._starts[a][pair] + within]
        wanted = b[pair] * self._span + labels
        location = np.minimum(np.searchsorted(self._held, wanted), len(self._held) - 1)
        return np.bincount(pair[self._held[location] == wanted], minlength=len(a))


class Alpha(NamedTuple):
    """Krippendorff's alpha: 1 for perfect agreement, 0 for what chance would give; below 0 for less."""

    alpha: float | None
    """Null where fewer than two questions have two answers, or where all answers are equal, since then nothing
    tells agreement from there being one answer only."""
    low: float | None
    """Lower end of the 95 % interval over questions (percentiles of 1,000 resamples); null with alpha."""
    high: float | None
    """Upper end."""
    n_questions: int
    """Questions that at least two people answered."""
    n_answers: int
    """Answers to them."""


def krippendorff_alpha(units: Ints, values: Ints, sets: AnswerSets) -> Alpha:
    """Alpha over answer sets, with MASI as the distance; with sets of one label each it is nominal alpha.

    Args:
        units: Numbers of the questions, one entry per answer set that somebody gave, shape ``(n,)``.
        values: Numbers of the sets, in the same order.
        sets: The sets.

    Answers to a question that nobody else answered are left out, as in Krippendorff's table of coincidences.
    """
    _, units = np.unique(units, return_inverse=True)
    answers = np.bincount(units) if len(units) else np.empty(0, np.int64)
    paired = answers[units] > 1 if len(units) else np.empty(0, bool)
    values, units = values[paired], np.unique(units[paired], return_inverse=True)[1]
    n_units, n = int(units.max()) + 1 if len(units) else 0, len(values)
    if n_units < 2:
        return Alpha(None, None, None, n_units, n)
    expected = _expected(values, sets)
    if expected == 0:
        return Alpha(None, None, None, n_units, n)
    per_unit, sizes = _observed(units, values, sets, n_units)
    alpha = 1 - per_unit.sum() / sizes.sum() / expected
    # A fixed seed: the interval is published, and a rebuild has to repeat it.
    drawn = np.random.default_rng(0).integers(n_units, size=(_SAMPLES, n_units))
    # Questions are drawn; what chance gives stays that of all of them.
    resampled = 1 - per_unit[drawn].sum(axis=1) / sizes[drawn].sum(axis=1) / expected
    low, high = np.percentile(resampled, _LEVEL)
    return Alpha(float(alpha), float(low), float(high), n_units, n)


def _observed(units: Ints, values: Ints, sets: AnswerSets, n_units: int) -> tuple[Floats, Ints]:
    """Per question the sum of distances that counts, and how many people answered."""
    sizes = np.bincount(units, minlength=n_units)
    first, second = pairs_within(units)
    distances = 1 - sets.similarities(values[first], values[second])
    per_unit = np.bincount(units[first], weights=distances, minlength=n_units)
    # In Krippendorff's table every pair stands twice, with the weight 1 / (answers to the question - 1).
    return 2 * per_unit / (sizes - 1), sizes


def _expected(values: Ints, sets: AnswerSets) -> float:
    """The mean distance between two answers, whatever they answer."""
    counts = np.bincount(values, minlength=sets.n_sets).astype(np.float64)
    n = counts.sum()
    a, b = sets.overlapping()
    # Only overlapping sets are looked at: the similarity of all others is 0.
    used = (counts[a] > 0) & (counts[b] > 0)
    a, b = a[used], b[used]
    # Ordered pairs of two answers: of equal sets with similarity 1, and of overlapping ones in both orders.
    alike = (counts * (counts - 1)).sum() + 2 * (counts[a] * counts[b] * sets.similarities(a, b)).sum()
    return float(1 - alike / (n * (n - 1)))


def pairs_within(units: Ints) -> tuple[Ints, Ints]:
    """The places of every two entries of the same unit, each pair once."""
    order = np.argsort(units, kind="stable")
    ordered = units[order]
    first: list[Ints] = [np.empty(0, np.int64)]
    second: list[Ints] = [np.empty(0, np.int64)]
    for step in range(1, int(np.bincount(ordered).max()) if len(units) else 0):
        # Entries of one unit stand side by side, so every pair of them is some step apart.
        same = np.flatnonzero(ordered[step:] == ordered[:-step])
        first.append(order[same])
        second.append(order[same + step])
    return np.concatenate(first), np.concatenate(second)


def of_members(members: Sequence[frozenset[str]]) -> tuple[Ints, AnswerSets]:
    """Sets of labels as numbers: the number of each, and the sets; none of them is empty."""
    numbers: dict[frozenset[str], int] = {}
    values = np.array([numbers.setdefault(held, len(numbers)) for held in members], np.int64)
    labels: dict[str, int] = {}
    pairs = [
        (n, labels.setdefault(label, len(labels))) for held, n in numbers.items() for label in sorted(held)
    ]
    held = np.array(pairs, np.int64).reshape(-1, 2)
    return values, AnswerSets(held[:, 0], held[:, 1])


_DIGITS = 4
"""Decimal places of alpha: so many are the same on every machine, however its libraries add numbers up."""


def answer_sets(responses: pl.DataFrame, ballots: Ballots, votes: pl.DataFrame | None = None) -> pl.DataFrame:
    """List what every person answered.

    ``template_id``, ``locale``, ``annotator``, ``labels`` (sorted, each once).

    A label is a group of variants, by the name of its first one, so that the same answer to two questions has
    the same label; an answer that a review calls invalid is one of its own; and so is every reason not to
    answer but *I don't know*, which says nothing and has no row.

    Args:
        responses: `frames.RESPONSES`.
        ballots: Of the same responses.
        votes: `grouping.grouped` of them, where it is there already.
    """
    votes = grouped(ballots) if votes is None else votes
    # Unreviewed answers in a reviewed group have no position, and give it no name.
    first = pl.col("answer").sort_by("position", "answer", nulls_last=True).first()
    named = votes.with_columns(
        label=pl.when(pl.col("key").is_null()).then(first.over(*KEY, "group")).otherwise("key")
    )
    invalid = ballots.answers.filter(pl.col("invalid").fill_null(value=False))
    why_not = responses.filter(pl.col("non_answer").is_not_null(), pl.col("non_answer") != NonAnswer.IDK.value)
    of = [*KEY, "annotator"]
    labels = pl.concat(
        [
            named.select(*of, pl.col("label").str.to_lowercase()),
            invalid.select(*of, label=pl.format("invalid: {}", "answer")),
            why_not.select(*of, label=pl.format("non-answer: {}", "non_answer")),
        ]
    )
    return labels.group_by(of).agg(labels=pl.col("label").unique().sort()).sort(of)


def locale_agreement(sets: pl.DataFrame) -> pl.DataFrame:
    """Measure how far the people of every locale agree: `AGREEMENT`, by tag.

    Args:
        sets: Of `answer_sets`.
    """
    rows = []
    for (tag,), given in sorted(sets.partition_by("locale", as_dict=True).items()):
        values, held = numbered(given["labels"])
        units = given["template_id"].rank("dense").to_numpy().astype(np.int64)
        found = krippendorff_alpha(units, values, held)
        people = given["annotator"].n_unique()
        rows.append((tag, found.alpha, found.low, found.high, found.n_questions, found.n_answers, people))
    return pl.DataFrame(rows, AGREEMENT, orient="row").with_columns(
        pl.col("alpha", "low", "high").round(_DIGITS)
    )


def numbered(labels: pl.Series) -> tuple[Ints, AnswerSets]:
    """The number of every answer set, and the sets.

    Args:
        labels: Lists of labels, each sorted; none is empty.
    """
    distinct = labels.to_frame("labels").unique(maintain_order=True).with_row_index("set")
    values = labels.to_frame("labels").join(distinct, on="labels", how="left", maintain_order="left")["set"]
    members = distinct.explode("labels").with_columns(label=pl.col("labels").rank("dense"))
    numbers, sets, names = (
        column.to_numpy().astype(np.int64) for column in (values, members["set"], members["label"])
    )
    return numbers, AnswerSets(sets, names)


SMALLEST = 5
"""Annotators in a group that is published."""

OTHER = "other"
"""Name of the group of those whose own groups are too small."""

NOT_SAID = "not said"
"""Name of the group of those who gave no profile, or left this part of it open."""

_YEARS = ((20, "20 or more"), (10, "10 to 19"), (5, "5 to 9"), (0, "under 5"))
"""Whole years from which on a group begins, and its name."""

_PARTS: Mapping[str, pl.Expr] = {
    # A script or region after the language says nothing about how well somebody speaks it.
    "native_language": pl.col("native_language").str.split("-").list.first().str.to_lowercase(),
    "years_in_region": pl.coalesce(
        pl.when(pl.col("years_in_region") >= least).then(pl.lit(name)) for least, name in _YEARS
    ),
    "age_band": pl.col("age_band"),
}
"""Part of the profile to the group of an annotator, over the columns of `PROFILES`; null if it is not said."""


def annotator_groups(sets: pl.DataFrame, profiles: pl.DataFrame) -> pl.DataFrame:
    """Measure how far annotators with a like profile agree.

    Args:
        sets: Of `agreement.answer_sets`.
        profiles: `PROFILES`, one row per annotator at most.

    Returns:
        `ANNOTATOR_GROUPS`, by locale, part of the profile and group. A part has no rows in a locale where fewer
        than two groups are large enough: a group that everybody belongs to would tell something about each.
    """
    if profiles.is_empty():
        return empty(ANNOTATOR_GROUPS)
    named = profiles.select("annotator", *(group.alias(part) for part, group in _PARTS.items()))
    found = [empty(ANNOTATOR_GROUPS)]
    for (tag,), given in sorted(sets.partition_by("locale", as_dict=True).items()):
        people = given.select("annotator").unique().join(named, on="annotator", how="left")
        for part in _PARTS:
            members = people.select("annotator", own=pl.col(part).fill_null(NOT_SAID))
            published = published_groups(Counter(members["own"]))
            groups = members.with_columns(group=pl.col("own").replace_strict(published, default=None))
            found.append(_agreement(given.join(groups, on="annotator"), str(tag), part))
    return pl.concat(found)


def published_groups(sizes: Mapping[str, int]) -> Mapping[str, str]:
    """Choose the groups that can be published: own group to published one, for all or for none.

    Args:
        sizes: Members by group, for everybody.

    Returns:
        Groups of `SMALLEST` or more under their own names. Smaller ones are `OTHER`, together with the smallest
        of the larger ones (by name among equals) until that has `SMALLEST` members as well. Nothing where fewer
        than two groups are left.
    """
    ranked = sorted((size, name) for name, size in sizes.items() if size)
    n_other, other = 0, set[str]()
    for size, name in ranked:
        if size >= SMALLEST and (n_other == 0 or n_other >= SMALLEST):
            break
        other.add(name)
        n_other += size
    published = {name: OTHER if name in other else name for _, name in ranked}
    return published if len(set(published.values())) > 1 else {}


def _agreement(given: pl.DataFrame, tag: str, part: str) -> pl.DataFrame:
    """The agreement within every group; rows of ``given`` without a group are of none."""
    groups: Iterable[tuple[tuple[object, ...], pl.DataFrame]] = sorted(
        given.drop_nulls("group").partition_by("group", as_dict=True).items()
    )
    return pl.concat(
        [
            empty(ANNOTATOR_GROUPS),
            *(
                locale_agreement(of_group)
                .with_columns(profile=pl.lit(part), group=pl.lit(name), locale=pl.lit(tag))
                .select(ANNOTATOR_GROUPS.names())
                for (name,), of_group in groups
            ),
        ]
    )
