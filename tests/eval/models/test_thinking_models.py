"""Models here that think: their chat template and tokenizer decide what of a text is a thought."""

from pathlib import Path
from typing import Any

import pytest

from blend.eval.models.local_model import LocalModel, open_local
from blend.eval.models.protocols import ChatOptions, Decoding
from blend.schemas.errors import ArgumentError
from helpers.models.tiny_models import CHAT_TEMPLATE, OPENING_TEMPLATE, THINKING_TEMPLATE, make_thinking_model


@pytest.fixture(scope="module")
def thinking(tiny_gpt2: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_thinking_model(tiny_gpt2, tmp_path_factory.mktemp("thinks") / "tiny-thinking")


@pytest.fixture(scope="module")
def opening(tiny_gpt2: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("opens") / "tiny-opening"
    return make_thinking_model(tiny_gpt2, folder, template=OPENING_TEMPLATE)


def local(folder: Path, *, max_tokens: int = 40, **options: Any) -> LocalModel:
    decoding = Decoding(max_tokens=max_tokens)
    return open_local(str(folder), device="cpu", decoding=decoding, options=ChatOptions(**options))


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
    request: pytest.FixtureRequest, model: str, options: dict[str, Any], thinks: bool, found: tuple[Any, ...]
):
    asked = local(request.getfixturevalue(model), **options)
    assert asked.thinks() == thinks
    [answer] = asked.generate(["What do people eat in the cinema?"])
    assert (answer.thought, answer.text, answer.finish_reason) == found


def test_a_model_whose_template_knows_no_thoughts(chat_model: Path):
    assert not local(chat_model).thinks()
    assert not open_local(str(chat_model), device="cpu", chat=False).thinks()


def test_options_are_scored_behind_what_the_template_writes(thinking: Path):
    # Told not to think, the model goes on with its answer; else it would begin a thought.
    def likeliest(**options: Any) -> int:
        [scores] = local(thinking, **options).option_logprobs(["Which?"], [["Nachos", "<think>"]])
        return int((scores.logprobs / scores.tokens).argmax())

    assert (likeliest(thinking="off"), likeliest()) == (0, 1)


def test_a_system_message_stands_before_the_prompt(chat_model: Path):
    plain, told = (
        open_local(str(chat_model), device="cpu", decoding=Decoding(max_tokens=1), options=options)
        for options in (None, ChatOptions(system="Be short."))
    )
    assert told.generate(["Hi"])[0].tokens_in > plain.generate(["Hi"])[0].tokens_in


def test_a_variable_that_a_template_sets_itself_is_one(tiny_gpt2: Path, tmp_path: Path):
    set_inside = "{% if thinking is not defined %}{% set thinking = false %}{% endif %}{{ thinking }}"
    template = set_inside + "{% generation %}{% endgeneration %}" + CHAT_TEMPLATE
    assert local(make_thinking_model(tiny_gpt2, tmp_path / "sets", template=template), thinking="on").thinks()


NO_VARIABLE = "the chat template of this model has no variable"
NO_TEMPLATE = (
    "makes sense only where prompts go through the model's chat template, and here they do not; leave it out"
)
NO_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('No system') }}{% endif %}"


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (
            "chat_model",
            {"thinking": "off"},
            f"`thinking`: {NO_VARIABLE} enable_thinking or thinking; leave `thinking` out",
        ),
        (
            "chat_model",
            {"reasoning_effort": "low"},
            f"`reasoning_effort`: {NO_VARIABLE} reasoning_effort; leave `reasoning_effort` out",
        ),
        ("tiny_gpt2", {"system": "Hi"}, f"`system=Hi` {NO_TEMPLATE}"),
        ("tiny_gpt2", {"thinking": "on"}, f"`thinking=on` {NO_TEMPLATE}"),
        ("tiny_gpt2", {"reasoning_effort": "low"}, f"`reasoning_effort=low` {NO_TEMPLATE}"),
        (
            "gemma",
            {"system": "Hi"},
            (
                "`system`: the chat template of this model takes no message of a system (No system); leave "
                "`system` out"
            ),
        ),
    ],
)
def test_what_a_model_cannot_be_told(
    request: pytest.FixtureRequest, model: str, options: dict[str, Any], message: str
):
    with pytest.raises(ArgumentError) as caught:
        local(request.getfixturevalue(model), **options)
    assert str(caught.value) == message


@pytest.fixture(scope="module")
def gemma(tiny_gpt2: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose template refuses a system message."""
    folder = tmp_path_factory.mktemp("gemma") / "gemma"
    return make_thinking_model(tiny_gpt2, folder, template=NO_SYSTEM + THINKING_TEMPLATE)
