"""Asking: a model is asked what it has not answered yet, and every answer is kept as soon as it is there.

Of candidates it is kept as well what the model's tokenizer makes of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import polars as pl

from blend.eval.models.candidates.candidate_protocol import CandidateScorer
from blend.eval.models.chosen import Price
from blend.eval.models.protocols import (
    Generation,
    Generator,
    Likelihoods,
    Model,
    OptionScorer,
    StopAsking,
)
from blend.eval.models.replies import FINISH_REASONS
from blend.eval.runs.answers import generated
from blend.eval.runs.run_directory import Run, RunOutcome, write_frame
from blend.eval.runs.usage import Spending, Usage
from blend.loaders.files.progress import ProgressCallback, silent
from blend.schemas.texts import agreeing, pluralise

STEP = "ask"
"""What the progress of a run is called."""

_BLOCK = 16_384
"""Items that a model is handed at a time: what it gives back stays in memory until it has given all of it."""

_BLOCK_OF_CANDIDATES = 1024
"""The same where each item has thousands of candidates."""

_Keep = Callable[[Sequence[Mapping[str, Any]]], None]

_DIGITS = 7
_TOKENS = ("tokens_in", "tokens_out", "tokens_thought")


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
    is_ranked = run.description.kind == "candidates"
    pending, n_mine = pending_items(run), len(range(run.description.n_items)[run.share])
    n_before = n_done = n_mine - pending.height
    spending = None
    if price is not None and budget is not None and (before := outcome_of(run, n_asked=0).usage) is not None:
        spending = Spending(before, price, budget)

    on_progress(STEP, n_done, n_mine)
    odd = tuple(_tokenised(run, model)) if isinstance(model, CandidateScorer) and is_ranked else ()
    if not (pending.is_empty() or (spending is not None and spending.is_over)):
        with run.answer_file() as file, suppress(StopAsking):

            def keep(answers: Sequence[Mapping[str, Any]]) -> None:
                nonlocal n_done
                file.append(answers)
                n_done += len(answers)
                on_progress(STEP, n_done, n_mine)
                if spending is not None:
                    spending.add(answers)

            for block in pending.iter_slices(_BLOCK_OF_CANDIDATES if is_ranked else _BLOCK):
                _ask(run, model, block, keep)
    outcome = outcome_of(run, n_asked=n_done - n_before)
    spent = spending.in_words(outcome.n_items - outcome.n_missing, outcome.n_items) if spending else ()
    return outcome._replace(warnings=(*outcome.warnings, *spent, *odd))


def pending_items(run: Run) -> pl.DataFrame:
    """The items of this process that have no answer yet, in order; those that failed, and may again, last."""
    asked = run.kept().asked.select("item_id", "is_error")
    found = run.items()[run.share].join(asked, on="item_id", how="left", maintain_order="left")
    # Null, which comes first, of those that nobody was asked.
    return (
        found.filter(pl.col("is_error").fill_null(True)).sort("is_error", maintain_order=True).drop("is_error")
    )


def _ask(run: Run, model: Model | CandidateScorer, pending: pl.DataFrame, keep: _Keep) -> None:
    """Ask some items; ``keep`` takes the answers, rows of `answers.ANSWERS`."""
    ids, prompts, options = pending["item_id"], pending["prompt"].to_list(), pending["options"]

    def written(positions: Sequence[int], answers: Sequence[Generation]) -> None:
        keep([{"item_id": ids[i], **generated(one)} for i, one in zip(positions, answers, strict=True)])

    def scored(positions: Sequence[int], scores: Sequence[Likelihoods]) -> None:
        keep(
            [{"item_id": ids[i], **_scored(one, options[i])} for i, one in zip(positions, scores, strict=True)]
        )

    if run.description.kind == "text":
        assert isinstance(model, Generator)
        model.generate(prompts, samples=samples_of(run, pending), keep=written)
    elif run.description.kind == "logprobs":
        assert isinstance(model, OptionScorer)
        model.option_logprobs(prompts, options.to_list(), keep=scored)
    else:
        assert isinstance(model, CandidateScorer)
        sets = _candidate_sets(run)
        numbers = {name: number for number, name in enumerate(sets)}
        chosen = [numbers[name] for name in _beside(pending, run, "candidate_set")["candidate_set"]]
        model.candidate_logprobs(prompts, chosen, list(sets.values()), keep=scored)


def _candidate_sets(run: Run) -> dict[str, list[str]]:
    """The candidates of each set, by its name."""
    sets = run.candidates().group_by("candidate_set", maintain_order=True).agg("candidate")
    return dict(sets.iter_rows())


def samples_of(run: Run, pending: pl.DataFrame) -> list[int] | None:
    """The number of the draw of each item, of a task that asks the same several times."""
    if "sample" not in pending.columns:
        if run.description.options.get("samples", 1) == 1:
            return None
        # Of texts for readers of many nationalities samples are what the task is about, and in its gold.
        pending = _beside(pending, run, "sample")
    return pending["sample"].to_list()


def _beside(items: pl.DataFrame, run: Run, column: str) -> pl.DataFrame:
    """Items with a column of their gold."""
    gold = run.gold("item_id", column)
    return items.select("item_id").join(gold, on="item_id", how="left", maintain_order="left")


def outcome_of(run: Run, *, n_asked: int) -> RunOutcome:
    """Say how a run stands, and what it took: each item once."""
    kept, n_items = run.kept(), run.description.n_items
    rows = kept.read("error", "finish_reason", *_TOKENS)
    errors, ends = rows["error"].drop_nulls(), rows["finish_reason"]
    # A sum over nothing but nulls is unknown, and not 0.
    sums = {name: int(rows[name].sum()) if rows[name].count() else None for name in _TOKENS}
    usage = Usage(requests=rows.height, filtered=int((ends == "content_filter").sum()), **sums)
    unknown = ends.filter(~ends.is_in([*FINISH_REASONS, "error"]))
    warnings = tuple(
        f"{pluralise(n, 'answer')} {agreeing(n, 'has', 'have')} the finish reason {reason!r}, which is not "
        f"known; {agreeing(n, 'it is', 'they are')} taken as whole, so look whether "
        f"{agreeing(n, 'its text', 'their texts')} may have been cut"
        for reason, n in sorted(unknown.drop_nulls().value_counts().iter_rows())
    )
    n_missing = n_items - rows.height + errors.len()
    first_error = next(iter(errors), None)
    return RunOutcome(n_items, n_asked, n_missing, errors.len(), first_error, warnings, usage=usage)


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


TOKENS_NAME = "tokens.parquet"
"""File of what the model's tokenizer makes of the candidates, in a run directory."""

