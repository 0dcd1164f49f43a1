"""Usage: what a run takes in requests, tokens, time and money; none of it changes an answer."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from blend.eval.models.protocols import Decoding, StopAsking, TokenCounter
from blend.eval.runs.answer_counts import count_answers
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.schemas.base.field_errors import first_reason
from blend.schemas.base.frozen_model import FrozenModel
from blend.schemas.errors import InputError, ServerError
from blend.schemas.language.text_comparison import pluralise

if TYPE_CHECKING:
    from blend.eval.runs.run_directory import Run

BYTES_PER_TOKEN = 3
"""Bytes of UTF-8 that count as a token where no tokenizer is at hand. English has four or five, most other
scripts two to four: rather too many tokens than too few."""

_MILLION = 1_000_000
_STEM = "usage"


class Price(NamedTuple):
    """Price of a million tokens, in any money."""

    tokens_in: float
    """Of those of a prompt."""
    tokens_out: float
    """Of those that are written, thoughts among them."""

    def of(self, tokens_in: int | None, tokens_out: int | None) -> float:
        """Cost of some tokens; unknown ones cost nothing."""
        return (self.tokens_in * (tokens_in or 0) + self.tokens_out * (tokens_out or 0)) / _MILLION


def money(amount: float) -> str:
    """An amount for people: two decimals, or two digits of what is less than one."""
    return f"{amount:,.2f}" if amount >= 1 else f"{amount:.2g}"


class Usage(FrozenModel):
    """What a run has taken until now."""

    requests: int
    """Items asked, those that failed among them."""
    filtered: int = 0
    """Items whose answer a content filter of the server has stopped."""
    tokens_in: int | None
    """Tokens of the prompts; null where nobody tells."""
    tokens_out: int | None
    """Tokens written, thoughts among them; likewise."""
    tokens_thought: int | None
    """Tokens thought, as far as a server tells them apart; likewise."""
    seconds: float | None
    """Seconds of asking, without those of processes that were killed; null where nobody was asked at once."""
    cost: float | None
    """Cost of the tokens at the price that was given last; null without one, or without tokens."""

    def in_words(self) -> str:
        """A line for people."""
        thought = f" ({self.tokens_thought:,} of them thought)" if self.tokens_thought is not None else ""
        filtered = f" ({self.filtered:,} stopped by a content filter)" if self.filtered else ""
        parts = [pluralise(self.requests, "request") + filtered]
        parts += [f"{self.tokens_in:,} tokens in"] if self.tokens_in is not None else []
        parts += [f"{self.tokens_out:,} out{thought}"] if self.tokens_out is not None else []
        parts += [f"{self.seconds:,.0f} s"] if self.seconds is not None else []
        parts += [f"cost {money(self.cost)}"] if self.cost is not None else []
        return ", ".join(parts)

    def columns(self) -> dict[str, str]:
        """What is known, by the heads of a table's columns."""
        counts = {
            "filtered": self.filtered or None,
            "tokens in": self.tokens_in,
            "tokens out": self.tokens_out,
            "tokens thought": self.tokens_thought,
            "seconds": self.seconds,
        }
        shown = {name: f"{count:,.0f}" for name, count in counts.items() if count is not None}
        return shown if self.cost is None else {**shown, "cost": money(self.cost)}


class AskingPlan(NamedTuple):
    """What is about to be asked."""

    n_requests: int
    """Items without an answer."""
    tokens_in: int
    """Tokens of their prompts."""
    is_estimated: bool
    """Whether they are estimated from the length of the texts, since no tokenizer is at hand."""
    tokens_out: int
    """Tokens that may be written at most."""
    cost: float | None
    """Cost of them, if all is written that may be; null without a price."""

    def in_words(self) -> str:
        """A line for people."""
        about = "about " if self.is_estimated else ""
        tokens_in = f"{about}{pluralise(self.tokens_in, 'token')} in"
        parts = [pluralise(self.n_requests, "request"), tokens_in, f"{self.tokens_out:,} out at most"]
        if self.cost is not None:
            # Prompts may take more than is estimated.
            parts.append(f"cost {about}{money(self.cost)}" if about else f"cost {money(self.cost)} at most")
        return ", ".join(parts)


OnPlan = Callable[[AskingPlan], None]
"""Hears what is about to be asked; an error that it raises keeps it from being asked."""


