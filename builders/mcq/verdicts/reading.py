"""Reading: who has read the options that questions show, and what is left to read."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from blend.builders.mcq.options import Option, shown
from blend.builders.mcq.published_mcqs import McqRow
from blend.builders.mcq.verdicts.exclusions import VOID, Exclusions
from blend.builders.mcq.verdicts.fillers import FillerUse
from blend.loaders.responses.shipped import shipped_readings
from blend.schemas.frames import KEY
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.personal_data import MODEL
from blend.schemas.rows import Grouping

NATIVES = "natives"
"""Readers of whom at least one is a native of the region asked about."""
OTHERS = "others"
"""Readers of whom none is known to be one."""
BY_QUESTION = "by_question"
"""The package's model, of which it is known which questions it has read, and not which options it accepted."""

UNREAD_NOTE = "unread"
"""Note of the build report that says which regions' questions show options that nobody has read."""

_REMEDIES = {
    VOID: "the finding `void-verdicts` names them; a change of wording only is for mcq.wordings "
    "(docs/questions.md)",
    UNREAD_NOTE: "so it is in a first build: `blend questions options{recipe} --unread` writes the options for "
    "people to read, who say which are wrong (docs/questions.md)",
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


class QuestionReadings:
    """Questions of which the package's model read every option that published answers offer.

    Which questions it had read was kept, and of the options only those that it refused.

    Args:
        questions: The questions, `frame_columns.QUESTIONS`.
        annotations: Answers, `frame_columns.ANNOTATIONS`.
        shipped: Whether its reading counts.
    """

    def __init__(self, questions: pl.DataFrame, annotations: pl.DataFrame, *, shipped: bool) -> None:
        self._questions = self._published = frozenset[tuple[str, str]]()
        if shipped:
            readings = shipped_readings()
            asked = questions.select(*KEY, question="en_question")
            in_these_words = readings.join(asked, on=readings.columns, how="semi")
            self._questions = frozenset(in_these_words.select(KEY).rows())
            regions = readings["locale"].unique().to_list()
            # What was read are the published answers of these regions, and nobody else's.
            answers = annotations.filter(
                pl.col("grouping") == Grouping.UPSTREAM.value, pl.col("locale").is_in(regions)
            )
            self._published = frozenset(answers.select(KEY).rows())

    def covers(self, template_id: str, asked: str, origin: str) -> bool:
        """Whether it read what a locale answered among the options about another one."""
        return (template_id, asked) in self._questions and (template_id, origin) in self._published


class Reading:
    """Who has read which option.

    Args:
        exclusions: Verdicts on single options.
        readings: What the package's model has read of published answers.
    """

    def __init__(self, exclusions: Exclusions, readings: QuestionReadings) -> None:
        self._exclusions, self._readings = exclusions, readings

    def by(self, template_id: str, asked: str, text: str, origin: str) -> str | None:
        """Say who has read an option about a locale: `NATIVES`, `OTHERS`, `MODEL`, `BY_QUESTION`, or null.

        Args:
            template_id: The template.
            asked: Tag of the locale asked about.
            text: The option as shown.
            origin: Tag of the locale whose answer it is.
        """
        found = self._exclusions.counting(template_id, asked, text)
        if any(not reader.is_model for reader in found):
            return NATIVES if any(reader.native for reader in found) else OTHERS
        if found:
            return MODEL
        return BY_QUESTION if self._readings.covers(template_id, asked, origin) else None

    def has_read(self, template_id: str, asked: str, option: Option) -> bool:
        """Whether a person or a model has read an option about a locale; who wrote a reviewed filler has."""
        return not option.votes or self.by(template_id, asked, option.text, option.locale.tag) is not None


def reading_frame(
    made: Iterable[McqRow], reading: Reading, fillers: Iterable[FillerUse], tags: Iterable[str]
) -> pl.DataFrame:
    """Count who has read what questions show.

    Args:
        made: The questions.
        reading: Who has read what.
        fillers: Rows of `result.FILLERS_USED`; those that are used were read by who proposed them.
        tags: Locales in the order of the rows; those without questions have none.

    Returns:
        `READING`.
    """
    proposed = {(use[0], str(use[1]), shown(use[2])) for use in fillers if use[-1] == "used"}
    counts: dict[str, Counter[str]] = {}
    for one in made:
        readers = [reading.by(one.template_id, one.locale, *option) for option in one.options]
        for number, (text, _) in enumerate(one.options):
            if readers[number] is None and (one.template_id, one.locale, text) in proposed:
                readers[number] = OTHERS
        of_locale = counts.setdefault(one.locale, Counter())
        of_locale.update(reader or "nobody" for reader in readers)
        of_locale.update(mcqs=1, with_unread=int(None in readers), options=len(one.options))
    rows = [(tag, *(n[name] for name in READING if name != "locale")) for tag, n in counts.items()]
    order = {tag: number for number, tag in enumerate(tags)}
    found = pl.DataFrame(rows, READING, orient="row").with_columns(
        model=pl.col("model") + pl.col("by_question")
    )
    return found.sort(pl.col("locale").replace_strict(order, return_dtype=pl.Int64))


def unread_findings(reading: pl.DataFrame) -> list[tuple[str, str]]:
    """Say by locale how many questions show options that nobody has read; locale and sentence."""
    return [(row["locale"], _sentence(row)) for row in reading.iter_rows(named=True) if row["with_unread"]]


def _sentence(row: Mapping[str, int]) -> str:
    return (
        f"{row['with_unread']:,} of {row['mcqs']:,} multiple-choice questions show options that nobody has "
        f"read: {row['nobody']:,} of {row['options']:,}"
    )


def unread_summary(reading: pl.DataFrame) -> str:
    """Say how many questions show options that nobody has read, in all and by locale."""
    rows = [row for row in reading.iter_rows(named=True) if row["with_unread"]]
    by_locale = ", ".join(f"{row['locale']} {row['with_unread']:,} of {row['mcqs']:,}" for row in rows)
    total, of = sum(row["with_unread"] for row in rows), int(reading["mcqs"].sum())
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
