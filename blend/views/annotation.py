"""What commands of ``blend annotate`` found and did, for a terminal."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from blend.builders.annotation.stages.review import OUT_OF_FORMAT
from blend.loaders.label_studio.plan import ProjectPlan
from blend.schemas.text import agreeing, counted
from blend.views.tables import narrow_table

if TYPE_CHECKING:
    from blend.builders.annotation.check import CheckedProject
    from blend.builders.annotation.server.progress import ProjectStatus
    from blend.builders.annotation.server.projects import Place
    from blend.builders.annotation.server.pulling import Pull, PulledProject
    from blend.builders.annotation.server.restoring import Restored
    from blend.builders.annotation.server.topping_up import TopUp

_LISTED = 10
"""Edited and deleted annotations, and open questions, that are listed."""


def check_lines(checked: "CheckedProject") -> list[str]:
    """That a project file is right, and what else there is to know."""
    project = checked.file.project
    stages = sum(len(project.stages_of(settings.locale)) for settings in project.locales)
    what = f"{counted(len(project.locales), 'locale')}, {counted(stages, 'stage')} in all"
    return [f"{checked.file.path}: no mistakes; {what}.", *(f"Note: {note}." for note in checked.notes)]


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
        n = len(plan.answered)
        stay = agreeing(n, "stays as people have annotated it", "stay as people have annotated them")
        yield f"{title}: {counted(n, 'task')} would show something else now, and {stay}"
    if plan.left:
        n = len(plan.left)
        are, stay = agreeing(n, "is", "are"), agreeing(n, "stays", "stay")
        yield f"{title}: {counted(n, 'task')} {are} not asked for any more, and {stay}"


def pull_lines(pull: "Pull") -> list[str]:
    """What a pull did."""
    lines = [line for project in pull.projects for line in _project_lines(project)]
    lines += [vanished_line(one.place, one.vanished, pull.path) for one in pull.projects if one.vanished]
    lines += [f"{place.title}: not on the server yet" for place in pull.absent]
    for written in pull.written:
        if written.changed:
            lines.append(f"{written.path}: {counted(written.rows, 'row')}")
    if not any(written.changed for written in pull.written):
        lines.append("No news: all files are as they were.")
    kinds = Counter(pull.findings["kind"])
    for kind, number in sorted(kinds.items()):
        lines.append(f"{kind}: {number}")
        if kind == OUT_OF_FORMAT:
            lines += [f"  {detail}" for detail in pull.findings.filter(kind=kind)["detail"][:_LISTED]]
    return lines


def _project_lines(project: "PulledProject") -> Iterator[str]:
    title = project.place.title
    events = Counter(change.event for change in project.changes)
    if project.is_gone:
        left = "" if project.vanished else "; nobody has annotated it"
        yield f"{title}: is not on the server any more{left}"
    if events:
        told = ", ".join(
            f"{events[event]} {event}" for event in ("added", "edited", "deleted") if events[event]
        )
        yield f"{title}: {counted(project.annotations, 'annotation')} ({told})"
    lost = [change for change in project.changes if change.event != "added"]
    for change in lost[:_LISTED]:
        by = "" if change.changed_by is None else f", by {change.changed_by}"
        yield f"  {change.event}: annotation {change.annotation} of {change.annotator} on {change.blend_id}{by}"
    if len(lost) > _LISTED:
        yield f"  and {len(lost) - _LISTED} more; the history holds them all"


def vanished_line(place: "Place", annotations: int, path: Path) -> str:
    """What is kept of a stage that the server has no more, and what can be done about it."""
    kept = f"{counted(annotations, 'annotation')} {agreeing(annotations, 'is', 'are')} kept and counted"
    what, them = f"{path} {place.path}", agreeing(annotations, "it", "them")
    return (
        f"{place.title}: {kept} though not on the server any more; `blend annotate restore {what}` brings "
        f"{them} back there, `blend annotate abandon {what}` gives {them} up"
    )


def restore_lines(done: "Restored") -> list[str]:
    """What was brought back, and what could not be."""
    return [
        f"Brought back: {counted(done.annotations, 'annotation')}.",
        *(
            f"  {counted(number, 'annotation')} of {who} not: no account on the server is theirs; once they "
            "have signed up there with the same address, run the same again"
            for who, number in sorted(done.without_account.items())
        ),
    ]


def top_up_lines(done: "Sequence[TopUp]", *, dry_run: bool) -> list[str]:
    """What a top-up did, or would do."""
    lines = []
    for one in done:
        told = (
            f"more responses asked for {counted(len(one.asked_again), 'question')}" if one.asked_again else "",
            f"{counted(len(one.complete), 'question')} complete" if one.complete else "",
            f"dropped, since too many do not know: {', '.join(one.dropped)}" if one.dropped else "",
        )
        lines.append(f"{one.place.title}: {'; '.join(filter(None, told))}")
    if not done:
        return ["No question needs more or fewer responses than are asked for."]
    return [*lines, "Nothing was changed; without --dry-run it would be."] if dry_run else lines


def status_tables(status: "ProjectStatus") -> list[Table]:
    """How far locales are, who did how much, and the questions furthest from done."""
    return [_locales(status), _people(status), _open(status)]


def status_json(status: "ProjectStatus") -> str:
    """The same, with every question."""
    tables = {
        "name": status.name,
        "day": status.today.isoformat(),
        "locales": status.locales.to_dicts(),
        "people": status.people.to_dicts(),
        "questions": status.questions.to_dicts(),
        "regions": status.regions,
    }
    return json.dumps(tables, ensure_ascii=False, indent=2, default=str)


def _locales(status: "ProjectStatus") -> Table:
    table = narrow_table(
        f"{status.name} on {status.today}",
        "Questions by state, then responses. The end is the day of the last response at the pace of the last "
        "seven days.",
        "locale",
        ("questions", "complete", "open", "dropped", "valid", "idk", "needed", "end"),
    )
    columns = ("questions", "complete", "open", "dropped", "valid", "idk", "still_needed")
    for row in status.locales.iter_rows(named=True):
        end = row["end"] or ("done" if row["still_needed"] == 0 else "–")
        table.add_row(row["locale"], *(f"{row[column]:,}" for column in columns), str(end))
    return table


def _people(status: "ProjectStatus") -> Table:
    heads = ("stage", "annotator", "counted", "skipped", "not", "seconds", "last")
    table = narrow_table("Who did how much", "", "locale", heads)
    for row in status.people.iter_rows(named=True):
        seconds = "–" if row["seconds"] is None else f"{row['seconds']:.0f}"
        figures = (f"{row[column]:,}" for column in ("counted", "skipped", "refused"))
        table.add_row(row["locale"], row["stage"], row["annotator"], *figures, seconds, row["last"] or "–")
    return table


def _open(status: "ProjectStatus") -> Table:
    waiting = status.questions.filter("open").sort(
        "still_needed", "locale", "template_id", descending=[True, False, False]
    )
    caption = f"The first {_LISTED}; --html and --json list all." if len(waiting) > _LISTED else ""
    title = f"{counted(len(waiting), 'open question')}"
    table = narrow_table(title, caption, "question", ("locale", "valid", "wanted", "idk", "needed"))
    for row in waiting.head(_LISTED).iter_rows(named=True):
        figures = (row["valid"], status.wanted, row["idk"], row["still_needed"])
        table.add_row(row["template_id"], row["locale"], *map(str, figures))
    return table
