"""Prefix trees: fewer tokens through the model, the same figures."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.eval.models.candidates.causal import separate_logprobs, takes_trees, tree_logprobs
from blend.eval.models.candidates.encoder_decoder import span_logprobs
from blend.eval.models.candidates.prefix_tree import ROOT, make_tree
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


def naive(model: Any, prompt: Sequence[int], candidate: Sequence[int]) -> float:
    """One pass over prompt and candidate, without a cache."""
    import torch

    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([[*prompt, *candidate]])).logits[0]
    logprobs = torch.log_softmax(logits.double(), dim=-1)
    return float(sum(logprobs[len(prompt) - 1 + i, token] for i, token in enumerate(candidate)))


def naive_span(model: Any, prompt: Sequence[int], sentinel: int, candidate: Sequence[int]) -> float:
    """One pass of encoder and decoder, as a plain text."""
    import torch

    given = [model.config.decoder_start_token_id, sentinel, *candidate]
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([list(prompt)]), decoder_input_ids=torch.tensor([given])).logits[
            0
        ]
    logprobs = torch.log_softmax(logits.double(), dim=-1)
    return float(sum(logprobs[i + 1, token] for i, token in enumerate(candidate)))


@given(candidate_lists, st.integers(1, 6))
def test_every_beginning_is_a_node_once(candidates: list[list[int]], fed: int):
    tree = make_tree(candidates, fed_at_a_time=fed)
    beginnings = {tuple(tokens[:n]) for tokens in candidates for n in range(1, len(tokens) + 1)}
    fed_nodes = {tuple(tokens[:n]) for tokens in candidates for n in range(1, len(tokens))}
    assert len(tree.tokens) == len(beginnings)
    assert sum(len(part.tokens) for part in tree.parts) == len(fed_nodes)
    assert [node for part in tree.parts for node in part.read] == list(range(len(beginnings)))
    for tokens, end in zip(candidates, tree.ends.tolist(), strict=True):
        path = []
        while end != ROOT:
            path.append(int(tree.tokens[end]))
            end = int(tree.parents[end])
        assert path[::-1] == tokens


def test_a_candidate_without_tokens_has_no_sum():
    tree = make_tree([[], [5, 6]], fed_at_a_time=4)
    assert np.isnan(tree.sums(np.array([-1.0, -2.0]))).tolist() == [True, False]
    assert tree.lengths.tolist() == [0, 2]


@settings(max_examples=examples(25))
@given(candidate_lists, st.lists(st.integers(3, VOCABULARY - 1), min_size=1, max_size=12), st.integers(1, 8))
def test_causal_scores_are_those_of_one_pass_per_candidate(
    gpt2: Any, candidates: list[list[int]], prompt: list[int], fed: int
):
    found = tree_logprobs(gpt2, prompt, make_tree(candidates, fed_at_a_time=fed))
    for tokens, value in zip(candidates, found.logprobs, strict=True):
        assert value / len(tokens) == pytest.approx(
            naive(gpt2, prompt, tokens) / len(tokens), abs=TOLERANCE, rel=0
        )


@pytest.mark.slow
@settings(max_examples=examples(25))
@given(candidate_lists, st.lists(st.integers(3, VOCABULARY - 1), min_size=1, max_size=12), st.integers(1, 8))
def test_spans_are_scored_as_by_one_pass_per_candidate(
    t5: Any, candidates: list[list[int]], prompt: list[int], fed: int
):
    found = span_logprobs(t5, prompt, 9, make_tree(candidates, fed_at_a_time=fed))
    for tokens, value in zip(candidates, found.logprobs, strict=True):
        wanted = naive_span(t5, prompt, 9, tokens) / len(tokens)
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
