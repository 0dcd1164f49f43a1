"""Asking: a model is asked what it has not answered yet, and every answer is kept as soon as it is there.

Of candidates it is kept as well what the model's tokenizer makes of them.
"""

from collections import Counter
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
from blend.eval.models.server_replies import FINISH_REASONS
from blend.eval.runs.answers import generated
from blend.eval.runs.run_directory import Run, RunOutcome, write_frame
from blend.eval.runs.usage import Spending, Usage
from blend.loaders.files.progress import ProgressCallback, silent
from blend.schemas.texts import agreeing, pluralise

STEP = "ask"
"""What the progress of a run is called."""

BLOCK = 16_384
"""Items that a model is handed at a time: what it gives back stays in memory until it has given all of it."""

BLOCK_OF_CANDIDATES = 1024
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
    mine, kept = items_of(run), run.kept()
    pending = mine.join(kept.answered, on="item_id", how="anti", maintain_order="left")
    n_before = n_done = mine.height - pending.height
    spending = None
    if price is not None and budget is not None and (before := outcome_of(run, n_asked=0).usage) is not None:
        spending = Spending(before, price, budget)

    on_progress(STEP, n_done, mine.height)
    tokens = _tokenised(run, model) if isinstance(model, CandidateScorer) and is_ranked else TOKENS.to_frame()
    if not (pending.is_empty() or (spending is not None and spending.is_over)):
        with run.answer_file() as file, suppress(StopAsking):

            def keep(answers: Sequence[Mapping[str, Any]]) -> None:
                nonlocal n_done
                file.append(answers)
                n_done += len(answers)
                on_progress(STEP, n_done, mine.height)
                if spending is not None:
                    spending.add(answers)

            # Those that failed come last: they may fail again.
            never = pending.join(kept.failed, on="item_id", how="anti", maintain_order="left")
            again = pending.join(kept.failed, on="item_id", how="semi", maintain_order="left")
            for block in pl.concat([never, again]).iter_slices(BLOCK_OF_CANDIDATES if is_ranked else BLOCK):
                _ask(run, model, block, keep)
    outcome = outcome_of(run, n_asked=n_done - n_before)
    spent = spending and spending.in_words(outcome.n_items - outcome.n_missing, outcome.n_items)
    return outcome._replace(warnings=(*outcome.warnings, *(spent or ()), *_on_tokens(tokens)))


def items_of(run: Run) -> pl.DataFrame:
    """The items that this process asks: all, or every ``of``-th of a shard."""
    items = run.items()
    return items if run.shard is None else items.gather_every(run.shard.of, offset=run.shard.number - 1)


def pending_items(run: Run) -> pl.DataFrame:
    """The items of this process that have no answer yet, in order."""
    return items_of(run).join(run.kept().answered, on="item_id", how="anti", maintain_order="left")


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
    if "sample" not in pending.columns and run.description.options.get("samples", 1) == 1:
        return None
    # Of texts for readers of many nationalities, several samples are what the task is about, and in its gold.
    return (pending if "sample" in pending.columns else _beside(pending, run, "sample"))["sample"].to_list()


def _beside(items: pl.DataFrame, run: Run, column: str) -> pl.DataFrame:
    """Items with a column of their gold."""
    gold = run.gold("item_id", column)
    return items.select("item_id").join(gold, on="item_id", how="left", maintain_order="left")


def outcome_of(run: Run, *, n_asked: int) -> RunOutcome:
    """Say how a run stands, and what it took: each item once."""
    kept, n_items = run.kept(), run.description.n_items
    first_error, n_filtered = None, 0
    unknown_ends: Counter[str] = Counter()
    # A sum over nothing but nulls is unknown, and not 0.
    sums: dict[str, int | None] = dict.fromkeys(_TOKENS)
    for rows in kept.parts("error", "finish_reason", *_TOKENS):
        first_error = first_error or next(iter(rows["error"].drop_nulls()), None)
        n_filtered += int((rows["finish_reason"] == "content_filter").sum())
        is_unknown = ~pl.col("finish_reason").is_in([*FINISH_REASONS, "error"])
        unknown_ends.update(rows.filter(is_unknown)["finish_reason"])
        for name in _TOKENS:
            if rows[name].null_count() < rows.height:
                sums[name] = (sums[name] or 0) + int(rows[name].sum())
    usage = Usage(requests=len(kept.item_ids), filtered=n_filtered, **sums)
    n_missing = n_items - usage.requests + kept.n_failed
    warnings = tuple(
        f"{pluralise(n, 'answer')} {agreeing(n, 'has', 'have')} the finish reason {reason!r}, which is not "
        f"known; {agreeing(n, 'it is', 'they are')} taken as whole, so look whether "
        f"{agreeing(n, 'its text', 'their texts')} may have been cut"
        for reason, n in sorted(unknown_ends.items())
    )
    return RunOutcome(n_items, n_asked, n_missing, kept.n_failed, first_error, warnings, usage=usage)


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

_LISTED = 5


def _tokenised(run: Run, scorer: CandidateScorer) -> pl.DataFrame:
    """`TOKENS` of the candidates of a run, which keeps them; none where the model does not tell."""
    limit = run.description.options["max_masks"] if scorer.describe().scorer == "masked" else None
    rows = [
        (name, text, found.n_tokens, found.n_unknown, _why_not_ranked(found.n_tokens, limit))
        for name, texts in _candidate_sets(run).items()
        # Behind a blank, as most templates have it.
        if (of_texts := scorer.tokenised(texts, after_blank=True))
        for text, found in zip(texts, of_texts, strict=True)
    ]
    tokens = pl.DataFrame(rows, schema=TOKENS, orient="row")
    if rows:
        write_frame(run.directory / TOKENS_NAME, tokens)
    return tokens


def _why_not_ranked(n_tokens: int, limit: int | None) -> str | None:
    if not n_tokens:
        return "no-tokens"
    return "too-long" if limit is not None and n_tokens > limit else None


def _on_tokens(tokens: pl.DataFrame) -> Iterator[str]:
    distinct = tokens.unique("candidate", maintain_order=True)
    too_long, nothing = (distinct.filter(why_not_ranked=why) for why in ("too-long", "no-tokens"))
    longest = max(too_long["n_tokens"].to_list(), default=0)
    for rows, what in (
        (too_long, f"more tokens than masks, not ranked; `max_masks` {longest} ranks all"),
        (nothing, "no token, not ranked"),
        (distinct.filter(pl.col("n_unknown") > 0), "tokens that the model does not know, ranked all the same"),
    ):
        if rows.height:
            shown = ", ".join(repr(text) for text in rows["candidate"].head(_LISTED))
            more = f", … ({TOKENS_NAME} lists them)" if rows.height > _LISTED else ""
            yield f"{rows.height} of {pluralise(distinct.height, 'candidate')} ({shown}{more}) with {what}"
