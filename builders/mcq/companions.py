"""Companions: what people gave elsewhere, and may well have meant here.

Five annotators do not say everything that is right. Who answers soccer and volleyball to one question about
sports and soccer alone to the next would hardly call volleyball wrong there; and who says chicken to one
question about food may eat it on other occasions. Only what the locale asked about says itself counts, so that
a further locale changes nothing.
"""

from collections import defaultdict

import polars as pl

from blend.builders.mcq.values import base_forms, shown

Forms = tuple[str, ...]
"""A text by its `base_forms`."""


class Companions:
    """What every locale answers to which questions.

    Args:
        questions: `schemas.frames.QUESTIONS`.
        annotations: `schemas.frames.ANNOTATIONS`.
    """

    def __init__(self, questions: pl.DataFrame, annotations: pl.DataFrame) -> None:
        topics = questions.group_by("template_id").agg(pl.col("topic").min())
        self._topics: dict[str, str] = dict(topics.iter_rows())
        self._questions: dict[tuple[str, Forms], list[str]] = defaultdict(list)
        self._answers: dict[tuple[str, str], set[Forms]] = {}
        self._of_topic: dict[tuple[str, str | None], set[Forms]] = defaultdict(set)
        for template_id, tag, groups in annotations.select("template_id", "locale", "annotations").iter_rows():
            texts = {base_forms(shown(text)) for group in groups for text in group["en_answers"]} - {()}
            self._answers[template_id, tag] = texts
            self._of_topic[tag, self._topics.get(template_id)] |= texts
            for text in texts:
                self._questions[tag, text].append(template_id)

    def of(self, template_id: str, tag: str, text: str) -> set[Forms]:
        """What a locale gave to questions on the topic of a template, or beside this text to any."""
        asked = self._questions.get((tag, base_forms(text)), ())
        beside = (self._answers[other, tag] for other in asked)
        return self._of_topic.get((tag, self._topics.get(template_id)), set()).union(*beside)
