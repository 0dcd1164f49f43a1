"""Alone: architectures whose scores depend on what is computed beside them are refused beforehand."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blend.eval.models.batches import check_alone
from blend.eval.models.checkpoint import find_checkpoint
from blend.eval.models.chosen import Local
from blend.eval.models.local_model import open_candidate_scorer
from blend.eval.models.model_loading import Device, load_model
from blend.schemas.prompts import Causal
from helpers.messages import wrong
from helpers.models.tiny_models import make_model

T5 = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0}
BART = {
    "d_model": 32, "decoder_start_token_id": 0,
    **{f"{part}_{what}": n for part in ("encoder", "decoder")
       for what, n in (("layers", 2), ("attention_heads", 4), ("ffn_dim", 64))},
}  # fmt: skip
FEELS_OTHERS: dict[str, dict[str, Any]] = {
    # Masked: padding is mixed in, or attention is approximated from what the batch holds.
    "FNetConfig": {"max_position_embeddings": 128},
    "ConvBertConfig": {"embedding_size": 32},
    # Encoder-decoders: no plain T5, whose places in the text a tree can stand for.
    "LongT5Config": T5,
    "SwitchTransformersConfig": {**T5, "num_layers": 4, "num_decoder_layers": 4, "num_experts": 4,
                                 "num_sparse_encoder_layers": 2, "num_sparse_decoder_layers": 2},
    "BartConfig": BART,
    # Causal by name: they read what follows, or padding goes into their state.
    "XLNetConfig": {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 64},
    "RwkvConfig": {"attention_hidden_size": 32},
}  # fmt: skip
PROMPTS = ["poutine is a dish made with [Y].", "In Canada, poutine is a dish that uses [Y] as an ingredient."]
WORDS = ["egg", "cheese curds", "dark chocolate", "dark", "soy sauce", "soy", "gravy and chips"]


@pytest.fixture(scope="module")
def made(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Makes a random model of an architecture, with the tokenizer of its kind; each once."""

    @cache
    def make(name: str) -> str:
        options = FEELS_OTHERS[name]
        kind, head, vocabulary = "tiny-gpt2", "AutoModelForCausalLM", 4000
        if "decoder_start_token_id" in options:
            kind, head, vocabulary = "tiny-t5", "AutoModelForSeq2SeqLM", 4020
        elif name in ("FNetConfig", "ConvBertConfig"):
            kind, head = "tiny-bert", "AutoModelForMaskedLM"
        folder = tmp_path_factory.mktemp(name) / name.removesuffix("Config")
        tokenizer = shared / "models" / kind
        return str(make_model(name, tokenizer, folder, head=head, vocabulary=vocabulary, **options))

    return make


@pytest.mark.slow
@pytest.mark.parametrize(
    ("architecture", "causal"),
    [*((name, "conditional") for name in FEELS_OTHERS), ("XLNetConfig", "statement")],
)
def test_architectures_that_feel_what_is_beside_them_are_refused(
    made: Callable[[str], str], architecture: str, causal: Causal
):
    kept: list[Any] = []
    prober = open_candidate_scorer(Local(path=made(architecture), device="cpu"), causal=causal)
    told = wrong(
        lambda: prober.candidate_logprobs(PROMPTS, [0, 0], [WORDS], keep=lambda *one: kept.append(one))
    )
    name = architecture.removesuffix("Config")
    assert re.fullmatch(
        rf"model {name}: '[a-z .]+' has the log-probability -[\d.]+ computed by itself and -[\d.]+ "
        rf"computed with the others \(\d+ tokens?; float32 explains 0\.0[\d]+\); scores of a {name}\w+ would "
        r"depend on what happens to be computed beside them, so nothing was computed: evaluate a model of "
        r"another architecture",
        told,
    )
    assert kept == []


def test_a_model_whose_numbers_do_not_fit_into_its_type(tiny_gpt2: Path):
    model = load_model(find_checkpoint(str(tiny_gpt2)), Device("cpu", "float32"))
    nothing = np.array([np.nan])
    assert wrong(lambda: check_alone(model, "org/odd", ["egg"], np.array([1]), nothing, nothing)) == (
        "model org/odd: 'egg' has no log-probability in float32: its numbers do not fit into that type, so "
        "nothing was computed; use dtype bfloat16 or float32"
    )
