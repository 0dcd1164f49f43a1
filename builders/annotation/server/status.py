"""Status: how far a project is, who has done how much of it and how well, and what waits for whom."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.builders.annotation.beside import beside
from blend.builders.annotation.check import CheckedProject, check_project, regions_note
from blend.builders.annotation.collecting import collection_plan
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import Account, People, project_key
from blend.builders.annotation.reliability import Reliability, reliability
from blend.builders.annotation.server.forgotten import forgotten
from blend.builders.annotation.server.projects import stage_locales
from blend.builders.annotation.server.pulling import pull_project
from blend.builders.annotation.server.readings import StageReading, counting, reworded_in
from blend.builders.annotation.server.session import session
from blend.builders.annotation.stages.model import WORK
from blend.builders.annotation.stages.review import tasks as review_tasks
from blend.builders.release.verdict_agreement import AGREEMENT, verdict_agreement
from blend.builders.saq.collection import COMPLETE, STOPPED
from blend.loaders.files.new_files import EVENTS
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.events import Held, Line, drafts_in, read_events
from blend.loaders.label_studio.folder import Folder
from blend.loaders.servers.server_errors import public_address
from blend.schemas.frames import EXCLUSIONS

PACE_DAYS = 7
"""Days by which the pace is measured: the last ones, today's included."""

UNTAKEN = ("blank-text", "overlong-text")
"""Kinds of findings of which authors are told, when nothing is left of their annotation."""


class Reminder(NamedTuple):
    """What waits for a person: said to them by the lead, with links."""

    annotator: str
    drafts: Sequence[str]
    """Pages with something that was typed and not sent."""
    untaken: Sequence[str]
    """Pages from which nothing could be taken, since it was blank or far too long."""
    waiting: Mapping[str, int]
    """How many questions the person has not answered, by the link that leads through them."""
    has_begun: bool


@dataclass(frozen=True)
class ProjectStatus:
    """Progress of a project."""

    name: str
    today: date
    wanted: int
    """Valid responses wanted per question."""
    links: Mapping[str, str]
    """Where people work, by title of the server's project: the invitation."""
    questions: pl.DataFrame
    """`collecting.PLAN`: one row per question."""
    locales: pl.DataFrame
    """One row per locale, by tag: ``locale``; the counts of questions ``questions``, ``complete``, ``dropped``
    and ``open``; the counts of responses ``valid``, ``idk`` and ``still_needed``; questions that are
    ``reviewed``, and those ``to_review``; ``alpha``, how far people agree (null where that cannot be said);
    ``per_day``, responses that came per day (null without any); ``end``, the day on which the last one comes at
    this pace (null if none is needed, or none came)."""
    people: pl.DataFrame
    """One row per stage, locale and annotator, most work first: ``stage``, ``locale``, ``annotator``; how many
    annotations are ``counted``, ``skipped`` and ``refused``; ``seconds`` (median per annotation; null where
    unknown), ``total`` (of those that count) and ``last`` (day)."""
    reliability: Reliability
    verdicts: pl.DataFrame
    """`verdict_agreement.AGREEMENT` of the stage *mcq-review*; without rows where nobody has read an option."""
    regions: str | None
    """What is missing for multiple-choice questions; null where nothing is."""
    reminders: Sequence[Reminder]
    gone: Sequence[tuple[str, Sequence[Held], str]]
    """Title, annotations that count although the server has them no more, and page of each project."""
    reworded: Sequence[str]
    """Questions that were answered in other words than they have now."""
    rate: float | None
    """What an hour is paid."""
    names: Mapping[str, str]
    """Addresses by pseudonym, for the lead's screen alone; empty where no server was asked."""

    def payment(self) -> pl.DataFrame:
        """One row per ``person``: annotations ``counted``, ``seconds`` they took, ``rate`` and ``pay``."""
        return (
            self.people.group_by(person="annotator")
            .agg(pl.col("counted").sum(), seconds=pl.col("total").sum().round(0))
            .with_columns(rate=pl.lit(self.rate, dtype=pl.Float64))
            .with_columns(pay=(pl.col("seconds") / 3600 * pl.col("rate")).round(2))
            .sort("person")
        )


