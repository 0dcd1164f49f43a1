"""Parameters of asking: how a model is asked, as a caller says it, checked one by one."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from blend.eval.batch_runs import BatchMode, batch_mode
from blend.eval.models.protocols import Backend, ChatOptions, Thinking
from blend.eval.models.thoughts import Marks, check_marks
from blend.eval.ray_runs import RayMode, ray_mode
from blend.eval.runs.usage import Price
from blend.schemas.errors import ArgumentError, UnknownNameError


@dataclass(frozen=True)
class HowAsked:
    """How a model is asked: parameters of `evaluation.run_task`, as they were given."""

    machine: Mapping[str, Any]
    """Where it computes, or is reached: parameters of `models.open_model`."""
    writing: Mapping[str, Any]
    """How it writes: fields of `Decoding`."""
    speaking: Mapping[str, Any]
    """What is said to it besides the prompts: fields of `ChatOptions`."""
    thought_marks: tuple[Marks, ...]
    """Pairs of marks around thoughts besides the usual ones."""
    shard: tuple[int, int] | None = None
    """Which of several machines this is, and how many there are."""
    batch: BatchMode | None = None
    """How questions go out in batches; null where they are asked one by one."""
    ray: RayMode | None = None
    """Which cluster asks them; null where this process does."""
    price: Price | None = None
    """Price of tokens."""
    budget: float | None = None
    """Cost of a run from which on nobody is asked."""

    @property
    def chat_options(self) -> ChatOptions | None:
        """What is said to it besides the prompts; null where nothing is."""
        return ChatOptions(**self.speaking) if self.speaking else None

    def named(self) -> dict[str, Any]:
        """Everything that concerns who is asked, and not what an answer means, by its parameter."""
        shards = {} if self.shard is None else {"shard": f"{self.shard[0]}/{self.shard[1]}"}
        extra = self.speaking.get("extra_body")
        spoken = {**self.speaking, **({} if extra is None else {"extra_body": json.dumps(extra)})}
        return {**self.machine, **self.writing, **spoken, **shards, **self.paid, **self.batches, **self.cluster}

    @property
    def paid(self) -> dict[str, Any]:
        """What concerns the costs, by its parameter."""
        price = None if self.price is None else f"{self.price.tokens_in:g},{self.price.tokens_out:g}"
        return given(price=price, budget=self.budget)

    @property
    def batches(self) -> dict[str, Any]:
        """What concerns batches, by its parameter."""
        return {} if self.batch is None else self.batch.named

    @property
    def cluster(self) -> dict[str, Any]:
        """What concerns a cluster, by its parameter."""
        return {} if self.ray is None else self.ray.named


def how_asked(**parameters: Any) -> HowAsked:
    """Parameters of `evaluation.run_task` that say who is asked and how, by name, checked one by one.

    Raises:
        TypeError: If there is no such parameter.
        UnknownNameError: If there is no such backend or value of ``thinking``.
        ArgumentError: If a number is too small, a shard is none of as many as there are, or two exclude each
            other.
    """
    rest = dict(parameters)

    def taken(*names: str) -> dict[str, Any]:
        return {name: rest.pop(name, None) for name in names}

    how = HowAsked(
        machine=given(**taken(*_MACHINE)),
        writing=given(**taken("max_tokens", "temperature", "seed")),
        speaking=spoken(**taken("system", "thinking", "reasoning_effort", "extra_body")),
        thought_marks=marks_given(rest.pop("thought_marks", None)),
        shard=rest.pop("shard", None),
        batch=batch_mode(rest.pop("batch", False), **taken("batch_out", "batch_in")),
        ray=ray_mode(**taken("ray", "ray_out", "ray_items")),
        **paid(**taken("price", "budget")),
    )
    if rest:
        raise TypeError(f"there is no parameter {next(iter(rest))!r} of asking")
    if (backend := how.machine.get("backend")) is not None and backend not in get_args(Backend):
        raise UnknownNameError("backend", str(backend), get_args(Backend))
    if how.ray is not None:
        shards = {} if how.shard is None else {"shard": f"{how.shard[0]}/{how.shard[1]}"}
        refuse({**shards, **how.batches}, "where no cluster is asked (`ray`)")
    numbers = {**how.machine, **how.writing, "budget": how.budget, "ray_items": how.ray and how.ray.items}
    check_least(**{name: value for name, value in numbers.items() if name in _LEAST})
    if how.shard is not None and not 1 <= how.shard[0] <= how.shard[1]:
        raise ArgumentError(f"`shard`: {how.shard} is not possible (the first number is from 1 to the second)")
    return how


_MACHINE = (
    *("server", "backend", "concurrency", "revision"),
    *("device", "dtype", "batch_size", "chat"),
)


def check_least(**values: float | None) -> None:
    """Check numbers that have a smallest one.

    Raises:
        ArgumentError: If one is smaller.
    """
    for name, value in given(**values).items():
        if value < _LEAST[name]:
            raise ArgumentError(f"`{name}`: {value} is not possible (it is {_LEAST[name]} at least)")


_LEAST = {
    **dict.fromkeys(("concurrency", "batch_size", "max_tokens", "ray_items"), 1),
    **dict.fromkeys(("temperature", "seed", "budget"), 0),
}


def spoken(
    *,
    system: str | None,
    thinking: str | None,
    reasoning_effort: str | None,
    extra_body: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """What is said to a model besides the prompts, without what is as usual; see `evaluation.run_task`.

    Raises:
        UnknownNameError: If there is no such value of ``thinking``.
        ArgumentError: If the further fields are not an object of JSON.
    """
    if thinking is not None and thinking not in (*get_args(Thinking), "default"):
        raise UnknownNameError("thinking", str(thinking), (*get_args(Thinking), "default"))
    return given(
        system=system,
        thinking=None if thinking == "default" else thinking,
        reasoning_effort=reasoning_effort,
        extra_body=None if extra_body is None else _json_object(extra_body),
    )


def _json_object(value: object) -> dict[str, Any]:
    try:
        # As `run.json` gives it back: a run goes on only with the same.
        read = json.loads(json.dumps(value))
    except (TypeError, ValueError):
        read = None
    if not isinstance(read, dict):
        raise ArgumentError(f"`extra_body`: {value!r} is not possible (it is an object of JSON, by field)")
    return read


def marks_given(thought_marks: Sequence[Sequence[str]] | None) -> tuple[Marks, ...]:
    """Pairs of marks around thoughts besides the usual ones; none when absent."""
    return () if thought_marks is None else check_marks(thought_marks)


def paid(price: tuple[float, float] | None, budget: float | None) -> dict[str, Any]:
    """Price and budget as fields of `HowAsked`.

    Raises:
        ArgumentError: If a price is not two numbers from 0 on, or a budget has no price.
    """
    if price is None:
        if budget is not None:
            raise ArgumentError("`budget` needs a `price`, by which it is known what is spent")
        return {}
    if len(price) != 2 or not all(math.isfinite(one) and one >= 0 for one in price):
        raise ArgumentError(
            f"`price`: {', '.join(f'{one:g}' for one in price)}: expected two numbers from 0 on, of a million "
            "tokens in and out"
        )
    return {"price": Price(*price), "budget": budget}


def given(**options: Any) -> dict[str, Any]:
    """The options that are not null."""
    return {name: value for name, value in options.items() if value is not None}


def refuse(options: Mapping[str, Any], where: str) -> None:
    """Refuse options that would change nothing, by the first of them.

    Raises:
        ArgumentError: If there is one.
    """
    for name, value in given(**options).items():
        first = value[0] if isinstance(value, tuple | list) and value else value
        raise ArgumentError(f"`{name}={first}` makes sense only {where}; leave it out")
