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


@pytest.mark.slow
def test_options_can_be_asked_of_a_server(tiny_gpt2: Path, dtype: Any):
    with pytest.raises(InputError) as raised:
        open_local(str(tiny_gpt2), device="cpu", dtype=dtype).option_logprobs(["Hi"], [("A", "B")])
    smaller = "dtype bfloat16, " if dtype == "float32" else ""
    assert str(raised.value) == (
        f"model tiny-gpt2: it does not fit into the memory of cpu as {dtype}; use {smaller}another device, or "
        "a server that spreads it over several (`server`)"
    )


@pytest.mark.slow
def test_candidates_cannot(shared: Path, dtype: Any):
    prober = open_candidate_scorer(str(shared / "models" / "tiny-bert"), device="cpu", dtype=dtype)
    with pytest.raises(InputError) as raised:
        prober.candidate_logprobs(["It is [Y]."], [0], [["egg"]], keep=lambda *_: None)
    smaller = "dtype bfloat16, " if dtype == "float32" else ""
    assert str(raised.value) == (
        f"model tiny-bert: it does not fit into the memory of cpu as {dtype}; use {smaller}another device, or "
        "a smaller model: no server gives the probabilities of candidates in a gap"
    )
