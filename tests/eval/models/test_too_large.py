"""Models that do not fit into memory: what is advised."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.eval.models.candidates import open_candidate_scorer
from blend.eval.models.local_model import open_local
from blend.schemas.errors import InputError


def choose(models: Path, dtype: Any) -> object:
    return open_local(str(models / "tiny-gpt2"), device="cpu", dtype=dtype).option_logprobs(
        ["Hi"], [("A", "B")]
    )


def rank(models: Path, dtype: Any) -> object:
    prober = open_candidate_scorer(str(models / "tiny-bert"), device="cpu", dtype=dtype)
    return prober.candidate_logprobs(["It is [Y]."], [0], [["egg"]])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("use", "name", "dtype", "smaller"),
    [(choose, "tiny-gpt2", "float32", "dtype bfloat16, "), (rank, "tiny-bert", "bfloat16", "")],
)
def test_a_model_that_fills_the_memory(
    shared: Path,
    monkeypatch: pytest.MonkeyPatch,
    use: Callable[..., object],
    name: str,
    dtype: str,
    smaller: str,
):
    import torch
    import transformers

    def full(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    # A model that fills this machine's memory would stop the other tests.
    for head in ("AutoModelForCausalLM", "AutoModelForMaskedLM"):
        monkeypatch.setattr(getattr(transformers, head), "from_pretrained", full)
    with pytest.raises(InputError) as raised:
        use(shared / "models", dtype)
    assert str(raised.value) == (
        f"model {name}: it does not fit into the memory of cpu as {dtype}; use {smaller}another device or a "
        "smaller model; texts can be asked of a server (`server`)"
    )
