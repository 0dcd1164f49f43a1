"""Tasks: rows of a release become what a model is asked, and what counts as right.

Nothing here knows of models or of scores.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import polars as pl

from blend.eval.tasks import free_answers, probe
from blend.eval.tasks.cultural_prompts import CulturalPromptOptions, ask_cultural_prompts
from blend.eval.tasks.free_answers import FreeAnswerOptions, ask_free_answers
from blend.eval.tasks.items import Asked, TaskOptions
from blend.eval.tasks.multiple_choice import MultipleChoiceOptions, ask_multiple_choice
from blend.eval.tasks.probe import ProbeOptions, ask_probe
from blend.eval.tasks.short_answer import ShortAnswerOptions, ask_short_answers
from blend.schemas.configs import (
    ANNOTATIONS,
    MULTIPLE_CHOICE_QUESTIONS,
    SHORT_ANSWER_PROMPTS,
    SHORT_ANSWER_QUESTIONS,
)
from blend.schemas.cultural_prompts import CULTURAL_PROMPTS
from blend.schemas.errors import UnknownNameError
from blend.schemas.manifest import ReleaseManifest


class Task(NamedTuple):
    """How items are made of a release."""

    configs: tuple[str, ...]
    """Configurations of the release that it reads, unless it has `settle`."""
    options: type[TaskOptions]
    """What it can be told."""
    ask: Callable[[Mapping[str, pl.DataFrame], Any], Asked]
    """Makes the items: takes the configurations by name, each with a column ``region``, and the options."""
    settle: Callable[[Any, ReleaseManifest], tuple[Any, tuple[str, ...]]] | None = None
    """Gives the options with what the release decides, and the configurations that it then reads."""


TASKS: dict[str, Task] = {
    "multiple-choice": Task((MULTIPLE_CHOICE_QUESTIONS,), MultipleChoiceOptions, ask_multiple_choice),
    "short-answer": Task(
        (SHORT_ANSWER_QUESTIONS, SHORT_ANSWER_PROMPTS, ANNOTATIONS), ShortAnswerOptions, ask_short_answers
    ),
    "probe": Task((), ProbeOptions, ask_probe, probe.settle),
    "free-answers": Task((), FreeAnswerOptions, ask_free_answers, free_answers.settle),
    "cultural-prompts": Task((CULTURAL_PROMPTS,), CulturalPromptOptions, ask_cultural_prompts),
}
"""The tasks by name."""

IN_LANGUAGES = ("probe", "free-answers")
"""Tasks that ask in languages, about countries, and not about regions."""


def task_of(name: str) -> Task:
    """The task of this name.

    Raises:
        UnknownNameError: If there is none; lists the names.
    """
    if name not in TASKS:
        raise UnknownNameError("task", name, TASKS)
    return TASKS[name]
