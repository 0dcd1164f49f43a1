"""What a stage is: a labelling configuration, tasks, and a way back from annotations that count to files."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from string import digits
from typing import Any, Literal, NamedTuple

import polars as pl
from pydantic import Field

from blend.builders.annotation.project import ORDER, People, Project, StageName
from blend.builders.annotation.ui_strings import PageTexts, UiStrings, page
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.label_studio.events import Line
from blend.loaders.label_studio.push import WantedTask
from blend.schemas.frames import ANNOTATION_ROWS, QUESTIONS, RESPONSES, REVIEWS, empty, text_columns
from blend.schemas.locales import Locale
from blend.schemas.models import FrozenModel, packaged_tables
from blend.schemas.personal_data import personal_data
from blend.schemas.rows import LONGEST_ANSWER
from blend.schemas.texts import escape_controls, pluralise

WORK = pl.Schema(
    {
        **text_columns("stage", "locale", "blend_id", "template_id", "annotator", "outcome", "day"),
        "task": pl.Int64(),
        "annotation": pl.Int64(),
        "seconds": pl.Float64(),
    }
)
"""One row per annotation: whose it is, whether it counts (``counted``, ``skipped`` or ``refused``), how many
seconds it took (null where the server does not say) and on which day it was made (``YYYY-MM-DD``, UTC)."""


@dataclass(frozen=True)
class Material:
    """All that tasks are made of; a stage takes what it needs."""

    questions: pl.DataFrame = field(default_factory=lambda: empty(QUESTIONS))
    """`frames.QUESTIONS`."""
    responses: pl.DataFrame = field(default_factory=lambda: empty(RESPONSES))
    """`frames.RESPONSES`: what has been collected so far."""
    reviews: pl.DataFrame = field(default_factory=lambda: empty(REVIEWS))
    """`frames.REVIEWS`: what has been reviewed so far."""
    options: pl.DataFrame | None = None
    """Options that questions may show and that no native has read, in the order in which they are shown:
    ``template_id``, ``locale``, ``question`` (in English), ``option`` and ``role``; see
    `sheets.OPTION_SHEET`."""
    sheets: Mapping[StageName, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """Rows of the sheets that people judge, by stage; see `judging`."""
    answered: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=ANNOTATION_ROWS))
    """`frames.ANNOTATION_ROWS`: questions and answers, local and English, behind `options`."""
    ui_strings: UiStrings = field(default_factory=dict)
    """Short texts in the language of those who do the tasks."""


class Reading(NamedTuple):
    """Rows and findings that annotations become."""

    rows: dict[str, list[dict[str, Any]]]
    """Rows by the kind of file that takes them: ``responses``, ``reviews``, ``natives``, ``translations``,
    ``verdicts``, and what judges give; in the order of the tasks' ids."""
    findings: pl.DataFrame
    """`frames.FINDINGS`: whatever could not be taken as it was, with names; nothing else is left out."""
    work: pl.DataFrame
    """`WORK`: one row per annotation."""


@dataclass(frozen=True)
class StageContext:
    """People who may work on a stage of a locale, and their names."""

    project: Project
    locale: Locale
    known: frozenset[str] | None = None
    """Pseudonyms of those whom the project file names; null where anybody may work."""
    given: Mapping[str, Collection[str]] | None = None
    """The answers that are given in the locale now, by template; null where none were pulled."""


class StageDefinition(FrozenModel):
    """What ``stages.toml`` says of a stage; its head says what each field means."""

    does: str
    gives: str
    readers: Literal["one", "wanted", "readers"] = "one"
    by_reviewers: bool = False
    reads_questions: bool = False
    needs_recipe: bool = False
    file: str = ""
    made_by: str = ""
    columns: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    by_locale: bool = False
    headline: str = ""
    english: str = ""
    text: str = ""
    text_header: str = ""
    choose: str = ""
    needed: str = ""
    options: dict[str, str] = Field(default={})
    keys: str = digits[1:]
    silent: tuple[str, ...] = ()
    why: str = ""
    row: dict[str, str] = Field(default={})
    once: Literal["", "first", "agreed"] = ""


@cache
def stage_definitions() -> Mapping[StageName, StageDefinition]:
    """All stages, in the order in which they happen."""
    tables = packaged_tables("stages.toml", __package__)
    return {name: StageDefinition.model_validate(tables[name]) for name in ORDER}


_Tasks = Callable[[Project, Locale, Material], list[WantedTask]]
_Read = Callable[[Sequence[Line], StageContext], Reading]
_ReadingPlan = Callable[[Sequence[Line], Reading, int], dict[str, int]]


