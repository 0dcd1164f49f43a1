"""BLEnD's repository on the Hub: the same data in another shape."""

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.loaders.upstream.blend import read_blend
from blend.schemas.errors import BlendError
from helpers.messages import wrong

VALID = Path(__file__).parents[1] / "valid" / "blend"


def as_on_the_hub(usual: Path, folder: Path, *, tables: bool = False) -> Path:
    """Write a copy of BLEnD's files as its authors' repository on the Hub has them; questions may be tables."""
    annotations, questions = (folder / "data" / name for name in ("annotations_hf", "questions_hf"))
    for path in (annotations, questions):
        path.mkdir(parents=True)
    for path in sorted((usual / "annotations").iterdir()):
        name = path.name.removesuffix("_data.json")
        entries = [{"ID": key, **entry} for key, entry in json.loads(path.read_text("utf-8")).items()]
        with (usual / "questions" / f"{name}_questions.csv").open(encoding="utf-8", newline="") as file:
            rows = [{key: cell for key, cell in row.items() if key} for row in csv.DictReader(file)]
        for column, asked in (("en_question", entries), ("Translation", rows)):
            for one in asked:
                one[column] = one[column].replace(name.replace("_", " "), "your country")
        (annotations / path.name).write_text(json.dumps(entries, ensure_ascii=False), "utf-8")
        if tables:
            pl.DataFrame(rows).write_csv(questions / f"{name}_questions.csv")
        else:
            (questions / f"{name}_questions.json").write_text(json.dumps(rows, ensure_ascii=False), "utf-8")
    return folder


@pytest.mark.parametrize("tables", [False, True], ids=["lists", "tables"])
def test_the_same_data_comes_out_of_either_layout(tmp_path, tables):
    usual, found = read_blend(VALID), read_blend(as_on_the_hub(VALID, tmp_path, tables=tables))
    assert found.questions.drop("source").equals(usual.questions.drop("source"))
    assert found.annotations.drop("source").equals(usual.annotations.drop("source"))
    unnamed = found.findings.filter(kind="unnamed-country")
    assert unnamed["detail"].to_list()[0] == (
        "'What is a common snack in your country?' asks about 'your country'; read as South Korea"
    )
    assert len(unnamed) == len(usual.questions)


def test_reasons_in_a_list_are_votes(tmp_path):
    folder = as_on_the_hub(VALID, tmp_path)
    path = folder / "data/annotations_hf/UK_data.json"
    edit(path, lambda rows: rows[0]["idks"].update(other=["odd", "odd"]))
    entries = json.loads(path.read_text("utf-8"))
    for content in (entries, {entry.pop("ID"): entry for entry in json.loads(path.read_text("utf-8"))}):
        path.write_text(json.dumps(content), "utf-8")
        rows = read_blend(folder).annotations.filter(locale="en-GB", template_id="Al-en-01")
        assert rows["idks"].to_list()[0]["others"] == [{"reason": "odd", "count": 2}]


def test_the_usual_layout_counts_where_both_are(tmp_path):
    folder = as_on_the_hub(VALID, tmp_path)
    for path in VALID.rglob("*.*"):
        copy = folder / "data" / path.relative_to(VALID)
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(path.read_bytes())
    assert read_blend(folder).findings.equals(read_blend(VALID).findings)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (
            "annotations_hf/UK_data.json",
            lambda rows: rows[0].pop("ID"),
            "annotations_hf/UK_data.json: an entry has no ID; give each the ID of its question",
        ),
        (
            "annotations_hf/UK_data.json",
            lambda rows: rows[1].update(ID="Al-en-01"),
            "annotations_hf/UK_data.json: question 'Al-en-01' occurs 2 times; give each the ID of its question",
        ),
        (
            "questions_hf/UK_questions.json",
            lambda rows: rows[0].pop("Topic"),
            "questions_hf/UK_questions.json[0]: column 'Topic' is missing; add it",
        ),
        (
            "questions_hf/UK_questions.json",
            lambda rows: rows[0].update(Topic=7),
            "questions_hf/UK_questions.json[0], column Topic: 7 is not a text; write it in double quotes",
        ),
        (
            "questions_hf/UK_questions.json",
            lambda rows: rows.insert(0, "x"),
            "questions_hf/UK_questions.json: not a list of objects; write one object per question",
        ),
    ],
)
def test_messages(tmp_path, name, change, message):
    folder = as_on_the_hub(VALID, tmp_path)
    path = folder / "data" / name
    edit(path, change)
    assert message in wrong(lambda: read_blend(folder))


@pytest.mark.parametrize("name", ["annotations_hf/UK_data.json", "questions_hf/UK_questions.json"])
def test_a_file_of_another_shape_is_refused(tmp_path, name):
    folder = as_on_the_hub(VALID, tmp_path)
    (folder / "data" / name).write_text("7")
    with pytest.raises(BlendError, match=r"not a list of objects|neither an object nor a list of objects"):
        read_blend(folder)


def edit(path: Path, change: Any) -> None:
    value = json.loads(path.read_text("utf-8"))
    change(value)
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
