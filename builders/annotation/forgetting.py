"""Forgetting: a person leaves the events, all files and the server, and does not come back."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from blend.builders.annotation.counting import (
    ever_given,
    forgotten,
    is_theirs,
    remember,
    shown_in,
    stage_locales,
    without_lines,
)
from blend.builders.annotation.project import People, ProjectFile, project_key
from blend.builders.annotation.pulling import Pull, Session, pull, pull_project, rewritten, session
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio import GoneError, events
from blend.loaders.label_studio.events import ExportedTask, Held, Line
from blend.loaders.responses import read_responses
from blend.schemas.errors import InputError


@dataclass
class Forgotten:
    """What forgetting somebody changed, and what is left to do by hand."""

    annotator: str
    """Pseudonym."""
    names: frozenset[str]
    """All pseudonyms by which they are known again."""
    lines: Sequence[Line]
    """Lines of the events that were removed."""
    gone: set[str]
    """Ids of the answers that nobody else gives."""
    pull: Pull
    """The files that were written anew."""
    by_hand: list[str]
    """What is left to do, a line each."""
    annotations: int = 0
    """Deleted on the server."""
    drafts: int = 0
    """Likewise."""
    reviews: int = 0
    """Tasks of reviews, deleted there, that showed answers which nobody gives any more."""


def forget_person(file: ProjectFile, who: str, *, on_progress: ProgressCallback | None = None) -> Forgotten:
    """Remove everything that a person did, here and on the server, and remember the pseudonym.

    Pulls before, so that nothing that came since the last pull is left, and after, so that what is here is what
    is there; no later pull brings anything back. The answers that nobody else gave leave the reviews as well,
    with the English that belongs to them; what reviewers decided on others' answers stays. Reviews whose page
    shows such answers stay here without them, and their tasks are deleted on the server: the next push makes
    them anew, with what was decided. Published releases stay as they are. May be stopped at any moment and run
    again.

    Args:
        file: The project.
        who: Pseudonym or e-mail address.
        on_progress: Called with the step, the projects done and projects in all.

    Raises:
        InputError: If there is no key, or nobody of that name did anything in this project.
        ConflictError: If another process holds the pull folder, or a file to write anew was edited by hand.
        ServerError: If the server fails; what was done stays, and the same again goes on.
    """
    with session(file) as at:
        pull(at, on_progress=on_progress)
        people = People(project_key(file), at.accounts, events.read_events(at.folder.events))
        done = _here(file, who, people, at)
        lines = events.read_events(at.folder.events)
        given = ever_given(file, lines, done.names) - done.gone
        wanted = list(stage_locales(file))
        for number, stage_locale in enumerate(wanted, start=1):
            if found := at.there.get(stage_locale.name):
                tasks = events.exported(at.studio, found[0])
                _erase(at, tasks, people, done)
                if stage_locale.stage.name == "review":
                    showing = {task["id"]: task for task in tasks if shown_in(task["data"]) - given}
                    held = events.held_in(lines, stage_locale.slug)
                    _clear_reviews(at, held, found[0].id, showing, done)
            if on_progress is not None:
                on_progress("forget", number, len(wanted))
    pull_project(file, on_progress=on_progress)
    done.by_hand += _elsewhere(file, done, sorted(one.id for found in at.there.values() for one in found))
    return done


def _here(file: ProjectFile, who: str, people: People, at: Session) -> Forgotten:
    """Remove what a person did from the files of a project."""
    key, lines, named = project_key(file), events.read_events(at.folder.events), people.named(who)
    # The account may have got the address that is given later.
    later = [
        people.of(number)
        for number, account in at.accounts.items()
        if account.address is not None and people.named(account.address) == named
    ]
    annotator = next(filter(None, later), named)
    names = people.names_of(annotator) | people.names_of(named)
    theirs = [line for line in lines if is_theirs(line, names, key)]
    if not theirs and annotator not in forgotten(file) and len(names) < 2 and not _files_of(file, names):
        raise InputError(
            f"{annotator} has done nothing in this project, as far as it was pulled; "
            "`blend annotate status` lists who has"
        )
    by_hand = [
        f"have annotation {line['annotation']} of {line['annotator']} on {line['blend_id']} sent again by its "
        "author: the person has typed into it"
        for line in lines
        if line.get("changed_by") in names and line not in theirs
    ]
    by_hand += [
        f"remove the person from {file.path}, locales[{number}].{role}"
        for number, settings in enumerate(file.project.locales)
        for role, listed in (("annotators", settings.annotators), ("reviewers", settings.reviewers))
        if annotator in map(people.named, listed or ())
    ]
    _, gone = without_lines(file, lines, names, key)
    # First of all: whatever happens from here on, no pull brings anything back.
    remember(file, names)
    return Forgotten(annotator, names, theirs, gone, rewritten(file, at.folder), by_hand)


def _erase(at: Session, tasks: Sequence[ExportedTask], people: People, done: Forgotten) -> None:
    """Delete the annotations and drafts of somebody in a project."""
    ids = {line["id"] for line in done.lines}
    for task in tasks:
        for one in task["annotations"]:
            # By what was seen before as well: of a deleted account the server does not know the work.
            if events.identity(one) in ids or people.aliases(one.get("completed_by")) & done.names:
                with suppress(GoneError):
                    at.studio.delete("annotations", one["id"])
                    done.annotations += 1
        for draft in task.get("drafts", ()):
            if people.aliases(draft.get("user")) & done.names:
                with suppress(GoneError):
                    at.studio.delete("drafts", draft["id"])
                    done.drafts += 1


def _clear_reviews(
    at: Session, held: Mapping[str, Held], project: int, showing: Mapping[int, ExportedTask], done: Forgotten
) -> None:
    """Delete the tasks of reviews that show answers which nobody gives; those that others have begun stay."""
    # What nobody ever gave is of the person, or of one whose forgetting was stopped.
    begun = {task.id for task in at.studio.tasks(project) if task.begun} & showing.keys()
    done.by_hand += [
        f"look at {at.file.page(project)}?task={task}: a reviewer has begun it, and it shows what the "
        "person answered; have it sent or thrown away, and run this again"
        for task in sorted(begun)
    ]
    removed = sorted(showing.keys() - begun)
    here = {events.identity(one) for task in removed for one in showing[task]["annotations"]}
    # Before they go: no pull takes them for missing.
    kept = [events.about(held[one], events.KEPT) for one in sorted(here & held.keys())]
    events.append_events(at.folder.events, kept)
    at.studio.delete_tasks(project, removed)
    done.reviews += len(removed)


def _files_of(file: ProjectFile, names: Collection[str]) -> list[str]:
    """Files of responses and reviews in which rows of a person stand, relative to the directory of both."""
    if not file.collected.is_dir():
        return []
    tables = read_responses(file.collected, locales=file.locales, reviewing=True, collecting=True)
    rows = [tables.responses.select("annotator", "source"), tables.reviews.select("reviewer", "source")]
    return sorted({where.rpartition(":")[0] for part in rows for who, where in part.rows() if who in names})


def _elsewhere(file: ProjectFile, done: Forgotten, projects: Sequence[int]) -> list[str]:
    """What the command cannot reach."""
    accounts = sorted({int(str(line["account"]).split()[0]) for line in done.lines if line.get("account")})
    left = [
        f"delete account {number} on the server, unless the person works in another project there"
        for number in accounts
    ]
    copies = " ".join(f"export/project-{number}-at-* media/export/{number}/" for number in projects)
    left.append(f"delete the copies of exports in the data folder of the server: {copies}")
    kept = f"exports and copies of {file.pulled} that you kept elsewhere, old versions of its events in git"
    left.append(f"delete {kept}, and status pages")
    left.append("remove answers that were theirs alone from reviews and sheets of `blend reviews` of your own")
    if rows := _files_of(file, done.names):
        left.append(
            f"remove the rows of the person from {', '.join(str(file.collected / one) for one in rows)}"
        )
    if any(line["stage"].startswith("collect.") for line in done.lines):
        left.append(f"look for questions that they wrote in the templates of {file.collected}")
    return [*left, "publish a new version of releases that hold what they answered (docs/publishing.md)"]
