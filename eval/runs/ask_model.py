"""Asking: a model is asked what it has not answered yet, and every answer is kept as soon as it is there.

Of candidates it is kept as well what the model's tokenizer makes of them. Or requests go out in files in
OpenAI's batch format, which ``vllm run-batch``, Together and others read too (JSON Lines, a request with
``custom_id``, ``method``, ``url`` and ``body``), and the results come back into the run, in any order.
"""

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from blend.eval.models import (
    Generation,
    Likelihoods,
    Model,
    StopAsking,
    draw_seeds,
)
from blend.eval.models.chosen import Price, money
from blend.eval.models.server import VERSION, RequestForm, TextRequest
from blend.eval.runs.answer_logs import (
    REQUEST_ID,
    LoggedAnswer,
    items_by_request,
    logged_answer,
    records,
    request_id,
)
from blend.eval.runs.answers import generated
from blend.eval.runs.run_directory import (
    TOKENS,
    TOKENS_NAME,
    Run,
    RunOutcome,
    change_description,
    is_name_of,
    outcome_of,
    write_frame,
)
from blend.loaders.files.atomic import atomic_write, storage_errors
from blend.loaders.files.content import read_content
from blend.loaders.files.progress import ProgressCallback, silent
from blend.schemas.errors import InputError, RowError, ServerError
from blend.schemas.texts import pluralise

STEP = "ask"
"""What the progress of a run is called."""

_BLOCK = 16_384
"""Items that a model is handed at a time: what it gives back stays in memory until it has given all of it."""

_BLOCK_OF_CANDIDATES = 1024
"""The same where each item has thousands of candidates."""

_Keep = Callable[[Sequence[Mapping[str, Any]]], None]

