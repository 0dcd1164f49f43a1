"""What a model says by plain, slow computation, and the prompts that tests compare it on."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from blend.eval.models.local_model import LocalModel, open_local
from blend.eval.models.protocols import Likelihoods

PROMPTS = (
    "What do people in South Korea eat for breakfast?\nA. rice\nB. bread\nC. naan\nD. injera\n\nAnswer:",
    "Hi",
    "ሰላም? እንጀራ ወይስ ዳቦ?",
    "Which fruit is eaten most in summer in West Java?\nAnswer: ",
    "好吃的是什么？答案：",
    "A question that is a good deal longer than all of the others, so that much is padded. " * 3 + "Answer:",
)
OPTIONS = (
    ("A", "B", "C", "D"),
    ("there", "you", "A"),
    ("እንጀራ", "ዳቦ", "እንጀራ በወጥ"),
    ("mango", "durian", "water melon", "mangosteen"),
    ("米饭", "面"),
    ("rice", "steamed white rice with side dishes", "A"),
)
CLOSE = {"rtol": 0, "atol": 2e-4}
"""Float noise: sums of up to forty log-probabilities in single precision."""


def logprobs_of(scores: Sequence[Likelihoods]) -> np.ndarray:
    """Scores as an array, a row for each prompt; NaN behind the last option, and where there are none."""
    found = np.full((len(scores), max(len(one.logprobs) for one in scores)), np.nan)
    for row, one in zip(found, scores, strict=True):
        row[: len(one.logprobs)] = one.logprobs
    return found


@lru_cache
def parts(folder: Path) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    return tokenizer, model


def plainly(folder: Path, prompt: str, option: str) -> float:
    """Log-probability of an option: the whole text on its own, all logits, no cache, no padding."""
    import torch

    tokenizer, model = parts(folder)
    prefix = tokenizer(prompt.rstrip())["input_ids"]
    blank = prompt[len(prompt.rstrip()) :] or " "
    whole = tokenizer(prompt.rstrip() + blank + option)["input_ids"]
    assert whole[: len(prefix)] == prefix
    with torch.no_grad():
        logprobs = torch.log_softmax(model(torch.tensor([whole])).logits[0].double(), dim=-1)
    return sum(float(logprobs[i - 1, whole[i]]) for i in range(len(prefix), len(whole)))


def expected(folder: Path) -> np.ndarray:
    scores = np.full((len(PROMPTS), 4), np.nan)
    for item, (prompt, options) in enumerate(zip(PROMPTS, OPTIONS, strict=True)):
        for place, option in enumerate(options):
            scores[item, place] = plainly(folder, prompt, option)
    return scores


@lru_cache
def local(folder: Path, **options: Any) -> LocalModel:
    return open_local(str(folder), device="cpu", **options)
