"""Asking: a model is asked what it has not answered yet, and every answer is kept as soon as it is there."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import polars as pl

from blend.eval.models.candidates.candidate_protocol import CandidateScorer
from blend.eval.models.protocols import (
    BearsRefusals,
    Generation,
    Generator,
    Likelihoods,
    Model,
    OptionScorer,
    StopAsking,
)
from blend.eval.runs.answers import AnswerFile
from blend.eval.runs.run_directory import Run, RunOutcome
from blend.eval.runs.usage import Price, Spending, count_answers
from blend.loaders.files.progress import ProgressCallback, silent

STEP = "ask"
"""What the progress of a run is called."""

BLOCK = 16_384
"""Items that a model is handed at a time: what it gives back stays in memory until it has given all of it."""

BLOCK_OF_CANDIDATES = 1024
"""The same where each item has thousands of candidates."""

MOST_CHARACTERS = 1 << 20
"""Characters of an answer, and of a thought, that are kept: a server that goes mad spoils no whole run."""

_DIGITS = 7
_LOG = logging.getLogger(__name__)


def ask_model(
    run: Run,
    model: Model | CandidateScorer,
    *,
    price: Price | None = None,
    budget: float | None = None,
    on_progress: ProgressCallback = silent,
) -> RunOutcome:
    """Ask a model every item that has no answer yet, those that failed before last.

    Args:
        run: A run that this process has opened.
        model: Gives log-probabilities of options or candidates for a run of them, else texts.
        price: Price of its tokens.
        budget: Cost of the run at that price from which on nobody is asked; none when absent.
        on_progress: Hears how many items of all are answered.

    Raises:
        BlendError: If the model cannot be asked at all. What it answered until then is kept.
    """
    mine, kept = items_of(run), run.kept()
    pending = mine.join(kept.answered, on="item_id", how="anti", maintain_order="left")
    n_before = mine.height - pending.height
    spending = None if price is None or budget is None else Spending(kept, price, budget)
    on_progress(STEP, n_before, mine.height)
    n_asked = 0
    if not (pending.is_empty() or (spending is not None and spending.is_over)):
        with run.answer_file() as file, suppress(StopAsking):
            size = BLOCK_OF_CANDIDATES if run.description.kind == "candidates" else BLOCK
            for block, asked in _in_blocks(pending, kept.failed, model, size):
                heard = partial(_report_progress, on_progress, n_before + n_asked, mine.height)
                writer = AnswerWriter(block, file, heard, spending)
                try:
                    _ask(run, asked, block, writer)
                finally:
                    n_asked += writer.n_kept
    outcome = outcome_of(run, n_asked=n_asked)
    if spending is None:
        return outcome
    spent = spending.in_words(outcome.n_items - outcome.n_missing, outcome.n_items)
    return outcome._replace(warnings=(*outcome.warnings, *spent))


def items_of(run: Run) -> pl.DataFrame:
    """The items that this process asks: all, or every ``of``-th of a shard."""
    items = run.items()
    return items if run.shard is None else items.gather_every(run.shard.of, offset=run.shard.number - 1)


def pending_items(run: Run) -> pl.DataFrame:
    """The items of this process that have no answer yet, in order."""
    return items_of(run).join(run.kept().answered, on="item_id", how="anti", maintain_order="left")


def _in_blocks(
    pending: pl.DataFrame, failed: pl.DataFrame, model: Model | CandidateScorer, size: int
) -> Iterator[tuple[pl.DataFrame, Model | CandidateScorer]]:
    """Items, first those that were never asked, each block with who is asked."""
    never = pending.join(failed, on="item_id", how="anti", maintain_order="left")
    yield from ((block, model) for block in never.iter_slices(size))
    again = pending.join(failed, on="item_id", how="semi", maintain_order="left")
    # That they are refused again is nothing new.
    bearing = model.bearing_refusals() if isinstance(model, BearsRefusals) else model
    yield from ((block, bearing) for block in again.iter_slices(size))


def _report_progress(on_progress: ProgressCallback, n_before: int, n_items: int, done: int) -> None:
    on_progress(STEP, n_before + done, n_items)


def _ask(run: Run, model: Model | CandidateScorer, pending: pl.DataFrame, keep: "AnswerWriter") -> None:
    prompts = pending["prompt"].to_list()
    if run.description.kind == "text":
        assert isinstance(model, Generator)
        model.generate(prompts, samples=samples_of(run, pending), keep=keep.generations)
    elif run.description.kind == "logprobs":
        assert isinstance(model, OptionScorer)
        model.option_logprobs(prompts, pending["options"].to_list(), keep=keep.scores)
    else:
        assert isinstance(model, CandidateScorer)
        sets = run.candidate_sets()
        numbers = {name: number for number, name in enumerate(sets)}
        gold = run.gold("item_id", "candidate_set")
        of_items = pending.select("item_id").join(gold, on="item_id", how="left", maintain_order="left")
        chosen = [numbers[name] for name in of_items["candidate_set"]]
        model.candidate_logprobs(prompts, chosen, list(sets.values()), keep=keep.scores)


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


def outcome_of(run: Run, *, n_asked: int) -> RunOutcome:
    """Say how a run stands."""
    counts, n_items = count_answers(run.kept()), run.description.n_items
    n_missing = n_items - counts.usage.requests + counts.n_failed
    return RunOutcome(
        *(n_items, n_asked, n_missing, counts.n_failed, counts.first_error, counts.on_unknown_ends()),
        usage=counts.usage,
    )


class AnswerWriter:
    """Writes answers into a file, by the positions that a model knows."""

    def __init__(
        self,
        pending: pl.DataFrame,
        file: AnswerFile,
        heard: Callable[[int], None],
        spending: Spending | None = None,
    ) -> None:
        self._ids = pending["item_id"]
        self._options = pending["options"]
        self._file = file
        self._heard = heard
        self._spending = spending
        self.n_kept = 0
        """Answers written."""

    def generations(self, positions: Sequence[int], answers: Sequence[Generation]) -> None:
        """Texts for the items at some positions."""
        self.keep(positions, [generated(answer) for answer in answers])

    def scores(self, positions: Sequence[int], scores: Sequence[Likelihoods]) -> None:
        """Scores of the options or candidates of the items at some positions."""
        options = (self._options[position] for position in positions)
        self.keep(positions, list(map(_scored, scores, options)))

    def keep(self, positions: Sequence[int], answers: Sequence[Mapping[str, Any]]) -> None:
        """Answers to the items at some positions, columns of `answers.ANSWERS`."""
        self._file.append(
            {"item_id": self._ids[position], **answer}
            for position, answer in zip(positions, answers, strict=True)
        )
        self.n_kept += len(positions)
        self._heard(self.n_kept)
        if self._spending is not None:
            self._spending.add(answers)


def generated(answer: Generation) -> dict[str, Any]:
    """The columns of `answers.ANSWERS` that a written answer fills."""
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


def _scored(scores: Likelihoods, options: pl.Series | None) -> dict[str, Any]:
    """The columns of `answers.ANSWERS` that scores of options fill, or of candidates, which have none."""
    tokens_in = scores.tokens_in or None
    if scores.error is not None:
        return {"tokens_in": tokens_in, "finish_reason": "error", "error": scores.error}
    logprobs = scores.logprobs.tolist()
    if options is None:
        # Float32 noise is far larger than what rounding takes away. NaN is not JSON.
        logprobs = [None if value != value else round(value, _DIGITS) for value in logprobs]
    return {
        "logprobs": logprobs,
        "option_tokens": scores.tokens.tolist(),
        "option_bytes": None if options is None else options.str.len_bytes().to_list(),
        "tokens_in": tokens_in,
        "finish_reason": "stop",
    }
