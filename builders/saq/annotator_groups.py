"""Annotator groups: how far people of one native language, time in the region or age agree.

Nobody's profile may be told from what is published. Groups have `SMALLEST` members or more, and no smaller one
can be computed from them: the members of smaller groups are counted together as `OTHER`, which is no smaller
either, if need be with those of a further group.

References:
    Sweeney (2002), k-anonymity, https://doi.org/10.1142/S0218488502001648.
    Hundepool et al. (2012), Statistical Disclosure Control, chapter 4: the further group is what they call
    complementary suppression.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

import polars as pl

from blend.builders.saq.answer_sets import locale_agreement
from blend.schemas.rows.frame_columns import ANNOTATOR_GROUPS, empty

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
        sets: Of `answer_sets.answer_sets`.
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
