"""Prefix trees: fewer tokens through the model, the same figures."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.eval.models.candidates.causal import separate_logprobs, takes_trees, tree_logprobs
from blend.eval.models.candidates.encoder_decoder import span_logprobs
from blend.eval.models.candidates.prefix_tree import make_tree
from blend.eval.models.checkpoint import find_checkpoint
from blend.eval.models.model_loading import Device, load_model
from helpers.examples import examples

TOLERANCE = 2e-5
VOCABULARY = 4000

# Few different tokens, so that many candidates begin alike.
candidate_lists = st.lists(st.lists(st.integers(3, 6), min_size=1, max_size=5), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def gpt2(tiny_gpt2: Path) -> Any:
    return load_model(find_checkpoint(str(tiny_gpt2)), Device("cpu", "float32"))


@pytest.fixture(scope="module")
def t5(shared: Path) -> Any:
    checkpoint = find_checkpoint(str(shared / "models" / "tiny-t5"))
    return load_model(checkpoint, Device("cpu", "float32"), kind="encoder_decoder")


def naive(model: Any, prompt: Sequence[int], candidate: Sequence[int], sentinel: int | None = None) -> float:
    """One pass over prompt and candidate, or of encoder and decoder, as a plain text without a cache."""
    import torch

    given, start = {"input_ids": torch.tensor([[*prompt, *candidate]])}, len(prompt) - 1
    if sentinel is not None:
        decoded = [model.config.decoder_start_token_id, sentinel, *candidate]
        given = {"input_ids": torch.tensor([prompt]), "decoder_input_ids": torch.tensor([decoded])}
        start = 1
    with torch.inference_mode():
        logprobs = torch.log_softmax(model(**given).logits[0].double(), dim=-1)
    return float(sum(logprobs[start + i, token] for i, token in enumerate(candidate)))


@pytest.mark.slow
@settings(max_examples=examples(25))
@given(candidate_lists, st.lists(st.integers(3, VOCABULARY - 1), min_size=1, max_size=12), st.integers(1, 8))
def test_trees_are_scored_as_by_one_pass_per_candidate(
    gpt2: Any, t5: Any, candidates: list[list[int]], prompt: list[int], fed: int
):
    tree = make_tree(candidates, fed_at_a_time=fed)
    for found, model, sentinel in (
        (tree_logprobs(gpt2, prompt, tree), gpt2, None),
        (span_logprobs(t5, prompt, 9, tree), t5, 9),
    ):
        for tokens, value in zip(candidates, found.logprobs, strict=True):
            wanted = naive(model, prompt, tokens, sentinel) / len(tokens)
            assert value / len(tokens) == pytest.approx(wanted, abs=TOLERANCE, rel=0)


@pytest.mark.parametrize(
    ("architecture", "trees"),
    [("LlamaConfig", True), ("MistralConfig", False), ("Gemma3TextConfig", False), ("BloomConfig", False),
     ("MambaConfig", False)],
)  # fmt: skip
def test_models_that_take_no_trees_are_known(made_model: Callable[[str], Path], architecture: str, trees: bool):
    model = load_model(find_checkpoint(str(made_model(architecture))), Device("cpu", "float32"))
    prompt = list(range(3, 15))
    candidates = [[20], [21, 22], [21, 22, 23, 24], [21, 25, 26], [27, 28, 29, 30, 31]]
    assert takes_trees(model, prompt, candidates) is trees
    found = (
        tree_logprobs(model, prompt, make_tree(candidates, fed_at_a_time=4))
        if trees
        else separate_logprobs(model, prompt, candidates)
    )
    for tokens, value in zip(candidates, found.logprobs, strict=True):
        assert value == pytest.approx(naive(model, prompt, tokens), abs=2e-3)
    assert found.tokens.tolist() == [1, 2, 4, 3, 5]