_DIGITS = 7


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
        model: Gives log-probabilities of options or candidates for a run of them, else texts.
        price: Price of its tokens.
        budget: Cost of the run at that price from which on nobody is asked; none when absent.
        on_progress: Hears how many items of all are answered.

    Raises:
        BlendError: If the model cannot be asked at all. What it answered until then is kept.
    """
    is_ranked = run.description.kind == "candidates"
    pending, n_mine = pending_items(run), len(range(run.description.n_items)[run.share])
    n_done = n_mine - pending.height
    spent, limit = 0.0, math.inf if budget is None else budget
    if price is not None and budget is not None and (before := outcome_of(run).usage) is not None:
        spent = price.of(before.tokens_in, before.tokens_out)
    on_progress(STEP, n_done, n_mine)
    odd = tuple(_tokenised(run, model)) if is_ranked else ()
    if not pending.is_empty() and spent < limit:
        with run.answer_file() as file, suppress(StopAsking):

            def keep(answers: Sequence[Mapping[str, Any]]) -> None:
                nonlocal n_done, spent
                file.append(answers)
                n_done += len(answers)
                on_progress(STEP, n_done, n_mine)
                if price is not None and budget is not None:
                    spent += _cost_of(answers, price)
                    if spent >= limit:
                        raise StopAsking

            for block in pending.iter_slices(_BLOCK_OF_CANDIDATES if is_ranked else _BLOCK):
                _ask(run, model, block, keep)
    outcome = outcome_of(run)
    if spent >= limit:
        warning = f"the budget of {money(limit)} is spent ({money(spent)})"
        if outcome.n_missing:
            n_answered = outcome.n_items - outcome.n_missing
            warning += f", and {n_answered:,} of {outcome.n_items:,} items are answered; "
            warning += "give a larger `budget` to go on"
        odd = (warning, *odd)
    return outcome._replace(warnings=(*outcome.warnings, *odd))


def _cost_of(answers: Sequence[Mapping[str, Any]], price: Price) -> float:
    """What some answers cost.

    Raises:
        ServerError: If nobody says how many tokens one of them took.
    """
    for answer in answers:
        is_written = answer.get("error") is None and answer.get("finish_reason") != "content_filter"
        if is_written and answer.get("tokens_out") is None:
            raise ServerError(
                "the server does not say how many tokens an answer took, so nobody knows what is spent; "
                "leave `budget` out"
            )
    return sum(price.of(answer.get("tokens_in"), answer.get("tokens_out")) for answer in answers)


def pending_items(run: Run) -> pl.DataFrame:
    """The items of this process that have no answer yet, in order; those that failed, and may again, last."""
    asked = run.kept().asked.select("item_id", "is_error")
    found = run.items()[run.share].join(asked, on="item_id", how="left", maintain_order="left")
    # Null, which comes first, of those that nobody was asked.
    return (
        found.filter(pl.col("is_error").fill_null(True)).sort("is_error", maintain_order=True).drop("is_error")
    )


def _ask(run: Run, model: Any, pending: pl.DataFrame, keep: _Keep) -> None:
    """Ask some items; ``keep`` takes the answers, rows of `answers.ANSWERS`."""
    ids, prompts, options = pending["item_id"], pending["prompt"].to_list(), pending["options"]

    def written(positions: Sequence[int], answers: Sequence[Generation]) -> None:
        keep([{"item_id": ids[i], **generated(one)} for i, one in zip(positions, answers, strict=True)])

    def scored(positions: Sequence[int], scores: Sequence[Likelihoods]) -> None:
        keep(
            [{"item_id": ids[i], **_scored(one, options[i])} for i, one in zip(positions, scores, strict=True)]
        )

    if run.description.kind == "text":
        model.generate(prompts, samples=_samples_of(run, pending), keep=written)
    elif run.description.kind == "logprobs":
        model.option_logprobs(prompts, options.to_list(), keep=scored)
    else:
        sets = _candidate_sets(run)
        numbers = {name: number for number, name in enumerate(sets)}
        chosen = [numbers[name] for name in _beside(pending, run, "candidate_set")["candidate_set"]]
        model.candidate_logprobs(prompts, chosen, list(sets.values()), keep=scored)


def _candidate_sets(run: Run) -> dict[str, list[str]]:
    """The candidates of each set, by its name."""
    sets = run.candidates().group_by("candidate_set", maintain_order=True).agg("candidate")
    return dict(sets.iter_rows())


def _samples_of(run: Run, pending: pl.DataFrame) -> list[int] | None:
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


_LISTED = 5


def _tokenised(run: Run, scorer: Any) -> Iterator[str]:
    """Keep the tokens of the candidates of a run, where the model tells, and say what is odd about some."""
    rows = [
        (name, text, found.n_tokens, found.n_unknown)
        for name, texts in _candidate_sets(run).items()
        # Behind a blank, as most templates have it.
        for text, found in zip(texts, scorer.tokenised(texts, after_blank=True), strict=False)
    ]
    tokens = pl.DataFrame(rows, schema=TOKENS, orient="row")
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


MAX_REQUESTS = 50_000
"""Requests of one file, as OpenAI allows; the other providers allow as many or more."""

MAX_BYTES = 200_000_000
"""Bytes of one file, likewise."""


def requests_of(run: Run, form: RequestForm) -> Iterator[tuple[str, TextRequest]]:
    """The requests of what a run has no answer to, as they would be sent, with the ids of their items."""
    pending = pending_items(run)
    seeds = draw_seeds(pending["prompt"].to_list(), _samples_of(run, pending), form.decoding)
    return zip(pending["item_id"], map(form.request, pending["prompt"], seeds), strict=True)


def write_requests(
    out: Path, requests: Iterable[tuple[str, TextRequest]], *, most: int | None = None
) -> tuple[Path, ...]:
    """Write requests for a batch.

    Args:
        out: The file. What it cannot hold stands beside it, in ``requests-00002.jsonl`` and so on.
        requests: Requests with the ids of their items.
        most: Requests of a file; `MAX_REQUESTS` when absent.

    Returns:
        The files written, each whole. One that is there and holds the same is left as it is.

    Raises:
        InputError: If a file of that name holds something else.
        StorageError: If they cannot be written.
    """
    written = []
    with storage_errors(out, fix="choose another `batch_out`"):
        for number, lines in enumerate(_parts(requests, most or MAX_REQUESTS), start=1):
            path = out if number == 1 else out.with_name(f"{out.stem}-{number:05}{out.suffix}")
            content = b"".join(lines)
            if not os.path.lexists(path):
                atomic_write(path, content)
            elif not path.is_file() or read_content(path) != content:
                raise InputError(
                    f"{path}: exists and holds something else, perhaps requests that are under way; choose "
                    "another `batch_out` or move it away"
                )
            written.append(path)
    return tuple(written)


def _parts(requests: Iterable[tuple[str, TextRequest]], most: int) -> Iterator[list[bytes]]:
    """Lines of one file after the other."""
    lines: list[bytes] = []
    size = 0
    for item_id, (path, body) in requests:
        request = {"custom_id": request_id(item_id), "method": "POST", "url": VERSION + path, "body": body}
        line = json.dumps(request, ensure_ascii=False).encode() + b"\n"
        if len(lines) == most or (lines and size + len(line) > MAX_BYTES):
            yield lines
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield lines


def keep_results(run: Run, paths: Sequence[Path]) -> tuple[Run, RunOutcome]:
    """Read results into the run; an item that has an answer keeps it, so reading again changes nothing.

    All is looked through before anything is kept: a wrong line keeps out what stands before it as well.

    Args:
        run: The run.
        paths: Files of results and of errors, or folders of such files.

    Returns:
        The run, which may know the model's name now, and how it stands.

    Raises:
        RowError: If a file cannot be read, a line is not a result of this run, or another model has answered.
            Half of a line at the end, which a kill leaves, is passed over.
    """
    files = [file for path in paths for file in (sorted(path.rglob("*.jsonl")) if path.is_dir() else [path])]
    pending, items = {*pending_items(run)["item_id"]}, items_by_request(run.items("item_id")["item_id"])
    results = partial(_results, files, items)
    served = _served_name(run, (result for _, result in results()))
    if served is not None and getattr(run.description.model, "served_as", None) is None:
        run = change_description(run, model=run.description.model.model_copy(update={"served_as": served}))
    n_further = 0
    with run.answer_file("batch") as file:
        for item, result in results():
            if item in pending:
                file.append([{"item_id": item, **generated(result.answer)}])
                if result.answer.error is None:
                    pending.discard(item)
            else:
                n_further += result.answer.error is None
    outcome, warnings = outcome_of(run), []
    if n_further:
        answers = pluralise(n_further, "answer")
        warnings.append(f"{answers} to items that have one already, left out: the first one of an item counts")
    if n_open := outcome.n_missing - outcome.n_failed:
        items_left = pluralise(n_open, "item")
        again = "write the requests again with `batch_out`, or ask without it"
        warnings.append(f"{items_left} without a result; {again}")
    return run, outcome._replace(warnings=(*warnings, *outcome.warnings))


def _results(paths: Sequence[Path], items: Mapping[str, str]) -> Iterator[tuple[str, LoggedAnswer]]:
    """Yield the results in files, in their order, each with its item."""
    for path in paths:
        for location, record in records(path, str(path)):
            found = logged_answer(record)
            if found is None or found.id_name != REQUEST_ID or found.id is None:
                is_request = isinstance(record, dict) and "method" in record
                what = "a request, and not its result" if is_request else "not the result of a request"
                raise RowError(what, where=location, fix="name the file that came back for the requests")
            if found.id not in items:
                fix = (
                    f"the ids of this run are like {next(iter(items))!r}; name the results of its own requests"
                )
                raise RowError(
                    f"nothing is asked under {found.id!r}", where=f"{location}, key {REQUEST_ID}", fix=fix
                )
            yield items[found.id], found._replace(location=location)


def _served_name(run: Run, results: Iterable[LoggedAnswer]) -> str | None:
    """The name under which the model has answered, in this run and in the results; of several the fullest."""
    asked, served = run.description.model.id, getattr(run.description.model, "served_as", None)
    for result in results:
        name = result.served_as
        if name is None:
            continue
        if not is_name_of(name, served or asked):
            other = f"{asked!r} was asked" if served is None else f"others of this run from {served!r}"
            raise RowError(
                f"the answer comes from {name!r}, and {other}",
                where=result.location,
                fix="name the results of this run; those of a model that calls itself otherwise go into a run "
                f"of their own: `model={name}` and another `out`",
            )
        served = max(served or name, name, key=len)
    return served
