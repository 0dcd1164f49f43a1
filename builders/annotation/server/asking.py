"""Asking: of how many people each task is asked, more exactly where the five-valid rule wants that."""

from collections import Counter
from collections.abc import Mapping, Sequence

from blend.builders.annotation.check import CheckedProject
from blend.builders.annotation.collecting import collection_plan
from blend.builders.annotation.server.readings import StageReading
from blend.builders.saq.collection import STOPPED
from blend.loaders.label_studio.events import Held
from blend.loaders.label_studio.plan import Quota

DROPPED = "too many do not know"
"""Why a question is given to nobody any more."""


def asked_people(checked: CheckedProject, found: Sequence[StageReading]) -> dict[str, dict[str, Quota]]:
    """Return of how many people each task is asked, by the name of its project and its id.

    A task is asked of as many people more as valid responses are missing, besides all who have annotated it,
    whatever came of that; one whose limit of *I don't know* is passed of nobody any more. So are the options of
    *mcq-review* and what judges read, of one more where readers disagree.

    Args:
        checked: The project, read after a pull.
        found: What was pulled.

    Raises:
        RowError, RowErrors: If responses and reviews do not fit together.
    """
    project = checked.file.project
    people = {one.stage_locale.name: _people(one.held) for one in found}
    asked: dict[str, dict[str, Quota]] = {}
    for row in collection_plan(project, checked.material).to_dicts():
        name = f"{project.name}/answer/{row['locale']}"
        so_far = people.get(name, {}).get(row["blend_id"], 0)
        why = DROPPED if row["state"] == STOPPED else ""
        asked.setdefault(name, {})[row["blend_id"]] = _asked(so_far, row["still_needed"], row["open"], why)
    for one in found:
        if (plan := one.stage_locale.stage.reading_plan) is not None:
            name = one.stage_locale.name
            needed = plan(one.tasks, one.reading, project.readers)
            asked[name] = {task: _asked(people[name][task], n, n > 0) for task, n in needed.items()}
    return asked


def _asked(so_far: int, needed: int, is_open: bool, why: str = "") -> Quota:
    return Quota(so_far + needed, closed=False) if is_open else Quota(max(so_far, 1), closed=True, why=why)


def _people(held: Mapping[str, Held]) -> dict[str, int]:
    """Count the people whose annotations the server has of each task; whoever only skipped it is not one."""
    there = [one.version for one in held.values() if one.is_there and not one.version["skipped"]]
    return Counter(task for task, _ in {(line["blend_id"], line["annotator"] or line["id"]) for line in there})
