"""Counting: responses, reviews and all other rows, made of the events and of what is asked now.

People who asked to be forgotten are left out of all of it. They stand in a file beside the project file, under
the pseudonyms of address and account, so that neither another address nor a removed account brings them back.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.builders.annotation import judging, questions, review
from blend.builders.annotation.project import People, ProjectFile, StageName, project_key, pseudonym
from blend.builders.annotation.stage import Reading, Stage, location_of, stage_definitions
from blend.builders.saq.answer_sheet import given_part
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.files.diagnostics import Finding
from blend.loaders.label_studio.events import ExportedTask, Held, Line, counted_lines, held_in
from blend.loaders.responses import NOT_ASKED, read_responses, readable_rows
from blend.schemas.errors import InputError
from blend.schemas.frames import FINDINGS
from blend.schemas.locales import Locale
from blend.schemas.personal_data import ACCOUNT_PSEUDONYM, EVENTS
from blend.schemas.sheets import ANSWER_SHEET
from blend.schemas.texts import clean, escape_controls, pluralise

# Stages: what people do one after the other, from questions of their own to reviewed answers.


@cache
def stage_of(name: StageName) -> Stage:
    """The stage of a name, of `project.ORDER`."""
    defined, own = stage_definitions()[name], _STAGES.get(name)
    return judging.of_sheet(name, defined) if own is None else Stage(name, defined, *own)


_STAGES: Mapping[str, tuple[Any, ...]] = {
    "collect": questions.COLLECT,
    "answer": questions.ANSWER,
    "review": review.REVIEW,
    "mcq-review": judging.MCQ_REVIEW,
}
"""How tasks are made and read, and more people asked, in the stages that are not of a sheet."""


class StageLocale(NamedTuple):
    """A stage in a locale."""

    stage: Stage
    locale: Locale
    name: str
    """``PROJECT/STAGE/LOCALE``, by which the server's project is found again."""

    @property
    def title(self) -> str:
        """Title on the server, which allows 50 characters."""
        return self.name.replace("/", " ")

    @property
    def slug(self) -> str:
        """What the events call it."""
        return f"{self.stage.name}.{self.locale.tag}"


def stage_locales(file: ProjectFile) -> Iterator[StageLocale]:
    """The stages of all locales, in the order of the project file."""
    project = file.project
    for settings in project.locales:
        tag = settings.locale
        for name in project.stages_of(tag):
            yield StageLocale(stage_of(name), file.locale(tag), f"{project.name}/{name}/{tag}")


BY_LOCALE = ("responses", "reviews")
"""Kinds of rows with a file per locale, in the folder of their name of the directory of raw responses."""


# What counts.


class StageReading(NamedTuple):
    """What the events say of a stage in a locale."""

    stage_locale: StageLocale
    held: Mapping[str, Held]
    lines: Sequence[Line]
    """Annotations that count."""
    reading: Reading
    let_go: pl.DataFrame
    """`WORK` that was done and of which nothing is taken: the lead has let go of it, or it was lost and given
    again."""

    @property
    def gone(self) -> list[Held]:
        """Annotations that count although the server has them no more, or only in an older version."""
        again = given_again(self.held)
        return [held for number, held in self.held.items() if held.is_gone and number not in again]


def given_again(held: Mapping[str, Held]) -> set[str]:
    """Annotations that the server has lost, of people who have done the same task again there since.

    The later one counts. The lost one was work all the same, and no mistake of theirs.
    """
    done = {key: (one.version["blend_id"], one.version["annotator"]) for key, one in held.items()}
    there = {
        done[key] for key, one in held.items() if one.is_there and one.counts and not one.version["skipped"]
    }
    lost = {key for key, one in held.items() if one.is_gone and not one.is_there}
    return {key for key in lost if done[key] in there and done[key][1] is not None}


