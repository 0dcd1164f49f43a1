"""Exports of others' Label Studio: every shape of file, and names that meet."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.loaders.responses.import_map import read_answers
from helpers.messages import wrong

Json = dict[str, Any]


def typed(control: str, *texts: str) -> Json:
    return {"from_name": control, "to_name": "prompt", "type": "textarea", "value": {"text": list(texts)}}


def annotation(number: int, who: int, *results: Json, **others: Any) -> Json:
    return {"id": number, "completed_by": {"id": who}, "result": list(results), **others}


def written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_a_control_and_a_field_of_one_name_both_come_in(tmp_path: Path):
    data = {"question": "What is eaten?", "annotator": "team 1", "id": "q1"}
    results = typed("question", "bread"), typed("annotator", "me"), typed("said", "tea")
    annotations = [annotation(9, 2, was_cancelled=True), annotation(7, 1, *results)]
    export = written(tmp_path / "base.json", [{"data": data, "annotations": annotations}])
    [row] = read_answers(export)[0]
    assert row.location == "base.json:1, annotation 7"
    assert row.values == {
        "annotator": ["1"],
        "control annotator": ["me"],
        "control question": ["bread"],
        "field annotator": ["team 1"],
        "id": ["q1"],
        "question": ["What is eaten?"],
        "said": ["tea"],
    }


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_numbers_in_a_table_are_texts(tmp_path: Path, kind: str):
    rows = pl.DataFrame({"q": ["How many?", "When?"], "said": [2, None], "hours": [18.0, 18.5], "id": [1, 2]})
    path = tmp_path / f"export.{kind}"
    rows.write_parquet(path) if kind == "parquet" else rows.write_ndjson(path)
    assert [row.values for row in read_answers(path)[0]] == [
        {"q": "How many?", "said": ["2"], "hours": ["18"], "id": ["1"]},
        {"q": "When?", "said": [], "hours": ["18.5"], "id": ["2"]},
    ]


def test_what_is_no_export_is_refused(tmp_path: Path):
    # A file of cloud storage, which has one per annotation, and their folder.
    task = {"id": 1, "data": {"q": "What is drunk?"}}
    path = written(tmp_path / "12.json", annotation(12, 5, typed("said", "tea"), task=task))
    assert wrong(lambda: read_answers(path)) == (
        f"{path}: not a list of tasks; export the project as JSON, JSON-MIN, CSV or TSV"
    )
    assert wrong(lambda: read_answers(tmp_path)).startswith(
        f"{tmp_path.name}: unknown file name ending ''; use one of: .csv, "
    )
