"""The stage answer: what people typed becomes raw responses, exactly, and everything odd is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from blend.builders.annotation.project import Project
from blend.builders.annotation.pseudonyms import People
from blend.builders.annotation.stages import STAGES
from blend.builders.annotation.stages.model import Material, Reading
from blend.loaders.responses import read_responses
from blend.loaders.sample import sample_path
from blend.schemas.locales import registry

PROJECT = Project.model_validate(
    {"name": "trial", "locales": [{"locale": "ko-KR"}, {"locale": "fa-IR", "annotators": ["a@example.org"]}]}
)
PEOPLE = People(b"0" * 32, {1: "a@example.org", 2: "B@example.org", 3: "c@example.org"})
A, B, C = (str(PEOPLE.of(number)) for number in (1, 2, 3))
ANSWER = STAGES["answer"]


@pytest.fixture(scope="session")
def sample() -> Material:
    with sample_path() as folder:
        tables = read_responses(folder)
    return Material(tables.questions, tables.responses, tables.reviews)


def typed(*texts: str, control: str = "answers") -> dict[str, Any]:
    return {
        "from_name": control, "to_name": "question", "type": "textarea", "value": {"text": list(texts)}
    }  # fmt: skip


def chosen(option: str, control: str = "non_answer") -> dict[str, Any]:
    return {
        "from_name": control, "to_name": "question", "type": "choices", "value": {"choices": [option]}
    }  # fmt: skip


def annotation(number: int, who: Any, *results: dict[str, Any], **more: Any) -> dict[str, Any]:
    made = {"created_at": f"2026-11-20T10:{number:02}:00Z", "lead_time": 10.0 + number}
    return {"id": number, "completed_by": who, "result": list(results), "was_cancelled": False, **made, **more}


def task(*annotations: dict[str, Any], template_id: str = "food-01", locale: str = "ko-KR") -> dict[str, Any]:
    data = {
        "blend_id": f"answer/{locale}/{template_id}", "template_id": template_id, "locale": locale,
        "question": "?", "en_question": "?",
    }  # fmt: skip
    return {"id": 70, "data": data, "annotations": list(annotations)}


def read(*tasks: dict[str, Any], locale: str = "ko-KR") -> Reading:
    return ANSWER.read(tasks, ANSWER.desk(PROJECT, registry().get(locale), PEOPLE))


def test_every_question_of_the_locale_is_a_task_with_an_id_of_its_own(sample):
    tasks = ANSWER.tasks(PROJECT, registry().get("ko-KR"), sample)
    asked = sample.questions.filter(locale="ko-KR")
    assert [task.data["question"] for task in tasks] == asked["question"].to_list()
    assert {task.blend_id for task in tasks} == {f"answer/ko-KR/{name}" for name in asked["template_id"]}
    assert {task.wanted for task in tasks} == {5}


def test_responses_come_out_as_they_were_typed(tmp_path: Path, sample):
    reading = read(
        task(
            annotation(1, 1, typed(" 밥", "쌀밥 ", "국")),
            annotation(2, 2, chosen("idk")),
            annotation(
                3, {"id": 3, "email": "C@example.org"}, chosen("other"), typed("안 먹어요", control="reason")
            ),
        )
    )
    assert reading.rows["responses"] == sorted(
        [
            {"template_id": "food-01", "annotator": A, "answers": [" 밥", "쌀밥 ", "국"]},
            {"template_id": "food-01", "annotator": B, "non_answer": "idk"},
            {"template_id": "food-01", "annotator": C, "non_answer": "other", "reason": "안 먹어요"},
        ],
        key=lambda row: row["annotator"],
    )
    assert reading.findings.is_empty()
    assert dict(reading.work.select("annotation", "seconds").iter_rows()) == {1: 11.0, 2: 12.0, 3: 13.0}
    assert set(reading.work["day"]) == {"2026-11-20"}
    collected(tmp_path, reading)
    assert len(read_responses(tmp_path).responses) == 3


def collected(folder: Path, reading: Reading) -> None:
    """A directory of raw responses with the questions of the sample and what was read."""
    (folder / "responses").mkdir()
    with sample_path() as sample:
        for name in ("templates.csv", "questions.csv"):
            (folder / name).write_bytes((sample / name).read_bytes())
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in reading.rows["responses"]]
    (folder / "responses/ko-KR.jsonl").write_text("".join(lines), encoding="utf-8")
