"""Models that do not fit into memory: what is advised works for the task."""

from pathlib import Path
from typing import Any

import pytest

from blend.eval.models.candidates import open_candidate_scorer
from blend.eval.models.local_model import open_local
from blend.schemas.errors import InputError


@pytest.fixture(params=["float32", "bfloat16"])
def dtype(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    import torch
    import transformers

    def full(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    # A model that fills this machine's memory would stop the other tests.
    for head in ("AutoModelForCausalLM", "AutoModelForMaskedLM"):
        monkeypatch.setattr(getattr(transformers, head), "from_pretrained", full)
    return request.param


def message(model: str, dtype: str) -> str:
    smaller = "dtype bfloat16, " if dtype == "float32" else ""
    return (
        f"model {model}: it does not fit into the memory of cpu as {dtype}; use {smaller}another device or a "
        "smaller model; texts can be asked of a server (`server`)"
    )


@pytest.mark.slow
def test_a_model_that_chooses(tiny_gpt2: Path, dtype: Any):
    with pytest.raises(InputError) as raised:
        open_local(str(tiny_gpt2), device="cpu", dtype=dtype).option_logprobs(["Hi"], [("A", "B")])
    assert str(raised.value) == message("tiny-gpt2", dtype)


@pytest.mark.slow
def test_a_model_that_scores_candidates(shared: Path, dtype: Any):
    prober = open_candidate_scorer(str(shared / "models" / "tiny-bert"), device="cpu", dtype=dtype)
    with pytest.raises(InputError) as raised:
        prober.candidate_logprobs(["It is [Y]."], [0], [["egg"]], keep=lambda *_: None)
    assert str(raised.value) == message("tiny-bert", dtype)
