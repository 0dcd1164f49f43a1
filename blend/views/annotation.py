"""What commands of ``blend annotate`` found and did, in sentences for a terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from blend.builders.annotation.beside import LOST_IN_A_FILE
from blend.builders.annotation.stages.answer import REWORDED
from blend.builders.annotation.stages.review import OUT_OF_FORMAT
from blend.loaders.label_studio.client import RemoteTask
from blend.loaders.label_studio.plan import ProjectPlan
from blend.loaders.servers.server_errors import public_address
from blend.schemas.language.text_comparison import agreeing, pluralise

if TYPE_CHECKING:
    from blend.builders.annotation.check import CheckedProject
    from blend.builders.annotation.project import ProjectFile
    from blend.builders.annotation.server.erasing import Erased
    from blend.builders.annotation.server.forgetting import Forgotten
    from blend.builders.annotation.server.pulling import Pull, PulledProject
    from blend.builders.annotation.server.topping_up import TopUp
    from blend.loaders.label_studio.events import Held

_LISTED = 10
"""Edited and deleted annotations that are listed."""

_NAMED = 5
"""Questions that are named of those that show other words than now."""

_EVENTS = ("added", "edited", "back", "missing", "older", "accepted")

_REOPENED = 20
"""Questions with too few responses that are listed, once somebody is forgotten."""


def check_lines(checked: "CheckedProject") -> list[str]:
    """That a project file is correct, and what else there is to know."""
    project = checked.file.project
    stages = sum(len(project.stages_of(settings.locale)) for settings in project.locales)
    what = f"{pluralise(len(project.locales), 'locale')}, {pluralise(stages, 'stage')} in all"
    return [f"{checked.file.path}: no mistakes; {what}.", *(f"Note: {note}." for note in checked.diagnostics)]


def push_lines(plans: Sequence[ProjectPlan], *, dry_run: bool) -> list[str]:
    """Say what a push did, or would do."""
    lines = [line for plan in plans for line in _plan_lines(plan)]
    if not any(plan.changes_anything for plan in plans):
        return [*lines, f"Everything is there: {pluralise(len(plans), 'project')}. Nothing was changed."]
    return [*lines, "Nothing was changed; without --dry-run it would be."] if dry_run else lines


def _plan_lines(plan: ProjectPlan) -> Iterator[str]:
    title = plan.wanted.title
    if plan.remote is None:
        yield f"{title}: new, {pluralise(len(plan.missing), 'task')}"
    if plan.wanted.waits_until:
        yield f"{title}: gets its tasks once {plan.wanted.waits_until}, by `blend annotate sync`"
    done = (
        "another labelling configuration" if plan.sets_config else "",
        f"{plan.wanted.overlap} annotations per task" if plan.sets_overlap else "",
        f"{pluralise(len(plan.missing), 'task')} added" if plan.remote is not None and plan.missing else "",
        f"{pluralise(len(plan.changed), 'task')} shown anew" if plan.changed else "",
        f"{pluralise(len(plan.outdated), 'outdated task')} removed" if plan.outdated else "",
        f"{pluralise(len(plan.closed), 'task')} given to nobody any more" if plan.closed else "",
        f"{pluralise(len(plan.doubled), 'doubled task')} removed" if plan.doubled else "",
        f"{pluralise(len(plan.twins), 'doubled project')} removed" if plan.twins else "",
    )
    if any(done):
        yield f"{title}: {', '.join(filter(None, done))}"
    if plan.renamed is not None:
        yield f"{title}: is called {plan.renamed!r} there, and stays so"
    if plan.reworded:
        n = len(plan.reworded)
        ask, stay = agreeing(n, "asks", "ask"), agreeing(n, "stays", "stay")
        what = f"that people have annotated {ask} in other words than now, and {stay}"
        line = f"{title}: {pluralise(n, 'task')} {what}: {_few(plan.reworded)}; "
        yield f"{line}give what asks for something else now an id of its own, so that it is asked anew"
    if n := len(plan.answered) - len(plan.reworded):
        stay = agreeing(n, "stays as people have annotated it", "stay as people have annotated them")
        yield f"{title}: {pluralise(n, 'task')} would show something else now, and {stay}"
    if plan.begun:
        n = len(plan.begun)
        stay = agreeing(n, "stays though it would be", "stay though they would be")
        drafts = agreeing(n, "it has a draft", "they have drafts")
        yield f"{title}: {pluralise(n, 'task')} {stay} shown anew or removed: {drafts}"
    if plan.left:
        n = len(plan.left)
        are, stay = agreeing(n, "is", "are"), agreeing(n, "stays", "stay")
        yield f"{title}: {pluralise(n, 'task')} {are} not asked for any more, and {stay}"


def _few(tasks: Sequence[RemoteTask]) -> str:
    """The questions of tasks, the first of them by name."""
    names = [str(task.data.get("template_id") or task.blend_id) for task in tasks]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


def reworded_lines(details: Sequence[str]) -> list[str]:
    """Say which questions were answered in other words than they have now, by the details of the findings."""
    more = [f"  and {len(details) - _LISTED} more"] if len(details) > _LISTED else []
    return [*(f"Note: {detail}." for detail in details[:_LISTED]), *more]


def pull_lines(pull: "Pull") -> list[str]:
    """Say what a pull did."""
    lines = [line for project in pull.projects for line in _project_lines(project)]
    gone = [(one.stage_locale.title, one.gone, one.number) for one in pull.projects]
    lines += gone_lines(gone, pull.path, pull.server)
    lines += [f"{stage_locale.title}: not on the server yet" for stage_locale in pull.absent]
    for written in pull.written:
        if written.changed:
            lines.append(f"{written.path}: {pluralise(written.rows, 'row')}")
    if not any(written.changed for written in pull.written):
        lines.append("No news: all files are as they were.")
    kinds = Counter(pull.findings["kind"])
    for kind, number in sorted(kinds.items()):
        lines.append(f"{kind}: {number}")
        if kind in (LOST_IN_A_FILE, OUT_OF_FORMAT, REWORDED):
            lines += [f"  {detail}" for detail in pull.findings.filter(kind=kind)["detail"][:_LISTED]]
    return lines


def _project_lines(project: "PulledProject") -> Iterator[str]:
    title = project.stage_locale.title
    events = Counter(line["event"] for line in project.changes)
    if events:
        details = ", ".join(f"{events[event]} {event}" for event in _EVENTS if events[event])
        yield f"{title}: {pluralise(project.annotations, 'annotation')} ({details})"
    lost = [line for line in project.changes if line["event"] != "added"]
    for line in lost[:_LISTED]:
        by = "" if line.get("changed_by") is None else f", by {line['changed_by']}"
        who = f"annotation {line['annotation']} of {line['annotator']} on {line['blend_id']}"
        yield f"  {line['event']}: {who}{by}"
    if len(lost) > _LISTED:
        yield f"  and {len(lost) - _LISTED} more; events.jsonl holds them all"


def gone_lines(gone: "Sequence[tuple[str, Sequence[Held], int | None]]", path: Path, server: str) -> list[str]:
    """Say what counts although the server has it no more, by person, and what can be done about it.

    Args:
        gone: Title, annotations and number on the server of every project.
        path: The project file.
        server: Address of the server.
    """
    lines = []
    for title, held, number in gone:
        if n := len(held):
            kept = f"{pluralise(n, 'annotation')} {agreeing(n, 'is', 'are')} not on the server any more"
            people = Counter(str(one.version["annotator"]) for one in held)
            by = ", ".join(f"{count} by {who}" for who, count in sorted(people.items()))
            where = "" if number is None else f"; see {_tasks_of(server, number)}"
            counts = agreeing(n, "goes", "go")
            lines.append(f"{title}: {kept}, or older there, and {counts} on counting: {by}{where}")
    if lines:
        lines.append(f"`blend annotate sync {path} --accept-missing` lets go of them, once you have looked.")
    return lines


def _tasks_of(server: str, project: int) -> str:
    return f"{public_address(server).rstrip('/')}/projects/{project}/data"


def top_up_lines(done: "Sequence[TopUp]", *, dry_run: bool) -> list[str]:
    """Say what a top-up did, or would do."""
    lines = []
    for one in done:
        details = (
            f"more responses asked for {pluralise(len(one.asked_again), 'question')}"
            if one.asked_again
            else "",
            f"{pluralise(len(one.complete), 'question')} complete" if one.complete else "",
            f"dropped, since too many do not know: {', '.join(one.dropped)}" if one.dropped else "",
        )
        lines.append(f"{one.stage_locale.title}: {'; '.join(filter(None, details))}")
    if not done:
        return ["No question needs more or fewer responses than are asked for."]
    return [*lines, "Nothing was changed; without --dry-run it would be."] if dry_run else lines


def forgotten_lines(file: "ProjectFile", done: "Forgotten", erased: "Erased") -> Iterator[str]:
    """Say what forgetting somebody changed, and what is left to do."""
    what = f"{pluralise(len(done.lines), 'line')} of the events removed from {file.pulled}"
    yield f"{done.annotator}: {what}; they will not come back."
    deleted = f"{pluralise(erased.annotations, 'annotation')} and {pluralise(erased.drafts, 'draft')} deleted"
    removed = f"{pluralise(erased.reviews, 'page')} of reviews that showed their answers"
    yield f"On {public_address(file.project.server.url)}: {deleted}, and {removed}."
    for written in done.pull.written:
        if written.changed:
            yield f"{written.path}: {pluralise(written.rows, 'row')} now"
    for path in done.own_reviews:
        yield f"{path}: their answers removed"
    yield from _reopened(done)
    yield "Left to do by hand:"
    yield from (f"  {line}" for line in _by_hand(file, done, erased))


def _reopened(done: "Forgotten") -> Iterator[str]:
    if done.reopened.is_empty():
        return
    listed = [f"{row['template_id']} in {row['locale']}" for row in done.reopened.to_dicts()]
    more = f" and {len(listed) - _REOPENED} more" if len(listed) > _REOPENED else ""
    yield (
        f"{pluralise(len(listed), 'question')} with too few responses now: "
        f"{', '.join(listed[:_REOPENED])}{more}; `blend annotate top-up` asks for more."
    )


def _by_hand(file: "ProjectFile", done: "Forgotten", erased: "Erased") -> Iterator[str]:
    for line in done.changed:
        who = f"annotation {line['annotation']} of {line['annotator']} on {line['blend_id']}"
        yield f"have {who} sent again by its author: the person has typed into it"
    for project, task in erased.begun:
        where = f"{_tasks_of(file.project.server.url, project)}?task={task}"
        yield (
            f"look at {where}: a reviewer has begun it, and it shows what the person answered; have it sent or "
            "thrown away, and run this again"
        )
    for number in done.accounts:
        yield f"delete account {number} on the server, unless the person works in another project there"
    if erased.projects:
        copies = " ".join(f"export/project-{number}-at-* media/export/{number}/" for number in erased.projects)
        yield f"delete the copies of exports in the data folder of the server: {copies}"
    kept = f"exports and copies of {file.pulled} that you kept elsewhere, old versions of its events in git"
    yield f"delete {kept}, and pages of --html"
    if done.own_reviews:
        yield "delete sheets of `blend reviews propose` that hold what they answered"
    for stage_locale in done.named_in:
        yield f"remove the person from {file.path}, {stage_locale}"
    if any(line["stage"].startswith("collect.") for line in done.lines):
        yield f"look for questions that they wrote in the templates of {file.collected}"
    yield "publish a new version of releases that hold what they answered (docs/publishing.md)"
