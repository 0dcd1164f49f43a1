"""Tables of texts as people save them; what a wrong one is told stands in `tests/told.toml`."""

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.eval.evaluation import run_task
from blend.eval.models.chosen import Recorded
from blend.eval.release_items import read_run
from blend.eval.scoring import score_answers
from blend.eval.tasks.cultural_prompts.cultural_items import keep_texts
from helpers.messages import wrong


@pytest.mark.parametrize(
    "form", ["Bre\u0301silien du Sud", "Br\u00e9silien\u00a0du Sud", "Br\u00e9silien  du\tSud"]
)
def test_names_that_unicode_or_blanks_write_differently_are_one(run_of, form: str):
    name = "Br\u00e9silien du Sud"
    rows = [
        dict.fromkeys(("split", "category", "topic", "group"), name) | {"text": "the rain falls"}
        for _ in range(2)
    ]
    other = dict.fromkeys(("split", "category", "topic", "group"), form)
    assert_frame_equal(run_of([rows[0], rows[1] | other], "forms").gold(), run_of(rows).gold())


def test_a_table_in_another_encoding_says_how_to_save_it(tmp_path: Path):
    path = tmp_path / "texts.csv"
    path.write_bytes("group,topic,text\nFrench,rain,ét\n".encode("latin-1"))
    assert wrong(lambda: keep_texts(path, tmp_path / "run")) == (
        "texts.csv: byte 0xE9 in line 2 is not UTF-8; save it again as UTF-8 (in a spreadsheet: .xlsx or 'CSV "
        "UTF-8')"
    )


def test_what_pandas_writes_for_no_value_is_no_category(tmp_path: Path):
    path = tmp_path / "texts.parquet"
    nothing = pl.lit(float("nan"))
    texts = pl.DataFrame({"group": ["French"], "topic": ["rain"], "text": ["a"]})
    texts.with_columns(category=nothing, split=nothing).write_parquet(path)
    run = run_task("release", "cultural-prompts", Recorded(path=path), tmp_path / "run")
    assert run.gold().select("category", "split").rows() == [("", "")]


@pytest.mark.slow
def test_the_kind_of_file_makes_no_difference(golden_texts, run_of, tmp_path: Path):
    expected = score_answers(run_of(golden_texts)).decisions
    frame = pl.DataFrame(golden_texts)
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_csv(tmp_path / "t.csv")
    for kind in ("parquet", "csv"):
        keep_texts(tmp_path / f"t.{kind}", tmp_path / kind)
        assert_frame_equal(score_answers(read_run(tmp_path / kind)).decisions, expected)