def project_status(
    checked: CheckedProject, *, today: date, accounts: Mapping[int, Account] | None = None
) -> ProjectStatus:
    """Say how far a project is, by what was pulled.

    Args:
        checked: The project, read after the last pull.
        today: By which the pace is measured.
        accounts: Of the server, but for the lead's own; none where it was not asked.

    Raises:
        InputError, RowError, RowErrors: If there is no key, or what was pulled is damaged.
    """
    file, project, material = checked.file, checked.file.project, checked.material
    state, lines = Folder(file.pulled).state, read_events(file.pulled / EVENTS)
    found = counting(file, lines, beside(file))
    work = pl.concat([pl.DataFrame(schema=WORK), *(one.reading.work for one in found)])
    ours = pl.col("locale").is_in([settings.locale for settings in project.locales])
    agreed = reliability(
        material.questions, material.responses.filter(ours), material.reviews.filter(ours), work
    )
    verdicts = [row for one in found for row in one.reading.rows.get("exclusions", ())]
    questions, gone = collection_plan(project, material), forgotten(file)
    people = People(project_key(file), accounts, lines)
    named = {people.of(number): account.address for number, account in (accounts or {}).items()}
    names = {who: address for who, address in named.items() if who and address and who not in gone}
    server = public_address(project.server.url).rstrip("/")
    pages = {
        one.name: f"{server}/projects/{state.projects[one.name].project}/data"
        for one in stage_locales(file)
        if one.name in state.projects
    }
    expected = {
        settings.locale: set(map(people.named, settings.annotators or ())) or {*names}
        for settings in project.locales
        if "answer" in project.stages_of(settings.locale)
    }
    reminders = _Reminders(file, pages)
    reminders.drafts(lines)
    reminders.untaken(found)
    reminders.waiting(expected, questions, work)
    return ProjectStatus(
        project.name,
        today,
        project.wanted,
        {one.title: f"{pages[one.name]}?labeling=1" for one in stage_locales(file) if one.name in pages},
        questions,
        _locales(questions, work, today, agreed, _reviews(checked, work)),
        _people(work),
        agreed,
        verdict_agreement(pl.DataFrame(verdicts, EXCLUSIONS)) if verdicts else pl.DataFrame(schema=AGREEMENT),
        regions_note(file, file.locales, material),
        [one for one in reminders.all(work) if one.annotator not in gone],
        [(one.stage_locale.title, one.gone, pages.get(one.stage_locale.name, "")) for one in found if one.gone],
        reworded_in(found),
        project.rate,
        names,
    )


def pulled_accounts(path: Path, *, on_progress: ProgressCallback | None = None) -> dict[int, Account]:
    """The server's accounts but the lead's own, once all that people did is pulled.

    Raises:
        BlendError: As `pulling.pull_project`.
    """
    file = check_project(path, before_pull=True).file
    with session(file) as at:
        pull_project(file, on_progress=on_progress, within=at)
        own = at.studio.own_account()
        return {number: account for number, account in at.accounts.items() if number != own}


class _Reminders:
    """What waits for everybody, gathered from what was pulled.

    Args:
        file: The project.
        pages: Address of each project on the server, by name.
    """

    def __init__(self, file: ProjectFile, pages: Mapping[str, str]) -> None:
        self._file, self._pages = file, pages
        self._drafts: dict[str, list[str]] = {}
        self._untaken: dict[str, list[str]] = {}
        self._waiting: dict[str, dict[str, int]] = {}

    def drafts(self, lines: Sequence[Line]) -> None:
        """Add what was typed and not sent."""
        for one in stage_locales(self._file):
            for line in drafts_in(lines, one.slug).values():
                who = str(line["annotator"])
                self._drafts.setdefault(who, []).append(f"{self._pages.get(one.name, '')}?task={line['task']}")

    def untaken(self, found: Sequence[StageReading]) -> None:
        """Add pages of which nothing could be taken, since it was blank or overlong."""
        for one in found:
            sources = set(one.reading.findings.filter(pl.col("kind").is_in(UNTAKEN))["source"])
            for row in one.reading.work.filter(outcome="refused").iter_rows(named=True):
                if f"task {row['task']}, annotation {row['annotation']}" in sources:
                    page = f"{self._pages.get(one.stage_locale.name, '')}?task={row['task']}"
                    self._untaken.setdefault(str(row["annotator"]), []).append(page)

    def waiting(
        self, expected: Mapping[str, Collection[str]], questions: pl.DataFrame, work: pl.DataFrame
    ) -> None:
        """Add the open questions that people have not answered, where they are to answer."""
        done = set(work.filter(stage="answer").select("locale", "annotator", "template_id").iter_rows())
        for tag, people in expected.items():
            name = f"{self._file.project.name}/answer/{tag}"
            asked = questions.filter(pl.col("open"), locale=tag)["template_id"].to_list()
            for who in people if name in self._pages else ():
                if number := sum((tag, who, template_id) not in done for template_id in asked):
                    self._waiting.setdefault(who, {})[f"{self._pages[name]}?labeling=1"] = number

    def all(self, work: pl.DataFrame) -> list[Reminder]:
        """One reminder for everybody for whom something waits."""
        begun = {*work["annotator"]}
        return [
            Reminder(
                who,
                self._drafts.get(who, ()),
                self._untaken.get(who, ()),
                self._waiting.get(who, {}),
                who in begun,
            )
            for who in sorted({*self._drafts, *self._untaken, *self._waiting})
        ]


