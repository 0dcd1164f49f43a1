"""What a model is asked and what it gives back: arrays in, arrays out, whatever is behind it.

A model never knows which task it is asked for. An item that it could not answer comes back as an error of its
own, in its place, and the others are answered all the same: what to do about it is for the caller to say.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from blend.schemas.errors import ArgumentError

FinishReason = Literal["stop", "length", "content_filter", "error"]

BLANK = " "
"""What stands between a prompt and an option, except after a chat template."""


class Decoding(BaseModel):
    """Settings of generating texts; every field can change an answer, so all of them stand in a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_tokens: int = Field(default=128, ge=1)
    """Tokens that an answer may have at most."""
    temperature: float = Field(default=0.0, ge=0.0)
    """0 takes the likeliest token each time (greedy); above it, tokens are drawn."""
    seed: int = 0
    """Where drawing starts; without effect at temperature 0."""
    stop: tuple[str, ...] = ()
    """Texts at which an answer ends; they do not belong to it."""


Thinking = Literal["on", "off"]
"""Whether a model that can do both is told to think before it answers, or not to."""


class ChatOptions(BaseModel):
    """How a model is spoken to besides the prompt; every field can change an answer, and null leaves it out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    system: str | None = None
    """Message before the prompt in which an operator speaks to the model."""
    thinking: Thinking | None = None
    """Variable of the chat template by which a model thinks or does not; as the template has it when null."""
    reasoning_effort: str | None = None
    """How much a model thinks, in the model's own word for it, such as ``low``."""
    extra_body: dict[str, Any] | None = None
    """Further fields of every request to a server."""


def check_no_chat_options(options: ChatOptions | None) -> None:
    """Check that nothing is to be said besides prompts, where there is no chat template to say it by.

    Raises:
        ArgumentError: If something is.
    """
    for name in ("system", "thinking", "reasoning_effort"):
        if (value := getattr(options, name, None)) is not None:
            raise ArgumentError(
                f"`{name}={value}` makes sense only where prompts go through the model's chat template, and "
                "here they do not; leave it out"
            )


class ModelDescription(BaseModel):
    """Model that answered, and how it ran: what a run directory keeps of it and a resumed run compares."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    backend: Literal["transformers", "server", "python"]
    """What computed the answers."""
    scorer: str | None = None
    """How candidates were scored (``masked``, ``encoder_decoder``, ``causal``); absent where none were."""
    id: str
    """Hub id, name of the directory, or the name by which a server knows the model."""
    revision: str | None = None
    """Commit on the Hub; absent for directories and servers."""
    served_as: str | None = None
    """Name under which a server answers, which may say more than the one asked for; absent elsewhere."""
    config_digest: str | None = None
    """SHA-256 of ``config.json``; a server does not tell."""
    weights_digest: str | None = None
    """SHA-256 over the headers of the weights' files and the first 4 KiB of every tensor."""
    tokenizer_digest: str | None = None
    """SHA-256 over the files of the tokenizer, the chat template among them."""
    chat: bool
    """Whether prompts go through the model's chat template."""
    delimiter: str
    """What stands between a prompt and an option."""
    context_tokens: int | None = None
    """Tokens that prompt and answer may have together."""
    dtype: str | None = None
    """Type of the weights while computing, for example ``float32``."""
    device: str | None = None
    """``cpu``, or the name of the GPU."""
    server: str | None = None
    """Address of the server, without user, password and query."""
    versions: dict[str, str] = {}
    """Versions of the libraries that compute, by name."""


@dataclass(frozen=True, slots=True)
class Generation:
    """Text that a model wrote after one prompt, or why it wrote nothing."""

    text: str
    """What it said, special tokens left out; empty with an error, and where a thought does not end."""
    tokens_in: int | None
    """Tokens of the prompt, with those that a chat template adds; absent when unknown."""
    tokens_out: int | None
    """Tokens written, the one that ends the text among them; absent when unknown."""
    finish_reason: FinishReason | str
    """``length`` when the text was cut at `Decoding.max_tokens`, ``content_filter`` when a filter of the
    server stopped it; a server's own word where nobody knows what it means, and the text counts as whole."""
    error: str | None = None
    """What went wrong, in words for a user; only with the reason ``error``."""
    thought: str | None = None
    """What it thought before; null where it did not, or where a server keeps it to itself."""
    tokens_thought: int | None = None
    """Tokens of those written that it thought; absent when unknown."""

    @classmethod
    def failed(cls, error: str, *, tokens_in: int | None = None) -> Self:
        """An item without an answer, and why."""
        return cls("", tokens_in, None, "error", error)


@dataclass(frozen=True, slots=True, eq=False)
class Likelihoods:
    """Likelihood of each option after a prompt, or of each candidate in its gap; or why there is none."""

    logprobs: NDArray[np.float64]
    """Sum of the log-probabilities (natural logarithm) of the tokens of each, shape ``(n_options,)``; NaN of a
    candidate that cannot be ranked."""
    tokens: NDArray[np.int32]
    """Tokens that the sum is over, same shape; those that it has where it is not ranked."""
    tokens_in: int
    """Tokens of the prompt; 0 when unknown."""
    error: str | None = None
    """Why there are no scores at all, in words for a user; then both arrays are empty."""

    @classmethod
    def failed(cls, error: str, *, tokens_in: int = 0) -> Self:
        """A prompt without scores, and why."""
        return cls(np.empty(0), np.empty(0, dtype=np.int32), tokens_in, error)


OnGenerations = Callable[[Sequence[int], Sequence[Generation]], None]
"""Takes answers as soon as they are there: positions of their prompts, and the answers in that order."""

OnLikelihoods = Callable[[Sequence[int], Sequence[Likelihoods]], None]
"""Takes scores in the same way."""


class StopAsking(Exception):
    """Raised by who takes answers: no further item is to be asked, and those under way are still taken."""


class Model(Protocol):
    """Model that can be asked: it has ``generate``, ``option_logprobs`` or ``candidate_logprobs`` as well.

    `local_model.LocalModel` and `candidates.KindScorer` say what these take and give back.
    """

    def describe(self) -> ModelDescription:
        """Say which model answers, and how it runs."""
        ...


def draw_seeds(prompts: Sequence[str], samples: Sequence[int] | None, decoding: Decoding) -> list[int]:
    """Say where drawing starts for each prompt: a digest of prompt, draw and seed, and nothing else.

    For the arguments see `local_model.LocalModel.generate`.
    """
    draws = [0] * len(prompts) if samples is None else samples
    texts = [f"{decoding.seed}|{draw}|{prompt}" for prompt, draw in zip(prompts, draws, strict=True)]
    # 31 bits of the digest, which a signed number of 32 bits can hold.
    return [int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1 for text in texts]


Answer = TypeVar("Answer")


class AnswerTable(Generic[Answer]):
    """Room for what a model answers to some prompts: a text or scores, or why there is none."""

    def __init__(self, n_items: int, keep: Callable[[Sequence[int], Sequence[Answer]], None] | None) -> None:
        """Prepare.

        Args:
            n_items: Number of prompts.
            keep: See `local_model.LocalModel.generate`.
        """
        self._n_items = n_items
        self._answers: dict[int, Answer] = {}
        self._keep = keep

    def put(self, items: Sequence[int], answers: Sequence[Answer]) -> None:
        """The answers of some items, in their order."""
        self._answers.update(zip(items, answers, strict=True))
        if self._keep is not None and items:
            self._keep(items, answers)

    def all(self) -> list[Answer]:
        """The answers of all items, each of which has been put."""
        return [self._answers[item] for item in range(self._n_items)]
