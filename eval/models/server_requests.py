"""Requests to OpenAI-compatible servers: what of a run's options stands in which field."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from blend.eval.models.encoding import THINKING_VARIABLES
from blend.eval.models.protocols import ChatOptions, Decoding
from blend.schemas.errors import ArgumentError

VERSION = "/v1"
"""What stands before the path of a request in a batch file, whatever the address of the server."""

CHAT_COMPLETIONS = "/chat/completions"
COMPLETIONS = "/completions"
"""Paths of requests for texts, with the model's chat template and without."""

_TEMPLATE_SETTINGS = "chat_template_kwargs"
"""Field that holds variables of the chat template, as vLLM, SGLang and llama.cpp read it."""

_OWN = ("model", "messages", "prompt", "max_tokens", "max_completion_tokens", "temperature", "seed")
_OTHERS = ("reasoning_effort", "stream", "n", "echo", "logprobs")
"""Fields of a request that a run fills in itself, or cannot do with, so not for `ChatOptions.extra_body`."""


def check_extra_body(extra: Mapping[str, Any]) -> None:
    """Check that further fields of requests are none that a run decides about.

    Raises:
        ArgumentError: If one is.
    """
    for name in extra:
        if name in (*_OWN, *_OTHERS):
            raise ArgumentError(
                f"`extra_body`: {name!r} is not possible, since a run decides about it itself; leave it out "
                "(there are parameters for model, max_tokens, temperature, seed and thinking)"
            )


class TextRequest(NamedTuple):
    """Request for one written answer."""

    path: str
    """Where it goes, behind the address of the server, for example ``/chat/completions``."""
    body: dict[str, Any]
    """What it holds."""


@dataclass
class _Dialect:
    """What a server understands of a request, as its refusals have shown."""

    max_tokens_key: str = "max_tokens"
    """Field of the answer's length, which servers call by two names."""
    fixed_temperature: bool = False
    """Whether the model takes no temperature but its own; then none is said."""

    def learn(self, refused: str | None, body: Mapping[str, Any]) -> bool:
        """Learn from a field that was refused; false where the same request would be sent again."""
        # OpenAI's newer models know the limit by another name only, and take no temperature but their own.
        if refused == "max_tokens" in body and "messages" in body:
            self.max_tokens_key = "max_completion_tokens"
        elif refused == "temperature" and body.get(refused) == 0:
            self.fixed_temperature = True
        else:
            return False
        return True


@dataclass(frozen=True)
class RequestForm:
    """How prompts become requests, the same whether they are sent at once or stand in a batch file."""

    model: str
    """Its name as the server knows it."""
    chat: bool
    """Whether the server applies the model's chat template."""
    decoding: Decoding
    """How answers are written."""
    options: ChatOptions
    """What is said besides the prompt."""
    dialect: _Dialect = field(default_factory=_Dialect)

    def request(self, prompt: str, seed: int) -> TextRequest:
        """The request for one answer; ``seed`` says where drawing starts."""
        decoding, options, extra = self.decoding, self.options, self.options.extra_body or {}
        roles = {"system": options.system, "user": prompt}
        messages = [{"role": role, "content": text} for role, text in roles.items() if text is not None]
        # Which variable the template has only the server knows; one that it does not have changes nothing.
        switch = {} if options.thinking is None else dict.fromkeys(THINKING_VARIABLES, options.thinking == "on")
        fields = {
            "model": self.model,
            self.dialect.max_tokens_key: decoding.max_tokens,
            "temperature": None if self.dialect.fixed_temperature else decoding.temperature,
            "seed": seed if decoding.temperature > 0 else None,
            "stop": list(decoding.stop) or None,
            **({"messages": messages} if self.chat else {"prompt": prompt}),
            "reasoning_effort": options.reasoning_effort,
            _TEMPLATE_SETTINGS: {**switch, **extra.get(_TEMPLATE_SETTINGS, {})} or None,
        }
        body = {**extra, **{name: value for name, value in fields.items() if value is not None}}
        return TextRequest(CHAT_COMPLETIONS if self.chat else COMPLETIONS, body)