_TOKENISED = pl.Schema(
    {"candidate_set": pl.String(), "candidate": pl.String(), "n_tokens": pl.Int64(), "n_unknown": pl.Int64()}
)
"""One row per candidate: its tokens, and those of them that the tokenizer does not know."""

_LISTED = 5


def _tokenised(run: Run, scorer: CandidateScorer) -> Iterator[str]:
    """Keep the tokens of the candidates of a run, where the model tells, and say what is odd about some."""
    rows = [
        (name, text, found.n_tokens, found.n_unknown)
        for name, texts in _candidate_sets(run).items()
        # Behind a blank, as most templates have it.
        for text, found in zip(texts, scorer.tokenised(texts, after_blank=True), strict=False)
    ]
    tokens = pl.DataFrame(rows, schema=_TOKENISED, orient="row")
    if rows:
        write_frame(run.directory / TOKENS_NAME, tokens)
    n_tokens, distinct = pl.col("n_tokens"), tokens.unique("candidate", maintain_order=True)
    is_masked = scorer.describe().scorer == "masked"
    masks = pl.lit(run.description.options["max_masks"] if is_masked else None, pl.Int64)
    for is_odd, what in (
        (n_tokens > masks, "more tokens than masks, not ranked; `max_masks` {longest} ranks all"),
        (n_tokens == 0, "no token, not ranked"),
        (pl.col("n_unknown") > 0, "tokens that the model does not know, ranked all the same"),
    ):
        odd = distinct.filter(is_odd)
        if odd.height:
            shown = ", ".join(repr(text) for text in odd["candidate"].head(_LISTED))
            more = f", … ({TOKENS_NAME} lists them)" if odd.height > _LISTED else ""
            why = what.format(longest=odd["n_tokens"].max())
            yield f"{odd.height} of {pluralise(distinct.height, 'candidate')} ({shown}{more}) with {why}"
