"""The tasks by name: the only place that knows them all.

A task is a package of `blend.eval.tasks` whose class is entered here; ``docs/architecture.md`` adds one.
"""

from blend.eval.task_protocol import Task
from blend.eval.tasks.cultural_prompts import CulturalPromptsTask
from blend.eval.tasks.free_listing import FreeListing
from blend.eval.tasks.multiple_choice import MultipleChoice, TrueFalse
from blend.eval.tasks.probing import Probing
from blend.eval.tasks.short_answer import ShortAnswer
from blend.schemas.errors import UnknownNameError

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        *(MultipleChoice(), TrueFalse(), ShortAnswer()),
        *(Probing(), FreeListing(), CulturalPromptsTask()),
    )
}
"""The tasks by name."""


def task_of(name: str) -> Task:
    """The task of this name.

    Raises:
        UnknownNameError: If there is none; lists the names.
    """
    if name not in TASKS:
        raise UnknownNameError("task", name, TASKS)
    return TASKS[name]
