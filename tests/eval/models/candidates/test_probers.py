"""Probers: scores that depend on prompt and candidate alone, in every script, and errors of single prompts."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blend.eval.models import Likelihoods
from blend.eval.models.chosen import Local
from blend.eval.models.local_model import open_candidate_scorer
from blend.schemas.prompts import Causal
from helpers.messages import wrong
from helpers.models.tiny_models import copied, make_model

MODELS = ("tiny-bert", "tiny-t5", "tiny-gpt2")
PROMPTS = [
    "poutine is a dish made with [Y].",
    "In Canada, poutine is a dish that uses [Y] as an ingredient.",
    "麻婆豆腐是一道菜肴，主要使用的原料是[Y]。",
    "김치는 [Y]를 곁들여 만든 요리예요.",
    "حمص هو طبق مصنوع مع [Y].",
    "חומוס הוא מאכל שמכינים עם [Y].",
    "Борщ это блюдо которое делают с [Y].",
]
WORDS = ("egg", "cheese curds", "豆腐", "고추", "олія", "חלב", "dark chocolate", "dark", "soy sauce", "soy")


def scored(prober: Any, prompts: Sequence[str], candidates: Sequence[str]) -> list[Likelihoods]:
    return list(prober.candidate_logprobs(prompts, [0] * len(prompts), [candidates]))


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest, shared: Path) -> str:
    return str(shared / "models" / request.param)


@pytest.fixture(scope="module")
def prober(model: str) -> Any:
    return open_candidate_scorer(Local(path=model))


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("causal", ["conditional", "statement", "published-greedy"])
def test_neither_batch_nor_order_changes_a_score(model: str, causal: Causal):
    if causal != "conditional" and "gpt2" not in model:
        return
    one_by_one, many = (open_candidate_scorer(Local(path=model, batch_size=n), causal=causal) for n in (1, 64))
    alone = scored(one_by_one, PROMPTS, WORDS)
    together = scored(many, PROMPTS[::-1], WORDS)[::-1]
    for one, other in zip(alone, together, strict=True):
        # To the last bit: near ties must not turn over.
        assert one.logprobs.tolist() == other.logprobs.tolist()


@pytest.mark.slow
def test_a_prompt_that_cannot_be_asked_is_an_error_of_its_own(prober: Any, model: str):
    fine, without, twice = scored(prober, [PROMPTS[0], "no gap here", "[Y] with [Y]"], WORDS)
    assert fine.error is None
    assert without.error == "the prompt 'no gap here' has no gap [Y]; it must have one"
    assert twice.error == "the prompt '[Y] with [Y]' has 2 gaps [Y]; it must have one"
    [begins] = scored(prober, ["[Y] is an ingredient."], WORDS)
    wanted = "nothing stands before the gap, and a causal model reads from left to right"
    assert begins.error == (wanted if "gpt2" in model else None)


@pytest.mark.slow
def test_a_prompt_longer_than_the_context_is_an_error(prober: Any, model: str):
    [scores] = scored(prober, ["spam " * 300 + "[Y]."], WORDS)
    if "t5" in model:
        assert scores.error is None
        return
    sees = 256 if "gpt2" in model else 128
    assert scores.error.startswith("prompt and candidate need ")
    assert scores.error.endswith(f" tokens, but the model sees {sees}")


@pytest.mark.slow
def test_a_statement_counts_what_follows_the_gap(shared: Path):
    gpt2 = str(shared / "models" / "tiny-gpt2")
    prompts = ["poutine is made with [Y] as an ingredient.", "poutine is made with [Y] in Canada."]
    sound, statement = (
        scored(open_candidate_scorer(Local(path=gpt2), causal=way), prompts, WORDS)
        for way in ("conditional", "statement")
    )
    np.testing.assert_array_equal(sound[0].logprobs, sound[1].logprobs)
    assert not np.allclose(statement[0].logprobs, statement[1].logprobs)
    assert (statement[0].tokens > sound[0].tokens).all()


@pytest.mark.slow
def test_a_model_that_cannot_be_probed(shared: Path, tmp_path: Path):
    folder = copied(shared / "models" / "tiny-bert", tmp_path / "classifier")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["architectures"] = ["BertForSequenceClassification"]
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert wrong(lambda: scored(open_candidate_scorer(Local(path=str(folder))), PROMPTS[:1], WORDS)) == (
        "model classifier: it is neither a masked language model nor an encoder-decoder that fills spans nor a "
        "causal language model but BertForSequenceClassification; probing needs a model with the head that "
        "predicts tokens"
    )


@pytest.mark.slow
def test_a_model_without_branches_is_known_by_candidates_of_one_token(shared: Path, tmp_path: Path):
    model = make_model("FalconH1Config", shared / "models" / "tiny-gpt2", tmp_path / "hybrid")
    after_lone, fresh = (open_candidate_scorer(Local(path=str(model))) for _ in range(2))
    scored(after_lone, PROMPTS[:1], ["a", "b", "c"])
    one, other = (scored(prober, PROMPTS[:1], WORDS)[0].logprobs for prober in (after_lone, fresh))
    assert np.allclose(one, other, atol=1e-3)
