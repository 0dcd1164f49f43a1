"""Reading: who has read the options that questions show, and what is left to read."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from blend.builders.mcq.options import Option, shown
from blend.builders.mcq.verdicts.exclusions import Exclusions
from blend.builders.mcq.verdicts.question_readings import QuestionReadings
from blend.schemas.language.personal_data import MODEL

if TYPE_CHECKING:
    from blend.builders.mcq.default import DefaultPlan, LocaleQuestions, TemplateQuestions
    from blend.builders.mcq.verdicts.fillers import FillerUse

NATIVES = "natives"
"""Readers of whom at least one is a native of the region asked about."""
OTHERS = "others"
"""Readers of whom none is known to be one."""
BY_QUESTION = "by_question"
"""The package's model, of which it is known which questions it has read, and not which options it accepted."""

UNREAD_NOTE = "unread"
"""Note of the build report that says which regions' questions show options that nobody has read."""

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
option that nobody has read, and the options that they show (each once per template, and once more in the hard
split), by who has read them: natives of the region, other people, a language model alone (of these those of
which that is known ``by_question``), or nobody, neither person nor model."""


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
    made: Iterable["TemplateQuestions | DefaultPlan"],
    reading: Reading,
    fillers: Iterable["FillerUse"],
    tags: Iterable[str],
) -> pl.DataFrame:
    """Count who has read what questions show.

    Args:
        made: The questions, those of the hard split among them.
        reading: Who has read what.
        fillers: Rows of `result.FILLERS_USED`; those that are used were read by who proposed them.
        tags: Locales in the order of the rows; those without questions have none.

    Returns:
        `READING`.
    """
    proposed = {(use[0], str(use[1]), shown(use[2])) for use in fillers if use[-1] == "used"}
    rows = [row for one in made for row in _counts(one, reading, proposed)]
    order = {tag: number for number, tag in enumerate(tags)}
    totals = pl.DataFrame(rows, READING, orient="row").group_by("locale").sum()
    return totals.sort(pl.col("locale").replace_strict(order, return_dtype=pl.Int64)).select(list(READING))


def _counts(
    made: "TemplateQuestions | DefaultPlan", reading: Reading, proposed: Collection[tuple[str, str, str]]
) -> Iterator[tuple[str | int, ...]]:
    for one in made.asked:
        by = partial(_reader, reading, proposed, made.template_id, one)
        used = sorted(set(one.picks[:, 0].tolist()))
        golds = {number: by(one.golds[number], one.locale.tag) for number in used}
        distractors = [by(text, tag) for text, tag in one.distractors]
        # Two regions may give the same text, each in questions of its own.
        by_text = dict(zip((text for text, _ in one.distractors), distractors, strict=True))
        readers = [*golds.values(), *by_text.values()]
        natives, others, model, by_question, nobody = map(
            readers.count, (NATIVES, OTHERS, MODEL, BY_QUESTION, None)
        )
        counts = natives, others, model + by_question, by_question, nobody
        unread_golds = [number for number, reader in golds.items() if reader is None]
        unread = [number for number, reader in enumerate(distractors) if reader is None]
        with_unread = 0
        # Mostly all are read.
        if unread_golds or unread:
            of_gold, of_triple = np.isin(one.picks[:, 0], unread_golds), np.isin(one.picks[:, 1:], unread)
            with_unread = int((of_gold | of_triple.any(axis=1)).sum())
        yield one.locale.tag, len(one.picks), with_unread, len(readers), *counts


def _reader(
    reading: Reading,
    proposed: Collection[tuple[str, str, str]],
    template_id: str,
    asked: "LocaleQuestions",
    text: str,
    origin: str,
) -> str | None:
    found = reading.by(template_id, asked.locale.tag, text, origin)
    return OTHERS if found is None and (template_id, asked.locale.tag, text) in proposed else found


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
