"""Batch files: requests in OpenAI's batch format, and the results that come back, in any order.

OpenAI, ``vllm run-batch``, Together and others read and write them: JSON Lines, a request with ``custom_id``,
``method``, ``url`` and ``body``, a result with ``custom_id`` and ``response`` or ``error``. The id is the
item's.

References:
    OpenAI, Batch API, https://platform.openai.com/docs/guides/batch.
"""

import filecmp
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from blend.eval.models.protocols import Generation
from blend.eval.models.server_replies import BadReplyError, filtered, is_filtered, served_name
from blend.eval.models.server_requests import VERSION, TextRequest
from blend.loaders.files.atomic import fresh_file, sync_directory
from blend.loaders.files.content import open_content, utf8_text
from blend.loaders.files.json_text import parse_json
from blend.loaders.files.storage import storage_errors
from blend.schemas.errors import InputError, RowError, raise_all
from blend.schemas.language.text_comparison import clean

MAX_REQUESTS = 50_000
"""Requests of one file, as OpenAI allows; the other providers allow as many or more."""

MAX_BYTES = 200_000_000
"""Bytes of one file, likewise."""

_SHOWN = 200
_ASK_AGAIN = "delete this line; its item is then asked again"
_OTHER_KIND = "give results in OpenAI's format; those of Anthropic and Gemini are read as `answers`"


class BatchResult(NamedTuple):
    """Result of one request."""

    item_id: str
    """Item that was asked."""
    answer: Generation
    """Its answer, or why there is none."""
    served_as: str | None
    """Name under which the model answered; null where nobody says."""
    location: str
    """File and line."""


def write_requests(out: Path, requests: Iterable[tuple[str, TextRequest]]) -> tuple[Path, ...]:
    """Write requests for a batch; every file appears whole or not at all.

    Args:
        out: The file. Where one would be too large, ``requests-1.jsonl``, ``requests-2.jsonl`` … stand beside
            it in its place.
        requests: Requests with the ids of their items.

    Returns:
        The files written. One that is there and holds the same is left as it is.

    Raises:
        InputError: If a file of that name holds something else.
        StorageError: If they cannot be written.
    """
    with storage_errors(out, fix="choose another `batch_out`"), ExitStack() as undo:
        unnamed = []
        for lines in _parts(requests):
            beside = fresh_file(out)
            undo.callback(beside.unlink, missing_ok=True)
            with beside.open("wb") as file:
                file.writelines(lines)
                file.flush()
                os.fsync(file.fileno())
            unnamed.append(beside)
        numbered = [out.with_name(f"{out.stem}-{n}{out.suffix}") for n in range(1, len(unnamed) + 1)]
        named = [out] if len(unnamed) == 1 else numbered
        for beside, path in zip(unnamed, named, strict=True):
            _check_free(path, beside)
        for beside, path in zip(unnamed, named, strict=True):
            beside.replace(path)
        sync_directory(out.parent)
    return tuple(named)


def _parts(requests: Iterable[tuple[str, TextRequest]]) -> Iterator[list[bytes]]:
    """Lines of one file after the other."""
    lines: list[bytes] = []
    size = 0
    for item_id, (path, body) in requests:
        request = {"custom_id": item_id, "method": "POST", "url": VERSION + path, "body": body}
        line = json.dumps(request, ensure_ascii=False).encode() + b"\n"
        if len(lines) == MAX_REQUESTS or (lines and size + len(line) > MAX_BYTES):
            yield lines
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield lines


def _check_free(path: Path, beside: Path) -> None:
    if os.path.lexists(path) and not (path.is_file() and filecmp.cmp(path, beside, shallow=False)):
        raise InputError(
            f"{path}: exists and holds something else, perhaps requests that are under way; choose another "
            "`batch_out` or move it away"
        )


def read_results(
    paths: Sequence[Path], known: Collection[str], read_reply: Callable[[object], Generation]
) -> list[BatchResult]:
    """Read the results of batches.

    Args:
        paths: Files of results and of errors, in any order.
        known: Ids of the items of the run.
        read_reply: Reads the reply that a server would have sent.

    Raises:
        RowError: If a file cannot be read.
        RowErrors: If lines are no results of this run; names each with file and line.
    """
    found: list[BatchResult] = []
    problems: list[RowError] = []
    for path in paths:
        with open_content(path) as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                location = f"{path}:{number}"
                try:
                    found.append(_result(line, location, known, read_reply))
                except RowError as problem:
                    problems.append(problem)
    raise_all(problems)
    return found


def _result(
    line: bytes, location: str, known: Collection[str], read_reply: Callable[[object], Generation]
) -> BatchResult:
    value = parse_json(utf8_text(line, location, save_as=_ASK_AGAIN), location, is_file=False)
    match value:
        case {"custom_id": str(item_id), **result}:
            pass
        case _:
            raise RowError("not a result of a batch: it has no custom_id", where=location, fix=_OTHER_KIND)
    if item_id not in known:
        fix = f"the ids of this run are like {next(iter(known))!r}; name the results of its own requests"
        raise RowError(f"nothing is asked under {item_id!r}", where=location, fix=fix)
    match result:
        case {"error": error} if is_filtered(error):
            return BatchResult(item_id, filtered(), None, location)
        case {"error": error} if error:
            return BatchResult(item_id, Generation.failed(_reason(error)), None, location)
        case {"response": {"status_code": int(code), "body": why}} if code >= 400 and is_filtered(why):
            return BatchResult(item_id, filtered(), None, location)
        case {"response": {"status_code": int(code), **response}} if code >= 400:
            why = f"HTTP {code}, {_reason(response.get('body'))!r}"
            return BatchResult(item_id, Generation.failed(why), None, location)
        case {"response": {"body": {**body}}}:
            return BatchResult(item_id, _answer(body, read_reply), served_name(body), location)
        case {"method": _, "body": _}:
            raise RowError(
                "a request, and not its result", where=location, fix="name the file that came back for it"
            )
        case _:
            raise RowError("neither a response nor an error", where=location, fix=_OTHER_KIND)


def _answer(body: object, read_reply: Callable[[object], Generation]) -> Generation:
    try:
        return read_reply(body)
    except BadReplyError as error:
        return Generation.failed(str(error))


def _reason(error: object) -> str:
    """What a provider says went wrong."""
    match error:
        case {"error": inner} if inner:
            return _reason(inner)
        case {"message": str(text)} | {"code": str(text)}:
            return clean(text)[:_SHOWN]
        case _:
            return clean(str(error))[:_SHOWN]