@dataclass(frozen=True)
class Stage:
    """A stage of a project: what people do in it."""

    name: StageName
    defined: StageDefinition
    tasks: _Tasks
    """The tasks that should be on the server, by id; never one less for the same material."""
    read: _Read
    """From annotations that count, by lines of the events, to rows of files."""
    reading_plan: _ReadingPlan | None = None
    """How many people more are to do each task that somebody has done, by id, where one more decides between
    those who differ."""

    @property
    def role(self) -> str:
        """Key of the project file, in the table of a locale, that names those who work on it."""
        return "reviewers" if self.defined.by_reviewers else "annotators"

    def readers(self, project: Project) -> int:
        """Annotations wanted per task, each by another person."""
        return 1 if self.defined.readers == "one" else int(getattr(project, self.defined.readers))

    def config(self, project: Project, locale: Locale, texts: PageTexts) -> str:
        """The labelling configuration: its page in ``pages``, or that of all judges."""
        return page(self.name, locale, texts, judge=self.defined, groups=project.review_groups)

    def context(self, project: Project, locale: Locale, people: People) -> StageContext:
        """Return who may work on this stage in a locale of the project."""
        listed = getattr(project.settings(locale.tag), self.role)
        known = None if listed is None else frozenset(map(people.named, listed))
        return StageContext(project, locale, known)


def still_to_read(
    lines: Sequence[Line],
    reading: Reading,
    readers: int,
    verdicts: Iterable[tuple[Any, Any]],
    shown: Callable[[Mapping[str, Any]], Iterable[Any]],
) -> dict[str, int]:
    """Plan readers of tasks that somebody has read: one more while two verdicts have as many as each other.

    Args:
        lines: Annotations that count.
        reading: What was read from them.
        readers: People wanted for every task.
        verdicts: What each verdict is on, and the verdict.
        shown: What verdicts may be on, from the data of a task.
    """
    given: dict[Any, Counter[Any]] = {}
    for about, verdict in verdicts:
        given.setdefault(about, Counter())[verdict] += 1
    divided = {about for about, votes in given.items() if _is_tied(votes)}
    people = Counter(reading.work.filter(outcome="counted")["blend_id"])
    read = {line["blend_id"]: line["data"] for line in lines if people[line["blend_id"]]}
    return {
        name: max(readers - people[name], int(not divided.isdisjoint(shown(data))))
        for name, data in read.items()
    }


def _is_tied(votes: Counter[Any]) -> bool:
    most = [number for _, number in votes.most_common(2)]
    return len(most) == 2 and most[0] == most[1]


def blend_id(stage: str, locale: str, *parts: str) -> str:
    """The id of a task: what it is about, for ever."""
    return "/".join((stage, locale, *parts))


# Reading: annotations that count, one person and task each, with whatever is odd noted.


_SHOWN = 80


@dataclass(frozen=True)
class Done:
    """An annotation that counts until shown otherwise."""

    data: Mapping[str, Any]
    """Of its task."""
    annotator: str
    """Pseudonym."""
    results: dict[str, list[Mapping[str, Any]]]
    """Values by name of the control."""
    order: tuple[str, int]
    """By when it was last changed."""
    location: str
    """What findings call it."""


