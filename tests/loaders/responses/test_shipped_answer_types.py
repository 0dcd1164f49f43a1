"""Types of the published templates, and the words that tell them: complete, counted, and of one mind."""

from datetime import date
from importlib.resources import files

import polars as pl

from blend.loaders.responses.shipped import shipped_answer_types, shipped_type_words

FOLDER = files("blend.decisions") / "blend"


def rows_of(name: str) -> pl.DataFrame:
    data = (FOLDER / name).read_bytes()
    return pl.read_csv(data, separator="\t", infer_schema=False, quote_char=None)


def test_every_template_has_one_type_and_is_counted():
    rows = rows_of("answer_types.tsv")
    assert rows.columns == ["template_id", "type", "reviewer", "when"]
    assert rows.null_count().sum_horizontal().item() == 0
    assert rows["template_id"].to_list() == sorted(set(rows["template_id"]))
    assert set(rows["reviewer"]) == {"model"}
    assert all(date.fromisoformat(day) for day in rows["when"])
    assert rows["type"].n_unique() == 32
    assert f"| `answer_types.tsv` | {rows.height} |" in (FOLDER / "README.md").read_text(encoding="utf-8")
    assert len(shipped_answer_types()) == rows.height == 500


def test_every_word_was_given_to_a_template_with_a_type():
    rows = rows_of("type_words.tsv")
    assert rows.columns == ["word", "template_id", "regions"]
    assert rows.null_count().sum_horizontal().item() == 0
    assert rows.equals(rows.sort("word", "template_id"))
    assert rows.select("word", "template_id").is_unique().all()
    assert rows["template_id"].is_in(list(shipped_answer_types())).all()
    words = shipped_type_words()
    assert sum(map(len, words.values())) == rows.height
    # A word of one region and template tells next to nothing, and is not kept.
    assert min(sum(given.values()) for given in words.values()) == 2
    assert max(n for given in words.values() for n in given.values()) <= 16
    assert f"| `type_words.tsv` | {rows.height:,} |" in (FOLDER / "README.md").read_text(encoding="utf-8")
