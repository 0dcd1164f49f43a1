"""Options over a vocabulary of 150,000 tokens are scored in several passes, for memory's sake."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from blend.eval.models.alone import plain_logprob
from blend.eval.models.encoding import EncodedQuestion
from blend.eval.models.option_scoring import option_logprobs

pytestmark = pytest.mark.slow

VOCABULARY = 150_000


@pytest.fixture(scope="module")
def model(one_thread: None) -> Any:
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(20261121)
    config = GPT2Config(vocab_size=VOCABULARY, n_positions=256, n_embd=8, n_layer=1, n_head=1)
    return GPT2LMHeadModel(config).eval()


def question(prompt: int, options: Sequence[int], seed: int = 0) -> EncodedQuestion:
    """Random tokens, so many of the prompt and of each option."""
    rng = random.Random(seed)
    prefix, *ids = ([rng.randrange(VOCABULARY) for _ in range(n)] for n in (prompt, *options))
    return EncodedQuestion(prefix, ids)


def test_options_in_several_passes_score_as_alone(model: Any):
    questions = [question(5, [2, 60, 3, 40, 1, 55], seed) for seed in range(2)]
    for one, sums in zip(questions, option_logprobs(model, questions), strict=True):
        assert sums == pytest.approx([plain_logprob(model, one.prefix, ids) for ids in one.options], rel=1e-5)
