"""Inputs to damage: a folder with a small, sound file of every kind that a command reads.

What is written by hand lies in ``inputs/`` and in the net of a culture. All else is made by the commands
themselves, so that what they write is damaged as well: a release with every configuration, scored runs of every
task, sheets as they come back, what was pulled from Label Studio.
"""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
from typer.testing import CliRunner

TESTS = Path(__file__).resolve().parents[1]

Rows = Sequence[Sequence[str]]


def make_inputs(out: Path) -> None:
    """Make the folder, which must not be there; the commands' working folder is changed to it."""
    shutil.copytree(TESTS / "damage" / "inputs", out)
    shutil.copytree(TESTS / "nets" / "culture", out, dirs_exist_ok=True, ignore=lambda *_: ["recipe.toml"])
    shutil.copytree(TESTS / "loaders" / "valid" / "blend", out / "published")
    os.chdir(out)
    run_blend("build bare.toml --out before")
    run_blend("build recipe.toml --out release")
    places = " ".join(f"--source-path {name}={name}" for name in ("collected", "dishes.nt", "topics", "before"))
    run_blend(f"build release/recipe.toml {places} --out again")
    subprocess.run(["diff", "-r", "release", "again"], check=True)
    shutil.rmtree("again")
    _sheets()
    run_blend("eval tiny-model model")
    _runs()
    for folder in ("project/collected", "asked"):
        Path(folder).mkdir(parents=True)
        for name in ("templates.csv", "questions.csv"):
            shutil.copy(f"collected/{name}", folder)
    _pulled()
    _imports()


def run_blend(words: str) -> None:
    """Run a command that must succeed."""
    from blend.cli import app

    result = CliRunner().invoke(app, words.split(), catch_exceptions=False)
    assert result.exit_code == 0, result.output


def _sheets() -> None:
    run_blend("reviews propose recipe.toml --all --out sheet.csv")
    run_blend("reviews propose recipe.toml --pairs --all --out pairs.csv")
    run_blend("questions options recipe.toml --out options.csv")
    run_blend("templates propose natives.csv --out reviewed.csv")
    _fill("options.csv", verdict="ok")
    _fill("pairs.csv", verdict="different", who="r01", when="2026-11-20")
    _fill("reviewed.csv", decision="keep")


def _fill(name: str, **values: str) -> None:
    rows = list(csv.DictReader(io.StringIO(Path(name).read_text(encoding="utf-8-sig"))))
    given = {key: value for key, value in values.items() if key in rows[0]}
    _write(name, [[*rows[0]], *([*(row | given).values()] for row in rows)])


