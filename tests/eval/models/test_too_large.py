"""Models that do not fit into memory: what is advised."""

from pathlib import Path
from typing import Any

import pytest

from blend.eval.models.local_model import open_local
from blend.schemas.errors import InputError


@pytest.mark.slow
def test_a_model_that_fills_the_memory(shared: Path, monkeypatch: pytest.MonkeyPatch):
    import torch
    import transformers

    def full(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    # A model that fills this machine's memory would stop the other tests.
    monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", full)
    model = open_local(str(shared / "models" / "tiny-gpt2"), device="cpu", dtype="float32")
    with pytest.raises(InputError) as raised:
        model.option_logprobs(["Hi"], [("A", "B")])
    assert str(raised.value) == (
        "model tiny-gpt2: it does not fit into the memory of cpu as float32; use dtype bfloat16, another "
        "device or a smaller model; texts can be asked of a server (`server`)"
    )
