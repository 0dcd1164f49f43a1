"""BLEnD's repository on the Hub: the same data in another shape."""

import csv
import json
from pathlib import Path

import polars as pl
import pytest

from blend.loaders.upstream.blend import read_blend

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
    entries = json.loads(path.read_text("utf-8"))
    entries[0]["idks"]["other"] = ["odd", "odd"]
    as_object = {entry["ID"]: {key: part for key, part in entry.items() if key != "ID"} for entry in entries}
    for content in (entries, as_object):
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
