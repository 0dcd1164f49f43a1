"""Status: how far a project is, who did how much, and whom to remind of what."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.builders.annotation.counting import StageReading, counting, forgotten, stage_locales, stage_of
from blend.builders.annotation.project import People, ProjectFile, StageName, project_key
from blend.builders.annotation.pulling import pull, session, unlisted
from blend.builders.annotation.questions import asked_questions, collection_plan
from blend.builders.annotation.reliability import MIN_QUESTIONS, Reliability, reliability
from blend.builders.annotation.review import review_tasks
from blend.builders.annotation.stage import WORK
from blend.builders.annotation.starting import CheckedProject, check_project
from blend.builders.saq.ballots import COMPLETE, STOPPED
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.client import Account
from blend.loaders.label_studio.events import Folder, ProjectState, read_events
from blend.schemas.frames import KEY, text_columns
from blend.schemas.summaries import Table
from blend.schemas.texts import agreeing, pluralise

_UNTAKEN = ("blank-text", "overlong-text")
"""Kinds of findings of which authors are told, when nothing is left of their annotation."""

# No link leads to an answer of one's own: the server shows the newest one of a task, whoever gave it.
_OWN_TAB = "open the tab with your name above the question"
_UNSENT = {False: "begun and not sent, press Submit", True: f"changed and not sent, {_OWN_TAB}, press Update"}
_NOTHING_TAKEN = f"blank or far too long, {_OWN_TAB}, and change it"

_REMINDERS = pl.Schema(text_columns("annotator", "reminder", "link"))
"""One row per thing that waits for somebody, by person: what to say to them, and the page that it is about."""


@dataclass(frozen=True)
class ProjectStatus:
    """Progress of a project."""

    name: str
    today: date
    wanted: int
    """Valid responses wanted per question."""
    links: Mapping[str, str]
    """Where people work, by title of the server's project: the invitation."""
    tables: Mapping[str, Table]
    """What is shown, with pseudonyms:

    ``locales``: one row per locale, by tag: the counts of questions ``questions``, ``complete``, ``open`` and
    ``dropped``; of responses ``valid``, ``idk`` and ``needed``; questions that are ``reviewed``, and those
    ``to_review``; ``alpha``, how far people agree (null where that cannot be said).

    ``people``: one row per stage, locale and annotator, most work first: how many annotations are ``counted``,
    ``skipped``, ``refused`` and ``let_go`` (by the lead, though they were done); ``seconds`` (median of those
    that count or were let go; null where unknown), ``total`` (of those that count), ``total_let_go`` and
    ``last`` (day); of those who answer the figures of `ANNOTATORS` as well.

    ``questions``: `questions.collection_plan` with ``agreement`` on each, one row per question.

    ``reminders``: `_REMINDERS`, to be sent by the lead."""
    found: Sequence[StageReading]
    """What was pulled."""
    pages: Mapping[str, str]
    """Address of each project on the server, by name."""
    rate: float | None
    """What an hour is paid."""
    names: Mapping[str, str]
    """Addresses by pseudonym, for the lead's screen alone."""
    stuck: Mapping[StageName, Mapping[str, Sequence[str]]]
    """Questions, by stage and locale, that wait and that all who are named there have answered or skipped."""
    unlisted: Sequence[str]
    """See `pulling.unlisted`; with names, likewise for the lead's screen alone."""

    def payment(self) -> pl.DataFrame:
        """One row per ``person``: annotations ``counted`` and ``let_go``, seconds of each, ``rate``, ``pay``.

        What the lead has let go of was done, and is paid.
        """
        return (
            self.tables["people"]
            .frame.group_by(person="annotator")
            .agg(
                pl.col("counted").sum(),
                pl.col("total").sum().round(0).alias("seconds"),
                pl.col("let_go").sum(),
                pl.col("total_let_go").sum().round(0).alias("seconds_let_go"),
            )
            .with_columns(rate=pl.lit(self.rate, dtype=pl.Float64))
            .with_columns(pay=(pl.sum_horizontal("seconds", "seconds_let_go") / 3600 * pl.col("rate")).round(2))
            .sort("person")
        )


