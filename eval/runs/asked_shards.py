"""Asked shards: handed on until all are kept, the budget is spent or nobody answers any more."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from time import monotonic

from blend.eval.runs.ask_model import STEP
from blend.eval.runs.pending_shards import ShardOutcome
from blend.eval.runs.shards import ItemShard
from blend.eval.runs.usage import NO_TOKENS_TOLD, Price, Spending, money
from blend.loaders.files.progress import ProgressCallback
from blend.schemas.errors import ServerError

STATUS_EVERY_S = 30.0
"""Seconds from one line on how things stand to the next."""

OnStatus = Callable[[str], None]
"""Hears a line on how what is asked stands."""


class Standing:
    """How what is asked stands, for whoever waits."""

    def __init__(self, n_items: int, n_before: int, price: Price | None, on_progress: ProgressCallback) -> None:
        self._n_items = n_items
        self._n_before = n_before
        self._price = price
        self._on_progress = on_progress
        self._began = monotonic()
        self._tokens_in = self._tokens_out = 0
        self.n_asked = 0
        """Items whose answers or errors were kept."""
        on_progress(STEP, n_before, n_items)

    def add(self, outcome: ShardOutcome) -> None:
        """Count a shard."""
        self.n_asked += outcome.n_items
        self._tokens_in += outcome.tokens_in
        self._tokens_out += outcome.tokens_out or 0
        self._on_progress(STEP, min(self._n_before + self.n_asked, self._n_items), self._n_items)

    def in_words(self) -> str:
        """A line for people: how far, how fast, for how much, and how much longer."""
        seconds = monotonic() - self._began
        left = self._n_items - self._n_before - self.n_asked
        parts = [f"{self._n_before + self.n_asked:,} of {self._n_items:,} items"]
        parts += [f"{self._tokens_out / seconds:,.0f} tokens/s"] if self._tokens_out and seconds else []
        if self._price is not None:
            parts.append(f"cost {money(self._price.of(self._tokens_in, self._tokens_out))} since the start")
        if self.n_asked and left > 0:
            parts.append(f"about {timedelta(seconds=round(left * seconds / self.n_asked))} left")
        return ", ".join(parts)


def ask_shards(
    ask: Callable[[Iterator[ItemShard]], Iterator[ShardOutcome]],
    shards: Iterator[ItemShard],
    standing: Standing,
    spending: Spending | None,
    on_status: OnStatus | None,
) -> None:
    """Have shards asked, and count what came of them.

    Args:
        ask: Asks shards; takes the next one when it can be asked, and yields what came of each, or
            now and then that nothing did.
        shards: What is to be asked.
        standing: Counts what was asked.
        spending: Cost from which on no shard is begun; null where nothing limits it.
        on_status: Hears every `STATUS_EVERY_S` seconds how it stands; nobody when absent.

    Raises:
        ServerError: If nobody can be asked any more, or nobody says what is spent. What was answered until then
            is kept.
    """
    problem: str | None = None
    heard_at = monotonic()

    def wanted() -> Iterator[ItemShard]:
        for shard in shards:
            if problem is not None or (spending is not None and spending.is_over):
                return
            yield shard

    for outcome in ask(wanted()):
        standing.add(outcome)
        problem = problem or outcome.problem
        if spending is not None:
            spending.spend(outcome.tokens_in, outcome.tokens_out)
            problem = problem or (NO_TOKENS_TOLD if outcome.tokens_out is None else None)
        if on_status is not None and monotonic() - heard_at >= STATUS_EVERY_S:
            on_status("; ".join(filter(None, (standing.in_words(), outcome.waited_for))))
            heard_at = monotonic()
    if problem is not None:
        raise ServerError(problem)
