"""Models as callers choose them, and how texts are asked for.

Fields of these objects are parameters of the library, options of the command line and, where they can change an
answer, what ``run.json`` keeps and a signature shows: each is written once, here. A caller's own model is any
object that answers: nothing has to be inherited, each task asks with one method, and what it gives back is
checked.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self

import numpy as np
from pydantic import Field, ValidationError, field_validator, model_validator

from blend.eval.models import (
    AnswerTable,
    Generation,
    Likelihoods,
    ModelDescription,
    OnGenerations,
    OnLikelihoods,
)
from blend.eval.models.replies import split_thought
from blend.schemas.errors import ArgumentError
from blend.schemas.models import FrozenModel, field_errors
from blend.schemas.texts import pluralise

Dtype = Literal["float32", "bfloat16", "float16"]


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


_OF_A_RUN = (
    *("model", "messages", "prompt", "max_tokens", "max_completion_tokens", "temperature", "seed"),
    *("reasoning_effort", "stream", "n", "echo", "logprobs"),
)
"""Fields of a request that a run fills in itself, or cannot do with, so not for `Server.extra_body`."""


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
        for name in fields if isinstance(fields, dict) else ():
            if name in _OF_A_RUN:
                raise ArgumentError(
                    f"`extra_body`: {name!r} is not possible, since a run decides about it itself; leave it "
                    "out (there are parameters for model, max_tokens, temperature, seed and thinking)"
                )
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


def money(amount: float) -> str:
    """An amount for people: two decimals, or two digits of what is less than one."""
    return f"{amount:,.2f}" if amount >= 1 else f"{amount:.2g}"


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
    """Hears how many requests and tokens a run will take (`AskingPlan`), before the first
    question; an error that it raises keeps it from being asked."""

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


PROMPTS_AT_A_TIME = 64
"""Prompts that an object is handed at a time; what it answered until it stops is kept so many at a time."""


class TextModel(Protocol):
    """Any object that writes."""

    def generate(self, prompts: list[str], /) -> Sequence[str | Generation]:
        """Texts, one per prompt, in order."""
        ...


class OptionModel(Protocol):
    """Any object that says how likely each of some options is."""

    def option_logprobs(self, prompts: list[str], options: list[list[str]], /) -> Sequence[Sequence[float]]:
        """Log-probabilities of each prompt's options after it, in order."""
        ...


class CandidateModel(Protocol):
    """Any object that says how well each of many candidates fits a gap."""

    def candidate_logprobs(
        self, prompts: list[str], candidates: list[list[str]], /
    ) -> Sequence[Sequence[float | None]]:
        """Scores of each prompt's candidates in its gap ``[Y]``; null for one that it cannot rank."""
        ...


OwnModel = TextModel | OptionModel | CandidateModel
"""An object of a caller's; runs know it by its attribute ``name``, if it has one, else by its class's name."""


_METHODS = {"text": "generate", "logprobs": "option_logprobs", "candidates": "candidate_logprobs"}
"""The method by which each kind of answer is asked for."""


def callers_model(model: OwnModel, asked_for: Literal["text", "logprobs", "candidates"]) -> Any:
    """An object as a model that writes, chooses, or scores candidates.

    Args:
        model: The object; one that describes itself, as a `models.Model` does, is used as it is.
        asked_for: What it will be asked for.

    Raises:
        ArgumentError: If it lacks the method that the task asks with.
    """
    if isinstance(model, type):
        raise ArgumentError(
            f"`model`: {model.__name__} is a class; hand over an object of it, {model.__name__}(…)"
        )
    if not callable(getattr(model, _METHODS[asked_for], None)):
        raise ArgumentError(
            f"`model`: an object of type {type(model).__name__} has no method {_METHODS[asked_for]}, which "
            "this task asks with; add it, or name a model"
        )
    return model if hasattr(model, "describe") else _CallersModel(model)


def writes_alone(model: object) -> bool:
    """Whether an object writes and does not tell how likely options are."""
    return callable(getattr(model, "generate", None)) and not callable(getattr(model, "option_logprobs", None))