def project_status(
    checked: CheckedProject, *, today: date, accounts: Mapping[int, Account] | None = None
) -> ProjectStatus:
    """Say how far a project is, by what was pulled.

    Args:
        checked: The project, read after the last pull.
        today: The day of the status.
        accounts: Of the server, but for the lead's own; none where it was not asked.

    Raises:
        InputError, RowError, RowErrors: If there is no key, or what was pulled is damaged.
    """
    file, project, material = checked.file, checked.file.project, checked.material
    state, lines = Folder(file.pulled).state, read_events(file.events)
    found = counting(file, lines)
    work = pl.concat([pl.DataFrame(schema=WORK), *(one.reading.work for one in found)])
    let_go = pl.concat([work.clear(), *(one.let_go.filter(outcome="counted") for one in found)])
    ours = pl.col("locale").is_in([settings.locale for settings in project.locales])
    agreed = reliability(
        material.questions, material.responses.filter(ours), material.reviews.filter(ours), work
    )
    questions, gone = collection_plan(project, material), forgotten(file)
    people = People(project_key(file), accounts, lines)
    there = people.addresses(besides=gone)
    pages = {name: file.page(one.project) for name, one in state.projects.items()}
    answers, reviews = _waiting_answers(questions, work), _waiting_reviews(checked, work)
    to_say = [
        *_unsent(state.projects, pages),
        *_untaken(found, pages),
        *answers.reminders(file, people, pages, others=[*there]),
        *reviews.reminders(file, people, pages, others=()),
    ]
    reminders = pl.DataFrame(to_say, _REMINDERS, orient="row").filter(~pl.col("annotator").is_in(list(gone)))
    reminded = reminders.sort("annotator", maintain_order=True)
    listed = [who for one in project.locales for who in (*(one.annotators or ()), *(one.reviewers or ()))]
    in_file = {people.named(entry): entry.strip() for entry in listed if "@" in entry}
    # Of several addresses of a person the one first seen counts, then the one in the project file.
    names = {**there, **in_file, **state.names}
    return ProjectStatus(
        name=project.name,
        today=today,
        wanted=project.wanted,
        links={one.title: f"{pages[one.name]}?labeling=1" for one in stage_locales(file) if one.name in pages},
        tables={
            "locales": _locales(questions, _reviews(checked, reviews.questions), agreed),
            "people": _people(work, let_go, agreed),
            "questions": _questions(questions, agreed),
            "reminders": Table("Reminders", reminded, "What to say to whom, by you."),
        },
        found=found,
        pages=pages,
        rate=project.rate,
        names=names,
        stuck={one.stage: one.stuck(file, people) for one in (answers, reviews)},
        unlisted=[*unlisted(file, found, {**there, **state.names})],
    )


def pulled_accounts(path: Path, *, on_progress: ProgressCallback | None = None) -> dict[int, Account]:
    """The server's accounts but the lead's own, once all that people did is pulled.

    Raises:
        BlendError: As `pulling.pull`.
    """
    with session(check_project(path, before_pull=True).file) as at:
        pull(at, on_progress=on_progress)
        own = at.studio.own_account()
        return {number: account for number, account in at.accounts.items() if number != own}


# What to say to whom: person, reminder and link.


def _unsent(
    projects: Mapping[str, ProjectState], pages: Mapping[str, str]
) -> Iterator[tuple[str | None, str, str]]:
    for name, one in projects.items():
        for draft in one.drafts:
            yield draft.annotator, _UNSENT[draft.is_change], f"{pages[name]}?task={draft.task}"


