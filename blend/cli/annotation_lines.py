"""What commands of ``blend annotate`` found and did, in sentences for a terminal."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from blend.loaders.files.atomic import PAGE_MARK, replace_own_file
from blend.loaders.label_studio.push import ProjectPlan
from blend.schemas.errors import DISTRIBUTION
from blend.schemas.models import packaged_templates
from blend.schemas.summaries import Table, html_table
from blend.schemas.texts import escape_controls, pluralise

if TYPE_CHECKING:
    from pathlib import Path

    from blend.builders.annotation.counting import StageReading
    from blend.builders.annotation.forgetting import Forgotten
    from blend.builders.annotation.project import ProjectFile
    from blend.builders.annotation.pulling import Pull
    from blend.builders.annotation.starting import CheckedProject
    from blend.builders.annotation.status import ProjectStatus
    from blend.builders.annotation.syncing import Sync

_LISTED = 10
"""Questions that are listed."""

_EVENTS = ("added", "edited", "back", "missing", "older", "accepted")


def check_lines(checked: "CheckedProject") -> list[str]:
    """That a project file is correct, and what else there is to know."""
    project = checked.file.project
    stages = sum(len(project.stages_of(settings.locale)) for settings in project.locales)
    what = f"{pluralise(len(project.locales), 'locale')}, {pluralise(stages, 'stage')} in all"
    notes = (f"Note: {note}." for note in checked.diagnostics)
    return [f"{checked.file.path}: no mistakes; {what}.", *notes]


def sync_lines(done: "Sync", *, dry_run: bool = False) -> list[str]:
    """Say what a sync did, or would do."""
    lines = [] if done.pull is None else pull_lines(done.pull)
    lines += [f"{what}." for what in done.unlisted]
    lines += [] if done.plans is None else _push_lines(done.plans, dry_run=dry_run)
    lines += [f"{title}: {link}" for title, link in done.links.items()]
    lines += [f"Note: {detail}." for detail in done.passed_over]
    if done.drafts:
        by = _by_person([draft.annotator for draft in done.drafts])
        lines.append(f"Begun and not sent: {by}; `blend annotate status` has a reminder for each person.")
    return lines


def _push_lines(plans: Sequence[ProjectPlan], *, dry_run: bool) -> list[str]:
    """Say what a push did, or would do."""
    lines = [line for plan in plans for line in _plan_lines(plan)]
    if not any(plan.changes_anything for plan in plans):
        return [*lines, f"Everything is there: {pluralise(len(plans), 'project')}. Nothing was changed."]
    return [*lines, "Nothing was changed; without --dry-run it would be."] if dry_run else lines


def _plan_lines(plan: ProjectPlan) -> Iterator[str]:
    title, kinds = plan.wanted.title, Counter(change.kind for change in plan.changes)
    if plan.remote is None:
        yield f"{title}: new, {pluralise(kinds.pop('added', 0), 'task')}"
    if plan.wanted.waits_until:
        yield f"{title}: gets its tasks once {plan.wanted.waits_until}, by `blend annotate sync`"
    more = sum(not ask.closed and (ask.overlap > task.overlap or task.closed) for task, ask in plan.asked)
    counts = {
        **{kind: kinds[kind] for kind in ("added", "shown anew", "removed")},
        "asked of more people": more,
        "given to nobody any more": sum(ask.closed and not task.closed for task, ask in plan.asked),
    }
    done = [
        "another page" if plan.sets_config else "",
        f"{plan.wanted.overlap} annotations per task" if plan.sets_overlap else "",
        *(f"{pluralise(n, 'task')} {what}" for what, n in counts.items() if n),
    ]
    if any(done):
        yield f"{title}: {', '.join(filter(None, done))}"
    if kept := plan.outdated():
        names = [str(task.data.get("template_id") or task.blend_id) for task in kept]
        why = "changed or not asked for any more, and kept, since people have worked there"
        yield f"{title}: {pluralise(len(kept), 'task')} {why}: {_first(names)}"


def _first(names: Sequence[str]) -> str:
    further = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"{', '.join(names[:_LISTED])}{further}"


def _by_person(people: Sequence[str | None]) -> str:
    return ", ".join(f"{count} by {who}" for who, count in sorted(Counter(map(str, people)).items()))


def pull_lines(pull: "Pull") -> list[str]:
    """Say what a pull did: what is new first, with where to look."""
    pages = {name: pull.file.page(one.project) for name, one in pull.projects.items()}
    lines: list[str] = []
    for one in pull.found:
        name = one.stage_locale.name
        if events := Counter(line["event"] for line in pull.changes.get(name, ())):
            details = ", ".join(f"{events[event]} {event}" for event in _EVENTS if events[event])
            held_here = pluralise(sum(held.counts for held in one.held.values()), "annotation")
            where = f"; {pages[name]}?labeling=1" if name in pages else ""
            lines.append(f"{one.stage_locale.title}: {held_here} ({details}){where}")
    lines += gone_lines(pull.found, pages, pull.file.path)
    lines += [f"{path}: {pluralise(rows, 'row')}" for path, rows in pull.written.items()]
    if not pull.written:
        lines.append("No news: all files are as they were.")
    lines += (f"{kind}: {number}" for kind, number in sorted(Counter(pull.findings["kind"]).items()))
    if not pull.findings.is_empty():
        lines.append(f"{pull.findings_path} has each of these findings, with where it is.")
    return lines


def gone_lines(found: "Sequence[StageReading]", pages: Mapping[str, str], path: "Path") -> list[str]:
    """Say what counts although the server has it no more, by person and question, and what to do about it.

    Args:
        found: What was pulled.
        pages: Address of each project on the server, by name.
        path: The project file.
    """
    lines = []
    for one in found:
        if one.gone:
            gone = [held.version for held in one.gone]
            by = _by_person([line["annotator"] for line in gone])
            on = sorted({str(line["data"].get("template_id") or line["blend_id"]) for line in gone})
            page = pages.get(one.stage_locale.name)
            renamed = f"if {path} has another name than before, write the old one again"
            see = f"; {renamed}" if page is None else f"; see {page}"
            title = one.stage_locale.title
            what = "gone from the server, or older there, and still counted"
            lines.append(f"{title}: {what}: {by}, on {_first(on)}{see}")
    if lines:
        lines.append(f"`blend annotate sync {path} --accept-missing` lets go of them, once you have looked.")
    return lines


# The status of a project.


def status_tables(status: "ProjectStatus") -> list[Table]:
    """Show how far every locale is, who did how much and how well, and the questions furthest from done."""
    locales, people, questions, _ = status.tables.values()
    mark = pl.when(pl.col("flags").list.len() > 0).then(pl.lit("look")).otherwise(pl.lit(""))
    # Both, since a table of payment and what is kept have pseudonyms alone.
    both = {who: f"{address} = {who}" for who, address in status.names.items()}
    named = people.frame.with_columns(pl.col("annotator").replace(both), mark=mark)
    let_go = ["let_go"] if people.frame["let_go"].sum() else []
    figures = ("counted", *let_go, "skipped", "refused", "seconds", "agreement", "mark", "last")
    waiting = questions.frame.filter("open").sort(
        "still_needed", "locale", "template_id", descending=[True, False, False]
    )
    first = waiting.head(_LISTED).select("template_id", "locale", "valid", "idk", "still_needed")
    more = f"The first {_LISTED}; --html and --json list all." if len(waiting) > _LISTED else ""
    return [
        locales._replace(title=f"{status.name} on {status.today}"),
        people._replace(frame=named.select("locale", "stage", "annotator", *figures)),
        questions._replace(title=pluralise(len(waiting), "open question"), frame=first, caption=more),
    ]


def status_lines(status: "ProjectStatus") -> list[str]:
    """Where people work, whose work to look at, and what to write to whom."""
    lines = [f"{title}: {link}" for title, link in status.links.items()]
    people, reminders = status.tables["people"].frame, status.tables["reminders"].frame
    lines += [
        f"{status.names.get(row['annotator'], row['annotator'])} in {row['locale']} {flag}."
        for row in people.iter_rows(named=True)
        for flag in row["flags"] or ()
    ]
    lines += [
        f"{tag}: all who are named for {stage} have answered or skipped {_first(waiting)}; name more people."
        for stage, by_locale in status.stuck.items()
        for tag, waiting in by_locale.items()
    ]
    lines += [f"{what}." for what in status.unlisted]
    if not reminders.is_empty():
        lines.append("Reminders, to be sent by you:")
    return lines + [
        f"  {status.names.get(who, who)}: {reminder}: {link}" for who, reminder, link in reminders.iter_rows()
    ]


def status_json(status: "ProjectStatus") -> str:
    """All figures, with every question, and without names."""
    found = {
        "name": status.name,
        "day": status.today.isoformat(),
        "links": dict(status.links),
        "stuck": status.stuck,
        **{name: table.frame.to_dicts() for name, table in status.tables.items()},
        "gone": {one.stage_locale.title: len(one.gone) for one in status.found if one.gone},
    }
    return json.dumps(found, ensure_ascii=False, indent=2, default=str)


def write_status_page(status: "ProjectStatus", path: "Path") -> None:
    """Write the status as one HTML file that needs no network; one of ours that is there is replaced.

    It has pseudonyms alone; every value is escaped, and made harmless.

    Raises:
        InputError: If something else is there.
        StorageError: If it cannot be written.
    """
    environment = packaged_templates("blend.dataset_cards", finalize=_without_controls)
    environment.filters["table"] = _status_table
    page = environment.get_template("annotation_status.html.j2").render(status=status, sdk=DISTRIBUTION)
    replace_own_file(path, page, mark=PAGE_MARK, what="a page", parameter="html")


def _without_controls(value: object) -> object:
    # What is HTML already is a text of another type.
    return escape_controls(value) if type(value) is str else value


def _status_table(table: Table) -> str:
    text = html_table(table._replace(title=""))
    # Addresses are ours where a column holds them: elsewhere people have typed them.
    return (
        re.sub(r"https?://[^\s<]+", r'<a href="\g<0>">open</a>', text)
        if "link" in table.frame.columns
        else text
    )


def forgotten_lines(file: "ProjectFile", done: "Forgotten") -> Iterator[str]:
    """Say what forgetting somebody changed, and what is left to do."""
    what = f"{pluralise(len(done.lines), 'line')} of the events removed from {file.pulled}"
    yield f"{done.annotator}: {what}; they will not come back."
    deleted = f"{pluralise(done.annotations, 'annotation')} and {pluralise(done.drafts, 'draft')} deleted"
    removed = f"{pluralise(done.reviews, 'page')} of reviews that showed their answers"
    yield f"On {file.server}: {deleted}, and {removed}."
    for path, rows in done.pull.written.items():
        yield f"{path}: {pluralise(rows, 'row')} now"
    yield "Left to do by hand:"
    yield from (f"  {line}" for line in done.by_hand)
