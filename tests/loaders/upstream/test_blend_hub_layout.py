"""BLEnD's repository on the Hub: the same data in another shape, and what is broken in it."""

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.loaders.recipes.sources import load_source
from blend.loaders.upstream.blend import read_blend
from blend.loaders.upstream.blend.hub_faults import listed_choices
from blend.schemas.errors import BlendError
from blend.schemas.recipe import Source
from helpers.hub.blend_on_the_hub import CHOICES, as_on_the_hub

VALID = Path(__file__).parents[1] / "valid" / "blend"
UNLOADABLE = "many versions of datasets cannot load the annotations"


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
    edit(folder / "data/annotations_hf/UK_data.json", lambda rows: rows[0]["idks"].update(other=["odd", "odd"]))
    rows = read_blend(folder).annotations.filter(locale="en-GB", template_id="Al-en-01")
    assert rows["idks"].to_list()[0]["others"] == [{"reason": "odd", "count": 2}]


@pytest.mark.parametrize(
    ("uk", "south_korea", "difference"),
    [
        ([], 1, "'other' of idks is int in {first}, and list of nothing in {second}"),
        (["odd"], 1, "'other' of idks is int in {first}, and list of str in {second}"),
        (None, 1, "'other' of idks is int in {first}, and missing in {second}"),
        (1, 1, None),
    ],
)
def test_what_datasets_cannot_load_is_told_with_files_and_types(tmp_path, uk, south_korea, difference):
    folder = as_on_the_hub(VALID, tmp_path)
    names = {"first": "annotations_hf/South_Korea_data.json", "second": "annotations_hf/UK_data.json"}
    for name, other in zip(names.values(), (south_korea, uk), strict=True):
        edit(folder / "data" / name, lambda rows, other=other: with_other(rows, other))
    expected = [] if difference is None else [f"{UNLOADABLE}: {difference.format(**names)}; read file by file"]
    assert of_kind(folder, "unloadable-configuration") == expected


def test_an_object_beside_a_list_is_told(tmp_path):
    folder = as_on_the_hub(VALID, tmp_path)
    edit(folder / "data/annotations_hf/South_Korea_data.json", lambda rows: with_other(rows, None))
    edit(folder / "data/annotations_hf/UK_data.json", lambda rows: None, by_id=True)
    (detail,) = of_kind(folder, "unloadable-configuration")
    assert "the file is list in annotations_hf/South_Korea_data.json, and dict in" in detail


def with_other(rows: list[dict[str, Any]], other: Any) -> None:
    for row in rows:
        row["idks"] = {"idk": 0, "no-answer": 0, "not-applicable": 0} | (
            {} if other is None else {"other": other}
        )


def test_names_of_splits_and_the_table_of_choices_are_looked_at(tmp_path):
    folder = as_on_the_hub(VALID, tmp_path)
    found = {kind: of_kind(folder, kind) for kind in ("region-named-two-ways", *SKEWED)}
    assert found == {
        "region-named-two-ways": [
            (
                "4 splits are named by codes and their files by regions: GB for UK_data.json, "
                "GB for UK_questions.json, KR for South_Korea_data.json; read by region"
            )
        ],
        **SKEWED,
    }
    assert set(read_blend(folder).findings.filter(kind="options-in-text")["source"]) == {CHOICES}


SKEWED = {
    "options-in-text": ["choices is JSON in a text in 8 of 8 rows; our options are a list"],
    "skewed-positions": ["D is correct in 5 of 8 questions; ours are balanced"],
    "repeated-id": ["1 row with the MCQID of another"],
    "answer-without-option": ["q7: answer_idx 'E' is not an option; ours are made anew"],
}


