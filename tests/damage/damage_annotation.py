"""Inputs to damage for those who annotate: a project with what was pulled, and answers collected elsewhere."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

from damage_texts import PROJECT, run_blend


def make_annotation() -> None:
    """Make a project file, its neighbours, and an export of two people's answers, pulled."""
    from blend.builders.annotation.pseudonyms import new_key

    folder = Path("project")
    folder.mkdir()
    (folder / "project.toml").write_text(PROJECT, encoding="utf-8")
    (folder / "ko.md").write_text("# answer\n\n답하세요.\n\n# review\n\n모으세요.\n", encoding="utf-8")
    (folder / "annotators.key").write_text(new_key())
    for name in ("templates.csv", "questions.csv"):
        (folder / "collected").mkdir(exist_ok=True)
        shutil.copy(Path("collected") / name, folder / "collected" / name)
    tasks = []
    for number, template in enumerate(("food-01", "food-02"), start=1):
        data = {"blend_id": f"answer/ko-KR/{template}", "template_id": template, "locale": "ko-KR"}
        made = [
            {
                "id": 10 * number + person,
                "completed_by": {"email": f"a{person}@example.org"},
                "result": [
                    {
                        "id": "x",
                        "from_name": "answers",
                        "to_name": "question",
                        "type": "textarea",
                        "value": {"text": ["밥", "국"]},
                    }
                ],
                "created_at": "2026-11-20T10:11:12Z",
                "lead_time": 30.0,
            }
            for person in (7, 8)
        ]
        tasks.append({"id": number, "data": data, "annotations": made, "drafts": []})
    _pull(folder / "project.toml", tasks)


def _pull(path: Path, tasks: list[dict[str, Any]]) -> None:
    """Write down what people did, as if a server had said it."""
    from blend.builders.annotation.project import read_project
    from blend.builders.annotation.pseudonyms import People, project_key
    from blend.builders.annotation.pulling import Log, rewritten
    from blend.builders.annotation.stages import stage_locales
    from blend.loaders.label_studio.events import held

    file = read_project(path)
    with held(file.pulled) as folder:
        first = next(stage_locales(file))
        Log(file, folder).take(first, 1, tasks, People(project_key(file)))
        rewritten(file, folder)


def make_imports() -> None:
    """Answers that were collected elsewhere, wide and as exports, beside their maps and what they answer."""
    from openpyxl import Workbook

    folder = Path("asked")
    folder.mkdir()
    for name in ("templates.csv", "questions.csv"):
        shutil.copy(Path("collected") / name, folder / name)
    rows = csv.DictReader((folder / "questions.csv").open(encoding="utf-8"))
    asked = [row["question"] for row in rows if row["locale"] == "ko-KR"]
    people = ("mina@example.org", "jun@example.org")
    wide = [["Timestamp", "Email Address", *asked], *(["x", who, "밥; 국", "18", "모르겠다"] for who in people)]
    book = Workbook()
    for row in wide:
        book.active.append(row)
    book.save("form.xlsx")
    tasks = [
        {
            "id": number,
            "data": {"asked": question, "batch": "b1"},
            "annotations": [
                {
                    "id": 10 * number + person,
                    "completed_by": person,
                    "result": [
                        {"from_name": name, "to_name": "q", "type": "textarea", "value": {"text": texts}}
                        for name, texts in (("said_1", [f"밥 {person}"]), ("said_2", ["국", "빵"]))
                    ],
                }
                for person in (7, 8)
            ],
        }
        for number, question in enumerate(asked, start=1)
    ]
    Path("foreign.json").write_text(json.dumps(tasks), encoding="utf-8")
    long = [
        [question, "b1", who, f"밥 {who}", json.dumps({"text": ["국", "빵"]}, ensure_ascii=False)]
        for question in asked
        for who in people
    ]
    for name, table in (
        ("form.csv", wide),
        ("foreign.csv", [["asked", "batch", "annotator", "said_1", "said_2"], *long]),
    ):
        with Path(name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(table)
    run_blend("responses", "import", "form.xlsx", "--map", "form.toml", "--out", "asked")
    text = Path("form.toml").read_text(encoding="utf-8").replace("leave_out", 'separator = ";"\nleave_out')
    Path("form.toml").write_text(text, encoding="utf-8")
    run_blend("responses", "import", "foreign.json", "--map", "foreign.toml", "--out", "asked")
    for words in (("responses", "import", "form.xlsx", "--map", "form.toml"), *_EXPORTS):
        run_blend(*words, "--out", "asked")
        shutil.rmtree(folder / "responses")


_EXPORTS = tuple(
    ("responses", "import", name, "--map", "foreign.toml") for name in ("foreign.json", "foreign.csv")
)