def plan_asking(
    prompts: Iterable[str], model: object, decoding: Decoding, *, system: str | None, price: Price | None
) -> AskingPlan:
    """Plan what some prompts will take.

    Args:
        prompts: What is to be asked.
        model: The model, which may know the tokens of a prompt.
        decoding: How it writes.
        system: What is said before each prompt.
        price: Price of tokens.
    """
    is_estimated = not isinstance(model, TokenCounter)
    if isinstance(model, TokenCounter):
        texts = list(prompts)
        n_texts, tokens_in = len(texts), model.count_tokens(texts)
    else:
        n_texts = n_bytes = 0
        for text in prompts:
            n_texts += 1
            n_bytes += len(text.encode()) + len((system or "").encode())
        tokens_in = -(-n_bytes // BYTES_PER_TOKEN)
    tokens_out = n_texts * decoding.max_tokens
    cost = None if price is None else price.of(tokens_in, tokens_out)
    return AskingPlan(n_texts, tokens_in, is_estimated, tokens_out, cost)


class Spending:
    """Cost of answers in a folder while more are asked for, up to a budget."""

    def __init__(self, answers: Path, price: Price, budget: float) -> None:
        self._price = price
        self.budget = budget
        """Cost from which on nobody is asked."""
        kept = count_answers(answers)
        self.cost = price.of(kept.tokens_in, kept.tokens_out)
        """Cost until now."""

    @property
    def is_over(self) -> bool:
        """Whether the budget is spent."""
        return self.cost >= self.budget

    def add(self, answers: Iterable[Mapping[str, Any]]) -> None:
        """Count answers that have been kept.

        Raises:
            StopAsking: If the budget is spent.
            ServerError: If nobody says how many tokens an answer took.
        """
        for answer in answers:
            is_written = answer.get("error") is None and answer.get("finish_reason") != "content_filter"
            if is_written and answer.get("tokens_out") is None:
                raise ServerError(
                    "the server does not say how many tokens an answer took, so nobody knows what is spent; "
                    "leave `budget` out"
                )
            self.cost += self._price.of(answer.get("tokens_in"), answer.get("tokens_out"))
        if self.is_over:
            raise StopAsking


class _Kept(FrozenModel):
    """File beside the answers, of each machine that shares a run."""

    seconds: float | None = None
    """Seconds of asking."""
    price: Price | None = None
    """Price that was given last."""


@contextmanager
def timed(run: "Run") -> Iterator[None]:
    """Add the time of a block to what the run has taken."""
    began = time.monotonic()
    try:
        yield
    finally:
        before = _kept(run).seconds or 0.0
        _keep(run, seconds=round(before + time.monotonic() - began, 3))


def keep_price(run: "Run", price: Price) -> None:
    """Keep the price of a run's tokens in place of an earlier one."""
    _keep(run, price=price)


def _keep(run: "Run", **changes: Any) -> None:
    kept = _kept(run).model_copy(update=changes)
    atomic_write(_path(run), kept.model_dump_json() + "\n")


def _kept(run: "Run") -> _Kept:
    path = _path(run)
    return _read(path) if path.exists() else _Kept()


def _path(run: "Run") -> Path:
    return run.directory / (f"{_STEM}.json" if run.shard is None else f"{_STEM}-{run.shard.name}.json")


def read_usage(run: "Run") -> Usage | None:
    """What a run has taken; null where nobody was asked by us, or what is asked is no text and no choice.

    Raises:
        InputError: If what is kept of it cannot be read.
    """
    if run.description.model.backend == "recorded" or run.description.kind == "candidates":
        return None
    kept = [_read(path) for path in sorted(run.directory.glob(f"{_STEM}*.json"))]
    price = next((one.price for one in kept if one.price is not None), None)
    times = [one.seconds for one in kept if one.seconds is not None]
    counts = count_answers(run.answers_folder)
    is_known = price is not None and counts.tokens_in is not None
    return Usage(
        requests=counts.n_answers,
        filtered=counts.n_filtered,
        tokens_in=counts.tokens_in,
        tokens_out=counts.tokens_out,
        tokens_thought=counts.tokens_thought,
        seconds=sum(times) if times else None,
        cost=price.of(counts.tokens_in, counts.tokens_out) if price is not None and is_known else None,
    )


def _read(path: Path) -> _Kept:
    try:
        return _Kept.model_validate_json(read_content(path))
    except ValidationError as error:
        raise InputError(
            f"{path}: not what a run keeps of its time ({first_reason(error)}); restore it from a copy, or "
            "delete it to forget time and price"
        ) from error
