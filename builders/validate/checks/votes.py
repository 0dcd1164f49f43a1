"""Checks of the votes: no more than there are annotators, most votes first."""

from collections.abc import Iterator
from typing import Any, Final

from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import CORRECT_AND_REBUILD, Problem, error, warning
from blend.loaders.releases.findings import read_findings
from blend.loaders.upstream.blend.groups import ANNOTATORS
from blend.schemas.errors import RowError
from blend.schemas.manifest import FINDINGS_NAME
from blend.schemas.rows import ANNOTATIONS, Grouping

_RECORDED: Final = ("votes-above-annotators", "non-answers-above-annotators")
"""Kinds of findings that say that the published data has more votes than annotators."""


def check_votes(release: Release) -> Iterator[Problem]:
    """Votes are no more than annotators.

    The published data had five annotators per question. How many answered a question of one's own is not
    published with it. Where the build has recorded that the source itself counts more, that is a warning.
    Groups come by votes, most first.

    * error: groups are not in the order of votes; an answer of the published data has more votes, or the
      question more non-answers, than its five annotators, and no finding records it
    * warning: the same, recorded. How many people answered a question of your own is not published, so it is
      not checked
    """
    recorded = _recorded(release)
    for batch in release.batches(ANNOTATIONS, columns=["annotations", "idks", "locale", "grouping"]):
        for row in batch.complete().rows.iter_rows(named=True):
            location = batch.location(row["ID"])
            counts = [group["count"] for group in row["annotations"]]
            if counts != sorted(counts, reverse=True):
                yield error(
                    location, f"groups are not in the order of their votes: {counts}", CORRECT_AND_REBUILD
                )
            if row["grouping"] != Grouping.UPSTREAM:
                continue
            for kind, what in _excesses(counts, row["idks"]):
                if (kind, row["locale"], row["ID"]) in recorded:
                    yield warning(location, f"{what}, as in the source ({kind} in {FINDINGS_NAME})")
                else:
                    yield error(
                        location, f"{what}, and {FINDINGS_NAME} does not record it", CORRECT_AND_REBUILD
                    )


def _excesses(counts: list[int], idks: dict[str, Any]) -> Iterator[tuple[str, str]]:
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
    found: set[tuple[str, ...]] = set()
    # What is not a finding is told by the check of the findings.
    for _, finding in read_findings(path, holding=_RECORDED):
        if not isinstance(finding, RowError):
            found.add(tuple(str(finding.get(key)) for key in ("kind", "locale", "template_id")))
    return found