def counting(file: ProjectFile, lines: Sequence[Line], *, also: Collection[str] = ()) -> list[StageReading]:
    """Make responses, reviews and all other rows of the events: the only rule of what counts.

    Questions count that are asked, and reviews decide only on answers that are still given. Each stage is read
    after those that it is about. Stages of which nothing was seen are left out.

    Args:
        file: The project.
        lines: Of the events.
        also: Names of stages to read even where nothing was seen of them.

    Raises:
        InputError: If something counts of a stage or locale that the project file does not name any more: it
            would be left out in silence.
    """
    known = {one.slug for one in stage_locales(file)}
    dropped = {line["stage"] for line in lines} - known
    if left := sorted(slug for slug in dropped if counted_lines(held_in(lines, slug))):
        stages = ", ".join("{} of {}".format(*slug.split(".")) for slug in left)
        raise InputError(
            f"{file.path}: does not name {stages} any more, where people have worked; put it back: what "
            "they gave counts until it is gone from the server and let go of here (docs/annotating.md)"
        )
    people = People(project_key(file))
    asked, typed = _in_files(file)
    given: dict[str, Mapping[str, Set[str]]] = {}
    found: list[StageReading] = []
    for stage_locale in stage_locales(file):
        stage, locale, _ = stage_locale
        held = held_in(lines, stage_locale.slug)
        if not held and stage_locale.name not in also:
            continue
        again = given_again(held)
        current = counted_lines({key: one for key, one in held.items() if key not in again})
        context = stage.context(file.project, locale, people)
        done = [one.version for key, one in held.items() if one.is_let_go or key in again]
        let_go = stage.read(done, context).work
        here = given.get(locale.tag)
        reading = stage.read(current, replace(context, given=here))
        reading = _noted(reading, _changed_by_others(current, locale.tag))
        if asked is not None:
            reading = _of_asked(reading, locale.tag, asked)
        if "responses" in reading.rows and typed is not None:
            given[locale.tag] = _given(reading.rows["responses"], locale.tag, typed)
        if "reviews" in reading.rows and here is not None:
            reading = _without_lost_answers(reading, locale.tag, here)
        found.append(StageReading(stage_locale, held, current, reading, let_go))
    return found


_Answers = Mapping[tuple[str, str], Set[str]]
"""Answers by template and locale."""


def _in_files(file: ProjectFile) -> tuple[set[tuple[str, str]] | None, _Answers | None]:
    """Template and locale of all questions that are asked now, and answers in files that no pull writes.

    Null where files cannot be read whole, or hold no question: they are more likely damaged than meant.
    """
    pulled = {f"{settings.locale}.jsonl" for settings in file.project.locales}
    rows = readable_rows(file.collected, locales=file.locales, besides=pulled)
    if rows is None:
        return None, None
    typed = defaultdict[tuple[str, str], set[str]](set)
    for _, response in rows.responses.rows:
        typed[response.template_id, response.locale].update(map(clean, response.answers))
    asked = {(question.template_id, question.locale) for _, question in rows.questions.rows}
    return (
        asked if asked and rows.questions.is_complete else None,
        typed if rows.responses.is_complete else None,
    )


def _given(rows: Sequence[Mapping[str, Any]], tag: str, typed: _Answers) -> dict[str, set[str]]:
    """The answers that anybody gives in a locale, by template: on the server, or typed into files."""
    given = defaultdict[str, set[str]](set)
    for row in rows:
        given[row["template_id"]].update(map(clean, row.get("answers", ())))
    for (template_id, locale), answers in typed.items():
        if locale == tag:
            given[template_id] |= answers
    return given


def _changed_by_others(lines: Sequence[Line], locale: str) -> Iterator[Finding]:
    """Annotations whose version that counts another account has made, which everybody on a server can do."""
    for line in lines:
        if line["changed_by"] is not None:
            detail = (
                f"{line['annotator']} gave it, and {line['changed_by']} has changed it since; what it says now "
                f"counts. {EVENTS} holds the versions that were pulled: ask both"
            )
            yield "changed-by-another", location_of(line), locale, line["data"].get("template_id"), detail


