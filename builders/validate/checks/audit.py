"""Check of a release's audit: how much simple rules guess."""

from collections.abc import Iterator

from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import REBUILD, Problem, error, warning
from blend.loaders.releases.reports import read_audit
from blend.schemas.errors import RowError
from blend.schemas.manifest import AUDIT_NAME
from blend.schemas.reports import AuditReport
from blend.schemas.texts import pluralise

_MOST = {"typical": 0.65, "recurring": 0.45, "largest": 0.29, "smallest": 0.29, "nearest-mean": 0.29}
"""Shares of their questions from which on baselines know more than they should."""
_MOST_NAMED = 0.02
"""Share of all questions from which on names of regions give too many away."""
_LOOK = "see docs/stats.md"


def check_audit(release: Release) -> Iterator[Problem]:
    """Simple rules find no more than they should.

    By the audit that the release brings along; a figure counts once its whole interval lies beyond the limit.

    * error: `reports/audit.json` is not an audit
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
    # What is typical of a region is what true or false asks about, and no way round it.
    yield from _guessed(audit)


def _guessed(audit: AuditReport) -> Iterator[Problem]:
    for name, most in _MOST.items():
        found = audit.overall.get(name)
        if found is not None and found.low is not None and found.low > most:
            what = (
                f"the rule {name!r} gets {found.accuracy:.1%} of "
                f"{pluralise(found.questions, 'question')} right (95 % interval from {found.low:.1%})"
            )
            yield warning(AUDIT_NAME, what, _LOOK)
    for leak in audit.leaks:
        if (leak.name, leak.group) == ("names-region", "all") and (leak.share or 0) > _MOST_NAMED:
            what = f"in {leak.share:.1%} of the questions an option names the region asked about"
            yield warning(AUDIT_NAME, what, _LOOK)
