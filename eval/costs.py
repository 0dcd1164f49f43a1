"""Costs: what a run will take, and has taken, in requests, tokens and money; none of it changes an answer."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from blend.eval.models import StopAsking, TokenCounter
from blend.eval.models.chosen import Price
from blend.schemas.errors import ServerError
from blend.schemas.models import FrozenModel
from blend.schemas.texts import pluralise

_BYTES_PER_TOKEN = 3
"""Bytes of UTF-8 that count as a token where no tokenizer is at hand. English has four or five, most other
scripts two to four: rather too many tokens than too few."""


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

    def in_words(self, price: Price | None = None) -> str:
        """A line for people, with the cost at a price."""
        parts = [pluralise(self.requests, "request")]
        if self.filtered:
            parts[0] += f" ({self.filtered:,} stopped by a content filter)"
        if self.tokens_in is not None:
            parts.append(f"{self.tokens_in:,} tokens in")
        if self.tokens_out is not None:
            thought = "" if self.tokens_thought is None else f" ({self.tokens_thought:,} of them thought)"
            parts.append(f"{self.tokens_out:,} out{thought}")
        if price is not None and self.tokens_in is not None:
            parts.append(f"cost {money(price.of(self.tokens_in, self.tokens_out))}")
        return ", ".join(parts)

    def columns(self) -> dict[str, str]:
        """What is known, by the heads of a table's columns."""
        counts = {
            "filtered": self.filtered or None,
            "tokens in": self.tokens_in,
            "tokens out": self.tokens_out,
            "tokens thought": self.tokens_thought,
        }
        return {name: f"{count:,}" for name, count in counts.items() if count is not None}


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
        parts = [pluralise(self.n_requests, "request"), f"{about}{pluralise(self.tokens_in, 'token')} in"]
        if self.tokens_out:
            parts.append(f"{self.tokens_out:,} out at most")
        if self.cost is not None:
            # Prompts may take more than is estimated.
            parts.append(f"cost about {money(self.cost)}" if about else f"cost {money(self.cost)} at most")
        return ", ".join(parts)


def plan_asking(
    prompts: Iterable[str], model: object, max_tokens: int, *, system: str | None, price: Price | None
) -> AskingPlan:
    """Plan what some prompts will take.

    Args:
        prompts: What is to be asked.
        model: The model, which may know the tokens of a prompt.
        max_tokens: Tokens of an answer at most; none where nothing is written.
        system: What is said before each prompt.
        price: Price of tokens.
    """
    texts = list(prompts)
    if isinstance(model, TokenCounter):
        tokens_in = model.count_tokens(texts)
    else:
        n_bytes = sum(len(text.encode()) for text in texts) + len(texts) * len((system or "").encode())
        tokens_in = -(-n_bytes // _BYTES_PER_TOKEN)
    tokens_out = len(texts) * max_tokens
    cost = None if price is None else price.of(tokens_in, tokens_out)
    return AskingPlan(len(texts), tokens_in, not isinstance(model, TokenCounter), tokens_out, cost)


class Spending:
    """Cost of the answers of a run while more are asked for, up to a budget; other writers as of the start."""

    def __init__(self, before: Usage, price: Price, budget: float) -> None:
        self._price = price
        self._budget = budget
        self._cost = price.of(before.tokens_in, before.tokens_out)

    @property
    def is_over(self) -> bool:
        """Whether the budget is spent."""
        return self._cost >= self._budget

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
            self._cost += self._price.of(answer.get("tokens_in"), answer.get("tokens_out"))
        if self.is_over:
            raise StopAsking

    def in_words(self, n_answered: int, n_items: int) -> tuple[str, ...]:
        """Say that the budget is spent, if it is."""
        warning = f"the budget of {money(self._budget)} is spent ({money(self._cost)})"
        if n_answered < n_items:
            warning += f", and {n_answered:,} of {n_items:,} items are answered; "
            warning += "give a larger `budget` to go on"
        return (warning,) if self.is_over else ()