def _of_asked(reading: Reading, tag: str, asked: Collection[tuple[str, str]]) -> Reading:
    """A reading without rows of questions that are not asked any more; they come back with the question."""
    rows, notes = dict(reading.rows), list[Finding]()
    for kind in BY_LOCALE:
        unasked = [row["template_id"] for row in rows.get(kind, ()) if (row["template_id"], tag) not in asked]
        for template_id, number in sorted(Counter(unasked).items()):
            what = f"{pluralise(number, kind.removesuffix('s'))} of {template_id!r}"
            left_out = "left out, and kept in the pull folder until it is"
            detail = f"{what}, which is not asked in {tag} any more; {left_out}"
            notes.append((NOT_ASKED, f"{kind} of {template_id}", tag, template_id, detail))
        if unasked:
            rows[kind] = [row for row in rows[kind] if row["template_id"] not in unasked]
    return _noted(reading._replace(rows=rows), notes)


def _without_lost_answers(reading: Reading, tag: str, given: Mapping[str, Collection[str]]) -> Reading:
    """A reading whose reviews decide only on answers that are still given.

    Whoever corrects an answer after it was reviewed, or asks to be forgotten, leaves a decision about nothing,
    which a build would refuse. Groups that become empty go, and so do reviews that decide nothing any more.
    """
    kept, notes = [], list[Finding]()
    for row in reading.rows["reviews"]:
        template_id = row["template_id"]
        left, lost = given_part(row, given.get(template_id, set()))
        if lost:
            listed = ", ".join(f"'{escape_controls(answer)}'" for answer in lost)
            detail = f"the review decides on {listed}, which nobody answers any more; left out of it"
            notes.append(("lost-answer", f"review of {template_id}", tag, template_id, detail))
        if left is not None:
            kept.append(left)
    return _noted(reading._replace(rows={**reading.rows, "reviews": kept}), notes)


def _noted(reading: Reading, notes: Iterable[Finding]) -> Reading:
    findings = pl.DataFrame(list(notes), FINDINGS, orient="row")
    return reading._replace(findings=pl.concat([reading.findings, findings]))


# The forgotten: people whose work is left out of everything that is pulled.


_NAMES = "forgotten.txt"

_HEADING = "# Who asked to be forgotten: no pull writes what they did. Keep this file with the project file."
_SOMEBODY = "somebody who is forgotten"


def forgotten(file: ProjectFile) -> frozenset[str]:
    """Those who asked to be forgotten.

    Raises:
        InputError: If a line of the file is damaged: their work must not come back because of that.
    """
    path: Path = file.base / _NAMES
    if not path.exists():
        return frozenset()
    lines = read_content(path).decode("utf-8-sig", errors="replace").splitlines()
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.startswith("#") and not ACCOUNT_PSEUDONYM.fullmatch(line.strip()):
            raise InputError(
                f"{path}:{number}: {line!r} is not a pseudonym, and whoever is not named here would come back; "
                "write p- and 12 digits and letters, one a line, or bring the file back"
            )
    return frozenset(line.strip() for line in lines if ACCOUNT_PSEUDONYM.fullmatch(line.strip()))


def remember(file: ProjectFile, names: Iterable[str]) -> None:
    """Write down who is to be forgotten, with those who are."""
    known = forgotten(file)
    if not known >= (now := known | set(names)):
        atomic_write(file.base / _NAMES, "".join(f"{line}\n" for line in (_HEADING, *sorted(now))))


def is_theirs(line: Line, gone: Collection[str], key: bytes) -> bool:
    """Whether a line of the events is about what one of some people did."""
    account = line.get("account")
    return line.get("annotator") in gone or (account is not None and pseudonym(account, key) in gone)


def without_lines(
    file: ProjectFile, lines: Sequence[Line], names: Collection[str], key: bytes
) -> tuple[list[Line], set[str]]:
    """The events without what some people did, and without the answers that nobody else gives now.

    Returns:
        The lines, of which no other names the people; and the ids of these answers, as reviews show them.
    """
    theirs = [line for line in lines if is_theirs(line, names, key)]
    left = [unnamed(line, names) for line in lines if not is_theirs(line, names, key)]
    gone = _answer_ids(theirs)
    if gone:
        stages = {line["stage"] for line in left}
        now = [one.version for stage in stages for one in held_in(left, stage).values()]
        gone -= ever_given(file, now, names)
    return [line for line in (_line_without(line, gone) for line in left) if line is not None], gone


