"""Checkpoints: what is refused and in which words, and what tells one model from another."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.eval.models.checkpoint import find_checkpoint
from blend.eval.models.chosen import Local
from blend.eval.models.local_model import open_local
from blend.eval.models.model_loading import make_tiny_model
from blend.eval.models.server import open_server
from helpers.in_process import run
from helpers.messages import wrong
from helpers.models.tiny_models import copied


def own_code(folder: Path) -> None:
    config = {"model_type": "our-own", "auto_map": {"AutoModelForCausalLM": "modeling.Ours"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "modeling.py").write_text("raise SystemExit('this ran')")


def without_some_weights(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    del weights["transformer.h.1.mlp.c_fc.weight"], weights["transformer.ln_f.bias"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"
REFUSED: dict[str, Callable[[Path], object]] = {
    "model {0}: there is no config.json, so this is not a model of transformers; give the directory into which "
    "it was saved with save_pretrained": lambda folder: (folder / "config.json").unlink(),
    "model {0}: this is an adapter without its model; merge the two (merge_and_unload of peft), and save the "
    "result and the tokenizer with save_pretrained": (
        lambda folder: (folder / "config.json").rename(folder / "adapter_config.json")
    ),
    "model {0}: there is neither model.safetensors nor model.safetensors.index.json; download the model again, "
    "or, where its weights are a pickle, which can run any code when it is read, and you trust it, convert it "
    "once and evaluate 'converted':\n"
    '  python -c "from transformers import AutoModelForCausalLM as M, AutoTokenizer as T; '
    "[part.from_pretrained('{0}').save_pretrained('converted') for part in (M, T)]\"": (
        lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    ),
    "model {0}: there is no tokenizer (tokenizer.json, tokenizer.model, spiece.model, vocab.json, vocab.txt, "
    "tekken.json); save the one that the model was trained with there, with its save_pretrained": (
        lambda folder: (folder / "tokenizer.json").unlink()
    ),
    "model {0}: model.safetensors has 2532433 bytes instead of 2532440; download or copy it again": (
        lambda folder: os.truncate(folder / "model.safetensors", 2532433)
    ),
    # A pointer instead of weights.
    "model {0}: model.safetensors cannot be loaded (Expecting value: line 1 column 1 (char 0)); download or "
    "save the model again": lambda folder: (folder / "model.safetensors").write_bytes(POINTER),
    # Code that a repository brings along never runs.
    "model tiny: it needs code of its own from its repository, which is never run; serve it where you trust "
    "that code, and evaluate the server (`server`)": own_code,
    # Weights that are missing are not made up.
    "model tiny: its files lack 2 of the model's weights (transformer.h.1.mlp.c_fc.weight, …), or hold them in "
    "another shape; download or save the model again": without_some_weights,
}
"""What is said of a model to which something was done."""


def refused(folder: Path) -> str:
    return wrong(lambda: open_local(Local(path=str(folder), device="cpu")).generate(["Hi"]))


@pytest.mark.parametrize("message", REFUSED)
def test_a_directory_that_cannot_be_used_is_refused(tiny_gpt2: Path, tmp_path: Path, message: str):
    folder = copied(tiny_gpt2, tmp_path / "tiny")
    REFUSED[message](folder)
    assert refused(folder) == message.format(folder)


@pytest.mark.parametrize(
    ("model", "kind"), [("tiny-bert", "BertForMaskedLM"), ("tiny-t5", "T5ForConditionalGeneration")]
)
def test_a_model_that_is_not_causal_is_refused(tiny_gpt2: Path, model: str, kind: str):
    assert refused(tiny_gpt2.with_name(model)) == (
        f"model {model}: it is not a causal language model but {kind}; texts and options need one that "
        "predicts the next token"
    )


def test_a_chat_template_that_is_not_there(tiny_gpt2: Path):
    assert wrong(lambda: open_local(Local(path=str(tiny_gpt2), chat=True)).generate(["Hi"])) == (
        "chat: the tokenizer of this model has no chat template; leave `chat` out, "
        "or save the template beside the tokenizer as chat_template.jinja"
    )


def test_a_name_that_is_nearly_a_directory_s_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny").mkdir()
    for name, hint in {"tinny": "; did you mean 'tiny'?", "gpt2": ""}.items():
        told = wrong(lambda name=name: find_checkpoint(name))
        assert told.startswith(f"Hub model {name} (there is no such directory here{hint}): ")


def test_other_weights_another_digest(tiny_gpt2: Path, tmp_path: Path):
    from safetensors.torch import load_file, save_file

    first = find_checkpoint(str(tiny_gpt2))
    folder = copied(tiny_gpt2, tmp_path / "trained")
    same = find_checkpoint(str(folder))
    digests = (same.config_digest, same.weights_digest, same.tokenizer_digest)
    assert digests == (first.config_digest, first.weights_digest, first.tokenizer_digest)
    weights = load_file(folder / "model.safetensors")
    # One layer somewhere in the middle, trained a little: sizes, names and types stay the same.
    weights["transformer.h.1.mlp.c_fc.weight"] += 1e-3
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    other = find_checkpoint(str(folder))
    assert other.weights_digest != first.weights_digest
    assert other.tokenizer_digest != first.tokenizer_digest
    assert other.config_digest == first.config_digest


# A package that a model needs

USES: dict[str, tuple[str, str, Callable[[Path, Path, Path], Any]]] = {
    "here": (
        "torch",
        "a local model",
        lambda model, release, out: open_local(Local(path=str(model))).option_logprobs(["?"], [["A"]]),
    ),
    "there": (
        "openai",
        "model model",
        lambda model, release, out: open_server("model", "http://127.0.0.1:1/v1").generate(["?"]),
    ),
    "run": (
        "torch",
        "a local model",
        lambda model, release, out: run("eval", "run", release, "--model", model, "--out", out),
    ),
    "make": ("torch", "making a model", lambda model, release, out: make_tiny_model(out)),
}
"""A package, what it is needed for, and what needs it."""


@pytest.mark.parametrize("use", USES)
def test_a_missing_package_is_an_error_that_names_the_extra_and_leaves_nothing(
    tiny_gpt2: Path, sample_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, use: str
):
    package, purpose, call = USES[use]
    monkeypatch.setitem(sys.modules, package, None)
    assert wrong(lambda: call(tiny_gpt2, sample_release, tmp_path / "out")) == (
        f'{purpose} needs an optional dependency; in a checkout of blend-sdk: pip install -e ".[eval]"'
    )
    assert not (tmp_path / "out").exists()
