"""Agreement of readers: counted per option, alpha by the textbook, one reader's verdicts beside others'."""

from pathlib import Path

import polars as pl
import pytest

from blend.builders.release.verdict_agreement import compared_verdicts, verdict_agreement
from blend.loaders.responses.verdicts import read_verdicts
from blend.schemas.frames import VERDICTS
from helpers.in_process import run

KIND = (
    pl.when(pl.col("reader").str.starts_with("chat:"))
    .then(pl.lit("model"))
    .when(pl.col("native") == "yes")
    .then(pl.lit("native"))
    .otherwise(pl.lit("other"))
)


def verdicts(*rows: tuple[str, str, str, str, str | None]) -> pl.DataFrame:
    """Locale, option, verdict, reader and whether a native says so."""
    names = ("locale", "option", "verdict", "reader", "native")
    frame = pl.DataFrame(rows, names, orient="row").with_row_index("row", offset=2)
    known = frame.with_columns(kind=KIND, template_id=pl.lit("T-1"), source=pl.format("v.tsv:{}", "row"))
    absent = {name: pl.lit(None, dtype) for name, dtype in VERDICTS.items() if name not in known.columns}
    return known.with_columns(**absent).select(list(VERDICTS)).cast(dict(VERDICTS))


TWO = verdicts(
    ("ko-KR", "rice", "ok", "r1", "yes"), ("ko-KR", "rice", "ok", "r2", None),
    ("ko-KR", "beef", "also_correct", "r1", "yes"), ("ko-KR", "beef", "silly", "r2", None),
    ("ko-KR", "soup", "ok", "r1", "yes"), ("ko-KR", "soup", "also_correct", "r2", None),
    ("ko-KR", "sand", "silly", "r1", "yes"), ("ko-KR", "sand", "silly", "r2", None),
    ("es-MX", "rice", "ok", "r2", None),
)  # fmt: skip


def test_options_count_once_and_alpha_is_nominal():
    every, mexico, korea = verdict_agreement(TWO).iter_rows(named=True)
    assert (every["locale"], every["options"], every["by_natives"], every["by_others"]) == ("all", 5, 4, 1)
    assert (mexico["read_twice"], mexico["alike"], mexico["alpha"]) == (0, None, None)
    assert (korea["refused"], korea["read_twice"], korea["alike"]) == (3, 4, 0.75)
    # Coincidences of 8 verdicts, 5 of them refusals: 1 - 7 * 2 / (2 * 5 * 3).
    assert korea["alpha"] == pytest.approx(1 - 7 * 2 / 30)


def test_models_are_counted_apart_and_overruled_by_people():
    model = verdicts(
        ("ko-KR", "rice", "silly", "chat:m", None), ("ko-KR", "stone", "silly", "chat:m", None),
        ("ko-KR", "stone", "ok", "chat:n", None),
    )  # fmt: skip
    alone, both = verdict_agreement(TWO), verdict_agreement(pl.concat([TWO, model]))
    differ = {"options": 6, "by_models": 1, "refused": 4}
    assert both.row(0, named=True) == alone.row(0, named=True) | differ
    # A native who accepts rice is right beside the model that refuses it, and no model is held against itself.
    native = verdicts(("ko-KR", "rice", "ok", "r9", "yes"), ("ko-KR", "stone", "silly", "r9", "yes"))
    found = compared_verdicts(native, pl.concat([TWO, model])).filter(locale="all", kind="ok")
    assert found.row(0)[2:] == (1, 0, 0.0, 1, 1, 1.0)
    assert compared_verdicts(model.filter(reader="chat:m"), model.filter(reader="chat:m")).is_empty()


def test_a_reader_beside_others():
    model = verdicts(
        ("ko-KR", "rice", "also_correct", "m", None), ("ko-KR", "beef", "also_correct", "m", None),
        ("ko-KR", "soup", "ok", "m", None), ("ko-KR", "stone", "silly", "m", None),
    )  # fmt: skip
    # Of two kinds of refusal the graver one counts; what the others have not read does not.
    assert compared_verdicts(model, TWO).filter(locale="all").rows() == [
        ("all", "refusal", 2, 1, 0.5, 2, 1, 0.5),
        ("all", "silly", 1, 1, 1.0, 0, 0, None),
        ("all", "also_correct", 1, 0, 0.0, 2, 1, 0.5),
        ("all", "ok", 1, 1, 1.0, 1, 0, 0.0),
    ]
    unsure = model.with_columns(confidence=pl.when(pl.col("option") == "rice").then(0.5))
    assert compared_verdicts(unsure, TWO, model_confidence=0.8).row(0) == (
        "all",
        "refusal",
        2,
        1,
        0.5,
        1,
        1,
        1.0,
    )
    # Who is just as sure as a build asks for counts.
    assert compared_verdicts(unsure, TWO, model_confidence=0.5).equals(compared_verdicts(model, TWO))
    assert compared_verdicts(model, TWO.filter(locale="es-MX")).is_empty()


@pytest.mark.slow
def test_the_command_prints_a_table(tmp_path: Path):
    for name, rows in {"model.tsv": TWO.filter(reader="r2"), "people.tsv": TWO.filter(reader="r1")}.items():
        rows.drop("source").write_csv(tmp_path / name, separator="\t")
    model, people = tmp_path / "model.tsv", tmp_path / "people.tsv"
    assert "Options that were read" in run("questions", "agreement", model)
    assert "What is refused of what others say" in run("questions", "agreement", model, "--against", people)
    first = compared_verdicts(read_verdicts(model), read_verdicts(people)).row(0, named=True)
    # r1 refuses beef and sand, r2 these two and soup.
    assert first == {
        "locale": "all", "kind": "refusal", "options": 2, "refused": 2, "share": 1.0,
        "given": 3, "confirmed": 2, "precision": 2 / 3,
    }  # fmt: skip
