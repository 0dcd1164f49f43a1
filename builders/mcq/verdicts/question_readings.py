"""Question readings: what is known, by question, of the options that the package's model accepted."""

import polars as pl

from blend.loaders.responses.shipped import shipped_readings
from blend.schemas.rows.frame_columns import KEY
from blend.schemas.rows.published_rows import Grouping


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
