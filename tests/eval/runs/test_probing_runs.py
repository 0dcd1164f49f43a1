"""Runs of probing on the published dishes: going on, batches, other domains, and what is told of candidates."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.models.chosen import Local
from blend.eval.models.local_model import open_candidate_scorer
from blend.eval.release_items import read_items, read_run
from blend.eval.runs.ask_model import ask_model
from blend.eval.runs.run_directory import TOKENS_NAME, Run, RunOutcome, open_run
from blend.eval.scoring import score_answers
from blend.eval.tasks import TASKS
from blend.eval.tasks.probing import probing_items
from helpers.messages import wrong

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("one_thread")]

Probed = Callable[..., tuple[RunOutcome, Run]]


@pytest.fixture
def probed(food_release: Path, shared: Path, tmp_path: Path) -> Probed:
    """Asks BERT of some dishes."""

    def probed(out: str = "run", **options: Any) -> tuple[RunOutcome, Run]:
        how = {"config": "food-aligned", "limit": 2, "languages": ("en",), **options}
        asked = read_items(food_release, TASKS["probing"], **how)
        model = Local(path=str(shared / "models" / "tiny-bert"))
        prober = open_candidate_scorer(model, max_masks=asked.options["max_masks"])
        run = open_run(tmp_path / out, asked, prober.describe(), None)
        return ask_model(run, prober), read_run(tmp_path / out)

    return probed


def overall(run: Run) -> dict[str, float | None]:
    return {one.metric: one.value for one in score_answers(run).scores.scores if one.scope == "overall"}


@pytest.mark.landing
def test_candidates_that_are_not_ranked_are_counted_and_listed(probed: Probed):
    outcome, run = probed()
    assert outcome.warnings == (
        (
            "1 of 226 candidates ('Cymbopogon citratus') with more tokens than masks, not ranked; "
            "`max_masks` 12 ranks all"
        ),
    )
    tokens = pl.read_parquet(run.directory / TOKENS_NAME)
    assert tokens.height == 226
    assert tokens.filter(pl.col("n_tokens") > 10).rows() == [("en", "Cymbopogon citratus", 12, 0)]
    figures = overall(run)
    assert (figures["not-ranked"], figures["unknown-tokens"]) == (pytest.approx(100 / 226), 0)
    assert probed("more", max_masks=12)[0].warnings == ()


def test_candidates_that_the_tokenizer_does_not_know_are_told(probed: Probed, monkeypatch: pytest.MonkeyPatch):
    # A snowman is in no vocabulary, and nothing is left of a blank without width.
    held = pl.DataFrame({"candidate_set": "en", "candidate": ["egg", "flour", "\u200b", "\u2603"]})
    of_release = probing_items._candidates
    monkeypatch.setattr(probing_items, "_candidates", lambda *given: (of_release(*given)[0], held))
    outcome, run = probed()
    assert outcome.warnings == (
        "1 of 4 candidates ('\\u200b') with no token, not ranked",
        "1 of 4 candidates ('\u2603') with tokens that the model does not know, ranked all the same",
    )
    figures = overall(run)
    assert (figures["unknown-tokens"], figures["not-ranked"]) == (25, 25)
    path = run.directory / TOKENS_NAME
    for what, changed in (
        ("has columns of other types than were written", pl.all().cast(pl.String)),
        ("not a Parquet file, or damaged", pl.exclude("n_unknown")),
    ):
        pl.read_parquet(path).select(changed).write_parquet(path)
        assert wrong(lambda: overall(run)).startswith(f"{path}: {what}; ")


def test_options_of_scoring_that_do_not_fit_are_refused(probed: Probed, tmp_path: Path):
    _, run = probed(limit=1, languages=("en", "ko"))
    assert wrong(lambda: score_answers(run, vectors={"kp": tmp_path / "words.vec"})) == (
        "unknown language of `vectors` 'kp'; choose one of: en, ko"
    )
    assert wrong(lambda: score_answers(run, lemmas="none")) == (
        "`lemmas`: the task probing has no such option; it has `vectors`"
    )
