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
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from blend.builders.saq.ballots import Ballots
from blend.builders.saq.grouping import grouped
from blend.schemas.frames import AGREEMENT, ANNOTATOR_GROUPS, KEY, empty
from blend.schemas.rows import NonAnswer

_SAMPLES = 1000
_LEVEL = (2.5, 97.5)


def similarities(labels: pl.Series) -> tuple[pl.Series, pl.DataFrame]:
    """Answer sets as numbers, and how alike two of them are.

    MASI is 1 for equal sets, the Jaccard index times 2/3 where one set is part of the other, times 1/3 where
    they overlap otherwise, and 0 for sets without a common label.

    Args:
        labels: A list per answer, sorted, each label once; none is empty.

    Returns:
        The number of every answer's set; and one row per ordered pair of different sets with a common label:
        ``set``, ``other``, ``similarity``.
    """
    distinct = labels.to_frame("labels").unique(maintain_order=True).with_row_index("set")
    numbers = labels.to_frame("labels").join(distinct, on="labels", how="left", maintain_order="left")["set"]
    members = distinct.with_columns(size=pl.col("labels").list.len()).explode("labels")
    pairs = (
        members.join(members, on="labels", suffix="_other")
        .filter(pl.col("set") != pl.col("set_other"))
        .group_by("set", "size", other="set_other", size_other="size_other")
        .agg(shared=pl.len())
    )
    is_part = pl.col("shared") == pl.min_horizontal("size", "size_other")
    jaccard = pl.col("shared") / (pl.col("size") + pl.col("size_other") - pl.col("shared"))
    weighted = pl.when(is_part).then(2 / 3).otherwise(1 / 3) * jaccard
    return numbers, pairs.select("set", "other", similarity=weighted)


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


def krippendorff_alpha(answers: pl.DataFrame) -> Alpha:
    """Alpha over answer sets, with MASI as the distance; with sets of one label each it is nominal alpha.

    Args:
        answers: One row per answer set that somebody gave: ``unit`` (the question) and ``labels`` (sorted, each
            once; none is empty).

    Answers to a question that nobody else answered are left out, as in Krippendorff's table of coincidences.
    """
    numbers, similar = similarities(answers["labels"])
    paired = answers.select("unit", set=numbers).filter(pl.len().over("unit") > 1)
    n, n_units = len(paired), paired["unit"].n_unique()
    counts = paired.group_by("unit", "set").agg(count=pl.len().cast(pl.Float64))
    overall = counts.group_by("set").agg(pl.col("count").sum()).with_columns(unit=0)
    # The mean distance between two answers, whatever they answer.
    expected = 1 - _alike(overall, similar)["alike"].sum() / (n * (n - 1)) if n_units > 1 else 0
    if expected == 0:
        return Alpha(None, None, None, n_units, n)
    units = _alike(counts, similar)
    sizes = units["n"].to_numpy()
    # In Krippendorff's table every pair stands twice, with the weight 1 / (answers to the question - 1).
    per_unit = sizes - units["alike"].to_numpy() / (sizes - 1)
    alpha = 1 - per_unit.sum() / sizes.sum() / expected
    import numpy as np  # most commands count answers and measure no agreement

    # A fixed seed: the interval is published, and a rebuild has to repeat it.
    drawn = np.random.default_rng(0).integers(n_units, size=(_SAMPLES, n_units))
    # Questions are drawn; what chance gives stays that of all of them.
    resampled = 1 - per_unit[drawn].sum(axis=1) / sizes[drawn].sum(axis=1) / expected
    low, high = np.percentile(resampled, _LEVEL)
    return Alpha(float(alpha), float(low), float(high), n_units, n)


def _alike(counts: pl.DataFrame, similar: pl.DataFrame) -> pl.DataFrame:
    """By unit, in order: ``n`` answers, and ``alike``, the similarities of all ordered pairs of them added up.

    Args:
        counts: ``unit``, ``set`` and ``count``, how many gave that set.
        similar: Of `similarities`.
    """
    weight = pl.col("count") * pl.col("count_other") * pl.col("similarity")
    unequal = (
        counts.join(similar, on="set")
        .join(counts, left_on=["unit", "other"], right_on=["unit", "set"], suffix="_other")
        .sort("unit", "set", "other")  # sums of fractions depend on their order in the last digit
        .group_by("unit", maintain_order=True)
        .agg(unequal=weight.sum())
    )
    equal = pl.col("count") * (pl.col("count") - 1)
    by_unit = counts.group_by("unit").agg(n=pl.col("count").sum(), equal=equal.sum())
    alike = pl.col("equal") + pl.col("unequal").fill_null(0)
    return by_unit.join(unequal, on="unit", how="left").select("unit", "n", alike=alike).sort("unit")


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
    return _agreement_by(("locale",), sets.sort("locale")).select(list(AGREEMENT))


def _agreement_by(parts: Sequence[str], sets: pl.DataFrame) -> pl.DataFrame:
    """The agreement within all that is alike in some columns, in the order of the rows."""
    rows = []
    for key, given in sets.partition_by(parts, as_dict=True, maintain_order=True).items():
        found = krippendorff_alpha(given.select("labels", unit="template_id"))
        ends = (None if end is None else round(end, _DIGITS) for end in (found.alpha, found.low, found.high))
        rows.append((*key, *ends, found.n_questions, found.n_answers, given["annotator"].n_unique()))
    of_parts = dict.fromkeys(parts, pl.String())
    columns = {**of_parts, **{name: dtype for name, dtype in AGREEMENT.items() if name not in parts}}
    return pl.DataFrame(rows, columns, orient="row")


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
    found = []
    for given in sets.sort("locale").partition_by("locale", maintain_order=True):
        people = given.select("annotator").unique().join(named, on="annotator", how="left")
        for part in _PARTS:
            own = people[part].fill_null(NOT_SAID)
            published = published_groups(Counter(own))
            group = own.replace_strict(published, default=None, return_dtype=pl.String)
            members = people.select("annotator", group=group, profile=pl.lit(part)).drop_nulls("group")
            found.append(given.join(members, on="annotator").sort("group"))
    return _agreement_by(("locale", "profile", "group"), pl.concat(found)).select(list(ANNOTATOR_GROUPS))


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
