"""Local models: scores and texts against plain, slow computation, whatever the batch and the order."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blend.eval.models.local_model import open_local
from blend.eval.models.model_loading import choose_device, load_model
from helpers.examples import examples
from helpers.models.plain_computation import CLOSE, OPTIONS, PROMPTS, expected, local, logprobs_of, plainly
from helpers.models.tiny_models import ARCHITECTURES


@pytest.mark.slow
def test_options_score_what_plain_computation_says(tiny_gpt2: Path):
    scores = open_local(str(tiny_gpt2), device="cpu").option_logprobs(PROMPTS, OPTIONS)
    np.testing.assert_allclose(logprobs_of(scores), expected(tiny_gpt2), **CLOSE)
    assert [one.error for one in scores] == [None] * len(PROMPTS)
    assert [(len(one.logprobs), one.tokens.min() > 0) for one in scores] == [(len(o), True) for o in OPTIONS]


@pytest.mark.slow
@pytest.mark.parametrize("architecture", sorted(ARCHITECTURES))
def test_every_kind_of_model_scores_what_plain_computation_says(
    made_model: Callable[[str], Path], architecture: str
):
    folder = made_model(architecture)
    scores = open_local(str(folder), device="cpu").option_logprobs(PROMPTS, OPTIONS)
    np.testing.assert_allclose(logprobs_of(scores), expected(folder), **CLOSE)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("elsewhere", [None, "disk"])
def test_a_model_spread_over_devices_scores_and_writes_the_same(
    tiny_gpt2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: str | None
):
    """Without a second device, the last block is fetched from the disk instead, by the same hooks."""
    from accelerate import dispatch_model

    def spread(*arguments: Any, **options: Any) -> Any:
        model: Any = load_model(*arguments, **options)
        if elsewhere is not None:
            blocks = {f"transformer.h.{number}": "cpu" for number in range(len(model.transformer.h))}
            blocks |= dict.fromkeys(
                ("transformer.wte", "transformer.wpe", "transformer.ln_f", "lm_head"), "cpu"
            )
            parts = blocks | {list(blocks)[len(model.transformer.h) - 1]: elsewhere}
            dispatch_model(model, parts, main_device="cpu", offload_dir=str(tmp_path / "weights"))
            assert any(weights.is_meta for weights in model.parameters())
        return model

    monkeypatch.setattr("blend.eval.models.model_loading.load_model", spread)
    model = open_local(str(tiny_gpt2), device="auto")
    scores = model.option_logprobs(PROMPTS, OPTIONS)
    np.testing.assert_allclose(logprobs_of(scores), expected(tiny_gpt2), **CLOSE)
    alone = open_local(str(tiny_gpt2), device="cpu").generate(PROMPTS)
    assert [one.text for one in model.generate(PROMPTS)] == [one.text for one in alone]
    assert model.describe().device == choose_device("auto").shown()


@pytest.mark.slow
@settings(max_examples=examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(len(PROMPTS))), tokens=st.integers(1, 400))
def test_questions_with_one_prompt_score_as_they_do_alone(tiny_gpt2: Path, order: Sequence[int], tokens: int):
    # Each question once whole, and once with its options turned and one left out.
    again = [(*options[1:], options[0])[-2:] for options in OPTIONS]
    asked = [(PROMPTS[i], OPTIONS[i]) for i in range(len(PROMPTS))] + list(zip(PROMPTS, again, strict=True))
    places = [place for i in order for place in (i, i + len(PROMPTS))]
    model = local(tiny_gpt2)
    model._batches.tokens = tokens
    scores = model.option_logprobs(*zip(*(asked[place] for place in places), strict=True))
    found = dict(zip(places, logprobs_of(scores), strict=True))
    alone = logprobs_of(local(tiny_gpt2, batch_size=1).option_logprobs(*zip(*asked, strict=True)))
    np.testing.assert_allclose(np.stack([found[place] for place in range(len(asked))]), alone, **CLOSE)
    np.testing.assert_allclose(alone[: len(PROMPTS)], whole_run(tiny_gpt2), **CLOSE)


def test_questions_that_do_not_fit_together_are_asked_one_by_one(
    tiny_gpt2: Path, monkeypatch: pytest.MonkeyPatch
):
    import torch

    import blend.eval.models.local_model as module

    real = module.option_logprobs

    def small(model: Any, questions: Any) -> list[list[float]]:
        if any(len(question.options) > 4 for question in questions):
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(model, questions)

    monkeypatch.setattr(module, "option_logprobs", small)
    options = (OPTIONS[0], ("mango", "durian", "naan"))
    scores = open_local(str(tiny_gpt2), device="cpu").option_logprobs([PROMPTS[0]] * 2, options)
    assert [one.error for one in scores] == [None, None]
    plain = [[plainly(tiny_gpt2, PROMPTS[0], option) for option in some] for some in options]
    np.testing.assert_allclose(scores[0].logprobs, plain[0], **CLOSE)
    np.testing.assert_allclose(scores[1].logprobs, plain[1], **CLOSE)


@lru_cache
def whole_run(folder: Path) -> np.ndarray:
    return logprobs_of(local(folder).option_logprobs(PROMPTS, OPTIONS))


def test_a_batch_that_does_not_fit_is_halved_until_it_does(tiny_gpt2: Path, monkeypatch: pytest.MonkeyPatch):
    import torch

    import blend.eval.models.local_model as module

    sizes: list[int] = []
    real = module.option_logprobs

    def small(model: Any, questions: Any) -> list[list[float]]:
        sizes.append(len(questions))
        if len(questions) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(model, questions)

    monkeypatch.setattr(module, "option_logprobs", small)
    scores = open_local(str(tiny_gpt2), device="cpu").option_logprobs(PROMPTS, OPTIONS)
    # Two are tried first.
    assert sizes[:2] == [2, 6]
    assert max(sizes[-2:]) <= 2
    np.testing.assert_allclose(logprobs_of(scores), whole_run(tiny_gpt2), **CLOSE)


def test_an_item_that_does_not_fit_on_its_own_is_an_error_of_its_own(
    tiny_gpt2: Path, monkeypatch: pytest.MonkeyPatch
):
    import blend.eval.models.local_model as module

    real = module.option_logprobs

    def small(model: Any, questions: Any) -> list[list[float]]:
        if sum(len(question.prefix) for question in questions) > 60:
            raise RuntimeError("[enforce fail at alloc_cpu.cpp:1] DefaultCPUAllocator: not enough memory")
        return real(model, questions)

    monkeypatch.setattr(module, "option_logprobs", small)
    scores = open_local(str(tiny_gpt2), device="cpu").option_logprobs(PROMPTS, OPTIONS)
    assert [one.error is None for one in scores] == [True] * 5 + [False]
    assert scores[5].error == (
        "out of memory: 134 tokens do not fit into that of cpu even on their own; use another device or a "
        "smaller model"
    )
    np.testing.assert_allclose(logprobs_of(scores)[:5], whole_run(tiny_gpt2)[:5], **CLOSE)


def test_a_prompt_that_cannot_be_asked_is_an_error_and_never_cut(tiny_gpt2: Path):
    model = local(tiny_gpt2)
    scores = model.option_logprobs(["Hi", "word " * 300, ""], [("A", "B")] * 3)
    assert [one.error for one in scores] == [
        None,
        "prompt and answer need at least 900 tokens, but the model sees 256",
        "the prompt is empty: there is nothing after which the model could answer",
    ]
    assert [len(one.logprobs) for one in scores] == [2, 0, 0]
