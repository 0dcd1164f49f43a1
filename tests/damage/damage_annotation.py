"""Inputs to damage for those who annotate: a project with what was pulled, and answers collected elsewhere."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

PROJECT = """\
name = "trial"
stages = ["answer", "review"]
wanted = 2
locale_file = "../locales.toml"
topics = ["Food"]
[instructions]
ko = "ko.md"
[[locales]]
locale = "ko-KR"
reviewers = ["p-1a2b3c4d5e6f", "mina@example.org"]
[[locales]]
locale = "fa-IR"
[server]
url = "http://127.0.0.1:9"
"""


def run_blend(words: str) -> None:
    """Run a command that must succeed."""
    from blend.cli import app

    result = CliRunner().invoke(app, words.split(), catch_exceptions=False)
    assert result.exit_code == 0, result.output


def make_annotation() -> None:
    """Make a project file, its neighbours, and what two people answered, as if a server had said it."""
    from blend.builders.annotation.counting import stage_locales
    from blend.builders.annotation.project import People, new_key, project_key, read_project
    from blend.builders.annotation.pulling import Log, rewritten
    from blend.loaders.label_studio.events import held

    folder = Path("project")
    _questions(folder / "collected")
    (folder / "project.toml").write_text(PROJECT, encoding="utf-8")
    (folder / "ko.md").write_text("# answer\n\n답하세요.\n\n# review\n\n모으세요.\n", encoding="utf-8")
    (folder / "annotators.key").write_text(new_key())
    said = {"id": "x", "from_name": "answers", "to_name": "question", "type": "textarea"}
    tasks = [
        _task(
            number,
            {"blend_id": f"answer/ko-KR/{template}", "template_id": template, "locale": "ko-KR"},
            [{"completed_by": {"email": f"a{person}@example.org"}} for person in (7, 8)],
            [{**said, "value": {"text": ["밥", "국"]}}],
        )
        for number, template in enumerate(("food-01", "food-02"), start=1)
    ]
    file = read_project(folder / "project.toml")
    with held(file.pulled) as pulled:
        Log(file, pulled).take(next(stage_locales(file)), 1, tasks, People(project_key(file)))
        rewritten(file, pulled)


def _questions(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in ("templates.csv", "questions.csv"):
        shutil.copy(Path("collected") / name, folder / name)


def _task(number: int, data: Any, people: list[dict[str, Any]], result: list[Any]) -> dict[str, Any]:
    """A task as Label Studio has it, with an annotation of each person."""
    made = [
        {"id": 10 * number + n, "created_at": "2026-11-20T10:11:12Z", "lead_time": 30.0, "result": result} | one
        for n, one in enumerate(people, start=7)
    ]
    return {"id": number, "data": data, "annotations": made, "drafts": []}


def make_imports() -> None:
    """Answers that were collected elsewhere, wide and as exports, beside their maps and what they answer."""
    from openpyxl import Workbook

    folder = Path("asked")
    _questions(folder)
    rows = csv.DictReader((folder / "questions.csv").open(encoding="utf-8"))
    asked = [row["question"] for row in rows if row["locale"] == "ko-KR"]
    people = ("mina@example.org", "jun@example.org")
    wide = [["Timestamp", "Email Address", *asked], *(["x", who, "밥; 국", "18", "모르겠다"] for who in people)]
    long = [[q, "b1", who, f"밥 {who}", json.dumps({"text": ["국", "빵"]})] for q in asked for who in people]
    book = Workbook()
    for row in wide:
        book.active.append(row)
    book.save("form.xlsx")
    said = [
        {"from_name": name, "to_name": "q", "type": "textarea", "value": {"text": texts}}
        for name, texts in (("said_1", ["밥"]), ("said_2", ["국", "빵"]))
    ]
    both = [{"completed_by": person} for person in (7, 8)]
    tasks = [
        _task(n, {"asked": question, "batch": "b1"}, both, said) for n, question in enumerate(asked, start=1)
    ]
    Path("foreign.json").write_text(json.dumps(tasks), encoding="utf-8")
    heads = ["asked", "batch", "annotator", "said_1", "said_2"]
    for name, table in {"form.csv": wide, "foreign.csv": [heads, *long]}.items():
        with Path(name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(table)
    run_blend("responses import form.xlsx --map form.toml --out asked")
    text = Path("form.toml").read_text(encoding="utf-8").replace("\nleave_out", '\nseparator = ";"\nleave_out')
    Path("form.toml").write_text(text, encoding="utf-8")
    run_blend("responses import foreign.json --map foreign.toml --out asked")
    text = Path("foreign.toml").read_text(encoding="utf-8").replace('    "said_1",\n    "said_2",\n', "")
    text = text.replace("\nquestion =", '\nanswers = ["said_1", "said_2"]\nquestion =')
    Path("foreign.toml").write_text(text, encoding="utf-8")
    for name in ("form.xlsx", "foreign.json", "foreign.csv"):
        run_blend(f"responses import {name} --map {name.split('.')[0]}.toml --out asked")
        shutil.rmtree(folder / "responses")