def _untaken(found: Sequence[StageReading], pages: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Pages from which nothing could be taken, since they were blank or far too long."""
    for one in found:
        page = pages.get(one.stage_locale.name, "")
        sources = set(one.reading.findings.filter(pl.col("kind").is_in(_UNTAKEN))["source"])
        for row in one.reading.work.filter(outcome="refused").iter_rows(named=True):
            # As `stage.location_of` calls an annotation that the server still has.
            if f"task {row['task']}, annotation {row['annotation']}" in sources:
                yield row["annotator"], _NOTHING_TAKEN, f"{page}?task={row['task']}"


class _Waiting(NamedTuple):
    """Questions that wait for people in a stage."""

    stage: StageName
    for_what: str
    """What they wait for, as a reminder says it; to those who read it."""
    questions: Mapping[str, Collection[str]]
    """By locale."""
    done: Collection[tuple[str, str, str]]
    """Locale, person and question: the server gives it to that person no more."""
    settled: Collection[tuple[str, str, str]]
    """Those of ``done`` who are not reminded to change what they sent."""
    begun: Collection[str]
    """Who has done anything in the stage."""

    def named(self, file: ProjectFile, people: People, tag: str) -> set[str]:
        """Those whom the project file names for the stage in a locale."""
        return set(map(people.named, getattr(file.project.settings(tag), stage_of(self.stage).role) or ()))

    def stuck(self, file: ProjectFile, people: People) -> dict[str, list[str]]:
        """Questions that nobody who is named in their locale is given any more, by locale."""
        found = {}
        for tag, questions in self.questions.items():
            if named := self.named(file, people, tag):
                found[tag] = [one for one in questions if all((tag, who, one) in self.settled for who in named)]
        return {tag: sorted(questions) for tag, questions in found.items() if questions}

    def reminders(
        self, file: ProjectFile, people: People, pages: Mapping[str, str], others: Collection[str]
    ) -> Iterator[tuple[str, str, str]]:
        """What to say to those who are named in a locale, to ``others`` where nobody is."""
        for tag, questions in self.questions.items():
            page = pages.get(f"{file.project.name}/{self.stage}/{tag}")
            for who in (self.named(file, people, tag) or others) if page is not None else ():
                if number := sum((tag, who, one) not in self.done for one in questions):
                    waiting = f"{pluralise(number, 'question')} {agreeing(number, 'waits', 'wait')}"
                    new = "" if who in self.begun else ", and you have not begun"
                    yield who, f"{waiting} for {self.for_what}{new}", f"{page}?labeling=1"


def _waiting_answers(questions: pl.DataFrame, work: pl.DataFrame) -> _Waiting:
    """Open questions, which whoever has answered or skipped them is not given again."""
    waiting = {
        tag: rows["template_id"].to_list()
        for (tag,), rows in questions.filter("open").partition_by("locale", as_dict=True).items()
    }
    answers = work.filter(stage="answer")
    done, settled = (
        set(rows.select("locale", "annotator", "template_id").iter_rows())
        for rows in (answers, answers.filter(pl.col("outcome") != "refused"))
    )
    return _Waiting("answer", "you", waiting, done, settled, {*work["annotator"]})


def _waiting_reviews(checked: CheckedProject, work: pl.DataFrame) -> _Waiting:
    """Questions with pages of reviews that nobody has sent, for every locale with reviews."""
    file, reviews = checked.file, work.filter(stage="review")
    sent, waiting, done = {*reviews.filter(outcome="counted")["blend_id"]}, {}, set[tuple[str, str, str]]()
    for tag in (one.locale for one in file.project.locales if "review" in file.project.stages_of(one.locale)):
        tasks = review_tasks(file.project, file.locale(tag), checked.material)
        pages = {task.blend_id: task.data["template_id"] for task in tasks if task.blend_id not in sent}
        waiting[tag] = {*pages.values()}
        skips = reviews.filter(pl.col("blend_id").is_in([*pages]), outcome="skipped")
        done |= {(tag, who, question) for who, question in skips.select("annotator", "template_id").iter_rows()}
    return _Waiting("review", "a review", waiting, done, done, {*reviews["annotator"]})


# The tables of `ProjectStatus`.


def _reviews(checked: CheckedProject, waiting: Mapping[str, Collection[str]]) -> pl.DataFrame:
    """Count questions whose review is done, on a page or in a file, and open; with new answers it is again."""
    found = []
    for tag, to_review in waiting.items():
        asked = {*asked_questions(checked.file.project, tag, checked.material)["template_id"]}
        # Of the material: from pages and from files.
        reviewed = {*checked.material.reviews.filter(locale=tag)["template_id"]}
        found.append((tag, len(reviewed & asked - {*to_review}), len(to_review)))
    columns = {"locale": pl.String(), "reviewed": pl.Int64(), "to_review": pl.Int64()}
    return pl.DataFrame(found, columns, orient="row")


def _locales(questions: pl.DataFrame, reviews: pl.DataFrame, agreed: Reliability) -> Table:
    counts = questions.group_by("locale").agg(
        questions=pl.len(),
        complete=(pl.col("state") == COMPLETE).sum(),
        open=pl.col("open").sum(),
        dropped=(pl.col("state") == STOPPED).sum(),
        valid=pl.col("valid").sum(),
        idk=pl.col("idk").sum(),
        needed=pl.col("still_needed").sum(),
    )
    alphas = agreed.locales.select("locale", "alpha")
    return Table(
        "Locales",
        counts.join(reviews, on="locale", how="left").join(alphas, on="locale", how="left").sort("locale"),
        "Questions by state, responses, reviews done and open, and Krippendorff's alpha: 1 is perfect "
        "agreement, 0 is what chance would give. Compare locales and rounds, not with a threshold.",
    )


def _people(work: pl.DataFrame, let_go: pl.DataFrame, agreed: Reliability) -> Table:
    outcomes = {name: pl.col("outcome") == name for name in ("counted", "skipped", "refused", "let_go")}
    people = (
        pl.concat([work, let_go.with_columns(outcome=pl.lit("let_go"))])
        .filter(pl.col("annotator").is_not_null())
        .group_by("stage", "locale", "annotator")
        .agg(
            **{name: is_so.sum() for name, is_so in outcomes.items()},
            seconds=pl.col("seconds").filter(outcomes["counted"] | outcomes["let_go"]).median(),
            total=pl.col("seconds").filter(outcomes["counted"]).sum(),
            total_let_go=pl.col("seconds").filter(outcomes["let_go"]).sum(),
            last=pl.col("day").max(),
        )
        .sort("stage", "locale", "counted", "annotator", descending=[False, False, True, False])
    )
    of_answers = agreed.annotators.with_columns(stage=pl.lit("answer"))
    return Table(
        "Who did how much",
        people.join(of_answers, on=["stage", "locale", "annotator"], how="left", maintain_order="left"),
        "Seconds are the median of one annotation that counts, agreement (MASI) is with the others, question "
        f"by question. Of those with fewer than {MIN_QUESTIONS} questions nothing else is said. A flag is not "
        "a verdict: look at some of the answers, and talk to the person.",
    )


def _questions(questions: pl.DataFrame, agreed: Reliability) -> Table:
    agreement = agreed.questions.drop("answers")
    return Table("Questions", questions.join(agreement, on=KEY, how="left", maintain_order="left"))
