"""Regions: whether enough of them are asked the same questions to make multiple-choice questions."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from blend.builders.mcq.board import are_apart
from blend.schemas.locales import Registry
from blend.schemas.rows import LETTERS
from blend.schemas.text import agreeing, counted

OTHERS_NEEDED = len(LETTERS) - 1
"""Other regions whose answers stand beside the one that counts."""

EACH_NEEDS = (
    f"Each shows an answer of one region beside {OTHERS_NEEDED} answers of other regions, so at least "
    f"{len(LETTERS)} regions must be asked the same question, or a file of reviewed fillers must stand in for "
    "them (docs/mcq.md)"
)


class RegionsAsked(NamedTuple):
    """Which questions enough regions are asked for multiple-choice questions."""

    questions: int
    """Templates in a locale, in all."""
    usable: int
    """Of them, those beside which three other regions are asked the same."""
    regions: tuple[str, ...]
    """Regions that are asked anything, by code."""
    shared: tuple[tuple[str, ...], ...]
    """Locales that count as one for each other: those of one region, and of a region within another."""


def regions_asked(asked: pl.DataFrame, locales: Registry) -> RegionsAsked:
    """Count the questions that can become multiple-choice questions, whatever people answer.

    Args:
        asked: One row per question: ``template_id``, ``locale``.
        locales: Known locales.
    """
    known = {tag: locales.get(tag) for tag in asked["locale"].unique().sort()}
    apart = {
        tag: {other for other in known if are_apart(locale, known[other])} for tag, locale in known.items()
    }
    usable = 0
    for tags, n in (
        asked.group_by("template_id")
        .agg(pl.col("locale").unique().sort())
        .group_by("locale")
        .agg(n=pl.len())
        .iter_rows()
    ):
        others = ({known[other].region for other in apart[tag] & set(tags)} for tag in tags)
        usable += n * sum(len(regions) >= OTHERS_NEEDED for regions in others)
    groups = {tuple(sorted({tag, *known} - apart[tag])) for tag in known}
    return RegionsAsked(
        questions=asked.unique(["template_id", "locale"]).height,
        usable=usable,
        regions=tuple(dict.fromkeys(locale.region for locale in known.values())),
        shared=tuple(sorted(group for group in groups if len(group) > 1)),
    )


def too_few_regions(found: RegionsAsked) -> str | None:
    """A sentence on what is missing for multiple-choice questions; null if every question can become one."""
    if found.usable == found.questions:
        return None
    n = len(found.regions)
    regions = f"{counted(n, 'region')} {agreeing(n, 'is', 'are')} asked ({', '.join(found.regions)})"
    as_one = "; ".join(f"{_listed(group)} count as one" for group in found.shared)
    missing = len(LETTERS) - n
    more = f"; {missing} more {agreeing(missing, 'is', 'are')} missing" if missing > 0 else ""
    return (
        f"{found.usable:,} of {counted(found.questions, 'question')} can become multiple-choice "
        f"questions. {EACH_NEEDS}. Here, {regions}{f'; {as_one}' if as_one else ''}{more}"
    )


def _listed(tags: Sequence[str]) -> str:
    return f"{', '.join(tags[:-1])} and {tags[-1]}"
