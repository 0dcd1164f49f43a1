"""The stage answer: what people typed becomes raw responses, exactly, and everything odd is named."""

from pathlib import Path

import pytest
from exported import PROJECT, A, B, C, annotation, chosen, read, sample_questions, task, typed, write_lines

from blend.builders.annotation.stages import STAGES
from blend.builders.annotation.stages.model import Material
from blend.loaders.responses import read_responses
from blend.loaders.sample import sample_path
from blend.schemas.locales import registry

ANSWER = STAGES["answer"]


@pytest.fixture(scope="session")
def sample() -> Material:
    with sample_path() as folder:
        tables = read_responses(folder)
    return Material(tables.questions, tables.responses, tables.reviews)


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
    sample_questions(tmp_path)
    write_lines(tmp_path / "responses/ko-KR.jsonl", reading.rows["responses"])
    assert len(read_responses(tmp_path).responses) == 3
