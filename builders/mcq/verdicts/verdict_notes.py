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
    UNREAD_NOTE: "so it is in a first build: `blend questions options{recipe} --unread` writes the options for "
    "people to read, who say which are wrong (docs/questions.md)",
    LEFT_OUT_NOTE: "findings of the kind short name them; have people read those that nobody has "
    "(`blend questions options{recipe} --unread`), ease the limits, or add reviewed fillers (docs/mcq.md)",
}


def verdict_notes(manifest: ReleaseManifest, recipe: str = "") -> Iterator[tuple[str, str]]:
    """List what the build report of a release says of verdicts, and what to do about each.

    Args:
        manifest: The manifest of the release.
        recipe: What commands call the recipe; without it they use the one in the folder, or the sample.
    """
    named = recipe and f" {recipe}"
    for stage in manifest.report:
        for kind, remedy in _REMEDIES.items():
            if kind in stage.notes:
                yield str(stage.notes[kind]), remedy.replace("{recipe}", named)


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
