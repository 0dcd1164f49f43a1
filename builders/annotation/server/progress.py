"""Progress: how far a project is, who has done how much of it, and when it will be done at this pace."""

import math
from dataclasses import dataclass
from datetime import date, timedelta

import polars as pl

from blend.builders.annotation.beside import beside, that_counts
from blend.builders.annotation.check import CheckedProject, regions_note
from blend.builders.annotation.collecting import collection_plan
from blend.builders.annotation.server.readings import readings
from blend.builders.annotation.stages.model import WORK
from blend.builders.release.verdict_agreement import AGREEMENT, verdict_agreement
from blend.builders.saq.collection import COMPLETE, STOPPED
from blend.schemas.rows.frame_columns import EXCLUSIONS

PACE_DAYS = 7
"""Days by which the pace is measured: the last ones, today's included."""


@dataclass(frozen=True)
class ProjectStatus:
    """Progress of a project."""

    name: str
    today: date
    wanted: int
    """Valid responses wanted per question."""
    questions: pl.DataFrame
    """`collecting.PLAN`: one row per question."""
    locales: pl.DataFrame
    """One row per locale, by tag: ``locale``; the counts of questions ``questions``, ``complete``, ``dropped``
    and ``open``; the counts of responses ``valid``, ``idk`` and ``still_needed``; ``per_day``, responses that
    came per day (null without any); ``end``, the day on which the last one comes at this pace (null if none is
    needed, or none came)."""
    people: pl.DataFrame
    """One row per stage, locale and annotator, most work first: ``stage``, ``locale``, ``annotator``; how many
    annotations are ``counts``, ``skipped`` and ``refused``; ``seconds`` (median per annotation; null where
    unknown) and ``last`` (day)."""
    verdicts: pl.DataFrame
    """`verdict_agreement.AGREEMENT` of the stage *mcq-review*; without rows where nobody has read an option."""
    regions: str | None
    """What is missing for multiple-choice questions; null where nothing is."""


def project_status(checked: CheckedProject, *, today: date) -> ProjectStatus:
    """Say how far a project is, by what was pulled.

    Args:
        checked: The project, read after the last pull.
        today: By which the pace is measured.

    Raises:
        InputError, RowError, RowErrors: If there is no key, or what was pulled is damaged.
    """
    questions = collection_plan(checked.file.project, checked.material)
    held = beside(checked.file)
    found = [that_counts(one.reading, one.stage_locale.locale.tag, held) for one in readings(checked.file)]
    work = pl.concat([pl.DataFrame(schema=WORK), *(reading.work for reading in found)])
    verdict_rows = [row for reading in found for row in reading.rows.get("exclusions", ())]
    verdicts = (
        verdict_agreement(pl.DataFrame(verdict_rows, EXCLUSIONS))
        if verdict_rows
        else pl.DataFrame(schema=AGREEMENT)
    )
    project = checked.file.project
    locales = _locales(questions, work, today)
    regions = regions_note(checked.file, checked.file.locales, checked.material)
    people = _people(work)
    return ProjectStatus(project.name, today, project.wanted, questions, locales, people, verdicts, regions)


def _locales(questions: pl.DataFrame, work: pl.DataFrame, today: date) -> pl.DataFrame:
    counts = questions.group_by("locale").agg(
        questions=pl.len().cast(pl.Int64),
        complete=(pl.col("state") == COMPLETE).sum().cast(pl.Int64),
        dropped=(pl.col("state") == STOPPED).sum().cast(pl.Int64),
        open=pl.col("open").sum().cast(pl.Int64),
        valid=pl.col("valid").sum(),
        idk=pl.col("idk").sum(),
        still_needed=pl.col("still_needed").sum(),
    )
    pace = pl.DataFrame(
        [(tag, _per_day(work, tag, today)) for tag in counts["locale"]],
        {"locale": pl.String(), "per_day": pl.Float64()},
        orient="row",
    )
    joined = counts.join(pace, on="locale", how="left").sort("locale")
    ends = [
        _end(needed, per_day, today) for needed, per_day in joined.select("still_needed", "per_day").iter_rows()
    ]
    return joined.with_columns(pl.Series("end", ends, pl.Date()))


def _per_day(work: pl.DataFrame, tag: str, today: date) -> float | None:
    """Responses per day, since the first of the last `PACE_DAYS` days on which one came."""
    since = (today - timedelta(days=PACE_DAYS - 1)).isoformat()
    recent = work.filter(
        (pl.col("stage") == "answer")
        & (pl.col("locale") == tag)
        & (pl.col("outcome") == "counted")
        & (pl.col("day") >= since)
    )
    first = recent["day"].min()
    if not isinstance(first, str):
        return None
    # Where clocks differ, or midnight has just passed, the server's first day may lie after this machine's.
    return len(recent) / max((today - date.fromisoformat(first)).days + 1, 1)


def _end(needed: int, per_day: float | None, today: date) -> date | None:
    return None if per_day is None or needed == 0 else today + timedelta(days=math.ceil(needed / per_day))


def _people(work: pl.DataFrame) -> pl.DataFrame:
    outcomes = {
        name: (pl.col("outcome") == name).sum().cast(pl.Int64) for name in ("counted", "skipped", "refused")
    }
    return (
        work.filter(pl.col("annotator").is_not_null())
        .group_by("stage", "locale", "annotator")
        .agg(**outcomes, seconds=pl.col("seconds").median(), last=pl.col("day").max())
        .sort("stage", "locale", "counted", "annotator", descending=[False, False, True, False])
    )
