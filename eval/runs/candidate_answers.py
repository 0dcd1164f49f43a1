"""Probing runs: a prober is asked for the candidates of every item that has no answer yet."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from blend.eval.models.candidates.candidate_protocol import CandidateScorer, CandidateScores
from blend.eval.runs.ask_model import STEP, AnswerWriter, items_of, outcome_of
from blend.eval.runs.run_directory import Run, RunOutcome
from blend.eval.runs.run_tables import write_frame
from blend.loaders.files.progress import ProgressCallback, silent
from blend.schemas.language.text_comparison import pluralise

TOKENS_NAME = "tokens.parquet"
"""File of what the model's tokenizer makes of the candidates, in a run directory."""

TOKENS = pl.Schema(
    {
        "candidate_set": pl.String(),
        "candidate": pl.String(),
        "n_tokens": pl.Int64(),
        "n_unknown": pl.Int64(),
        "why_not_ranked": pl.String(),
    }
)
"""One row per candidate: its tokens, those of them that the tokenizer does not know, and why the model cannot
rank it (``no-tokens``, ``too-long``), null where it can."""

NO_TOKENS, TOO_LONG = "no-tokens", "too-long"

_DIGITS = 7
_LISTED = 5


def ask_candidates(run: Run, prober: CandidateScorer, *, on_progress: ProgressCallback = silent) -> RunOutcome:
    """Ask a prober every item that has no answer yet; see `ask_model.ask_model`.

    What its tokenizer makes of the candidates is kept beside the answers (`TOKENS`).
    """
    items = items_of(run)
    pending = items.join(run.kept().answered, on="item_id", how="anti", maintain_order="left")
    n_before = items.height - pending.height
    sets = run.candidates().group_by("candidate_set", maintain_order=True).agg("candidate")
    tokens = _tokens(run, prober, sets)
    if not tokens.is_empty():
        write_frame(run.directory / TOKENS_NAME, tokens)
    on_progress(STEP, n_before, items.height)
    if not pending.is_empty():
        _ask(run, prober, pending, sets, lambda done: on_progress(STEP, n_before + done, items.height))
    return outcome_of(run, n_asked=pending.height)._replace(warnings=tuple(_warnings(tokens)))


def _ask(run: Run, prober: CandidateScorer, pending: pl.DataFrame, sets: pl.DataFrame, heard: Any) -> None:
    numbers = {name: number for number, name in enumerate(sets["candidate_set"])}
    gold = run.gold("item_id", "candidate_set")
    of_items = pending.select("item_id").join(gold, on="item_id", how="left", maintain_order="left")
    with run.answer_file() as file:
        keeper = AnswerWriter(pending, file, heard)
        prober.candidate_logprobs(
            pending["prompt"].to_list(),
            [numbers[name] for name in of_items["candidate_set"]],
            sets["candidate"].to_list(),
            keep=lambda position, scores: keeper.keep([position], [_answer(scores)]),
        )


def _answer(scores: CandidateScores) -> dict[str, Any]:
    tokens_in = scores.tokens_in or None
    if scores.error is not None:
        return {"tokens_in": tokens_in, "finish_reason": "error", "error": scores.error}
    return {
        # Float32 noise is far larger than what rounding takes away. NaN is not JSON.
        "logprobs": [None if value != value else round(value, _DIGITS) for value in scores.logprobs.tolist()],
        "option_tokens": scores.tokens.tolist(),
        "tokens_in": tokens_in,
        "finish_reason": "stop",
    }


def _tokens(run: Run, prober: CandidateScorer, sets: pl.DataFrame) -> pl.DataFrame:
    """`TOKENS`; for candidates behind a blank, as most templates have it.

    Empty where the model does not tell.
    """
    limit = run.description.options["max_masks"] if prober.describe().scorer == "masked" else None
    rows = [
        (name, text, found.n_tokens, found.n_unknown, _why_not(found.n_tokens, limit))
        for name, texts in sets.iter_rows()
        if (of_texts := prober.tokenised(texts, after_blank=True))
        for text, found in zip(texts, of_texts, strict=True)
    ]
    return pl.DataFrame(rows, schema=TOKENS, orient="row")


def _why_not(n_tokens: int, limit: int | None) -> str | None:
    if not n_tokens:
        return NO_TOKENS
    return TOO_LONG if limit is not None and n_tokens > limit else None


def _warnings(tokens: pl.DataFrame) -> Iterator[str]:
    distinct = tokens.unique("candidate", maintain_order=True)
    too_long = distinct.filter(why_not_ranked=TOO_LONG)
    if too_long.height:
        longest = max(too_long["n_tokens"].to_list())
        yield (
            f"{pluralise(too_long.height, 'candidate')} of {distinct.height} with more tokens than masks, not "
            f"ranked: {_some(too_long)}; `max_masks` {longest} ranks all"
        )
    nothing = distinct.filter(why_not_ranked=NO_TOKENS)
    if nothing.height:
        named = _some(nothing)
        yield f"{pluralise(nothing.height, 'candidate')} of which the tokenizer leaves nothing: {named}"
    unknown = distinct.filter(pl.col("n_unknown") > 0)
    if unknown.height:
        yield (
            f"{pluralise(unknown.height, 'candidate')} of {distinct.height} with tokens that the model does "
            f"not know, ranked all the same: {_some(unknown)}"
        )


def _some(rows: pl.DataFrame) -> str:
    shown = ", ".join(repr(text) for text in rows["candidate"].head(_LISTED))
    more = rows.height - _LISTED
    return f"{shown} and {more} more ({TOKENS_NAME} lists them)" if more > 0 else shown
