"""Runs of probing on the published dishes: going on, batches, other domains, and what is told of candidates."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.models.candidates import open_candidate_scorer
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items, read_run
from blend.eval.runs.ask_model import TOKENS_NAME, RunOutcome, ask_model
from blend.eval.runs.run_directory import opened
from blend.eval.scoring import score_answers
from blend.schemas.errors import InputError

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def probed(release: Path, out: Path, model: Path, **options: Any) -> RunOutcome:
    how = {"config": "food-aligned", "limit": 2, "languages": ("en", "ko"), **options}
    asked = read_items(release, TASKS["probing"], **how)
    prober = open_candidate_scorer(str(model), max_masks=asked.options["max_masks"])
    with opened(out, asked, prober.describe(), None) as run:
        return ask_model(run, prober)


@pytest.mark.nightly
def test_candidates_that_are_not_ranked_are_counted_and_listed(
    food_release: Path, shared: Path, tmp_path: Path
):
    outcome = probed(food_release, tmp_path / "run", shared / "models" / "tiny-bert", languages=("en",))
    assert outcome.warnings == (
        (
            "1 of 226 candidates ('Cymbopogon citratus') with more tokens than masks, not ranked; "
            "`max_masks` 12 ranks all"
        ),
    )
    tokens = pl.read_parquet(tmp_path / "run" / TOKENS_NAME)
    assert tokens.height == 226
    assert tokens.filter(pl.col("n_tokens") > 10).rows() == [("en", "Cymbopogon citratus", 12, 0)]
    scores = {
        (score.metric, score.scope): score.value
        for score in score_answers(read_run(tmp_path / "run")).scores.scores
    }
    assert scores["not-ranked", "overall"] == pytest.approx(100 / 226)
    assert scores["unknown-tokens", "overall"] == 0
    more = probed(
        food_release, tmp_path / "more", shared / "models" / "tiny-bert", languages=("en",), max_masks=12
    )
    assert more.warnings == ()


@pytest.mark.nightly
def test_candidates_that_the_tokenizer_does_not_know_are_told(food_release: Path, shared: Path, tmp_path: Path):
    # A snowman is in no vocabulary, and nothing is left of a blank without width.
    texts = {"": ("egg", "flour", "\u200b", "\u2603")}
    given = {"candidates": "0123", "candidate_texts": texts, "languages": ("en",)}
    outcome = probed(food_release, tmp_path / "run", shared / "models" / "tiny-bert", **given)
    assert outcome.warnings == (
        "1 of 4 candidates ('\\u200b') with no token, not ranked",
        "1 of 4 candidates ('\u2603') with tokens that the model does not know, ranked all the same",
    )
    scores = {(s.metric, s.scope): s.value for s in score_answers(read_run(tmp_path / "run")).scores.scores}
    assert (scores["unknown-tokens", "overall"], scores["not-ranked", "overall"]) == (25, 25)


def test_vectors_of_a_language_that_was_not_asked_are_refused(food_release: Path, shared: Path, tmp_path: Path):
    probed(food_release, tmp_path / "run", shared / "models" / "tiny-bert", limit=1)
    with pytest.raises(InputError) as raised:
        score_answers(read_run(tmp_path / "run"), vectors={"kp": tmp_path / "words.vec"})
    assert str(raised.value) == ("unknown language of `vectors` 'kp'; choose one of: en, ko")
    with pytest.raises(InputError) as raised:
        score_answers(read_run(tmp_path / "run"), lemmas="none")
    assert str(raised.value) == "`lemmas`: the task probing has no such option; it has `vectors`"
