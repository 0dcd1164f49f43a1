"""Requests to OpenAI-compatible servers: what of a run's options stands in which field."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from blend.eval.models.chat_template import THINKING_VARIABLES
from blend.eval.models.protocols import ChatOptions, Decoding
from blend.schemas.errors import ArgumentError

VERSION = "/v1"
"""What stands before the path of a request in a batch file, whatever the address of the server."""

CHAT_COMPLETIONS = "/chat/completions"
COMPLETIONS = "/completions"
"""Path of requests for texts, or for the likelihood of texts, without a chat template."""

_TEMPLATE_SETTINGS = "chat_template_kwargs"
"""Field that holds variables of the chat template, as vLLM, SGLang and llama.cpp read it."""

_OWN_FIELDS = {
    "model": "`model` names it",
    "messages": "the questions are what is sent",
    "prompt": "the questions are what is sent",
    "stream": "replies are read whole",
    "n": "one answer is read of each reply",
    "max_tokens": "`max_tokens` says it",
    "max_completion_tokens": "`max_tokens` says it",
    "temperature": "`temperature` says it",
    "seed": "`seed` says it",
    "echo": "answers would hold the questions",
    "logprobs": "they are asked for where they are read",
}
"""Fields of a request that are not for `ChatOptions.extra_body`, and why."""


def check_extra_body(extra: Mapping[str, Any]) -> None:
    """Check that further fields of requests are none that a run fills in itself.

    Raises:
        ArgumentError: If one is; says why.
    """
    for name in extra:
        if name in _OWN_FIELDS:
            raise ArgumentError(
                f"`extra_body`: {name!r} is not possible ({_OWN_FIELDS[name]}); leave it out of `extra_body`"
            )


class TextRequest(NamedTuple):
    """Request for one written answer."""

    path: str
    """Where it goes, behind the address of the server, for example ``/chat/completions``."""
    body: dict[str, Any]
    """What it holds."""


def text_request(
    model: str,
    prompt: str,
    *,
    seed: int,
    chat: bool,
    decoding: Decoding,
    options: ChatOptions,
    max_tokens_key: str = "max_tokens",
    fixed_temperature: bool = False,
) -> TextRequest:
    """The request for one written answer, the same whether it is sent at once or stands in a batch file.

    Args:
        model: Its name as the server knows it.
        prompt: What is asked.
        seed: Where drawing starts.
        chat: Whether the server applies the model's chat template.
        decoding: How the answer is written.
        options: What is said besides the prompt.
        max_tokens_key: Field of the answer's length, which servers call by two names.
        fixed_temperature: Whether the model takes no temperature but its own; then none is said.
    """
    asked = chat_fields(options, prompt) if chat else {"prompt": prompt}
    fields = {max_tokens_key: decoding.max_tokens, **decoding_fields(decoding, seed), **asked}
    if fixed_temperature:
        del fields["temperature"]
    path = CHAT_COMPLETIONS if chat else COMPLETIONS
    return TextRequest(path, with_extra({"model": model, **fields}, options))


def decoding_fields(decoding: Decoding, seed: int) -> dict[str, Any]:
    """How a text is written, but for its length, whose field servers call by two names."""
    fields: dict[str, Any] = {"temperature": decoding.temperature}
    if decoding.temperature > 0:
        fields["seed"] = seed
    if decoding.stop:
        fields["stop"] = list(decoding.stop)
    return fields


def chat_fields(options: ChatOptions, prompt: str) -> dict[str, Any]:
    """What is said to a model, and how its chat template is set."""
    messages = [{"role": "user", "content": prompt}]
    if options.system is not None:
        messages.insert(0, {"role": "system", "content": options.system})
    fields: dict[str, Any] = {"messages": messages}
    if options.thinking is not None:
        # Which variable the template has only the server knows; one that it does not have changes nothing.
        fields[_TEMPLATE_SETTINGS] = dict.fromkeys(THINKING_VARIABLES, options.thinking == "on")
    if options.reasoning_effort is not None:
        fields["reasoning_effort"] = options.reasoning_effort
    return fields


def with_extra(fields: dict[str, Any], options: ChatOptions) -> dict[str, Any]:
    """The body of a request with the further fields; settings of the template are added to ours."""
    extra = options.extra_body or {}
    settings = {**fields.get(_TEMPLATE_SETTINGS, {}), **extra.get(_TEMPLATE_SETTINGS, {})}
    return {**fields, **extra, **({_TEMPLATE_SETTINGS: settings} if settings else {})}