def _reviews(checked: CheckedProject, work: pl.DataFrame) -> dict[str, tuple[int, int]]:
    """Count reviews that are done and open, by locale."""
    project, found = checked.file.project, {}
    done = set(work.filter(stage="review", outcome="counted").select("locale", "template_id").iter_rows())
    for settings in project.locales:
        if "review" in project.stages_of(settings.locale):
            locale = checked.file.locale(settings.locale)
            pages = {task.data["template_id"] for task in review_tasks(project, locale, checked.material)}
            reviewed = {template_id for tag, template_id in done if tag == settings.locale}
            found[settings.locale] = len(reviewed), len(pages - reviewed)
    return found


def _locales(
    questions: pl.DataFrame,
    work: pl.DataFrame,
    today: date,
    agreed: Reliability,
    reviews: Mapping[str, tuple[int, int]],
) -> pl.DataFrame:
    counts = questions.group_by("locale").agg(
        questions=pl.len().cast(pl.Int64),
        complete=(pl.col("state") == COMPLETE).sum().cast(pl.Int64),
        dropped=(pl.col("state") == STOPPED).sum().cast(pl.Int64),
        open=pl.col("open").sum().cast(pl.Int64),
        valid=pl.col("valid").sum(),
        idk=pl.col("idk").sum(),
        still_needed=pl.col("still_needed").sum(),
    )
    rows = []
    for tag, needed in counts.select("locale", "still_needed").iter_rows():
        per_day, (reviewed, to_review) = _per_day(work, tag, today), reviews.get(tag, (None, None))
        end = None if per_day is None or not needed else today + timedelta(days=math.ceil(needed / per_day))
        rows.append((tag, reviewed, to_review, per_day, end))
    numbers = {"reviewed": pl.Int64(), "to_review": pl.Int64(), "per_day": pl.Float64(), "end": pl.Date()}
    further = pl.DataFrame(rows, {"locale": pl.String(), **numbers}, orient="row")
    alphas = agreed.locales.select("locale", "alpha")
    return counts.join(further, on="locale").join(alphas, on="locale", how="left").sort("locale")


def _per_day(work: pl.DataFrame, tag: str, today: date) -> float | None:
    """Responses per day, since the first of the last `PACE_DAYS` days on which one came."""
    since = (today - timedelta(days=PACE_DAYS - 1)).isoformat()
    recent = work.filter(pl.col("day") >= since, stage="answer", locale=tag, outcome="counted")
    first = recent["day"].min()
    if not isinstance(first, str):
        return None
    # Where clocks differ, or midnight has just passed, the server's first day may lie after this machine's.
    return len(recent) / max((today - date.fromisoformat(first)).days + 1, 1)


def _people(work: pl.DataFrame) -> pl.DataFrame:
    outcomes = {
        name: (pl.col("outcome") == name).sum().cast(pl.Int64) for name in ("counted", "skipped", "refused")
    }
    total = pl.col("seconds").filter(pl.col("outcome") == "counted").sum()
    return (
        work.filter(pl.col("annotator").is_not_null())
        .group_by("stage", "locale", "annotator")
        .agg(**outcomes, seconds=pl.col("seconds").median(), total=total, last=pl.col("day").max())
        .sort("stage", "locale", "counted", "annotator", descending=[False, False, True, False])
    )
