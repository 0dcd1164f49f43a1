"""``blend eval`` on triples: from a release of the published dishes to a page, and options that do not fit."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from helpers.in_process import run as command
from helpers.messages import wrong

pytestmark = [pytest.mark.integration]

PROBING = ("--task", "probing", "-T", "config=food-aligned")
LANGUAGES = ("-T", "languages=en,ko")


def blend(*arguments: str | Path) -> str:
    return command("eval", *arguments)


def error_of(*arguments: str | Path) -> str:
    return wrong(lambda: blend(*arguments))


@pytest.fixture(scope="module")
def bert(shared: Path) -> Path:
    return shared / "models" / "tiny-bert"


@pytest.fixture(scope="module")
def run(food_release: Path, bert: Path, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scored run of three dishes in two languages."""
    out = tmp_path_factory.mktemp("probing") / "run"
    asked = blend("run", food_release, *PROBING, "--model", bert, "--out", out, *LANGUAGES, "--limit", "3")
    assert "60 of 60 items are answered" in asked
    vectors = shared / "golden" / "fmlama" / "probing" / "vectors_en.vec"
    scored = blend("score", out, "-T", f"vectors=en={vectors}")
    assert "mWS" in scored
    return out


@pytest.mark.landing
def test_a_configuration_is_enough_to_probe(run: Path):
    described = json.loads((run / "run.json").read_text(encoding="utf-8"))
    assert (described["task"], described["model"]["scorer"]) == ("probing", "masked")
    assert described["options"]["languages"] == ["en", "ko"]
    decided = pl.read_parquet(run / "decisions.parquet")
    assert {"item_id", "locale", "correct", "qid", "relation", "gold", "ranks"} <= set(decided.columns)
    assert decided.height == 60
    scores = json.loads(blend("score", run, "--json"))
    assert scores["signature"].startswith("blend-probing|rel:food@1.0.0#")
    assert {row["scope"] for row in scores["scores"]} == {
        "overall", "country", "language", "template", "naming", "language-country", "language-template",
        "language-naming",
    }  # fmt: skip


@pytest.mark.landing
def test_a_sheet_and_what_people_say(run: Path, tmp_path: Path):
    sheet = tmp_path / "sheet.csv"
    written = blend("judge-sheet", run, "--sample", "3", "--out", sheet)
    # The best five candidates of each dish.
    assert "Wrote 15 rows" in written
    rows = pl.read_csv(sheet).sort("question", "reply")
    verdicts = pl.Series(["correct", "wrong", "wrong", "wrong", "wrong"] * 3)
    filled = tmp_path / "anna.csv"
    rows.with_columns(verdict=verdicts).write_csv(filled)
    shown = blend("judged", run, filled)
    assert "1 annotator, 3 dishes" in shown
    # One of five predictions of each dish.
    found = json.loads(blend("judged", run, filled, "--json"))
    [precision] = [s for s in found["scores"] if (s["metric"], s["scope"]) == ("precision-people", "overall")]
    assert precision["value"] == pytest.approx(20)


@pytest.mark.landing
def test_vectors_twice_for_one_language(run: Path):
    for named, what in (("", "all"), ("en=", "en")):
        both = [part for file in "ab" for part in ("-T", f"vectors={named}{file}.vec")]
        told = f"-T vectors={named}b.vec: there is a file for {what} already; name each once"
        assert error_of("score", run, *both) == told


@pytest.mark.landing
def test_a_model_that_cannot_be_probed(food_release: Path, bert: Path, tmp_path: Path):
    asked = ("--task", "probing", "--out", tmp_path / "run", "--model")
    folder = Path(shutil.copytree(bert, tmp_path / "classifier"))
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["architectures"] = ["BertForSequenceClassification"]
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert error_of("run", food_release, *asked, folder, "-T", "config=food-aligned") == (
        "model classifier: it is neither a masked language model nor an encoder-decoder that fills spans nor a "
        "causal language model but BertForSequenceClassification; probing needs a model with the head that "
        "predicts tokens"
    )


@pytest.mark.nightly
def test_lists_that_a_model_writes_and_candidates_on_one_page(
    run: Path, food_release: Path, shared: Path, tmp_path: Path
):
    out = tmp_path / "free"
    options = ("-T", "config=food-aligned", "-T", "languages=en", "--limit", "2", "--max-tokens", "12")
    model = ("--model", shared / "models" / "tiny-gpt2")
    asked = blend("run", food_release, "--task", "free-listing", *options, *model, "--out", out)
    assert "4 of 4 items are answered" in asked
    scored = json.loads(blend("score", out, "--rule", "contains", "--json"))
    assert scored["signature"].startswith("blend-listing|")
    assert {"precision", "recall", "f1", "accuracy"} <= {row["metric"] for row in scored["scores"]}
    blend("score", run)
    blend("report", out, run, "--out", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for title in ("By country", "By template", "By language and country"):
        assert f">{title}</h3>" in page
