"""Why a release has no multiple-choice questions, where it has questions to make them of."""

from blend.builders.mcq.regions import EACH_NEEDS
from blend.schemas.configs import MULTIPLE_CHOICE_QUESTIONS, SHORT_ANSWER_QUESTIONS
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.rows import LETTERS
from blend.schemas.text import counted

STAGE = "make multiple-choice questions"
"""Name of the step in the build report."""


def why_none_made(manifest: ReleaseManifest) -> str | None:
    """A sentence on what was in the way, and what helps; null if there are some, or no questions at all."""
    rows: dict[str, int] = {}
    for table in manifest.tables:
        rows[table.config] = rows.get(table.config, 0) + table.rows
    if rows.get(MULTIPLE_CHOICE_QUESTIONS) or not rows.get(SHORT_ANSWER_QUESTIONS):
        return None
    regions = sum(table.config == SHORT_ANSWER_QUESTIONS for table in manifest.tables)
    dropped = next((stage.findings for stage in manifest.report if stage.stage == STAGE), {})
    causes = ", ".join(f"{kind} {count:,}" for kind, count in dropped.items())
    few = f" There {'is' if regions == 1 else 'are'} {regions}." if regions < len(LETTERS) else ""
    return (
        f"No multiple-choice question was made of {counted(rows[SHORT_ANSWER_QUESTIONS], 'question')}"
        f"{f' ({causes})' if causes else ''}. {EACH_NEEDS}.{few}"
    )
