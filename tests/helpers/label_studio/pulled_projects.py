"""A project of which two people's answers and a review are pulled from exports, without a server."""

import json
from pathlib import Path
from typing import Any

import pytest

from blend.builders.annotation.project import ProjectFile, read_project
from blend.builders.annotation.pseudonyms import new_key
from blend.builders.annotation.server.pulling import pull_project
from blend.builders.annotation.stages import STAGES
from blend.builders.annotation.stages.model import Material
from blend.loaders.responses import read_responses
from blend.loaders.sample import sample_path
from helpers.label_studio.exported import annotation, chosen, typed

PROJECT = """\
name = "trial"
wanted = 2
[[locales]]
locale = "ko-KR"
annotators = ["kim@example.org", "lee@example.org"]
"""
KIM, LEE, REVIEWER = "kim@example.org", "lee@example.org", "rim@example.org"


@pytest.fixture
def file(tmp_path: Path) -> ProjectFile:
    """A project that asks the Korean questions of the sample."""
    (tmp_path / "project.toml").write_text(PROJECT)
    (tmp_path / "collected").mkdir()
    with sample_path() as sample:
        for name in ("templates.csv", "questions.csv"):
            lines = (sample / name).read_text(encoding="utf-8").splitlines()
            kept = [line for line in lines if name == "templates.csv" or ",ko-KR," in line or line == lines[0]]
            (tmp_path / "collected" / name).write_text("\n".join(kept) + "\n", encoding="utf-8")
    (tmp_path / "annotators.key").write_text(new_key())
    return read_project(tmp_path / "project.toml")


def export(file: ProjectFile, stage: str, answers: dict[str, list[tuple[str, list[dict[str, Any]]]]]) -> Path:
    """The export of a stage in which people have given these results, by template."""
    tables = read_responses(file.collected, reviewing=True, collecting=True)
    material = Material(tables.questions, tables.responses, tables.reviews)
    made = STAGES[stage].tasks(file.project, file.locale("ko-KR"), material)
    tasks = []
    for number, task in enumerate(made, start=1):
        given = answers.get(task.data["template_id"], [])
        done = [
            annotation(100 * number + k, {"id": k, "email": who}, *results)
            for k, (who, results) in enumerate(given, start=1)
        ]
        tasks.append({"id": number, "data": task.data, "annotations": done})
    path = file.base / f"{stage}.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


ANSWERED = {
    "food-01": [(KIM, [typed("라면", "김밥")]), (LEE, [typed("라면")])],
    "food-02": [(KIM, [typed("고추")]), (LEE, [chosen("idk")])],
}


def reviewed(file: ProjectFile) -> Path:
    """An export in which the answers to food-01 are in two groups, and those to food-02 invalid."""
    tables = read_responses(file.collected, reviewing=True, collecting=True)
    material = Material(tables.questions, tables.responses, tables.reviews)
    tasks = {
        t.data["template_id"]: t for t in STAGES["review"].tasks(file.project, file.locale("ko-KR"), material)
    }
    ids = {item["title"]: item["id"] for item in tasks["food-01"].data["answers"]}
    columns = {"g1": [ids["라면"]], "g2": [ids["김밥"]]}
    ranker = {"from_name": "groups", "to_name": "answers", "type": "ranker", "value": {"ranker": columns}}
    results = [ranker, typed("instant noodles", control="english_1"), typed("gimbap", control="english_2")]
    return export(file, "review", {"food-01": [(REVIEWER, results)]})


@pytest.fixture
def pulled(file: ProjectFile) -> ProjectFile:
    """The project with two people's answers and a review pulled."""
    pull_project(file, exports=[export(file, "answer", ANSWERED)])
    pull_project(file, exports=[reviewed(file)])
    return file


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def assert_nowhere(file: ProjectFile, annotator: str) -> None:
    """Nothing tells of a person, but that they are forgotten."""
    for path in [*file.pulled.rglob("*"), *file.collected.rglob("*")]:
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert KIM not in text, path
            assert annotator not in text, path
            # What only this person answered, and what a reviewer wrote for it in English.
            assert "김밥" not in text, path
            assert json.dumps("김밥").strip('"') not in text, path
            assert "gimbap" not in text, path
