"""Syncing: pull, ask, push, in the order in which each needs what the one before has done; and forgetting.

Whoever is forgotten leaves the events, all files and the server, and does not come back.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from blend.builders.annotation.counting import (
    StageReading,
    ever_given,
    forgotten,
    is_theirs,
    readings,
    remember,
    shown_in,
    stage_locales,
    without_lines,
)
from blend.builders.annotation.project import People, ProjectFile, project_key
from blend.builders.annotation.pulling import (
    DECIDED,
    Pull,
    Session,
    accept_missing,
    outdated,
    pull,
    pull_project,
    rewritten,
    session,
)
from blend.builders.annotation.questions import collection_plan
from blend.builders.annotation.stage import Material
from blend.builders.annotation.starting import CheckedProject, check_project
from blend.builders.annotation.ui_strings import texts_of
from blend.builders.saq.ballots import STOPPED
from blend.loaders.files.atomic import atomic_write, storage_errors
from blend.loaders.files.new_files import write_new_files
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.connection import GoneError
from blend.loaders.label_studio.events import (
    KEPT,
    Draft,
    ExportedTask,
    Held,
    Line,
    ProjectState,
    about,
    append_events,
    exported,
    held_in,
    identity,
    read_events,
)
from blend.loaders.label_studio.push import ProjectPlan, Quota, WantedProject, plan_push, push
from blend.schemas.errors import InputError, RowError, RowErrors

Half = Literal["pull", "push"]


class Sync(NamedTuple):
    """Steps of a sync that were done, or would be."""

    pull: Pull | None
    plans: Sequence[ProjectPlan] | None
    drafts: Sequence[Draft] = ()
    """What somebody has begun and not sent, as of the last pull."""
    passed_over: Sequence[str] = ()
    """See `counting.Collected`."""
    links: Mapping[str, str] = MappingProxyType({})
    """Where people begin with projects that were made, by title: the invitation."""

    @property
    def needs_attention(self) -> bool:
        """Whether something is gone from the server, or waits for somebody to send it."""
        return bool(self.drafts) or (self.pull is not None and self.pull.is_any_gone)


def sync_project(
    path: Path,
    *,
    only: Half | None = None,
    dry_run: bool = False,
    accept: Callable[[Pull], bool] | None = None,
    on_progress: ProgressCallback | None = None,
) -> Sync:
    """Pull and push, in one session; may be stopped at any moment, and run by several leads at a time.

    What is missing on the server is made, and more is asked where responses are missing. The same again changes
    nothing. Annotations and drafts are never deleted.

    Args:
        path: The project file.
        only: The half to do; both when absent.
        dry_run: Whether to say what a push would do, by what was pulled last, and change nothing.
        accept: Asked after the pull whether to let go of what counts and is not on the server any more.
        on_progress: Called with the step, its parts done and its parts in all.

    Raises:
        InputError, RowError, RowErrors: If what the project file names is wrong, or there is no token.
        ConflictError: As `pull`, or if the server does not take a page.
        ServerError: If the server fails; what was done stays, and the same again goes on from there.
    """
    pulls = only != "push" and not dry_run
    try:
        checked, pulled, plans = check_project(path, before_pull=pulls), None, None
    except (RowError, RowErrors):
        if dry_run:
            _check_up_to_date(path)
        raise
    numbers: Mapping[str, int] = {}
    with session(checked.file) as at:
        if not dry_run:
            _begin_verdicts(at.file)
        if pulls:
            pulled = pull(at, on_progress=on_progress)
            if accept is not None and pulled.is_any_gone and accept(pulled):
                pulled = accept_missing(at.file, at.folder)._replace(unlisted=pulled.unlisted)
        if only != "pull":
            if pulls:
                # Responses and reviews have come.
                checked = check_project(path)
            found = readings(at.file) if pulled is None else pulled.found
            wanted = _wanted_projects(checked, _asked_people(checked, found))
            plans = plan_push(at.there, wanted, where=at.studio.where)
            if not dry_run:
                numbers = push(at.studio, plans, on_progress=on_progress)
                # Whoever renames the project from here on is told, though nothing was pulled of it so far.
                made = {name: ProjectState(project=number, dated="") for name, number in numbers.items()}
                at.folder.remember(projects=made | at.folder.state.projects)
        state = at.folder.state.projects
    drafts = [draft for one in state.values() for draft in one.drafts]
    new = [plan.wanted for plan in plans or () if plan.remote is None and plan.wanted.name in numbers]
    links = {one.title: f"{checked.file.page(numbers[one.name])}?labeling=1" for one in new}
    return Sync(pulled, plans, drafts, (*checked.passed_over, *_unnamed_verdicts(checked.file)), links)


def _check_up_to_date(path: Path) -> None:
    """Check that what was pulled last fits the questions.

    Raises:
        InputError: If the next pull mends it, without which nobody knows what is pushed.
    """
    if old := outdated(check_project(path, before_pull=True).file):
        listed = ", ".join(map(str, old))
        raise InputError(
            f"{listed}: written for other questions than are asked now, and written anew by the pull of a "
            "sync, so that a dry run, which pulls nothing, cannot say what would be pushed; run "
            f"`blend annotate sync {path} --only pull` first"
        )


def _verdicts(file: ProjectFile) -> Path:
    return file.base / DECIDED / "verdicts.jsonl"


def _begin_verdicts(file: ProjectFile) -> None:
    """Write an empty file of verdicts where some are to come: a recipe may name it before anybody gave one."""
    path = _verdicts(file)
    if not path.exists() and any(
        one.stage.name in ("mcq-review", "equivalence") for one in stage_locales(file)
    ):
        with storage_errors(path, fix="change the permissions"):
            path.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(path, "")


def _unnamed_verdicts(file: ProjectFile) -> Iterator[str]:
    """Say how a recipe that names no verdicts names those that were pulled, so that builds read them."""
    from blend.loaders.recipes import read_recipe

    verdicts = _verdicts(file)
    if file.project.recipe is not None and verdicts.is_file():
        path = file.base / file.project.recipe
        if read_recipe(path).mcq.verdicts is None:
            named = Path(os.path.relpath(verdicts, path.parent)).as_posix()
            what = f"builds do not read {verdicts}, since {path} names no verdicts"
            yield f'{what}; write verdicts = "{named}" below [mcq]'


def write_tasks(path: Path, folder: Path) -> tuple[list[str], list[str]]:
    """Write what a push would bring to a server: ``STAGE.LOCALE.json`` (tasks) and ``.xml`` (page) of each.

    Args:
        path: The project file.
        folder: Made if it is not there.

    Returns:
        The files, relative to the folder; and what is left out, and until when.

    Raises:
        InputError: If no project has any task.
        ConflictError, StorageError: As `files.new_files.write_new_files`.
    """
    projects = _wanted_projects(check_project(path))
    contents: dict[str, str | bytes] = {}
    for project in projects:
        _, stage, locale = project.name.split("/")
        if project.tasks:
            tasks = [task.payload() for task in project.tasks]
            contents[f"{stage}.{locale}.json"] = json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"
            contents[f"{stage}.{locale}.xml"] = project.config
    if not contents:
        raise InputError(f"{path}: there are no tasks; collect questions or answers first")
    waiting = [f"{one.title}: left out until {one.waits_until}" for one in projects if one.waits_until]
    return write_new_files(folder, contents), waiting


def _wanted_projects(
    checked: CheckedProject, asked: Mapping[str, Mapping[str, Quota]] | None = None
) -> list[WantedProject]:
    """List the projects that should be on the server.

    Args:
        checked: The project.
        asked: Of how many people the tasks of a project are asked, from `_asked_people`.

    Raises:
        InputError, RowError, RowErrors: If the recipe, or what it names, is wrong.
    """
    file, project = checked.file, checked.file.project
    material, waits_until = _with_recipe(file, checked.material)
    wanted = []
    for at in stage_locales(file):
        stage, locale, name = at
        own = project.instructions.get(locale.language)
        texts = texts_of(locale.language, stage.name, None if own is None else file.base / own)
        wanted.append(
            WantedProject(
                name=name,
                title=at.title,
                config=stage.config(project, locale, texts),
                overlap=stage.readers(project),
                tasks=stage.tasks(project, locale, replace(material, ui_strings=texts.ui_strings)),
                asked=(asked or {}).get(name, {}),
                # Answers to such questions are left out of the responses.
                closes_unasked=asked is not None and stage.name == "answer",
                waits_until=waits_until if stage.defined.needs_recipe else "",
                # Its page has reasons not to answer, which say more, and which nobody chooses by accident.
                offers_skip=stage.name != "answer",
            )
        )
    return wanted


def _with_recipe(file: ProjectFile, material: Material) -> tuple[Material, str]:
    """The material with the options that a build of the recipe may show, for the stage that needs it.

    Returns:
        The material; and what the stage waits for where a build does not take what people have given so far, or
        makes no questions of it: that is put right elsewhere, and other stages go on meanwhile.
    """
    if file.project.recipe is None or not any(one.stage.defined.needs_recipe for one in stage_locales(file)):
        return material, ""
    from blend.builders.mcq.result import too_few_regions
    from blend.builders.release.reviewing import options_for_natives
    from blend.loaders.recipes import read_recipe

    path = file.base / file.project.recipe
    try:
        options, answered = options_for_natives(read_recipe(path), base=path.parent, known=file.locales)
    except InputError as error:
        first, *others = error.errors if isinstance(error, RowErrors) else (error,)
        more = f", and {len(others)} more: `blend status {path}`" if others else ""
        return material, f"a build takes what people gave ({first}{more})"
    if options.is_empty() and (note := too_few_regions(answered, file.locales)):
        return material, f"the recipe has answers of enough regions ({note})"
    return replace(material, options=options, answered=answered), ""


def _asked_people(checked: CheckedProject, found: Sequence[StageReading]) -> dict[str, dict[str, Quota]]:
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
        name, task = f"{project.name}/answer/{row['locale']}", row["blend_id"]
        so_far = people.get(name, {}).get(task, 0)
        quota = _quota(so_far, row["still_needed"])
        asked.setdefault(name, {})[task] = quota._replace(is_dropped=row["state"] == STOPPED)
    for one in found:
        if (plan := one.stage_locale.stage.reading_plan) is not None:
            name = one.stage_locale.name
            needed = plan(one.lines, one.reading, project.readers)
            asked[name] = {task: _quota(people[name][task], n) for task, n in needed.items()}
    return asked


def _quota(so_far: int, needed: int) -> Quota:
    return Quota(so_far + needed, closed=False) if needed else Quota(max(so_far, 1), closed=True)


def _people(held: Mapping[str, Held]) -> dict[str, int]:
    """Count the people whose annotations the server has of each task; whoever only skipped it is not one."""
    there = [one.version for one in held.values() if one.is_there and not one.version["skipped"]]
    return Counter(task for task, _ in {(line["blend_id"], line["annotator"] or line["id"]) for line in there})


# Forgetting.


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
    shows such answers, also beside the options of *mcq-review*, stay here without them, and their tasks are
    deleted on the server: the next push makes them anew, with what was decided. Published releases stay as they
    are. May be stopped at any moment and run again.

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
        people = People(project_key(file), at.accounts, read_events(at.folder.events))
        done = _here(file, who, people, at)
        lines = read_events(at.folder.events)
        given = ever_given(file, lines, done.names) - done.gone
        wanted = list(stage_locales(file))
        for number, stage_locale in enumerate(wanted, start=1):
            if found := at.there.get(stage_locale.name):
                tasks = exported(at.studio, found[0])
                _erase(at, tasks, people, done)
                if stage_locale.stage.name in ("review", "mcq-review"):
                    showing = {task["id"]: task for task in tasks if shown_in(task["data"]) - given}
                    _clear_reviews(at, held_in(lines, stage_locale.slug), found[0].id, showing, done)
            if on_progress is not None:
                on_progress("forget", number, len(wanted))
    pull_project(file, on_progress=on_progress)
    done.by_hand += _elsewhere(file, done, sorted(one.id for found in at.there.values() for one in found))
    return done


def _here(file: ProjectFile, who: str, people: People, at: Session) -> Forgotten:
    """Remove what a person did from the files of a project."""
    key, lines, named = project_key(file), read_events(at.folder.events), people.named(who)
    # The account may have got the address that is given later.
    later = [
        people.of(number)
        for number, account in at.accounts.items()
        if account.address is not None and people.named(account.address) == named
    ]
    annotator = next(filter(None, later), named)
    names = people.names_of(annotator) | people.names_of(named)
    theirs = [line for line in lines if is_theirs(line, names, key)]
    if not theirs and annotator not in forgotten(file) and len(names) < 2:
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
            if identity(one) in ids or not people.aliases(one.get("completed_by")).isdisjoint(done.names):
                with suppress(GoneError):
                    at.studio.delete("annotations", one["id"])
                    done.annotations += 1
        for draft in task.get("drafts", ()):
            if not people.aliases(draft.get("user")).isdisjoint(done.names):
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
    here = {identity(one) for task in removed for one in showing[task]["annotations"]}
    # Before they go: no pull takes them for missing.
    append_events(at.folder.events, [about(held[one], KEPT) for one in sorted(here & held.keys())])
    at.studio.delete_tasks(project, removed)
    done.reviews += len(removed)


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
    pulled = {f"{settings.locale}.jsonl" for settings in file.project.locales}
    reviews = (file.collected / "reviews").glob("*.*")
    if own := sorted(str(path) for path in reviews if path.name not in pulled):
        left.append(
            f"remove answers that were theirs alone from {', '.join(own)}, and sheets of `blend reviews "
            "propose`"
        )
    if any(line["stage"].startswith("collect.") for line in done.lines):
        left.append(f"look for questions that they wrote in the templates of {file.collected}")
    return [*left, "publish a new version of releases that hold what they answered (docs/publishing.md)"]
