"""Annotations as Label Studio exports them, for tests of the stages."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from blend.builders.annotation.counting import stage_of
from blend.builders.annotation.project import People, Project, StageName
from blend.builders.annotation.stage import Material, Reading
from blend.loaders.label_studio.client import Account
from blend.loaders.label_studio.events import Line, news
from blend.schemas.locales import registry

PROJECT = Project.model_validate(
    {"name": "trial", "locales": [{"locale": "ko-KR"}, {"locale": "fa-IR", "annotators": ["a@example.org"]}]}
)
PEOPLE = People(b"0" * 32, {n: Account(f"{name}@example.org") for n, name in enumerate("aBc", start=1)})
KOREAN = registry().get("ko-KR")
A, B = (str(PEOPLE.of(number)) for number in (1, 2))


def annotation(number: int, who: Any, *results: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An annotation, made in the minute of its number, in ten seconds and its number."""
    made = {"created_at": f"2026-11-20T10:{number % 60:02}:00Z", "lead_time": 10.0 + number}
    return {"id": number, "completed_by": who, "result": list(results), "was_cancelled": False, **made, **more}


def task(*annotations: dict[str, Any], locale: str = "ko-KR") -> dict[str, Any]:
    """A task of the stage answer."""
    data = {"blend_id": f"answer/{locale}/food-01", "template_id": "food-01", "locale": locale}
    return {"id": 70, "data": data, "annotations": list(annotations)}


def done(
    stage: str, material: Material, *results: dict[str, Any], project: Project = PROJECT
) -> dict[str, Any]:
    """The first task of a stage, done by one person."""
    first = stage_of(stage).tasks(project, KOREAN, material)[0]
    return {"id": 1, "data": first.data, "annotations": [annotation(1, 1, *results)]}


def lines_of(stage: str, *tasks: dict[str, Any]) -> list[Line]:
    """The annotations of tasks as events say them."""
    return news({}, stage, 1, tasks, PEOPLE.of, PEOPLE.account)


def read(
    *tasks: dict[str, Any],
    locale: str = "ko-KR",
    stage: StageName = "answer",
    project: Project = PROJECT,
    given: Mapping[str, Collection[str]] | None = None,
) -> Reading:
    """What a stage reads from tasks, with the answers that are given now."""
    chosen_stage = stage_of(stage)
    context = replace(chosen_stage.context(project, registry().get(locale), PEOPLE), given=given)
    return chosen_stage.read(lines_of(stage, *tasks), context)


def plan(stage: StageName, task: dict[str, Any], readers: int) -> dict[str, int]:
    """How many more are to do a task, by id."""
    planned = stage_of(stage).reading_plan
    assert planned is not None
    return planned(lines_of(stage, task), read(task, stage=stage), readers)


def told(reading: Reading) -> list[tuple[str, str, str]]:
    """The findings of a reading."""
    return list(reading.findings.select("kind", "source", "detail").iter_rows())


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Rows as a file of JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
