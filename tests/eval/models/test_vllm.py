"""vLLM as a backend, by its interface: `helpers/models/vllm_stand_in` computes in its place."""

import sys
from pathlib import Path

import numpy as np
import pytest

from blend.eval.models import open_model
from blend.eval.models.protocols import ChatOptions, Decoding
from blend.schemas.errors import ArgumentError, InputError, MissingExtraError
from helpers.models.tiny_models import make_thinking_model
from helpers.tiers import rest_nightly

pytestmark = [pytest.mark.slow]

STAND_IN = Path(__file__).resolve().parents[2] / "helpers" / "models" / "vllm_stand_in"
PROMPTS = ["What do people eat?\nA. rice\nB. bread\nAnswer:", "ሰላም እንጀራ", "Which fruit?\nAnswer: ", "x" * 3000]
OPTIONS = [["A", "B"], ["ዳቦ", "እንጀራ በወጥ", "A"], ["mango", "mangosteen"], ["A"]]


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(STAND_IN))
    monkeypatch.delitem(sys.modules, "vllm", raising=False)


@pytest.mark.nightly
@pytest.mark.usefixtures("vllm")
@pytest.mark.parametrize("chat", rest_nightly([True, False], True))
def test_answers_are_those_of_transformers(chat_model: Path, chat: bool):
    for decoding in (Decoding(max_tokens=6), Decoding(max_tokens=300), Decoding(max_tokens=30, stop=("e",))):
        models = [
            open_model(str(chat_model), backend=backend, chat=chat, decoding=decoding)
            for backend in ("vllm", "transformers")
        ]
        there, here = (list(model.generate(PROMPTS)) for model in models)
        assert there == here


@pytest.mark.landing
@pytest.mark.usefixtures("vllm")
@pytest.mark.parametrize("chat", [True, False])
def test_options_score_as_by_transformers(chat_model: Path, chat: bool):
    models = [open_model(str(chat_model), backend=backend, chat=chat) for backend in ("vllm", "transformers")]
    there, here = (model.option_logprobs(PROMPTS, OPTIONS) for model in models)
    np.testing.assert_allclose(there.logprobs, here.logprobs, rtol=0, atol=2e-4)
    for name in ("tokens", "n_bytes", "tokens_in"):
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
    assert [error is None for error in there.errors] == [error is None for error in here.errors]


@pytest.mark.landing
@pytest.mark.usefixtures("vllm")
def test_thoughts_are_told_from_answers(tiny_gpt2: Path, tmp_path: Path):
    folder = make_thinking_model(tiny_gpt2, tmp_path / "thinking")
    for thinking in ("on", "off"):
        answers = [
            list(
                open_model(
                    str(folder),
                    backend=backend,
                    decoding=Decoding(max_tokens=12),
                    options=ChatOptions(thinking=thinking),
                ).generate(["Which snack?"])
            )
            for backend in ("vllm", "transformers")
        ]
        assert answers[0] == answers[1]
        assert answers[0][0].thought == ("popcorn" if thinking == "on" else None)


@pytest.mark.landing
@pytest.mark.usefixtures("vllm")
def test_draws_depend_on_prompt_and_sample_alone(chat_model: Path):
    model = open_model(str(chat_model), backend="vllm", decoding=Decoding(max_tokens=6, temperature=1.0))
    a, b, again = model.generate(["a", "a", "b"], samples=[0, 1, 0])
    assert [answer.text for answer in model.generate(["b", "a", "a"], samples=[0, 1, 0])] == [
        again.text,
        b.text,
        a.text,
    ]
    assert a.text != b.text


@pytest.mark.landing
@pytest.mark.usefixtures("vllm")
def test_what_a_run_keeps_of_it(chat_model: Path):
    description = open_model(str(chat_model), backend="vllm").describe()
    assert (description.backend, description.versions["vllm"]) == ("vllm", "0.0.stand-in")


@pytest.mark.landing
@pytest.mark.usefixtures("vllm")
def test_a_model_that_vllm_cannot_load(chat_model: Path, monkeypatch: pytest.MonkeyPatch):
    import vllm

    def fail(**_: object) -> None:
        raise ValueError("no kernel\nfor this")

    monkeypatch.setattr(vllm, "LLM", fail)
    with pytest.raises(InputError) as caught:
        open_model(str(chat_model), backend="vllm").generate(["Hi"])
    assert str(caught.value) == (
        "model tiny-chat: vLLM cannot load it (no kernel for this); leave `backend` out, or serve it elsewhere "
        "(`server`)"
    )


@pytest.mark.landing
def test_vllm_is_not_installed(chat_model: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(MissingExtraError, match="the backend vllm"):
        open_model(str(chat_model), backend="vllm")


@pytest.mark.landing
@pytest.mark.usefixtures("vllm")
@pytest.mark.parametrize(("option", "value"), [("device", "cpu"), ("batch_size", 4)])
def test_what_vllm_decides_itself_is_refused(chat_model: Path, option: str, value: object):
    with pytest.raises(ArgumentError) as caught:
        open_model(str(chat_model), backend="vllm", **{option: value})
    assert (
        str(caught.value)
        == f"`{option}={value}` makes sense only without `backend=vllm`; leave one of the two out"
    )
