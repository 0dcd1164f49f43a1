"""Matching: what a rule makes of a reply, and what it says of an answer; shared by all rules."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from blend.eval.tasks.short_answer.replies import Reply
from blend.schemas.language.answer_formats import AnswerFormat

Group = Mapping[str, object]
"""One answer group of an annotation, a row of `published_rows.AnswerGroup`."""


class AnswerMatch(NamedTuple):
    """Group of answers that a reply matches, and by what."""

    group: int
    """Index of the group, from 0."""
    answer: str
    """The variant that matched, as written."""
    why: str
    """Name of the step that decided."""


class Rule(Protocol):
    """A rule of short-answer scoring for one locale."""

    def match(
        self, reply: Reply, variants: Iterable[tuple[int, bool, str]], answer_format: AnswerFormat
    ) -> AnswerMatch | None:
        """The first variant that a reply matches, or null.

        Args:
            reply: What the model wrote, and was asked.
            variants: Index of the group, whether the variant is English, and the variant; in the order in which
                they are tried.
            answer_format: Shape of the answer that the question asks for.
        """
        ...
