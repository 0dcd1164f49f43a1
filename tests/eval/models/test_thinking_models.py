"""Models here that think: their chat template and tokenizer decide what of a text is a thought."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from blend.eval.models import ChatOptions, Decoding
from blend.eval.models.chosen import Local
from blend.eval.models.local_model import LocalModel, open_local
from helpers.messages import wrong
from helpers.models.tiny_models import CHAT_TEMPLATE, OPENING_TEMPLATE, THINKING_TEMPLATE, make_thinking_model

NO_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('No system') }}{% endif %}"
# A variable that a template sets itself is one.
SETS = (
    "{% if thinking is not defined %}{% set thinking = false %}{% endif %}{{ thinking }}"
    "{% generation %}{% endgeneration %}"
)
TEMPLATES = {
    "thinking": THINKING_TEMPLATE,
    "opening": OPENING_TEMPLATE,
    "gemma": NO_SYSTEM + THINKING_TEMPLATE,
    "setting": SETS + CHAT_TEMPLATE,
}


@pytest.fixture(scope="module")
def made(tiny_gpt2: Path, chat_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes a model that thinks, by the name of its template; a plain one and one that chats are there."""

    @cache
    def make(name: str) -> Path:
        if name in TEMPLATES:
            folder = tmp_path_factory.mktemp(name) / name
            return make_thinking_model(tiny_gpt2, folder, template=TEMPLATES[name])
        return {"plain": tiny_gpt2, "chat": chat_model}[name]

    return make


def local(folder: Path, *, max_tokens: int = 40, chat: bool | None = None, **options: Any) -> LocalModel:
    model, decoding = Local(path=str(folder), device="cpu", chat=chat), Decoding(max_tokens=max_tokens)
    return open_local(model, decoding=decoding, options=ChatOptions(**options))


@pytest.mark.parametrize(
    ("model", "options", "thinks", "found"),
    [
        # Marks that are special tokens are read, and no part of a text.
        ("thinking", {}, True, ("popcorn", "Nachos", "stop")),
        ("thinking", {"thinking": "on"}, True, ("popcorn", "Nachos", "stop")),
        ("thinking", {"thinking": "off"}, False, (None, "Nachos", "stop")),
        # The template has begun the thought.
        ("opening", {}, True, ("popcorn", "Nachos", "stop")),
        # One that is cut says nothing.
        ("opening", {"max_tokens": 2}, True, ("pop", "", "length")),
        ("thinking", {"max_tokens": 3}, True, ("pop", "", "length")),
    ],
)
def test_what_a_model_thinks_and_says(
    made: Callable[[str], Path], model: str, options: dict[str, Any], thinks: bool, found: tuple[Any, ...]
):
    asked = local(made(model), **options)
    assert asked.thinks() == thinks
    [answer] = asked.generate(["What do people eat in the cinema?"])
    assert (answer.thought, answer.text, answer.finish_reason) == found


@pytest.mark.parametrize(
    ("model", "options", "thinks"),
    [("chat", {}, False), ("chat", {"chat": False}, False), ("setting", {"thinking": "on"}, True)],
)
def test_a_template_says_whether_a_model_thinks(
    made: Callable[[str], Path], model: str, options: dict[str, Any], thinks: bool
):
    assert local(made(model), **options).thinks() == thinks


def test_options_are_scored_behind_what_the_template_writes(made: Callable[[str], Path]):
    # Told not to think, the model goes on with its answer; else it would begin a thought.
    def likeliest(**options: Any) -> int:
        [scores] = local(made("thinking"), **options).option_logprobs(["Which?"], [["Nachos", "<think>"]])
        return int((scores.logprobs / scores.tokens).argmax())

    assert (likeliest(thinking="off"), likeliest()) == (0, 1)


def test_a_system_message_stands_before_the_prompt(chat_model: Path):
    (plain,), (told,) = (
        local(chat_model, max_tokens=1, **options).generate(["Hi"]) for options in ({}, {"system": "Be short."})
    )
    assert told.tokens_in > plain.tokens_in


NO_VARIABLE = "the chat template of this model has no variable"
NO_TEMPLATE = (
    "makes sense only where prompts go through the model's chat template, and here they do not; leave it out"
)
REFUSED: dict[tuple[str, str, str], str] = {
    ("chat", "thinking", "off"): f"`thinking`: {NO_VARIABLE} enable_thinking or thinking; leave `thinking` out",
    ("chat", "reasoning_effort", "low"): (
        f"`reasoning_effort`: {NO_VARIABLE} reasoning_effort; leave `reasoning_effort` out"
    ),
    ("plain", "system", "Hi"): f"`system=Hi` {NO_TEMPLATE}",
    ("plain", "thinking", "on"): f"`thinking=on` {NO_TEMPLATE}",
    ("plain", "reasoning_effort", "low"): f"`reasoning_effort=low` {NO_TEMPLATE}",
    ("gemma", "system", "Hi"): (
        "`system`: the chat template of this model takes no message of a system (No system); leave `system` out"
    ),
}


@pytest.mark.parametrize(("model", "option", "value"), REFUSED)
def test_what_a_model_cannot_be_told(made: Callable[[str], Path], model: str, option: str, value: str):
    told = wrong(lambda: local(made(model), **{option: value}))
    assert told == REFUSED[model, option, value]