def test_the_card_and_what_it_names_belong_to_the_source(tmp_path):
    folder = as_on_the_hub(VALID, tmp_path)
    info = load_source(Source(kind="blend", location=str(folder))).info
    assert {"README.md", CHOICES} <= {file.path for file in info.files}
    assert len(info.files) == 6


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
            "annotations_hf/UK_data.json[0]: the entry has no ID; give it the ID of its question",
        ),
        (
            "annotations_hf/UK_data.json",
            lambda rows: rows[1].update(ID="Al-en-01"),
            "annotations_hf/UK_data.json[1]: question 'Al-en-01' occurs twice; remove one of its entries",
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
            'questions_hf/UK_questions.json[0]: \'x\' is not an object; write {"ID": "…", …}',
        ),
        (
            "mc_questions_file.csv",
            None,
            "data/mc_questions_file.csv:1: column 'answer_idx' is missing; rename column 'answer'",
        ),
    ],
)
def test_messages(tmp_path, name, change, message):
    folder = as_on_the_hub(VALID, tmp_path)
    path = folder / "data" / name
    if change is None:
        path.write_text(path.read_text().replace("answer_idx", "answer"))
    else:
        edit(path, change)
    with pytest.raises(BlendError) as caught:
        read_blend(folder)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["annotations_hf/UK_data.json", "questions_hf/UK_questions.json"])
def test_a_file_of_another_shape_is_refused(tmp_path, name):
    folder = as_on_the_hub(VALID, tmp_path)
    (folder / "data" / name).write_text("7")
    with pytest.raises(BlendError, match=r"the file (does not hold a list|holds neither an object nor a list)"):
        read_blend(folder)


def test_a_card_that_is_not_yaml_names_nothing(tmp_path):
    folder = as_on_the_hub(VALID, tmp_path)
    (folder / "README.md").write_text("---\n{\n---\n")
    assert read_blend(folder).findings.filter(kind="options-in-text").is_empty()


@pytest.mark.parametrize(
    "header",
    [
        "configs: 7",
        "configs:\n- 3",
        "configs:\n- config_name: multiple-choice-questions\n  data_files: 5",
        "- a",
    ],
)
def test_a_card_of_another_shape_names_nothing(tmp_path, header):
    folder = as_on_the_hub(VALID, tmp_path)
    (folder / "README.md").write_text(f"---\n{header}\n---\n")
    assert listed_choices(folder) == []
    assert not read_blend(folder).questions.is_empty()


@pytest.mark.parametrize("path", ["../outside.csv", "/etc/hostname", "data/../../outside.csv", "data/*.csv"])
def test_a_card_leads_nowhere_else(tmp_path, path):
    folder = as_on_the_hub(VALID, tmp_path / "there")
    (tmp_path / "outside.csv").write_text("MCQID\n1\n")
    card = folder / "README.md"
    card.write_text(card.read_text().replace(CHOICES, path))
    assert listed_choices(folder) == []
    assert read_blend(folder).findings.filter(kind="options-in-text").is_empty()


def test_a_copy_need_not_have_the_table_of_choices(tmp_path):
    folder = as_on_the_hub(VALID, tmp_path)
    (folder / CHOICES).unlink()
    assert listed_choices(folder) == [CHOICES]
    assert of_kind(folder, "options-in-text") == []


def test_choices_as_a_list_of_objects_are_read_as_well(tmp_path):
    folder = as_on_the_hub(VALID, tmp_path)
    table = folder / CHOICES
    read = csv.DictReader(table.read_text("utf-8").splitlines())
    rows: list[dict[str, Any]] = [{**row, "choices": json.loads(row["choices"])} for row in read]
    table.with_suffix(".json").write_text(json.dumps(rows))
    card = folder / "README.md"
    card.write_text(card.read_text().replace("mc_questions_file.csv", "mc_questions_file.json"))
    assert of_kind(folder, "options-in-text") == []
    assert of_kind(folder, "skewed-positions") == SKEWED["skewed-positions"]
    table.with_suffix(".json").write_text("{}")
    with pytest.raises(BlendError, match="the file does not hold a list of objects; write one per question"):
        read_blend(folder)


def of_kind(folder: Path, kind: str) -> list[str]:
    return read_blend(folder).findings.filter(pl.col("kind") == kind)["detail"].to_list()


def edit(path: Path, change: Any, *, by_id: bool = False) -> None:
    value = json.loads(path.read_text("utf-8"))
    change(value)
    if by_id:
        value = {entry.pop("ID"): entry for entry in value}
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
