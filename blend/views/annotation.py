"""What a push or a pull did, in lines for a terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from blend.loaders.label_studio.plan import ProjectPlan
from blend.schemas.text import counted

if TYPE_CHECKING:
    from blend.builders.annotation.server.pulling import Pull, PulledProject

_LISTED = 10
"""Edited and deleted annotations that are listed; all of them stand in the history."""


def push_lines(plans: Sequence[ProjectPlan], *, dry_run: bool) -> list[str]:
    """What a push did, or would do."""
    lines = [line for plan in plans for line in _plan_lines(plan)]
    if not any(plan.changes_anything for plan in plans):
        return [*lines, f"Everything is there: {counted(len(plans), 'project')}. Nothing was changed."]
    return [*lines, "Nothing was changed; without --dry-run it would be."] if dry_run else lines


def _plan_lines(plan: ProjectPlan) -> Iterator[str]:
    title = plan.wanted.title
    if plan.remote is None:
        yield f"{title}: new, {counted(len(plan.missing), 'task')}"
    done = (
        "another labelling configuration" if plan.sets_config else "",
        f"{plan.wanted.overlap} annotations per task" if plan.sets_overlap else "",
        f"{counted(len(plan.missing), 'task')} added" if plan.remote is not None and plan.missing else "",
        f"{counted(len(plan.changed), 'task')} shown anew" if plan.changed else "",
        f"{counted(len(plan.outdated), 'outdated task')} removed" if plan.outdated else "",
        f"{counted(len(plan.doubled), 'doubled task')} removed" if plan.doubled else "",
        f"{counted(len(plan.twins), 'doubled project')} removed" if plan.twins else "",
    )
    if any(done):
        yield f"{title}: {', '.join(filter(None, done))}"
    if plan.renamed is not None:
        yield f"{title}: is called {plan.renamed!r} there, and stays so"
    if plan.answered:
        tasks = counted(len(plan.answered), "task")
        yield f"{title}: {tasks} would show something else now, and stay as people have annotated them"
    if plan.left:
        yield f"{title}: {counted(len(plan.left), 'task')} are not asked for any more, and stay"


def pull_lines(pull: "Pull") -> list[str]:
    """What a pull did."""
    lines = [line for project in pull.projects for line in _project_lines(project)]
    lines += [f"{place.title}: not on the server yet" for place in pull.absent]
    for written in pull.written:
        if written.changed:
            lines.append(f"{written.path}: {counted(written.rows, 'row')}")
    if not any(written.changed for written in pull.written):
        lines.append("No news: all files are as they were.")
    kinds = Counter(pull.findings["kind"])
    lines += [f"{kind}: {number}" for kind, number in sorted(kinds.items())]
    return lines


def _project_lines(project: "PulledProject") -> Iterator[str]:
    title = project.place.title
    events = Counter(change.event for change in project.changes)
    if project.gone:
        kept = counted(project.annotations, "annotation")
        yield f"{title}: is not on the server any more; its {kept}, pulled before, are kept and counted"
    elif events:
        told = ", ".join(
            f"{events[event]} {event}" for event in ("added", "edited", "deleted") if events[event]
        )
        yield f"{title}: {counted(project.annotations, 'annotation')} ({told})"
    lost = [change for change in project.changes if change.event != "added"]
    for change in lost[:_LISTED]:
        yield f"  {change.event}: annotation {change.annotation} of {change.annotator} on {change.blend_id}"
    if len(lost) > _LISTED:
        yield f"  and {len(lost) - _LISTED} more; the history holds them all"
