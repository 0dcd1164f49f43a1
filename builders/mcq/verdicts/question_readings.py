"""Question readings: what is known, by question, of the options that the package's readers accepted."""

from functools import cached_property

import polars as pl

from blend.builders.mcq.keyness import answer_index
from blend.builders.mcq.options import shown, spelled
from blend.builders.mcq.verdicts.wordings import OptionReading, quotable
from blend.loaders.responses.shipped import shipped_readings
from blend.schemas.language.answer_formats import AnswerFormat, format_of_template
from blend.schemas.rows.frame_columns import KEY
from blend.schemas.rows.published_rows import Grouping


class QuestionReadings:
    """Questions of which the package's readers read every option that published answers offer.

    They kept which questions they had read, and of the options only those that they refused.

    Args:
        questions: The questions, `frame_columns.QUESTIONS`.
        annotations: Answers, `frame_columns.ANNOTATIONS`.
        shipped: Whether their reading counts.
    """

    def __init__(self, questions: pl.DataFrame, annotations: pl.DataFrame, *, shipped: bool) -> None:
        self._asked = questions
        self._questions: frozenset[tuple[str, str]] = frozenset()
        self._answers = annotations.clear()
        if shipped:
            readings = shipped_readings()
            asked = questions.select(*KEY, question="en_question")
            in_these_words = readings.join(asked, on=readings.columns, how="semi")
            self._questions = frozenset(in_these_words.select(KEY).rows())
            regions = readings["locale"].unique().to_list()
            # What was read are the published answers of these regions, and nobody else's.
            self._answers = annotations.filter(
                pl.col("grouping") == Grouping.UPSTREAM.value, pl.col("locale").is_in(regions)
            )

    def covers(self, template_id: str, asked: str, origin: str) -> bool:
        """Whether they read what a locale answered among the options about another one."""
        return (template_id, asked) in self._questions and (template_id, origin) in self._published

    def has(self, template_id: str, asked: str, text: str) -> bool:
        """Whether they read an option, as shown, about a locale, whichever region gave it."""
        return (template_id, asked) in self._questions and text in self._texts.get(template_id, ())

    @cached_property
    def _published(self) -> frozenset[tuple[str, str]]:
        return frozenset(self._answers.select(KEY).rows())

    @cached_property
    def _texts(self) -> dict[str, set[str]]:
        """By template, the published answers as options show them, in the spelling of its format."""
        options = OptionReading(quotable(self._asked), shipped=True)
        asked = self._asked.group_by("template_id").agg("answer_format").iter_rows()
        formats = {template_id: format_of_template(map(AnswerFormat, of)) for template_id, of in asked}
        found: dict[str, set[str]] = {}
        for template_id, _, answer, _ in answer_index(self._answers).iter_rows():
            text = spelled(shown(answer), formats[template_id])
            if text is not None:
                found.setdefault(template_id, set()).add(options.text(template_id, text))
        return found
