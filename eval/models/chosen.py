"""Models as callers choose them, and how texts are asked for.

Their fields are parameters of the library, options of the command line and, where they can change an answer,
what ``run.json`` keeps and a signature shows: each is written once, here.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from blend.eval.models.model_loading import Dtype
from blend.eval.models.server_requests import check_extra_body
from blend.schemas.errors import ArgumentError
from blend.schemas.models import FrozenModel, field_errors


class _Chosen(FrozenModel):
    if not TYPE_CHECKING:  # who writes a call sees the fields

        def __init__(self, **fields: Any) -> None:
            try:
                super().__init__(**fields)
            except ValidationError as error:
                first = next(field_errors(error))
            else:
                return
            what = f"`{first.location}`: {first.value!r} is not possible ({first.message})"
            raise ArgumentError(first.message if first.is_ours else what)

    def given(self, *names: str) -> dict[str, Any]:
        """Fields that somebody gave, by name."""
        return {name: value for name in names if (value := getattr(self, name)) not in (None, ())}


class Local(_Chosen):
    """A model of transformers that is computed here."""

    path: str
    """Directory, or Hub id."""
    revision: str | None = None
    """Commit or tag of a model on the Hub."""
    device: str | None = None
    """Where it computes, as torch names it, or auto for all GPUs together; on a GPU when absent, if there is
    one."""
    dtype: Dtype | None = None
    """Numbers that it computes in; bfloat16 on a GPU and float32 elsewhere when absent."""
    batch_size: int | None = Field(default=None, ge=1)
    """Prompts computed at a time; as many as memory allows when absent."""
    chat: bool | None = None
    """Whether prompts go through the chat template; if the model has one when absent."""


class Server(_Chosen):
    """A model on a server that speaks OpenAI's protocol."""

    name: str
    """Name by which the server knows it."""
    url: str | None = None
    """Address of the server, such as http://localhost:8000/v1; OpenAI's own when absent."""
    concurrency: int = Field(default=32, ge=1)
    """Requests under way at a time on a server."""
    extra_body: dict[str, Any] | None = None
    """Further fields of every request to a server, an object of JSON such as {"top_k": 20}."""
    chat: bool = True
    """Whether the server applies the chat template; else prompts go to it as they are."""

    @field_validator("extra_body", mode="before")
    @classmethod
    def _are_free(cls, given: Any) -> Any:
        fields = given
        if isinstance(given, str):
            try:
                fields = json.loads(given)
            except (ValueError, RecursionError):
                fields = None
            if not isinstance(fields, dict):
                example = '{"top_k": 20}'
                raise ValueError(f"`extra_body={given}`: expected an object of JSON such as '{example}'")
        if isinstance(fields, dict):
            check_extra_body(fields)
        return fields


class Recorded(_Chosen):
    """Answers that another tool's model gave; nobody is asked."""

    path: Path
    """Table, JSON Lines or Parquet file, log of lm-eval or Inspect, results of a batch, or predictions."""
    name: str | None = None
    """Name of the model that gave them; the file's when absent."""


class Decoding(_Chosen):
    """How answers are written, and what is said besides the question; what is null is as usual."""

    max_tokens: int | None = Field(default=None, ge=1)
    """Tokens that an answer may have, with the thought before it; 128 when absent, or 16,384 of a model that
    thinks."""
    temperature: float | None = Field(default=None, ge=0)
    """0 writes the likeliest token each time, as when absent; above it, tokens are drawn."""
    seed: int | None = Field(default=None, ge=0)
    """Where drawing starts; 0 when absent."""
    system: str | None = None
    """Message of an operator before each prompt."""
    thinking: str | None = None
    """Whether a model thinks before it answers, on or off, or how much, in its own word for it such as low; as
    its chat template has it when absent."""


class Shard(NamedTuple):
    """One of several machines that write to one run: it asks every ``of``-th item."""

    number: int
    """Its number, from 1."""
    of: int
    """How many there are."""

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


class Price(NamedTuple):
    """Price of a million tokens, in any money."""

    tokens_in: float
    """Of those of a prompt."""
    tokens_out: float
    """Of those that are written, thoughts among them."""

    def __str__(self) -> str:
        return f"{self.tokens_in:g},{self.tokens_out:g}"

    def of(self, tokens_in: int | None, tokens_out: int | None) -> float:
        """Cost of some tokens; unknown ones cost nothing."""
        return (self.tokens_in * (tokens_in or 0) + self.tokens_out * (tokens_out or 0)) / 1_000_000


class Asking(_Chosen):
    """By which way a model is asked, and at what cost; none of it changes an answer."""

    shard: Shard | None = None
    """Which of several machines that write to one run this is, and how many: the I-th of N asks every N-th
    item."""
    batch_out: Path | None = None
    """Ask nobody, and write the requests for a server to this file, in the batch format that OpenAI, vLLM and
    others read; to several where it would be too large."""
    batch_in: tuple[Path, ...] = ()
    """Ask nobody, and read results of such files, one or several, in any order."""
    price: Price | None = None
    """Price of a million tokens in, and of a million out, in any money."""
    budget: float | None = Field(default=None, ge=0)
    """Cost at that price from which on nobody is asked; what is under way then is still kept."""
    on_plan: Callable[[Any], None] | None = None
    """Hears how many requests and tokens a run will take (`usage.AskingPlan`), before the first question; an
    error that it raises keeps it from being asked."""

    @field_validator("batch_in", mode="before")
    @classmethod
    def _one_is_several(cls, paths: Any) -> Any:
        return (paths,) if isinstance(paths, str | Path) else paths

    @field_validator("shard", mode="before")
    @classmethod
    def _of_machines(cls, given: Any) -> Shard | None:
        found = None if given is None else _two(given, "/", int)
        if found is None or 1 <= found[0] <= found[1]:
            return found and Shard(*found)
        raise ValueError(f"`shard={given}`: expected two numbers such as 2/4, the second of four machines")

    @field_validator("price", mode="before")
    @classmethod
    def _of_tokens(cls, given: Any) -> Price | None:
        found = None if given is None else _two(given, ",", float)
        if found is None or all(0 <= one < float("inf") for one in found):
            return found and Price(*found)
        raise ValueError(
            f"`price={given}`: expected two numbers from 0 on such as 0.15,0.60, of a million tokens in and out"
        )

    @model_validator(mode="after")
    def _can_be(self) -> Self:
        if self.batch_out is not None and self.batch_in:
            raise ValueError("give `batch_out` or `batch_in`, and not both")
        if self.budget is not None and self.price is None:
            raise ValueError("`budget` needs a `price`, by which it is known what is spent")
        return self

    @property
    def in_files(self) -> bool:
        """Whether questions go out, or answers come in, in files."""
        return self.batch_out is not None or bool(self.batch_in)


def _two(given: Any, sign: str, number: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Two numbers, also as people type them, with a sign between them; impossible ones for anything else."""
    try:
        first, second = map(number, given.split(sign) if isinstance(given, str) else given)
    except (TypeError, ValueError):
        return -1, -1
    return first, second
