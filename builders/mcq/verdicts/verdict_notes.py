"""Verdict notes: what a build and its validation say of verdicts on options, and of options left out."""

from collections.abc import Iterator

import polars as pl

from blend.builders.mcq.result import SHORT, McqBuild
from blend.builders.mcq.verdicts.exclusions import VOID
from blend.builders.mcq.verdicts.reading import UNREAD_NOTE
from blend.schemas.language.text_comparison import agreeing, pluralise
from blend.schemas.release.manifest import ReleaseManifest

LEFT_OUT_NOTE = "left-out"
"""Note of the build report that says which options are missing in questions that are short of them."""

_REMEDIES = {
    VOID: "the finding `void-verdicts` names them; a change of wording only is for mcq.wordings "
    "(docs/questions.md)",
    UNREAD_NOTE: "`blend questions options --unread` writes them for people to read (docs/questions.md)",
    LEFT_OUT_NOTE: "findings of the kind short name them; have people read those that nobody has "
    "(`blend questions options --unread`), ease the limits, or add reviewed fillers (docs/mcq.md)",
}


def verdict_notes(manifest: ReleaseManifest) -> Iterator[tuple[str, str]]:
    """List what the build report of a release says of verdicts, and what to do about each."""
    for stage in manifest.report:
        for kind, remedy in _REMEDIES.items():
            if kind in stage.notes:
                yield str(stage.notes[kind]), remedy


def left_out_summary(mcqs: McqBuild) -> str | None:
    """Say how many questions are short where options were left out, by cause and locale; null without any."""
    rows = mcqs.left_out
    if rows.is_empty():
        return None
    short, of = rows.select("template_id", "locale").n_unique(), mcqs.dropped.filter(reason=SHORT).height
    by_cause = rows.group_by("cause").agg(pl.col("options").sum()).sort("cause").rows()
    causes = ", ".join(f"{n:,} by {cause}" for cause, n in by_cause)
    by_locale = rows.unique(["template_id", "locale"]).group_by("locale").len().sort("locale").rows()
    locales = ", ".join(f"{tag} {n:,}" for tag, n in by_locale)
    return (
        f"{short:,} of {pluralise(of, 'question')} that {agreeing(of, 'is', 'are')} short of options "
        f"{agreeing(short, 'lacks', 'lack')} some that are left out: {causes} ({locales})"
    )
