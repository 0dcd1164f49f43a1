"""Tokenizers as they come: letters of several tokens, none to pad with."""

import json
from pathlib import Path

import numpy as np
import pytest

from blend.eval.models.local_model import open_local
from blend.eval.models.tiny_model import make_tiny_model

PROMPTS = [
    "What do people eat?\nA. rice\nB. bread\nC. naan\nD. injera\nAnswer:",
    "What do people drink at breakfast in South Korea?\nA. tea\nB. coffee\nC. milk\nD. water\nAnswer:",
]
LETTERS = ("A", "B", "C", "D")


@pytest.fixture
def bytes_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model whose tokens are single bytes and which has none to pad with."""
    monkeypatch.setattr("blend.eval.models.tiny_model.VOCABULARY", 257)
    make_tiny_model(tmp_path / "bytes")
    for name in ("tokenizer_config.json", "config.json", "generation_config.json"):
        path = tmp_path / "bytes" / name
        fields = json.loads(path.read_text(encoding="utf-8"))
        fields.pop("pad_token", None)
        fields.pop("pad_token_id", None)
        path.write_text(json.dumps(fields), encoding="utf-8")
    return tmp_path / "bytes"


@pytest.mark.slow
def test_letters_of_several_tokens_are_scored_as_a_whole(bytes_model: Path):
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(bytes_model)
    assert tokenizer.pad_token is None
    assert all(len(tokenizer(f" {letter}")["input_ids"]) == 2 for letter in LETTERS)
    scores = open_local(str(bytes_model), device="cpu").option_logprobs(PROMPTS, [LETTERS, LETTERS])
    assert [one.error for one in scores] == [None, None]
    assert all((one.tokens == 2).all() for one in scores)
    model = AutoModelForCausalLM.from_pretrained(bytes_model, dtype=torch.float32).eval()
    for item, prompt in enumerate(PROMPTS):
        for place, letter in enumerate(LETTERS):
            ids = tokenizer(f"{prompt} {letter}")["input_ids"]
            with torch.no_grad():
                logprobs = torch.log_softmax(model(torch.tensor([ids])).logits[0].double(), dim=-1)
            plain = sum(float(logprobs[i - 1, ids[i]]) for i in (-2, -1))
            np.testing.assert_allclose(scores[item].logprobs[place], plain, rtol=0, atol=2e-4)
