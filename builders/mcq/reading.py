"""Reading: who has read what questions show, counted by region."""

from collections import Counter
from collections.abc import Iterable, Iterator

import polars as pl

from blend.builders.mcq.published_mcqs import McqRow
from blend.builders.mcq.result import ON_NOTHING, VOID
from blend.builders.mcq.verdicts import Verdicts
from blend.schemas.manifest import ReleaseManifest

UNREAD_NOTE = "unread"
"""Note of the build report that says which regions' questions show options that nobody has read."""

_REMEDIES = {
    VOID: "the finding `void-verdicts` names them; a change of wording only is for a verdict `reworded` "
    "(docs/mcq.md)",
    ON_NOTHING: "the finding `verdicts-on-nothing` names them: look whether a column of the table of verdicts "
    "has moved (docs/mcq.md)",
    UNREAD_NOTE: "so it is in a first build: `blend questions options{recipe} --unread` writes the options for "
    "people to read, who say which are wrong (docs/mcq.md)",
}

READING = pl.Schema(
    {
        "locale": pl.String(),
        "mcqs": pl.Int64(),
        "with_unread": pl.Int64(),
        "options": pl.Int64(),
        "natives": pl.Int64(),
        "others": pl.Int64(),
        "model": pl.Int64(),
        "by_question": pl.Int64(),
        "nobody": pl.Int64(),
    }
)
"""One row per locale asked about, in registry order: multiple-choice questions, those of them that show an
option that nobody has read, and the options that they show, by who has read them: natives of the region, other
people, a language model alone (of these those of which that is known ``by_question``), or nobody, neither
person nor model."""


def reading_frame(made: Iterable[McqRow], verdicts: Verdicts, tags: Iterable[str]) -> pl.DataFrame:
    """Count who has read what questions show.

    Args:
        made: The questions.
        verdicts: Who has read what.
        tags: Locales in the order of the rows; those without questions have none.

    Returns:
        `READING`.
    """
    counts: dict[str, Counter[str]] = {}
    for one in made:
        readers = [
            verdicts.read_by(one.template_id, one.locale, text, origin) or "nobody"
            for text, origin in one.options
        ]
        of_locale = counts.setdefault(one.locale, Counter())
        of_locale.update(readers, mcqs=1, with_unread=int("nobody" in readers), options=len(readers))
    rows = [
        {"locale": tag, **{name: counts[tag][name] for name in READING if name != "locale"}}
        for tag in tags
        if tag in counts
    ]
    return pl.DataFrame(rows, READING).with_columns(model=pl.col("model") + pl.col("by_question"))


def unread_findings(reading: pl.DataFrame) -> list[tuple[str, str]]:
    """Say by locale how many questions show options that nobody has read; locale and sentence."""
    sentence = (
        "{with_unread:,} of {mcqs:,} multiple-choice questions show options that nobody has read: "
        "{nobody:,} of {options:,}"
    )
    rows = reading.filter(pl.col("with_unread") > 0).iter_rows(named=True)
    return [(row["locale"], sentence.format(**row)) for row in rows]


def unread_summary(reading: pl.DataFrame) -> str:
    """Say how many questions show options that nobody has read, in all and by locale."""
    rows = reading.filter(pl.col("with_unread") > 0).iter_rows(named=True)
    by_locale = ", ".join(f"{row['locale']} {row['with_unread']:,} of {row['mcqs']:,}" for row in rows)
    total, of = int(reading["with_unread"].sum()), int(reading["mcqs"].sum())
    return f"{total:,} of {of:,} multiple-choice questions show options that nobody has read ({by_locale})"


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
