"""Matching: what a rule makes of a response, and what it says of an answer; shared by all rules."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from blend.schemas.formats import AnswerFormat

Group = Mapping[str, object]
"""One answer group of an annotation, a row of `rows.AnswerGroup`."""


class Match(NamedTuple):
    """Which group of answers a response matches, and by what."""

    group: int
    """Index of the group, from 0."""
    answer: str
    """The variant that matched, as written."""
    why: str
    """Name of the step that decided."""


class Rule(Protocol):
    """A rule of short-answer scoring for one locale."""

    def match(
        self, response: str, prompt: str, variants: Iterable[tuple[int, bool, str]], answer_format: AnswerFormat
    ) -> Match | None:
        """The first variant that a response matches, or null.

        Args:
            response: What the model wrote.
            prompt: The exact text that it was asked.
            variants: Index of the group, whether the variant is English, and the variant; in the order in which
                they are tried.
            answer_format: Shape of the answer that the question asks for.
        """
        ...
