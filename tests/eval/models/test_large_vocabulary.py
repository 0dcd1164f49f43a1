"""Memory of scoring options over a vocabulary of 150,000 tokens, as a ratio within one process."""

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from blend.eval.models.alone import plain_logprob
from blend.eval.models.encoding import EncodedQuestion
from blend.eval.models.option_scoring import option_logprobs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is set back by /proc"),
]

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


def memory_kib(name: str) -> int:
    status = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith(f"{name}:")))


def peak_kib(model: Any, questions: Sequence[EncodedQuestion]) -> int:
    """What one batch takes at most above what was there before."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins at what is taken now
    before = memory_kib("VmRSS")
    option_logprobs(model, questions)
    return memory_kib("VmHWM") - before


@pytest.mark.nightly
def test_short_prompts_with_long_options_take_no_more_than_one_pass(model: Any):
    # 4 options, of each 54 tokens are fed: 216, about as many as are predicted at a time.
    one_pass = question(5, [55] * 4)
    peak_kib(model, [one_pass])  # whatever is made once
    usual = peak_kib(model, [one_pass])
    assert peak_kib(model, [question(5, [50] * 4, seed) for seed in range(4)]) < 1.5 * usual
    # Padded to the longest, these would be 31 * 59 tokens: a peak seven times as high.
    assert peak_kib(model, [question(5, [*[2] * 30, 60])]) < 1.5 * usual


def test_options_in_several_passes_score_as_alone(model: Any):
    questions = [question(5, [2, 60, 3, 40, 1, 55], seed) for seed in range(2)]
    for one, sums in zip(questions, option_logprobs(model, questions), strict=True):
        assert sums == pytest.approx([plain_logprob(model, one.prefix, ids) for ids in one.options], rel=1e-5)
