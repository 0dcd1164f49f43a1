"""Forgetting: a person's work leaves the pull folder and the raw responses, and does not come back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import polars as pl

from blend.builders.annotation.beside import read_collected, reviews_beside
from blend.builders.annotation.collecting import collected_so_far
from blend.builders.annotation.forgotten_answers import results_without, review_without
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import People, pseudonym
from blend.builders.annotation.server.accounts import accounts, keep_accounts
from blend.builders.annotation.server.exports import kept_exports, kept_tasks, raw_export
from blend.builders.annotation.server.forgotten import Record, forgotten, remember, without_people
from blend.builders.annotation.server.project_key import project_key
from blend.builders.annotation.server.projects import stage_locales
from blend.builders.annotation.server.pulling import Pull, pulled_projects, take_again
from blend.builders.annotation.server.restored import forget_given
from blend.builders.annotation.server.typed_answers import typed_answers
from blend.builders.annotation.stages.model import Material
from blend.builders.saq.collection import NEEDS_RESPONSES
from blend.loaders.label_studio.export import read_export, write_digest
from blend.loaders.label_studio.folder import held
from blend.loaders.label_studio.history import HISTORY, forget
from blend.loaders.responses import ResponseTables
from blend.loaders.responses.sheets import rewrite_reviews
from blend.schemas.errors import InputError
from blend.schemas.language.text_comparison import clean
from blend.schemas.rows.frame_columns import KEY, RESPONSES, empty
from blend.schemas.sheets.answer_sheets import digest_of


@dataclass(frozen=True)
class Forgotten:
    """Changes that forgetting somebody made."""

    annotator: str
    """Pseudonym."""
    record: Record
    """What the server has of them, as far as it was pulled; also what an earlier, perhaps stopped, order has
    removed here."""
    history: int
    """Lines of the history that were removed."""
    reopened: pl.DataFrame
    """The questions that have too few responses now and had enough before: ``template_id``, ``locale``."""
    pull: Pull
    """The files that were written anew."""
    projects: tuple[int, ...]
    """Numbers of the projects on the server whose exports held what they did."""
    named_in: list[str] = field(default_factory=list)
    """Lists of the project file that name them."""
    own_reviews: Sequence[Path] = ()
    """Files of reviews that no pull writes and from which their answers were removed."""


def forget_person(file: ProjectFile, who: str) -> Forgotten:
    """Remove everything that a person did from the files of a project, and remember the pseudonym.

    No later pull brings anything back. The answers that nobody else gave leave the reviews as well, with the
    English that belongs to them; what reviewers decided on others' answers stays. May be stopped at any moment
    and run again. For the server see `erasing.forget_everywhere`; published releases stay as they are.

    Args:
        file: The project.
        who: Pseudonym or e-mail address.

    Raises:
        InputError: If there is no key, or nobody of that name did anything in this project.
        ConflictError: If another process holds the pull folder, or a file to write anew was edited by hand.
    """
    key = project_key(file)
    with held(file.pulled) as folder:
        known = accounts(folder.path)
        people = People(key, known)
        annotator = people.named(who)
        before = _collected(file)
        given = _given(before, besides=annotator)
        record, gone = _record(file, people, annotator, given), forgotten(file)
        if record == Record() and annotator not in gone and not _is_kept(file, people, annotator):
            raise InputError(
                f"{annotator} has done nothing in this project, as far as it was pulled; "
                "`blend annotate status` lists who has"
            )
        own = frozenset(number for number, address in known.items() if pseudonym(address, key) == annotator)
        record = record.merged(Record(accounts=own))
        # First of all: whatever happens from here on, no pull brings anything back. Once their address is not
        # known any more, an account is called by its number.
        remember(file, {annotator: record, **{pseudonym(f"user:{n}", key): Record() for n in own}})
        record = forgotten(file)[annotator]
        without_answers = partial(results_without, gone=record.answers - given)
        lines = 0
        for stage_locale in stage_locales(file):
            for path in kept_exports(folder.path, stage_locale):
                without_people(path, people.of, {annotator})
                write_digest(path)
            results = without_answers if stage_locale.stage.name == "review" else list
            lines += forget(folder.path / HISTORY / f"{stage_locale.slug}.jsonl", {annotator}, results)
        forget_given(folder.path, annotator)
        keep_accounts(folder.path, known, set(known) - own)
        without = partial(review_without, gone=record.answers - given)
        own_reviews = [path for path in reviews_beside(file) if rewrite_reviews(path, without)]
        pull = take_again(file, folder, key)
        at = {*record.annotations, *record.drafts}
        tags = {label.split()[1] for label in at}
        holding = (
            stage_locale
            for stage_locale in stage_locales(file)
            if stage_locale.label in at
            or (stage_locale.stage.name == "review" and stage_locale.locale.tag in tags)
        )
        projects = tuple(sorted(pulled_projects(folder, holding)))
        reopened = _open_questions(file, _collected(file)).join(
            _open_questions(file, before), on=KEY, how="anti"
        )
    lists = _lists(file, people, annotator)
    return Forgotten(annotator, record, lines, reopened, pull, projects, lists, own_reviews)


def _record(file: ProjectFile, people: People, annotator: str, given: frozenset[str]) -> Record:
    """Collect what a person did, by stage and locale, and the answers that nobody else gives."""
    found = Record()
    for stage_locale in stage_locales(file):
        raw = raw_export(file.pulled, stage_locale)
        for task in read_export(raw) if raw.exists() else ():
            at = stage_locale.label
            own = [one for one in task["annotations"] if people.of(one.get("completed_by")) == annotator]
            drafts = [
                int(one["id"])
                for one in task.get("drafts") or ()
                if isinstance(one, dict) and people.of(one.get("user")) == annotator
            ]
            found = found.merged(
                Record(
                    {at: [(int(task["id"]), int(one["id"])) for one in own]} if own else {},
                    {at: drafts} if drafts else {},
                )
            )
    return found.merged(Record(answers=typed_answers(file, people, annotator) - given))


def _is_kept(file: ProjectFile, people: People, annotator: str) -> bool:
    """Whether anything of a person is kept that the server has no more."""
    return any(
        people.of(one.get("completed_by")) == annotator
        for stage_locale in stage_locales(file)
        for task in kept_tasks(file.pulled, stage_locale).vanished
        for one in task["annotations"]
    )


def _given(collected: ResponseTables | None, *, besides: str) -> frozenset[str]:
    """Ids of the answers that others gave."""
    responses = empty(RESPONSES) if collected is None else collected.responses
    return frozenset(
        digest_of(row["template_id"], row["locale"], clean(answer))
        for row in responses.filter(pl.col("annotator") != besides).iter_rows(named=True)
        for answer in row["answers"] or ()
    )


def _collected(file: ProjectFile) -> ResponseTables | None:
    """Read what was collected so far; null where nothing is asked yet."""
    if not file.collected.is_dir():
        return None
    return read_collected(file.collected, file.locales).tables


def _open_questions(file: ProjectFile, tables: ResponseTables | None) -> pl.DataFrame:
    """The questions that need responses."""
    if tables is None:
        return pl.DataFrame(schema=dict.fromkeys(KEY, pl.String()))
    material = Material(tables.questions, tables.responses, tables.reviews)
    states = collected_so_far(file.project, material)
    return states.filter(pl.col("state") == NEEDS_RESPONSES).select(KEY)


def _lists(file: ProjectFile, people: People, annotator: str) -> list[str]:
    return [
        f"locales[{number}].{role}"
        for number, settings in enumerate(file.project.locales)
        for role, listed in (("annotators", settings.annotators), ("reviewers", settings.reviewers))
        if annotator in map(people.named, listed or ())
    ]
