"""Probing runs: a prober is asked for the candidates of every item that has no answer yet."""

from collections.abc import Iterator

import polars as pl

from blend.eval.models.candidates.candidate_protocol import CandidateScorer
from blend.eval.runs.ask_model import ask_model
from blend.eval.runs.run_directory import Run, RunOutcome
from blend.eval.runs.run_tables import write_frame
from blend.loaders.files.progress import ProgressCallback, silent
from blend.schemas.texts import pluralise

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

_LISTED = 5


def ask_candidates(run: Run, prober: CandidateScorer, *, on_progress: ProgressCallback = silent) -> RunOutcome:
    """Ask a prober every item that has no answer yet; see `ask_model.ask_model`.

    What its tokenizer makes of the candidates is kept beside the answers (`TOKENS`).
    """
    tokens = _tokens(run, prober)
    if not tokens.is_empty():
        write_frame(run.directory / TOKENS_NAME, tokens)
    outcome = ask_model(run, prober, on_progress=on_progress)
    return outcome._replace(warnings=(*outcome.warnings, *_warnings(tokens)))


def _tokens(run: Run, prober: CandidateScorer) -> pl.DataFrame:
    """`TOKENS`; for candidates behind a blank, as most templates have it.

    Empty where the model does not tell.
    """
    limit = run.description.options["max_masks"] if prober.describe().scorer == "masked" else None
    rows = [
        (name, text, found.n_tokens, found.n_unknown, _why_not(found.n_tokens, limit))
        for name, texts in run.candidate_sets().items()
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
