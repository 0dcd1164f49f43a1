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
from blend.schemas.errors import InputError
from helpers.examples import examples
from helpers.models.plain_computation import CLOSE, OPTIONS, PROMPTS, expected, local, logprobs_of
from helpers.models.tiny_models import ARCHITECTURES


@pytest.mark.slow
@pytest.mark.parametrize("predicted", [None, 12_000], ids=["one pass", "several passes"])
@pytest.mark.parametrize("architecture", ["tiny-gpt2", *sorted(ARCHITECTURES)])
def test_every_kind_of_model_scores_what_plain_computation_says(
    tiny_gpt2: Path,
    made_model: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    architecture: str,
    predicted: int | None,
):
    folder = tiny_gpt2 if architecture == "tiny-gpt2" else made_model(architecture)
    if predicted is not None:
        # As of options over a large vocabulary, for memory's sake.
        monkeypatch.setattr("blend.eval.models.next_tokens._PREDICTED_ON_CPU", predicted)
    scores = open_local(str(folder), device="cpu").option_logprobs(PROMPTS, OPTIONS)
    np.testing.assert_allclose(logprobs_of(scores), expected(folder), **CLOSE)
    assert [(one.error, len(one.logprobs)) for one in scores] == [(None, len(some)) for some in OPTIONS]


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


@lru_cache
def whole_run(folder: Path) -> np.ndarray:
    return logprobs_of(local(folder).option_logprobs(PROMPTS, OPTIONS))


FULL = {
    "a batch": (lambda questions: len(questions) > 2, "CUDA out of memory", []),
    "an item": (
        lambda questions: sum(len(question.prefix) for question in questions) > 60,
        "[enforce fail at alloc_cpu.cpp:1] DefaultCPUAllocator: not enough memory",
        [5],
    ),
}
"""What does not fit into memory, what torch says, and the items that are not answered then."""


@pytest.mark.parametrize("what", FULL)
def test_what_does_not_fit_into_memory_is_asked_in_smaller_parts(
    tiny_gpt2: Path, monkeypatch: pytest.MonkeyPatch, what: str
):
    import torch

    import blend.eval.models.local_model as module

    (is_full, said, lost), real = FULL[what], module.option_logprobs
    # Before anything is too large: it is kept for the other tests.
    whole = whole_run(tiny_gpt2)

    def small(model: Any, questions: Any) -> list[list[float]]:
        if is_full(questions):
            raise (torch.OutOfMemoryError if "CUDA" in said else RuntimeError)(said)
        return real(model, questions)

    monkeypatch.setattr(module, "option_logprobs", small)
    # The first prompt once more, with another option.
    prompts, options = [*PROMPTS, PROMPTS[0]], [*OPTIONS, ("A", "mango")]
    scores = open_local(str(tiny_gpt2), device="cpu").option_logprobs(prompts, options)
    assert [i for i, one in enumerate(scores) if one.error is not None] == lost
    assert {one.error for one in scores} - {None} == {
        "out of memory: 134 tokens do not fit into that of cpu even on their own; use another device or a "
        "smaller model"
        for _ in lost
    }
    rest = [i for i in range(len(PROMPTS)) if i not in lost]
    np.testing.assert_allclose(logprobs_of([scores[i] for i in rest]), whole[rest], **CLOSE)
    np.testing.assert_allclose(scores[-1].logprobs[0], scores[0].logprobs[0], **CLOSE)


@pytest.mark.slow
def test_a_model_that_fills_the_memory(tiny_gpt2: Path, monkeypatch: pytest.MonkeyPatch):
    import torch
    import transformers

    def full(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    # A model that fills this machine's memory would stop the other tests.
    monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", full)
    with pytest.raises(InputError) as raised:
        open_local(str(tiny_gpt2), device="cpu", dtype="float32").option_logprobs(["Hi"], [("A", "B")])
    assert str(raised.value) == (
        "model tiny-gpt2: it does not fit into the memory of cpu as float32; use dtype bfloat16, another "
        "device or a smaller model; texts can be asked of a server (`server`)"
    )


def test_a_prompt_that_cannot_be_asked_is_an_error_and_never_cut(tiny_gpt2: Path):
    model = local(tiny_gpt2)
    scores = model.option_logprobs(["Hi", "word " * 300, ""], [("A", "B")] * 3)
    assert [one.error for one in scores] == [
        None,
        "prompt and answer need at least 900 tokens, but the model sees 256",
        "the prompt is empty: there is nothing after which the model could answer",
    ]
    assert [len(one.logprobs) for one in scores] == [2, 0, 0]
