"""Runs of probing on the published dishes: going on, batches, other domains, and what is told of candidates."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.asked_runs import read_run
from blend.eval.models.candidates import open_candidate_scorer
from blend.eval.models.protocols import Likelihoods
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from blend.eval.runs import opened
from blend.eval.runs.ask_model import RunOutcome
from blend.eval.runs.candidate_answers import TOKENS_NAME, ask_candidates
from blend.eval.scoring import score_answers, write_scores
from blend.schemas.errors import InputError
from helpers.tiers import rest_nightly

pytestmark = pytest.mark.integration

MODELS = ("tiny-bert", "tiny-t5", "tiny-gpt2")


class StoppedError(Exception):
    """The process ends here."""


class Stopping:
    """A prober that stops after some prompts."""

    def __init__(self, prober: Any, after: int) -> None:
        self._prober, self._left = prober, after

    def describe(self) -> Any:
        return self._prober.describe()

    def tokenised(self, *given: Any, **how: Any) -> Any:
        return self._prober.tokenised(*given, **how)

    def candidate_logprobs(
        self,
        prompts: Sequence[str],
        sets: Sequence[int],
        candidates: Sequence[Sequence[str]],
        *,
        keep: Callable[[Sequence[int], Sequence[Likelihoods]], None],
    ) -> None:
        def count(positions: Sequence[int], scores: Sequence[Likelihoods]) -> None:
            if not self._left:
                raise StoppedError
            self._left -= len(positions)
            keep(positions, scores)

        self._prober.candidate_logprobs(prompts, sets, candidates, keep=count)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def probed(
    release: Path,
    out: Path,
    model: Path,
    *,
    stop_after: int | None = None,
    batch_size: int | None = None,
    **options: Any,
) -> RunOutcome:
    asked = read_items(
        release,
        TASKS["probing"],
        **{"config": "food-aligned", "limit": 2, "languages": ("en", "ko"), **options},
    )
    reword = asked.options
    prober = open_candidate_scorer(
        str(model), causal=reword["causal"], max_masks=reword["max_masks"], batch_size=batch_size
    )
    with opened(out, asked, prober.describe(), None) as run:
        if stop_after is not None:
            return ask_candidates(run, Stopping(prober, stop_after))
        return ask_candidates(run, prober)


def decisions(out: Path) -> pl.DataFrame:
    run = read_run(out)
    write_scores(run, score_answers(run))
    return pl.read_parquet(out / "decisions.parquet")


@pytest.mark.nightly
@pytest.mark.parametrize("model", rest_nightly(MODELS, "tiny-t5"))
def test_going_on_and_batches_change_no_rank(food_release: Path, shared: Path, tmp_path: Path, model: str):
    folder = shared / "models" / model
    outcome = probed(food_release, tmp_path / "whole", folder)
    assert (outcome.n_items, outcome.n_asked, outcome.n_missing) == (40, 40, 0)
    with pytest.raises(StoppedError):
        probed(food_release, tmp_path / "parts", folder, stop_after=13)
    # As a kill leaves it: half a line at the end.
    with (tmp_path / "parts" / "answers" / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"item_id": "en/Q')
    assert probed(food_release, tmp_path / "parts", folder).n_asked == 27
    probed(food_release, tmp_path / "large", folder, batch_size=64)
    whole = decisions(tmp_path / "whole")
    assert whole.equals(decisions(tmp_path / "parts"))
    assert whole.equals(decisions(tmp_path / "large"))
    assert whole["ranks"].list.len().sum() >= 40


@pytest.mark.nightly
def test_another_run_is_not_gone_on_with(food_release: Path, shared: Path, tmp_path: Path):
    folder = shared / "models" / "tiny-bert"
    probed(food_release, tmp_path / "run", folder)
    with pytest.raises(InputError) as raised:
        probed(food_release, tmp_path / "run", folder, max_masks=12)
    assert str(raised.value) == (
        f"{tmp_path / 'run'}: holds another run, which differs in\n"
        "  options.max_masks: 10 there, 12 now\n"
        "choose another `out`, or ask for the same again to go on with this one"
    )


@pytest.mark.nightly
def test_candidates_that_are_not_ranked_are_counted_and_listed(
    food_release: Path, shared: Path, tmp_path: Path
):
    outcome = probed(food_release, tmp_path / "run", shared / "models" / "tiny-bert", languages=("en",))
    assert outcome.warnings == (
        (
            "1 candidate of 226 with more tokens than masks, not ranked: 'Cymbopogon citratus'; "
            "`max_masks` 12 ranks all"
        ),
    )
    tokens = pl.read_parquet(tmp_path / "run" / TOKENS_NAME)
    assert tokens.height == 226
    assert tokens.filter(why_not_ranked="too-long").rows() == [("en", "Cymbopogon citratus", 12, 0, "too-long")]
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
        "1 candidate of which the tokenizer leaves nothing: '\\u200b'",
        "1 candidate of 4 with tokens that the model does not know, ranked all the same: '\u2603'",
    )
    scores = {(s.metric, s.scope): s.value for s in score_answers(read_run(tmp_path / "run")).scores.scores}
    assert (scores["unknown-tokens", "overall"], scores["not-ranked", "overall"]) == (25, 25)


@pytest.mark.nightly
def test_what_changes_a_figure_stands_in_the_signature(food_release: Path, shared: Path, tmp_path: Path):
    bert, gpt2 = (shared / "models" / name for name in ("tiny-bert", "tiny-gpt2"))
    vectors = shared / "golden" / "fmlama" / "probing" / "vectors_en.vec"
    given: dict[str, dict[str, Any]] = {
        "usual": {},
        "masks": {"max_masks": 12},
        "country": {"candidates": "country"},
        "template": {"prompts": ("hasParts_1",)},
        "names": {"names": "ko", "languages": ("en",)},
        "conditional": {"model": gpt2},
        "greedy": {"model": gpt2, "causal": "published-greedy"},
    }
    signatures = {}
    for name, options in given.items():
        model = options.pop("model", bert)
        probed(food_release, tmp_path / name, model, limit=1, **options)
        signatures[name] = score_answers(read_run(tmp_path / name)).scores.signature
    signatures["vectors"] = score_answers(
        read_run(tmp_path / "usual"), vectors={"en": vectors}
    ).scores.signature
    # A masked and a causal model can be compared if both are asked in the usual way.
    assert signatures.pop("conditional") == signatures["usual"]
    assert len(set(signatures.values())) == len(signatures)
    assert "|cfg:food-aligned|cand:language|lang:en+ko|" in signatures["usual"]
    assert "|masks:12|" in signatures["masks"]
    assert "|causal:published-greedy|" in signatures["greedy"]


def test_vectors_of_a_language_that_was_not_asked_are_refused(food_release: Path, shared: Path, tmp_path: Path):
    probed(food_release, tmp_path / "run", shared / "models" / "tiny-bert", limit=1)
    with pytest.raises(InputError) as raised:
        score_answers(read_run(tmp_path / "run"), vectors={"kp": tmp_path / "words.vec"})
    assert str(raised.value) == ("unknown language of `vectors` 'kp'; choose one of: en, ko")
    with pytest.raises(InputError) as raised:
        score_answers(read_run(tmp_path / "run"), lemmas="none")
    assert str(raised.value) == "`lemmas`: the task probing has no such option; it has `vectors`"


@pytest.mark.nightly
def test_all_eight_languages_and_their_templates_work(food_release: Path, shared: Path, tmp_path: Path):
    outcome = probed(
        food_release,
        tmp_path / "run",
        shared / "models" / "tiny-gpt2",
        config="food-triples",
        limit=1,
        languages=None,
    )
    items = read_run(tmp_path / "run").items()
    assert set(items["language"]) == {"en", "zh", "ar", "ko", "ru", "he"}
    assert outcome.n_failed == 0
    # Korean and Arabic prompts name the dish; Chinese ones have no blank before the gap.
    for row in items.iter_rows(named=True):
        assert row["prompt"].count("[Y]") == 1
        assert "[X]" not in row["prompt"]
        assert "[C]" not in row["prompt"]


INSTRUMENTS = """
Q1 P31 Q34379
Q1 label en:lute
Q1 P495 Q148
Q1 P527 Q10
Q1 P527 Q11
Q2 P31 Q34379
Q2 label en:drum
Q2 P495 Q148
Q2 P527 Q12
Q10 label en:string
Q11 label en:neck
Q12 label en:skin
Q148 P31 Q6256
Q148 label en:China
"""


def test_a_run_of_another_domain(shared: Path, tmp_path: Path, shorthand: Callable[[str], str]):
    from blend.builders.release import build_release
    from blend.loaders.files.content import file_sha256
    from blend.schemas.recipe import Recipe

    (tmp_path / "facts.nt").write_text(shorthand(INSTRUMENTS), encoding="utf-8")
    (tmp_path / "prompts.toml").write_text(
        '[en]\nhasParts = ["[X] has a [Y]."]\ncountry = ["In [C], [X] has a [Y]."]\n', encoding="utf-8"
    )
    (tmp_path / "domain.toml").write_text(DOMAIN, encoding="utf-8")
    source = {
        "kind": "wikidata",
        "location": "facts.nt",
        "sha256": file_sha256(tmp_path / "facts.nt"),
    }
    recipe = Recipe.model_validate(
        {
            "name": "music",
            "version": "1.0.0",
            "license": "cc0-1.0",
            "sources": [source],
            "food": {"domain": "lute", "domain_file": "domain.toml", "aligned_languages": ["en", "ko"]},
        }
    )
    build_release(recipe, tmp_path / "release", base=tmp_path)
    outcome = probed(
        tmp_path / "release",
        tmp_path / "run",
        shared / "models" / "tiny-t5",
        config=None,
        limit=None,
        languages=None,
    )
    assert outcome.n_items == 4
    assert decisions(tmp_path / "run")["gold"].to_list()[0] == ["string", "neck"]
    assert json.loads((tmp_path / "run" / "run.json").read_text())["options"]["config"] == "lute-triples"


DOMAIN = """
[[domain]]
name = "lute"
title = "instruments by country of origin and parts"
item = "instrument"
items = "instruments"
config = "lute"
item_class = "Q34379"
class_properties = ["P31"]
origin_properties = ["P495"]
part_properties = ["P527"]
country_classes = ["Q6256"]
templates = "prompts.toml"
"""
