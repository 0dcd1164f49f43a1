"""What commands of ``blend annotate`` found and did, in sentences for a terminal."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from rich.table import Table

from blend.builders.annotation.beside import LOST_IN_A_FILE
from blend.builders.annotation.stages.answer import REWORDED
from blend.builders.annotation.stages.review import OUT_OF_FORMAT
from blend.loaders.label_studio.plan import ProjectPlan
from blend.loaders.label_studio.remote import RemoteTask
from blend.loaders.servers.server_errors import public_address
from blend.schemas.texts import agreeing, pluralise
from blend.views.frames import frame_table
from blend.views.readers import agreement_table

if TYPE_CHECKING:
    from blend.builders.annotation.check import CheckedProject
    from blend.builders.annotation.project import ProjectFile
    from blend.builders.annotation.server.forgetting import Forgotten
    from blend.builders.annotation.server.pulling import Pull, PulledProject
    from blend.builders.annotation.server.status import ProjectStatus, Reminder
    from blend.loaders.label_studio.events import Held, Line

_LISTED = 10
"""Edited and deleted annotations, and open questions, that are listed."""

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
    opened = sum(not ask.closed and (ask.overlap > task.overlap or task.closed) for task, ask in plan.asked)
    dropped = [str(task.data.get("template_id")) for task, ask in plan.asked if ask.why]
    closed = sum(ask.closed and not ask.why and not task.closed for task, ask in plan.asked)
    done = (
        "another page" if plan.sets_config else "",
        f"{plan.wanted.overlap} annotations per task" if plan.sets_overlap else "",
        f"{pluralise(len(plan.missing), 'task')} added" if plan.remote is not None and plan.missing else "",
        f"{pluralise(len(plan.changed), 'task')} shown anew" if plan.changed else "",
        f"{pluralise(len(plan.outdated), 'outdated task')} removed" if plan.outdated else "",
        f"more asked of {pluralise(opened, 'task')}" if opened else "",
        f"{pluralise(closed, 'task')} given to nobody any more" if closed else "",
        f"dropped, since too many do not know: {', '.join(dropped)}" if dropped else "",
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
    if n := len(plan.begun):
        stay = agreeing(n, "stays though it would be", "stay though they would be")
        drafts = agreeing(n, "it has a draft", "they have drafts")
        yield f"{title}: {pluralise(n, 'task')} {stay} shown anew or removed: {drafts}"
    if n := len(plan.left):
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
    """Say what a pull did: what is new first, with where to look."""
    page = f"{public_address(pull.server).rstrip('/')}/projects/{{}}/data"
    lines = [line for project in pull.projects for line in _project_lines(project, page)]
    gone = [
        (one.stage_locale.title, one.gone, "" if one.number is None else page.format(one.number))
        for one in pull.projects
    ]
    lines += gone_lines(gone, pull.path)
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


def _project_lines(project: "PulledProject", page: str) -> Iterator[str]:
    title = project.stage_locale.title
    where = "" if project.number is None else f"; {page.format(project.number)}?labeling=1"
    events = Counter(line["event"] for line in project.changes)
    if events:
        details = ", ".join(f"{events[event]} {event}" for event in _EVENTS if events[event])
        yield f"{title}: {pluralise(project.annotations, 'annotation')} ({details}){where}"
    others = [line for line in project.changes if line["event"] != "added"]
    for line in others[:_LISTED]:
        by = "" if line.get("changed_by") is None else f", by {line['changed_by']}"
        who = f"annotation {line['annotation']} of {line['annotator']} on {line['blend_id']}"
        yield f"  {line['event']}: {who}{by}"
    if len(others) > _LISTED:
        yield f"  and {len(others) - _LISTED} more; events.jsonl holds them all"


def gone_lines(gone: "Sequence[tuple[str, Sequence[Held], str]]", path: Path) -> list[str]:
    """Say what counts although the server has it no more, by person, and what can be done about it.

    Args:
        gone: Title, annotations and page of every project.
        path: The project file.
    """
    lines = []
    for title, held, page in gone:
        if n := len(held):
            kept = f"{pluralise(n, 'annotation')} {agreeing(n, 'is', 'are')} not on the server any more"
            people = Counter(str(one.version["annotator"]) for one in held)
            by = ", ".join(f"{count} by {who}" for who, count in sorted(people.items()))
            counts = agreeing(n, "goes", "go")
            see = f"; see {page}" if page else ""
            lines.append(f"{title}: {kept}, or older there, and {counts} on counting: {by}{see}")
    if lines:
        lines.append(f"`blend annotate sync {path} --accept-missing` lets go of them, once you have looked.")
    return lines


def draft_lines(drafts: "Sequence[Line]") -> list[str]:
    """Say who has begun to type and not sent it."""
    if not drafts:
        return []
    people = Counter(str(line["annotator"]) for line in drafts)
    by = ", ".join(f"{count} by {who}" for who, count in sorted(people.items()))
    what = f"{pluralise(len(drafts), 'draft')} {agreeing(len(drafts), 'is', 'are')} not sent: {by}"
    return [f"{what}; `blend annotate status` has a reminder for each person."]


# The status of a project.


def status_tables(status: "ProjectStatus") -> list[Table]:
    """Show how far every locale is, who did how much and how well, and the questions furthest from done."""
    end = pl.when(pl.col("still_needed") == 0).then(pl.lit("done"))
    locales = frame_table(
        status.locales.with_columns(pl.col("end").cast(pl.String).fill_null(end)),
        f"{status.name} on {status.today}",
        "Questions by state, responses, reviews done and open, and Krippendorff's alpha. The end is the day of "
        "the last response at the pace of the last seven days.",
        heads={"locale": "locale", "questions": "questions", "complete": "complete", "open": "open"}
        | {"dropped": "dropped", "valid": "valid", "idk": "idk", "still_needed": "needed"}
        | {"reviewed": "reviewed", "to_review": "to review", "alpha": "alpha", "end": "end"},
    )
    mark = pl.col("verdict").replace_strict({"look": "look", "too few": "few"}, default="")
    marks = status.reliability.annotators.select(
        "locale", "annotator", "agreement", mark=mark, stage=pl.lit("answer")
    )
    named = pl.col("annotator").replace(dict(status.names))
    people = frame_table(
        status.people.join(marks, on=["stage", "locale", "annotator"], how="left", maintain_order="left")
        .with_columns(pl.col("mark").fill_null(""), annotator=named),
        "Who did how much",
        "Seconds are the median of one annotation, agreement is with the others, question by question.",
        heads={"locale": "locale", "stage": "stage", "annotator": "annotator", "counted": "counted"}
        | {"skipped": "skipped", "refused": "not", "seconds": "seconds", "agreement": "agree", "mark": ""}
        | {"last": "last"},
        texts=("locale", "stage", "annotator", "mark"),
        forms={"seconds": "{:.0f}"},
    )  # fmt: skip
    waiting = status.questions.filter("open").sort(
        "still_needed", "locale", "template_id", descending=[True, False, False]
    )
    questions = frame_table(
        waiting.head(_LISTED).with_columns(wanted=status.wanted),
        pluralise(len(waiting), "open question"),
        f"The first {_LISTED}; --html and --json list all." if len(waiting) > _LISTED else "",
        heads={"template_id": "question", "locale": "locale", "valid": "valid", "wanted": "wanted"}
        | {"idk": "idk", "still_needed": "needed"},
        texts=("template_id", "locale"),
    )
    verdicts = [] if status.verdicts.is_empty() else [agreement_table(status.verdicts)]
    return [locales, people, *verdicts, questions]


def status_lines(status: "ProjectStatus") -> list[str]:
    """Where people work, whose work to look at, and what to write to whom."""
    lines = [f"{title}: {link}" for title, link in status.links.items()]
    people = status.reliability.annotators
    lines += [
        f"{_name(status, row['annotator'])} in {row['locale']} {flag}."
        for row in people.iter_rows(named=True)
        for flag in row["flags"]
    ]
    if few := people.filter(verdict="too few").height:
        who = agreeing(few, "person", "people")
        lines.append(f"Of the work of {few} {who} nothing is said: too few questions.")
    if status.regions is not None:
        lines.append(f"{status.regions}.")
    if status.reminders:
        lines += ["Reminders, to be sent by you:", *(f"  {_reminder(status, one)}" for one in status.reminders)]
    return lines


def _reminder(status: "ProjectStatus", one: "Reminder") -> str:
    """What to write to somebody."""
    parts = [] if one.has_begun else ["you have not begun"]
    if one.drafts:
        what = agreeing(len(one.drafts), "page is begun and not sent", "pages are begun and not sent")
        parts.append(f"{len(one.drafts)} {what}: {', '.join(one.drafts)} (press Submit or Update)")
    if one.untaken:
        what = agreeing(len(one.untaken), "page was blank or far too long", "pages were blank or far too long")
        parts.append(f"{len(one.untaken)} {what}, please change it: {', '.join(one.untaken)}")
    for link, number in one.waiting.items():
        wait = agreeing(number, "waits", "wait")
        parts.append(f"{pluralise(number, 'question')} {wait} for you: {link}")
    return f"{_name(status, one.annotator)}: {'; '.join(parts)}."


def _name(status: "ProjectStatus", annotator: str) -> str:
    return status.names.get(annotator, annotator)


def status_json(status: "ProjectStatus") -> str:
    """All figures, with every question, and without names."""
    tables = {
        "name": status.name,
        "day": status.today.isoformat(),
        "links": dict(status.links),
        "locales": status.locales.to_dicts(),
        "people": status.people.to_dicts(),
        "questions": status.questions.to_dicts(),
        "agreement": {
            "locales": status.reliability.locales.to_dicts(),
            "annotators": status.reliability.annotators.to_dicts(),
            "questions": status.reliability.questions.to_dicts(),
        },
        "verdicts": status.verdicts.to_dicts(),
        "reminders": [one._asdict() for one in status.reminders],
        "gone": {title: len(held) for title, held, _ in status.gone},
        "regions": status.regions,
    }
    return json.dumps(tables, ensure_ascii=False, indent=2, default=str)


def forgotten_lines(file: "ProjectFile", done: "Forgotten") -> Iterator[str]:
    """Say what forgetting somebody changed, and what is left to do."""
    what = f"{pluralise(len(done.lines), 'line')} of the events removed from {file.pulled}"
    yield f"{done.annotator}: {what}; they will not come back."
    deleted = f"{pluralise(done.annotations, 'annotation')} and {pluralise(done.drafts, 'draft')} deleted"
    removed = f"{pluralise(done.reviews, 'page')} of reviews that showed their answers"
    yield f"On {public_address(file.project.server.url)}: {deleted}, and {removed}."
    for written in done.pull.written:
        if written.changed:
            yield f"{written.path}: {pluralise(written.rows, 'row')} now"
    for path in done.own_reviews:
        yield f"{path}: their answers removed"
    if listed := [f"{row['template_id']} in {row['locale']}" for row in done.reopened.to_dicts()]:
        more = f" and {len(listed) - _REOPENED} more" if len(listed) > _REOPENED else ""
        few = f"{pluralise(len(listed), 'question')} with too few responses now"
        yield f"{few}: {', '.join(listed[:_REOPENED])}{more}; `blend annotate sync` asks for more."
    yield "Left to do by hand:"
    yield from (f"  {line}" for line in _by_hand(file, done))


def _by_hand(file: "ProjectFile", done: "Forgotten") -> Iterator[str]:
    for line in done.typed_over:
        who = f"annotation {line['annotation']} of {line['annotator']} on {line['blend_id']}"
        yield f"have {who} sent again by its author: the person has typed into it"
    for project, task in done.begun:
        page = f"{public_address(file.project.server.url).rstrip('/')}/projects/{project}/data?task={task}"
        yield (
            f"look at {page}: a reviewer has begun it, and it shows what the person answered; have it sent or "
            "thrown away, and run this again"
        )
    for number in done.accounts:
        yield f"delete account {number} on the server, unless the person works in another project there"
    if done.projects:
        copies = " ".join(f"export/project-{number}-at-* media/export/{number}/" for number in done.projects)
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
