"""Exports of others' Label Studio: every shape of file, and names that meet."""

import json
from pathlib import Path
from typing import Any

from blend.loaders.label_studio.foreign import read_answers

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
        "annotator": "1",
        "control annotator": ["me"],
        "control question": ["bread"],
        "field annotator": "team 1",
        "id": "q1",
        "question": "What is eaten?",
        "said": ["tea"],
    }
