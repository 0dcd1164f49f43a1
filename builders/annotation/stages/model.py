"""What a stage is: a labelling configuration, tasks, and a way back from annotations to files."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import polars as pl

from blend.builders.annotation.project import Project, StageName
from blend.builders.annotation.pseudonyms import People
from blend.builders.annotation.ui_strings import PageTexts, UiStrings, page
from blend.loaders.label_studio.events import Line
from blend.loaders.label_studio.push import WantedTask
from blend.schemas.frames import ANNOTATION_ROWS, QUESTIONS, RESPONSES, REVIEWS, empty
from blend.schemas.locales import Locale

WORK = pl.Schema(
    {
        "stage": pl.String(),
        "locale": pl.String(),
        "blend_id": pl.String(),
        "template_id": pl.String(),
        "task": pl.Int64(),
        "annotation": pl.Int64(),
        "annotator": pl.String(),
        "outcome": pl.String(),
        "seconds": pl.Float64(),
        "day": pl.String(),
    }
)
"""One row per annotation: whose it is, whether it counts (``counted``, ``skipped`` or ``refused``), how many
seconds it took (null where the server does not say) and on which day it was made (``YYYY-MM-DD``, UTC)."""


@dataclass(frozen=True)
class Material:
    """All that tasks are made of; a stage takes what it needs."""

    questions: pl.DataFrame = field(default_factory=lambda: empty(QUESTIONS))
    """`frame_columns.QUESTIONS`."""
    responses: pl.DataFrame = field(default_factory=lambda: empty(RESPONSES))
    """`frame_columns.RESPONSES`: what has been collected so far."""
    reviews: pl.DataFrame = field(default_factory=lambda: empty(REVIEWS))
    """`frame_columns.REVIEWS`: what has been reviewed so far."""
    options: pl.DataFrame | None = None
    """Options that questions may show and that no native has read, in the order in which they are shown:
    ``template_id``, ``locale``, ``question`` (in English), ``option`` and ``role``; see
    `sheets.OPTION_SHEET`."""
    sheets: Mapping[StageName, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """Rows of the sheets that people judge, by stage; see `stages.judge`."""
    answered: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=ANNOTATION_ROWS))
    """`frame_columns.ANNOTATION_ROWS`: questions and answers, local and English, behind `options`."""
    ui_strings: UiStrings = field(default_factory=dict)
    """Short texts in the language of those who do the tasks."""


class Reading(NamedTuple):
    """Rows and findings that annotations become."""

    rows: dict[str, list[dict[str, Any]]]
    """Rows by the kind of file that takes them: ``responses``, ``reviews``, ``natives``, ``translations``,
    ``verdicts``, and what judges give; in the order of the tasks' ids."""
    findings: pl.DataFrame
    """`frame_columns.FINDINGS`: whatever could not be taken as it was, with names; nothing else is left out."""
    work: pl.DataFrame
    """`WORK`: one row per annotation."""


@dataclass(frozen=True)
class StageContext:
    """People who may work on a stage of a locale, and their names."""

    project: Project
    locale: Locale
    known: frozenset[str] | None = None
    """Pseudonyms of those whom the project file names; null where anybody may work."""
    given: Collection[str] | None = None
    """Ids of the answers that are given in the locale now; null where none were pulled."""


Tasks = Callable[[Project, Locale, Material], list[WantedTask]]
Read = Callable[[Sequence[Line], StageContext], Reading]
ReadingPlan = Callable[[Sequence[Line], Reading, int], dict[str, int]]


@dataclass(frozen=True)
class Stage:
    """A stage of a project: what people do in it."""

    name: StageName
    tasks: Tasks
    """The tasks that should be on the server, by id; never one less for the same material."""
    read: Read
    """From annotations that count, by lines of the events, to rows of files."""
    does: str
    """What people do in it, in Markdown, for the table of stages in the documentation."""
    gives: str
    """What comes out, likewise."""
    readers: Callable[[Project], int] = lambda _project: 1
    """Annotations wanted per task, each by another person."""
    by_reviewers: bool = False
    """Whether reviewers do it, not annotators."""
    reads_questions: bool = False
    """Whether its tasks are made of what lies in the directory of raw responses."""
    needs_recipe: bool = False
    """Whether its tasks are made of what the build of the project's recipe makes."""
    facts: Callable[[Project], Mapping[str, Any]] = lambda _project: {}
    """What its page shows besides texts."""
    reading_plan: ReadingPlan | None = None
    """How many people more are to do each task that somebody has done, by id, where one more decides between
    those who differ."""

    def config(self, project: Project, locale: Locale, texts: PageTexts) -> str:
        """The labelling configuration: its page in ``pages``, or that of all judges."""
        return page(self.name, locale, texts, **self.facts(project))

    def title(self, project: Project, locale: str) -> str:
        """Title on the server, which allows 50 characters."""
        return f"{project.name} {self.name} {locale}"

    def context(self, project: Project, locale: Locale, people: People) -> StageContext:
        """Return who may work on this stage in a locale of the project."""
        settings = project.settings(locale.tag)
        listed = settings.reviewers if self.by_reviewers else settings.annotators
        known = None if listed is None else frozenset(map(people.named, listed))
        return StageContext(project, locale, known)


def still_to_read(
    lines: Sequence[Line],
    reading: Reading,
    readers: int,
    is_divided: Callable[[Mapping[str, Any]], bool],
) -> dict[str, int]:
    """Plan readers of tasks that somebody has read; see `ReadingPlan`.

    Args:
        lines: Annotations that count.
        reading: What was read from them.
        readers: People wanted for every task.
        is_divided: Whether one more is to read what the data of a task show.
    """
    people = Counter(reading.work.filter(outcome="counted")["blend_id"])
    shown = {line["blend_id"]: line["data"] for line in lines if people[line["blend_id"]]}
    return {name: max(readers - people[name], int(is_divided(data))) for name, data in shown.items()}


def blend_id(stage: str, locale: str, *parts: str) -> str:
    """The id of a task: what it is about, for ever."""
    return "/".join((stage, locale, *parts))
