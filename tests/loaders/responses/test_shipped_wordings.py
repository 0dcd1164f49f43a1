"""Slips in the English of published questions: every row is complete, and says what is to be asked."""

from datetime import date
from importlib.resources import files

import polars as pl

from blend.loaders.responses.shipped import shipped_option_texts, shipped_wordings

FOLDER = files("blend.decisions") / "blend"


def test_every_row_is_complete_and_counted():
    lines = (FOLDER / "wordings.tsv").read_text(encoding="utf-8")
    rows = pl.read_csv(lines.encode(), separator="\t", infer_schema=False)
    assert rows.columns == ["template_id", "wording", "corrected", "reviewer", "when", "why"]
    assert sum(rows.null_count().row(0)) == 0
    assert all(date.fromisoformat(day) for day in rows["when"])
    assert list(shipped_wordings()) == sorted(set(rows["template_id"])) == rows["template_id"].to_list()
    assert all(slip.wording not in slip.corrected for slip in shipped_wordings().values())
    assert f"| `wordings.tsv` | {rows.height} |" in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_every_option_that_was_read_by_itself_is_complete_and_counted():
    lines = (FOLDER / "option_texts.tsv").read_text(encoding="utf-8")
    rows = pl.read_csv(lines.encode(), separator="\t", infer_schema=False)
    columns = ["template_id", "option", "kind", "corrected", "reviewer", "when", "why"]
    assert rows.columns == columns
    assert rows.drop("corrected").null_count().sum_horizontal().item() == 0
    assert all(date.fromisoformat(day) for day in rows["when"])
    assert set(rows["reviewer"]) == {"model"}
    assert rows["kind"].is_in(["silly", "wording"]).all()
    assert ((rows["kind"] == "wording") == rows["corrected"].is_not_null()).all()
    assert rows.equals(rows.sort("template_id", "option"))
    assert rows.select("template_id", "option").is_unique().all()
    assert f"| `option_texts.tsv` | {rows.height:,} |" in (FOLDER / "README.md").read_text(encoding="utf-8")
    for texts in shipped_option_texts().values():
        shown = set(texts.corrected.values())
        # What is shown in place of an option is neither refused nor put right again.
        assert not shown & (texts.refused | texts.corrected.keys())