class Reader:
    """Reads the annotations of a stage and collects what is odd about them.

    Args:
        stage: Name of the stage.
        controls: Type of the result of every control of its configuration, by the control's name.
        context: Who may work on it.
    """

    def __init__(self, stage: str, controls: Mapping[str, str], context: StageContext) -> None:
        self._stage = stage
        self._controls = controls
        self._context = context
        self._notes = Diagnostics()
        self._work: dict[str, dict[str, Any]] = {}
        """By location: the numbers of annotations are given again once a project is gone."""

    def all_of(self, lines: Iterable[Line]) -> list[Done]:
        """Every annotation that its author meant to give, by the id of its task, then as they were begun."""
        found = [done for line in lines if (done := self._done(line)) is not None]
        return sorted(found, key=lambda done: (str(done.data["blend_id"]), done.order[1]))

    def last_of_each(self, lines: Iterable[Line], *, by: str) -> list[Done]:
        """The last annotation of every person on everything that the tasks' ``by`` names; others are noted."""
        last: dict[tuple[str, str], Done] = {}
        for done in sorted(self.all_of(lines), key=lambda done: done.order):
            key = str(done.data.get(by)), done.annotator
            if (earlier := last.get(key)) is not None:
                self.leave_out(
                    earlier,
                    "annotated-twice",
                    f"the same person gave {done.location} later, which counts; left out",
                )
            last[key] = done
        return sorted(last.values(), key=lambda done: (str(done.data["blend_id"]), done.annotator))

    def texts(self, done: Done, control: str) -> list[str]:
        """Return what was typed into a control, exactly.

        Blank texts and overlong ones are noted and left out.
        """
        kept: list[str] = []
        for value in done.results.get(control, []):
            typed = value.get("text")
            texts = [typed] if isinstance(typed, str) else typed if isinstance(typed, list) else []
            kept += [text for text in texts if self._is_usable(done, control, text)]
        return kept

    def chosen(self, done: Done, control: str, options: Sequence[str]) -> list[str]:
        """All options that were chosen, in the order of the options."""
        values = [value.get("choices") for value in done.results.get(control, [])]
        chosen = [option for listed in values if isinstance(listed, list) for option in listed]
        return [option for option in options if option in chosen]

    def choice(self, done: Done, control: str, options: Sequence[str]) -> str | None:
        """The option that was chosen, of which the page allows one; null for none."""
        return next(iter(self.chosen(done, control, options)), None)

    def day(self, done: Done) -> str:
        """The day of an annotation, ``YYYY-MM-DD``; the first day of 1970 where the server does not say."""
        return self._work[done.location]["day"] or "1970-01-01"

    def note(self, done: Done, kind: str, detail: str) -> None:
        """A finding about an annotation."""
        self._note(kind, done.location, done.data, f"{done.annotator}: {detail}")

    def leave_out(self, done: Done, kind: str, detail: str) -> None:
        """Add a finding about an annotation that does not count because of it."""
        self.note(done, kind, detail)
        self._work[done.location]["outcome"] = "refused"

    def reading(self, **rows: list[dict[str, Any]]) -> Reading:
        """The rows with what was noted on the way."""
        work = sorted(self._work.values(), key=lambda row: (row["blend_id"], row["annotation"]))
        return Reading(rows, self._notes.findings_frame(), pl.DataFrame(work, schema=WORK))

    def _done(self, line: Line) -> Done | None:
        location, data, annotator = location_of(line), line["data"], line["annotator"]
        tag = self._context.locale.tag
        if not line["blend_id"].startswith(f"{self._stage}/{tag}/"):
            detail = "the task was not made by blend for this project; left out"
            self._note("foreign-task", location, {"locale": tag}, detail)
            return None
        outcome, kind, detail = self._whether_taken(line)
        self._work[location] = {
            "stage": self._stage,
            "locale": tag,
            **{name: line[name] for name in ("blend_id", "task", "annotation", "annotator")},
            "template_id": data.get("template_id"),
            "outcome": outcome,
            "seconds": _seconds(line["lead_time"]),
            "day": _day(line["created_at"]),
        }
        if kind:
            self._note(kind, location, data, detail)
            return None
        order = str(line["updated_at"] or line["created_at"] or ""), line["annotation"]
        done = Done(data, annotator, {}, order, location)
        for result in line["result"]:
            name, value = result.get("from_name"), result.get("value")
            if self._controls.get(name) == result.get("type") and isinstance(value, Mapping):
                done.results.setdefault(name, []).append(value)
            else:
                what = f"{quoted(str(name))} of type {quoted(str(result.get('type')))}"
                detail = f"a result of {what}, which no control of this stage makes; it is left out"
                self.note(done, "unknown-control", detail)
        return done

    def _whether_taken(self, line: Line) -> tuple[str, str, str]:
        """What becomes of an annotation, and the kind and text of the finding about one that is not taken."""
        annotator, known = line["annotator"], self._context.known
        if annotator is None:
            return "refused", "unknown-annotator", "nobody is named as its author; left out"
        if known is not None and annotator not in known:
            named = "is not among those whom the project file names for this stage; left out"
            return "refused", "unknown-annotator", f"{annotator} {named}"
        if line["skipped"]:
            return "skipped", "skipped-task", f"{annotator} skipped the task; nothing is taken from it"
        return "counted", "", ""

    def _is_usable(self, done: Done, control: str, text: Any) -> bool:
        kind, what = "", ""
        if not isinstance(text, str):
            kind, what = "unknown-control", "something else than text; it is left out"
        elif not text.strip():
            kind, what = "blank-text", f"the blank {text!r}; it is left out"
        elif len(text) > LONGEST_ANSWER:
            length = pluralise(len(text), "character")
            kind, what = "overlong-text", f"a text of {length}, {quoted(text)}; left out"
        elif any("\ud800" <= char <= "\udfff" for char in text):
            kind, what = "damaged-text", f"half a character, {quoted(text)}; left out"
        if kind:
            self.note(done, kind, f"{control} holds {what}")
            return False
        for named in personal_data(text):
            self.note(done, "personal-data", f"{control} holds {named} (not shown); remove it on the server")
        return True

    def _note(self, kind: str, location: str, data: Mapping[str, Any], detail: str) -> None:
        of = {name: data.get(name) for name in ("locale", "template_id")}
        self._notes.finding(kind, location, detail, **of)


def quoted(text: str) -> str:
    """A text as a finding quotes it: harmless, and not for pages."""
    cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return f"'{escape_controls(cut)}'"


def listed_texts(texts: Iterable[str]) -> str:
    """Several texts, likewise."""
    return ", ".join(map(quoted, texts))


def location_of(line: Line) -> str:
    """Return what findings call an annotation; the numbers of one that is gone may be another's now."""
    gone = f" of project {line['project']}, gone from there" if line.get("gone") else ""
    return f"task {line['task']}{gone}, annotation {line['annotation']}"


def _seconds(lead_time: Any) -> float | None:
    """Return how long an annotation took; null where the server says nothing that can be."""
    usable = isinstance(lead_time, int | float) and math.isfinite(lead_time) and lead_time >= 0
    return float(lead_time) if usable else None


def _day(moment: Any) -> str | None:
    """The day of a moment; nothing finer leaves the pull folder."""
    try:
        return datetime.fromisoformat(str(moment)).date().isoformat()
    except ValueError:
        return None