def unnamed(line: Line, gone: Collection[str]) -> Line:
    """A line of somebody else's, which names nobody for a change that one of some people has made."""
    return {**line, "changed_by": _SOMEBODY} if line.get("changed_by") in gone else line


# Answers, by the ids under which reviews show them.


def ever_given(file: ProjectFile, lines: Iterable[Line], besides: Collection[str] = ()) -> set[str]:
    """Ids of all answers that anybody ever gave on the server, or gives in files, but for some people."""
    given = _answer_ids(lines)
    if file.collected.is_dir():
        tables = read_responses(file.collected, locales=file.locales, reviewing=True, collecting=True)
        given |= {
            ANSWER_SHEET.mark(row["template_id"], row["locale"], clean(answer))
            for row in tables.responses.filter(~pl.col("annotator").is_in(list(besides))).iter_rows(named=True)
            for answer in row["answers"] or ()
        }
    return given


def _answer_ids(lines: Iterable[Line]) -> set[str]:
    """Ids of all answers that lines of the events hold, corrected ones included."""
    found: set[str] = set()
    for line in lines:
        stage, _, rest = str(line.get("blend_id") or "").partition("/")
        tag, _, template_id = rest.partition("/")
        for result in line.get("result") or () if stage == "answer" else ():
            value = result.get("value") or {}
            texts = value.get("text") if result.get("from_name") == questions.ANSWERS else None
            for text in [texts] if isinstance(texts, str) else texts or ():
                found.add(ANSWER_SHEET.mark(template_id, tag, clean(str(text))))
    return found


def shown_in(data: Mapping[str, Any]) -> set[str]:
    """Ids of the answers that the task of a review shows."""
    shown = data.get(review.ITEMS)
    return {str(item.get("id")) for item in shown} if isinstance(shown, list) else set()


def without_answers(task: ExportedTask, gone: Collection[str]) -> ExportedTask | None:
    """The task of a review without some answers: in what it shows, and in what reviewers did.

    The English of a group goes with its last answer, and so does the reason with the last invalid one.

    Returns:
        The task, the same where it shows none of them; null if none of its answers is left.
    """
    if shown_in(task["data"]).isdisjoint(gone):
        return task
    kept = [item for item in task["data"][review.ITEMS] if item.get("id") not in gone]
    if not kept:
        return None
    annotations = [
        {**one, "result": _results_without(one.get("result") or [], gone)} for one in task["annotations"]
    ]
    return {**task, "data": {**task["data"], review.ITEMS: kept}, "annotations": annotations}


def _results_without(results: Sequence[Mapping[str, Any]], gone: Collection[str]) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    emptied: set[str] = set()
    for result in results:
        value = result.get("value") or {}
        columns = value.get("ranker") if result.get("from_name") == review.GROUPS else None
        if isinstance(columns, dict):
            left = {name: [item for item in items if item not in gone] for name, items in columns.items()}
            emptied |= {name for name, items in columns.items() if items and not left[name]}
            result = {**result, "value": {**value, "ranker": left}}
        kept.append(dict(result))
    fields = {review.WHY_INVALID if name == review.INVALID else f"english_{name[1:]}" for name in emptied}
    return [result for result in kept if result.get("from_name") not in fields]


def _line_without(line: Line, gone: Collection[str]) -> Line | None:
    """A line of the events without some answers, if it is of a review; null if it decides on no other."""
    if not gone or "data" not in line or not str(line["blend_id"]).startswith("review/"):
        return line
    left = without_answers({"data": line["data"], "annotations": [{"result": line["result"]}]}, gone)
    return None if left is None else {**line, "data": left["data"], "result": left["annotations"][0]["result"]}