def _write(name: str, rows: Rows) -> None:
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _runs() -> None:
    from blend.eval.release_items import read_items
    from blend.eval.tasks import task_of

    dishes = " -T config=food-aligned -T languages=en"
    for name, task, options, response in (
        ("choices", "multiple-choice", {"style": "json"}, '{"answer_choice": "A"}'),
        ("short", "short-answer", {}, "rice"),
        ("lists", "free-listing", {"config": "food-aligned", "languages": ("en",)}, "rice, egg"),
    ):
        items = read_items("release", task_of(task), **options).asked.items
        items.select("item_id", response=pl.lit(response)).write_csv(f"{name}.csv")
        typed = dishes if name == "lists" else ""
        run_blend(f"eval run release --task {task}{typed} --answers {name}.csv --out runs/{name}")
        run_blend(f"eval score runs/{name}")
    run_blend("eval run --task cultural-prompts --answers texts.csv --out runs/texts")
    run_blend("eval score runs/texts -T surveys=own=values.csv")
    run_blend(f"eval run release --task probing{dishes} --model model -M device=cpu --out runs/probe")
    run_blend("eval score runs/probe")
    run_blend("eval judge-sheet runs/lists --out judged.csv")
    _fill("judged.csv", verdict="correct")
    # Each case has a copy of everything.
    for path in Path("runs").glob("*/run.json"):
        run = json.loads(path.read_text(encoding="utf-8"))
        if run["release"]["location"] is not None:
            run["release"]["location"] = "release"
        path.write_text(json.dumps(run), encoding="utf-8")
    shutil.copytree("runs/choices", "runs/other")
    # A run that was killed: some answers of two machines, the last line torn.
    answers = Path(shutil.copytree("runs/short", "runs/begun")) / "answers"
    lines = (answers / "main.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (answers / "main.jsonl").write_text("".join(lines[:4]) + lines[4][:20], encoding="utf-8")
    (answers / "2of2.jsonl").write_text("".join(lines[5:7]), encoding="utf-8")


def _task(number: int, data: Any, people: list[Any], **said: list[str]) -> dict[str, Any]:
    """A task as Label Studio has it, with an annotation of each person: texts by the name of the control."""
    result = [
        {"id": "x", "from_name": name, "to_name": "question", "type": "textarea", "value": {"text": texts}}
        for name, texts in said.items()
    ]
    made = [
        {"id": 10 * number + n, "created_at": "2026-11-20T10:11:12Z", "lead_time": 30.0, "result": result,
         "completed_by": person}
        for n, person in enumerate(people, start=7)
    ]  # fmt: skip
    return {"id": number, "data": data, "annotations": made, "drafts": []}


def _pulled() -> None:
    """What two people answered, as if a server had said it."""
    from blend.builders.annotation.counting import stage_locales
    from blend.builders.annotation.project import People, new_key, project_key, read_project
    from blend.builders.annotation.pulling import Log, rewritten
    from blend.loaders.label_studio.events import held

    Path("project/annotators.key").write_text(new_key())
    people = [{"email": f"a{person}@example.org"} for person in (7, 8)]
    tasks = [
        _task(
            number,
            {"blend_id": f"answer/ko-KR/{template}", "template_id": template, "locale": "ko-KR"},
            people,
            answers=["밥", "국"],
        )
        for number, template in enumerate(("food-01", "food-02"), start=1)
    ]
    file = read_project(Path("project/project.toml"))
    with held(file.pulled) as pulled:
        Log(file, pulled).take(next(stage_locales(file)), 1, tasks, People(project_key(file)))
        rewritten(file, pulled)


def _imports() -> None:
    """Answers that were collected elsewhere, wide and as exports, beside their maps."""
    asked = pl.read_csv("asked/questions.csv").filter(locale="ko-KR")["question"].to_list()
    people, answers = ("mina@example.org", "jun@example.org"), ["밥; 국", "모르겠다", *"34", "18:00", *"67"]
    wide = [["Timestamp", "Email Address", *asked], *(["x", who, *answers] for who in people)]
    book = openpyxl.Workbook()
    for row in wide:
        book.active.append(row)
    book.save("form.xlsx")
    _write("form.csv", wide)
    long = [[q, "b1", who, f"밥 {who}", json.dumps({"text": ["국", "빵"]})] for q in asked for who in people]
    _write("foreign.csv", [["asked", "batch", "annotator", "said_1", "said_2"], *long])
    tasks = [
        _task(number, {"asked": question, "batch": "b1"}, [7, 8], said_1=["밥"], said_2=["국", "빵"])
        for number, question in enumerate(asked, start=1)
    ]
    Path("foreign.json").write_text(json.dumps(tasks), encoding="utf-8")
    for name, drafted, mended in (
        ("form.xlsx", "\nleave_out", '\nseparator = ";"\nleave_out'),
        ("foreign.json", "\nquestion =", '\nanswers = ["said_1", "said_2"]\nquestion ='),
    ):
        table = _import(name)
        text = table.read_text(encoding="utf-8").replace('    "said_1",\n    "said_2",\n', "")
        table.write_text(text.replace(drafted, mended), encoding="utf-8")
    for name in ("form.xlsx", "foreign.json", "foreign.csv"):
        _import(name)
        shutil.rmtree("asked/responses")


def _import(name: str) -> Path:
    """Import answers by the map beside them, which is drafted if it is not there."""
    table = Path(name).with_suffix(".toml")
    run_blend(f"responses import {name} --map {table} --out asked --locale-file locales.toml")
    return table


if __name__ == "__main__":
    make_inputs(Path(sys.argv[1]))