class _CallersModel:
    """A caller's object as a `models.Model`; every option counts as one token."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def describe(self) -> ModelDescription:
        """See `models.Model.describe`."""
        name = str(getattr(self._model, "name", None) or type(self._model).__name__)
        return ModelDescription(backend="python", id=name, chat=False, delimiter="")

    def generate(
        self, prompts: Sequence[str], *, keep: OnGenerations | None = None, **_: Any
    ) -> Sequence[Generation]:
        """See `local_model.LocalModel.generate`; the object hears of prompts alone."""

        def written(some: slice) -> list[Generation]:
            texts = list(prompts[some])
            return [*map(_generation, _listed("generate", self._model.generate(texts), len(texts)))]

        return self._in_blocks(len(prompts), keep, written)

    def option_logprobs(
        self,
        prompts: Sequence[str],
        options: Sequence[Sequence[str]],
        *,
        keep: OnLikelihoods | None = None,
        method: str = "option_logprobs",
    ) -> Sequence[Likelihoods]:
        """See `local_model.LocalModel.option_logprobs`."""

        def scored(some: slice) -> list[Likelihoods]:
            texts, offered = list(prompts[some]), [*map(list, options[some])]
            found = _listed(method, getattr(self._model, method)(texts, offered), len(texts))
            return [_row(method, values, len(own)) for values, own in zip(found, offered, strict=True)]

        return self._in_blocks(len(prompts), keep, scored)

    def candidate_logprobs(
        self,
        prompts: Sequence[str],
        sets: Sequence[int],
        candidates: Sequence[Sequence[str]],
        *,
        keep: OnLikelihoods | None = None,
    ) -> Sequence[Likelihoods]:
        """See `candidates.KindScorer.candidate_logprobs`; NaN for null."""
        offered = [candidates[which] for which in sets]
        return self.option_logprobs(prompts, offered, keep=keep, method="candidate_logprobs")

    def tokenised(self, candidates: Sequence[str], *, after_blank: bool) -> list[Any]:
        """Nothing: how the object divides a text is not known."""
        del candidates, after_blank
        return []

    def _in_blocks(self, n_prompts: int, keep: Any, answered: Callable[[slice], list[Any]]) -> list[Any]:
        """The answers to all prompts, of which the object is handed some at a time."""
        table = AnswerTable[Any](n_prompts, keep)
        for start in range(0, n_prompts, PROMPTS_AT_A_TIME):
            answers = answered(slice(start, start + PROMPTS_AT_A_TIME))
            table.put(range(start, start + len(answers)), answers)
        return table.all()


def _row(method: str, values: Any, n_options: int) -> Likelihoods:
    try:
        row = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        row = np.empty(0)
    # A candidate that cannot be ranked is null, and then NaN; an option cannot be so.
    is_number = np.isfinite(row) | (np.isnan(row) & (method == "candidate_logprobs"))
    # Options of which none is below 0 have probabilities, not their logarithms.
    is_probability = method == "option_logprobs" and not (row < 0).any() and (row > 0).any()
    if row.shape != (n_options,) or not is_number.all() or is_probability:
        wanted = "a finite number for each"
        if method == "option_logprobs":
            wanted = "a finite logarithm of its probability, 0 at most, for each"
        raise ArgumentError(
            f"`model`: {method} gave {values!r:.60} for a prompt with {n_options} options; give {wanted}"
        )
    return Likelihoods(row, np.ones(n_options, dtype=np.int32), 0)


def _listed(method: str, found: Any, wanted: int) -> list[Any]:
    """Return what an object gave for some prompts, as a list of as many."""
    # What has no order, or is one text, would be taken apart without a word.
    is_listed = isinstance(found, Iterable) and not isinstance(found, str | bytes | Mapping | Set)
    answers = list(found) if is_listed else []
    if not is_listed or len(answers) != wanted:
        gave = pluralise(len(answers), "answer") if is_listed else f"an object of type {type(found).__name__}"
        raise ArgumentError(
            f"`model`: {method} gave {gave} to {pluralise(wanted, 'prompt')}; return a list with one answer "
            "per prompt, in their order"
        )
    return answers


def _generation(answer: Any) -> Generation:
    written = Generation(answer, None, None, "stop") if isinstance(answer, str) else answer
    try:
        written.text.encode()
    except (AttributeError, UnicodeEncodeError):
        raise ArgumentError(
            f"`model`: generate gave {answer!r:.60} in place of a text; return a text in valid Unicode per "
            "prompt, an empty one where the model says nothing"
        ) from None
    split = split_thought(written.text)
    thoughts = [thought for thought in (written.thought, split.thought) if thought]
    return replace(written, text=split.text, thought="\n".join(thoughts) or None)
