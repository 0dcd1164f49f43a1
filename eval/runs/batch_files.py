"""Batch files: requests in OpenAI's batch format go out, and the results come back into the run, in any order.

OpenAI, ``vllm run-batch``, Together and others read them: JSON Lines, a request with ``custom_id``, ``method``,
``url`` and ``body``.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

from blend.eval.models.protocols import draw_seeds
from blend.eval.models.server import VERSION, RequestForm, TextRequest
from blend.eval.runs.answer_logs import REQUEST_ID, LoggedAnswer, logged_answer, records
from blend.eval.runs.answers import generated
from blend.eval.runs.ask_model import outcome_of, pending_items, samples_of
from blend.eval.runs.run_directory import Run, RunOutcome, change_description
from blend.loaders.files.atomic import atomic_write, storage_errors
from blend.loaders.files.content import read_content
from blend.schemas.errors import InputError, RowError
from blend.schemas.texts import pluralise

MAX_REQUESTS = 50_000
"""Requests of one file, as OpenAI allows; the other providers allow as many or more."""

MAX_BYTES = 200_000_000
"""Bytes of one file, likewise."""

_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def request_id(item_id: str) -> str:
    """The id of an item's request, which every provider takes: Anthropic's are the narrowest.

    An id that is one already stays as it is; any other has its digest.
    """
    return item_id if _ID.fullmatch(item_id) else sha256(item_id.encode()).hexdigest()


def items_by_request(item_ids: Iterable[str]) -> dict[str, str]:
    """The item that each id of a request, or of an item itself, names."""
    return {name: item_id for item_id in item_ids for name in (item_id, request_id(item_id))}


def requests_of(run: Run, form: RequestForm) -> Iterator[tuple[str, TextRequest]]:
    """The requests of what a run has no answer to, as they would be sent, with the ids of their items."""
    pending = pending_items(run)
    seeds = draw_seeds(pending["prompt"].to_list(), samples_of(run, pending), form.decoding)
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
    asked: set[str] = set()
    n_further = 0
    with run.answer_file("batch") as file:
        for item, result in results():
            if item in pending:
                file.append([{"item_id": item, **generated(result.answer)}])
                asked.add(item)
                if result.answer.error is None:
                    pending.discard(item)
            else:
                n_further += result.answer.error is None
    outcome, warnings = outcome_of(run, n_asked=len(asked)), []
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
                raise RowError(f"nothing is asked under {found.id!r}", where=location, fix=fix)
            yield items[found.id], found._replace(location=location)


def _served_name(run: Run, results: Iterable[LoggedAnswer]) -> str | None:
    """The one name under which the model has answered, in this run and in the results."""
    asked, before = run.description.model.id, getattr(run.description.model, "served_as", None)
    for result in results:
        if result.served_as in (None, before):
            continue
        if before is not None or not is_name_of(result.served_as, asked):
            others = f"{asked!r} was asked" if before is None else f"others of this run from {before!r}"
            raise RowError(
                f"the answer comes from {result.served_as!r}, and {others}",
                where=result.location,
                fix="name the results of this run; those of a model that calls itself otherwise go into a run "
                f"of their own: `model={result.served_as}` and another `out`",
            )
        before = result.served_as
    return before


_VERSION = re.compile(r"[-@:](\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|latest)$")
"""What providers add to the name of a model for one version of it: a date, a number, or a word for the last."""


def is_name_of(served: str, asked: str) -> bool:
    """Whether a provider may call a model so that was asked for by another name, but for version and folder."""
    there, here = (_VERSION.sub("", name.rpartition("/")[2].lower()) for name in (served, asked))
    return there == here
