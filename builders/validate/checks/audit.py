"""Check of the audit: whether simple rules get more right in a release's questions than default mode allows."""

from collections.abc import Iterator

from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import REBUILD, Problem, error, warning
from blend.loaders.releases.audits import read_audit
from blend.schemas.errors import RowError
from blend.schemas.manifest import AUDIT_NAME
from blend.schemas.reports import AuditReport
from blend.schemas.rows import (
    MULTIPLE_CHOICE_QUESTIONS,
    RUNGS,
    TRUE_FALSE_QUESTIONS,
)
from blend.schemas.texts import pluralise

_MOST = {"typical": 0.65, "recurring": 0.45, "largest": 0.29, "smallest": 0.29, "nearest-mean": 0.29}
"""Shares of their questions from which on baselines know more than they should."""
_MOST_NAMED = 0.02
"""Share of all questions from which on names of regions give too many away."""
_LOOK = "see docs/stats.md"


def check_audit(release: Release) -> Iterator[Problem]:
    """Simple rules find no more than they should.

    By the audit that the release brings along; a figure counts once its whole interval lies beyond the limit.

    * error: `reports/audit.json` is no audit, or of another number of questions
    * warning: a rule gets more right than docs/stats.md allows
    """
    if release.manifest.recipe.mcq.mode == "paper":
        # The published procedure makes what it makes, and nobody rebuilds it to be harder to guess.
        return
    try:
        audit = read_audit(release.path)
    except RowError as broken:
        yield error(AUDIT_NAME, broken.what, REBUILD)
        return
    if audit is None:
        # A source's own questions are not audited.
        return
    for config, of_config in {MULTIPLE_CHOICE_QUESTIONS: audit, TRUE_FALSE_QUESTIONS: audit.true_false}.items():
        if of_config is None:
            continue
        held = sum(table.rows for table in release.manifest.tables if table.config == config)
        named = "" if config == MULTIPLE_CHOICE_QUESTIONS else f" of {config}"
        if of_config.questions != held:
            what = f"is of {of_config.questions:,} questions{named}, the release has {held:,}"
            yield error(AUDIT_NAME, what, REBUILD)
        if config in RUNGS:
            # What is typical of a region is what their answers are about, and no way round them.
            continue
        yield from _guessed(of_config, named)


def _guessed(audit: AuditReport, named: str) -> Iterator[Problem]:
    for name, most in _MOST.items():
        found = audit.overall.get(name)
        if found is None or found.low is None:
            continue
        if found.low > most:
            what = (
                f"the rule {name!r} gets {found.accuracy:.1%} of "
                f"{pluralise(found.questions, 'question')}{named} right (95 % interval from {found.low:.1%})"
            )
            yield warning(AUDIT_NAME, what, _LOOK)
    for leak in audit.leaks:
        if (leak.name, leak.group) == ("names-region", "all") and (leak.share or 0) > _MOST_NAMED:
            what = f"in {leak.share:.1%} of the questions{named} an option names the region asked about"
            yield warning(AUDIT_NAME, what, _LOOK)
