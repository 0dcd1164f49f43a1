"""Running: a model is asked what it has not answered yet, and every answer is kept as soon as it is there."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, TypeVar

import polars as pl

from blend.eval.models.protocols import (
    BearsRefusals,
    Generation,
    Generator,
    Model,
    OptionScorer,
    OptionScores,
    StopAsking,
)
from blend.eval.runs.answer_counts import AnswerCounts, count_answers
from blend.eval.runs.answer_files import (
    close_journal,
    finish,
    has_parts,
    journal,
)
from blend.eval.runs.recorded_answers import Recorded
from blend.eval.runs.run_directory import Run, RunOutcome, Shard
from blend.eval.runs.usage import Price, Spending, money, timed
from blend.loaders.files.progress import ProgressCallback, silent

STEP = "ask"
"""What the progress of a run is called."""

BLOCK = 16_384
"""Items that a model is handed at a time."""

MOST_CHARACTERS = 1 << 20
"""Characters of an answer, and of a thought, that are kept: a server that goes mad spoils no whole run."""

_LOG = logging.getLogger(__name__)

M = TypeVar("M")


def ask_model(
    run: Run,
    model: Model,
    *,
    price: Price | None = None,
    budget: float | None = None,
    on_progress: ProgressCallback = silent,
) -> RunOutcome:
    """Ask a model every item that has no answer yet, those that failed before last.

    Args:
        run: A run that this process has opened.
        model: Gives log-probabilities of options for a run of them, else texts.
        price: Price of its tokens.
        budget: Cost of the run at that price from which on nobody is asked; none when absent.
        on_progress: Hears how many items of all are answered.

    Raises:
        BlendError: If the model cannot be asked at all. What it answered until then is kept.
    """
    items = run.items()
    mine = _of_shard(items, run.shard)
    kept_before = run.answers("item_id", "error")
    pending = _without_answers(mine, kept_before)
    n_before = mine.height - pending.height
    spending = None if price is None or budget is None else Spending(run.answers_folder, price, budget)
    on_progress(STEP, n_before, mine.height)
    n_asked = 0
    if not (pending.is_empty() or (spending is not None and spending.is_over)):
        shard = "" if run.shard is None else run.shard.name
        with timed(run), journal(run.answers_folder, shard) as kept, suppress(StopAsking):
            # Block by block: what a model gives back stays in memory until it has given all of it.
            for block, asked in _in_blocks(pending, kept_before, model):
                heard = partial(_report_progress, on_progress, n_before + n_asked, mine.height)
                writer = AnswerWriter(block, kept, heard, spending)
                try:
                    _ask(run, asked, block, writer)
                finally:
                    n_asked += writer.n_kept
    outcome = finished(run, items, n_asked=n_asked)
    return outcome if spending is None else with_budget(spending, outcome)


def pending_items(run: Run) -> pl.DataFrame:
    """The items of this process that have no answer yet, in order."""
    return _without_answers(_of_shard(run.items(), run.shard), run.answers("item_id", "error"))


def asked_again(model: M) -> M:
    """The model for items whose answers were errors before: that it refuses them again is nothing new."""
    return model.bearing_refusals() if isinstance(model, BearsRefusals) else model


def _without_answers(items: pl.DataFrame, kept: pl.DataFrame) -> pl.DataFrame:
    answered = kept.filter(pl.col("error").is_null())
    return items.join(answered, on="item_id", how="anti", maintain_order="left")


def _in_blocks(pending: pl.DataFrame, kept: pl.DataFrame, model: Model) -> Iterator[tuple[pl.DataFrame, Model]]:
    """Items, first those that were never asked, each block with who is asked."""
    never = pending.join(kept, on="item_id", how="anti", maintain_order="left")
    yield from ((block, model) for block in never.iter_slices(BLOCK))
    failed = pending.join(kept, on="item_id", how="semi", maintain_order="left")
    # Only now, with what the model has learned of its server.
    again = asked_again(model)
    yield from ((block, again) for block in failed.iter_slices(BLOCK))


def with_budget(spending: Spending, outcome: RunOutcome) -> RunOutcome:
    """An outcome with what is to be said of a budget that is spent."""
    if not spending.is_over:
        return outcome
    warning = f"the budget of {money(spending.budget)} is spent ({money(spending.cost)})"
    if outcome.n_missing:
        answered = f"{outcome.n_items - outcome.n_missing:,} of {outcome.n_items:,} items are answered"
        warning += f", and {answered}; give a larger `budget` to go on"
    return outcome._replace(warnings=(*outcome.warnings, warning))


def _of_shard(items: pl.DataFrame, shard: Shard | None) -> pl.DataFrame:
    return items if shard is None else items.gather_every(shard.of, offset=shard.number - 1)


def _report_progress(on_progress: ProgressCallback, n_before: int, n_items: int, done: int) -> None:
    on_progress(STEP, n_before + done, n_items)


def keep_recorded(run: Run, recorded: Recorded) -> RunOutcome:
    """Keep answers that another tool produced."""
    items = run.items("item_id")
    finish(run.answers_folder, items, recorded.answers)
    return RunOutcome(items.height, 0, items.height - recorded.answers.height, 0, None)


def _ask(run: Run, model: Model, pending: pl.DataFrame, keep: "AnswerWriter") -> None:
    prompts = pending["prompt"].to_list()
    if run.description.kind == "logprobs":
        assert isinstance(model, OptionScorer)
        model.option_logprobs(prompts, pending["options"].to_list(), keep=keep.scores)
    else:
        assert isinstance(model, Generator)
        model.generate(prompts, samples=samples_of(run, pending), keep=keep.generations)


def samples_of(run: Run, pending: pl.DataFrame) -> list[int] | None:
    """The number of the draw of each item, of a task that asks the same several times."""
    if "sample" in pending.columns:
        return pending["sample"].to_list()
    if run.description.options.get("samples", 1) == 1:
        return None
    # Texts for readers of many nationalities: several samples are what the task is about, and in its gold.
    numbers = run.gold("item_id", "sample")
    return (
        pending.select("item_id")
        .join(numbers, on="item_id", how="left", maintain_order="left")["sample"]
        .to_list()
    )


def finished(run: Run, items: pl.DataFrame, *, n_asked: int) -> RunOutcome:
    """Put the answers of a run in order, and say how it stands."""
    counts = count_answers(run.answers_folder)
    if run.shard is not None or has_parts(run.answers_folder):
        # Too many for memory, or not this process's to put together.
        close_journal(run.answers_folder, "" if run.shard is None else run.shard.name)
    else:
        finish(run.answers_folder, items, run.answers())
    return outcome_of(run.description.n_items, counts, n_asked=n_asked)


def outcome_of(n_items: int, counts: AnswerCounts, *, n_asked: int) -> RunOutcome:
    """Say how a run of so many items stands."""
    n_missing = n_items - counts.n_answers + counts.n_failed
    return RunOutcome(
        n_items, n_asked, n_missing, counts.n_failed, counts.first_error, counts.on_unknown_ends()
    )


class AnswerSink(Protocol):
    """What answers are written into: a journal, or the rows of a shard."""

    def append(self, answers: Iterable[Mapping[str, Any]], /) -> None:
        """Add answers, rows of `answer_files.ANSWERS`."""
        ...


class AnswerWriter:
    """Writes answers into a journal, by the positions that a model knows."""

    def __init__(
        self,
        pending: pl.DataFrame,
        kept: AnswerSink,
        heard: Callable[[int], None],
        spending: Spending | None = None,
    ) -> None:
        self._keys = pending.select("item_id", "locale", "prompt_id").rows(named=True)
        self._journal = kept
        self._heard = heard
        self._spending = spending
        self.n_kept = 0
        """Answers written."""

    def generations(self, positions: Sequence[int], answers: Sequence[Generation]) -> None:
        """Texts for the items at some positions."""
        self.keep(positions, [generated(answer) for answer in answers])

    def scores(self, positions: Sequence[int], scores: OptionScores) -> None:
        """Scores of the options of the items at some positions."""
        self.keep(positions, [_scored(scores, row) for row in range(len(positions))])

    def keep(self, positions: Sequence[int], answers: Sequence[Mapping[str, Any]]) -> None:
        """Answers to the items at some positions, columns of `answer_files.ANSWERS`."""
        self._journal.append(
            {**self._keys[position], **answer} for position, answer in zip(positions, answers, strict=True)
        )
        self.n_kept += len(positions)
        self._heard(self.n_kept)
        if self._spending is not None:
            self._spending.add(answers)


def generated(answer: Generation) -> dict[str, Any]:
    """The columns of `answer_files.ANSWERS` that a written answer fills."""
    text, thought, error = (
        None if one is None else one[:MOST_CHARACTERS] for one in (answer.text, answer.thought, answer.error)
    )
    is_cut = (text, thought) != (answer.text, answer.thought)
    if is_cut:
        n = max(len(answer.text), len(answer.thought or ""))
        _LOG.warning("an answer of %d characters is kept as one that was cut, at %d", n, MOST_CHARACTERS)
    return {
        "text": None if error is not None else text,
        "thought": thought,
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
        "tokens_thought": answer.tokens_thought,
        "finish_reason": "length" if is_cut else answer.finish_reason,
        "error": error,
    }


def _scored(scores: OptionScores, row: int) -> dict[str, Any]:
    error = scores.errors[row]
    tokens_in = int(scores.tokens_in[row]) or None
    if error is not None:
        return {"tokens_in": tokens_in, "finish_reason": "error", "error": error}
    n_options = int((scores.tokens[row] > 0).sum())
    return {
        "logprobs": scores.logprobs[row, :n_options].tolist(),
        "option_tokens": scores.tokens[row, :n_options].tolist(),
        "option_bytes": scores.n_bytes[row, :n_options].tolist(),
        "tokens_in": tokens_in,
        "finish_reason": "stop",
    }
