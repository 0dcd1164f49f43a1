"""Checks of questions and votes: questions name their region, and votes add up."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import polars as pl

from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import CORRECT_AND_REBUILD, Problem, error, warning
from blend.loaders.releases.reports import read_findings
from blend.loaders.upstream.blend.groups import ANNOTATORS
from blend.schemas.errors import RowError
from blend.schemas.locales import in_english, is_named, others_named
from blend.schemas.manifest import FINDINGS_NAME
from blend.schemas.rows import ANNOTATIONS, SHORT_ANSWER_QUESTIONS, Grouping

_RECORDED: Final = ("votes-above-annotators", "non-answers-above-annotators")
"""Kinds of findings that say that the published data has more votes than annotators."""


def check_questions(release: Release) -> Iterator[Problem]:
    """Questions name their region.

    By any of its names or its people's.

    * warning: an English question names no region, or only another one
    """
    asked = release.rows(SHORT_ANSWER_QUESTIONS)
    for row in asked.filter(pl.col("locale").is_in(release.locales.tags)).iter_rows(named=True):
        locale = release.locales.get(row["locale"])
        for column in ("Translation", "Question") if in_english(locale) else ("Translation",):
            if row[column] and not is_named(row[column], locale):
                others = others_named(row[column], release.locales, locale)
                names_others = f"names {' and '.join(others)}, not" if others else "does not name"
                what = f"{column} {names_others} {locale.prompt_name}"
                yield warning(row["location"], what, CORRECT_AND_REBUILD)


def check_votes(release: Release) -> Iterator[Problem]:
    """Votes are no more than annotators.

    The published data had five annotators per question. How many answered a question of one's own is not
    published with it. Where the build has recorded that the source itself counts more, that is a warning.

    * error: an answer of the published data has more votes, or the question more non-answers, than its five
      annotators, and no finding records it
    * warning: the same, recorded. How many people answered a question of your own is not published, so it is
      not checked
    """
    recorded = _recorded(release)
    rows = release.rows(ANNOTATIONS).filter(pl.col("grouping") == Grouping.UPSTREAM)
    for row in rows.iter_rows(named=True):
        counts = [group["count"] for group in row["annotations"]]
        if None in counts or None in row["idks"].values():
            continue
        for kind, what in _excesses(counts, row["idks"]):
            if (kind, row["locale"], row["ID"]) in recorded:
                yield warning(row["location"], f"{what}, as in the source ({kind} in {FINDINGS_NAME})")
            else:
                what = f"{what}, and {FINDINGS_NAME} does not record it"
                yield error(row["location"], what, CORRECT_AND_REBUILD)


def _excesses(counts: list[int], idks: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is above the number of annotators, each with the kind of its finding."""
    votes, non_answers = _RECORDED
    if max(counts, default=0) > ANNOTATORS:
        yield votes, f"an answer has {max(counts)} votes of {ANNOTATORS} annotators"
    others = sum(other["count"] for other in idks["others"])
    total = idks["idk"] + idks["no-answer"] + idks["not-applicable"] + others
    if total > ANNOTATORS:
        yield non_answers, f"{total} non-answers of {ANNOTATORS} annotators"


def _recorded(release: Release) -> set[tuple[str, ...]]:
    path = release.path / FINDINGS_NAME
    if not path.is_file():
        return set()
    return {
        tuple(str(finding.get(key)) for key in ("kind", "locale", "template_id"))
        for _, finding in read_findings(path, holding=_RECORDED)
        if not isinstance(finding, RowError)
    }
