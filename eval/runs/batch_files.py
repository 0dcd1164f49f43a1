"""Batch files: requests in OpenAI's batch format, and the results that come back, in any order.

OpenAI, ``vllm run-batch``, Together and others read them: JSON Lines, a request with ``custom_id``, ``method``,
``url`` and ``body``.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from blend.eval.models.protocols import Generation
from blend.eval.models.server_replies import BadReplyError, served_name
from blend.eval.models.server_requests import VERSION, TextRequest
from blend.eval.runs.batch_results import RequestResult, result_in
from blend.loaders.files.atomic import atomic_write, storage_errors
from blend.loaders.files.content import open_content, parse_json, read_content, utf8_text
from blend.schemas.errors import InputError, RowError

MAX_REQUESTS = 50_000
"""Requests of one file, as OpenAI allows; the other providers allow as many or more."""

MAX_BYTES = 200_000_000
"""Bytes of one file, likewise."""

_NOT_OF_IDS = re.compile(r"[^a-zA-Z0-9_-]")
_MOST_OF_IDS = 64
_DIGITS = 16
_ASK_AGAIN = "delete this line; its item is then asked again"


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


def request_id(item_id: str) -> str:
    """The id of an item's request, which every provider takes: Anthropic's are the narrowest.

    An id that is one already stays as it is; in any other a digest keeps items apart.
    """
    readable = _NOT_OF_IDS.sub("_", item_id)
    if readable == item_id and len(item_id) <= _MOST_OF_IDS:
        return item_id
    digest = sha256(item_id.encode()).hexdigest()[:_DIGITS]
    return f"{readable[: _MOST_OF_IDS - _DIGITS - 1]}-{digest}"


def items_by_request(item_ids: Iterable[str]) -> dict[str, str]:
    """The item that each id of a request, or of an item itself, names."""
    return {name: item_id for item_id in item_ids for name in (item_id, request_id(item_id))}


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
            _write_new(path, b"".join(lines))
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


def _write_new(path: Path, content: bytes) -> None:
    if not os.path.lexists(path):
        atomic_write(path, content)
    elif not path.is_file() or read_content(path) != content:
        raise InputError(
            f"{path}: exists and holds something else, perhaps requests that are under way; choose another "
            "`batch_out` or move it away"
        )


def result_files(paths: Iterable[Path]) -> list[Path]:
    """Files of results: those named, and those in the folders named."""
    found = (sorted(path.rglob("*.jsonl")) if path.is_dir() else [path] for path in paths)
    return [path for files in found for path in files]


def read_results(
    paths: Sequence[Path], items: Mapping[str, str], read_reply: Callable[[object], Generation]
) -> Iterator[BatchResult]:
    """Yield the results in files of results and of errors, in their order.

    Args:
        paths: The files.
        items: The items of the run by the ids of their requests (`items_by_request`).
        read_reply: Reads the reply that a server would have sent.

    Raises:
        RowError: If a file cannot be read, or a line is not a result of this run. Half of a line at the end,
            which a kill leaves, is passed over.
    """
    for path in paths:
        with open_content(path) as file:
            for number, line in enumerate(file, start=1):
                if line.strip() and not _is_cut(line):
                    yield _result(line, f"{path}:{number}", items, read_reply)


def _is_cut(line: bytes) -> bool:
    """Whether a line is half of one at the end of a file."""
    if line.endswith(b"\n"):
        return False
    try:
        json.loads(line)
    except ValueError:
        return True
    return False


def _result(
    line: bytes, location: str, items: Mapping[str, str], read_reply: Callable[[object], Generation]
) -> BatchResult:
    record = parse_json(utf8_text(line, location, save_as=_ASK_AGAIN), location, is_file=False)
    found = result_in(record)
    if found is None:
        what = (
            "a request, and not its result"
            if isinstance(record, dict) and "method" in record
            else "not the result of a request"
        )
        raise RowError(what, where=location, fix="name the file that came back for the requests")
    if found.request_id not in items:
        fix = f"the ids of this run are like {next(iter(items))!r}; name the results of its own requests"
        raise RowError(f"nothing is asked under {found.request_id!r}", where=location, fix=fix)
    return BatchResult(items[found.request_id], _answer(found, read_reply), served_name(found.reply), location)


def _answer(found: RequestResult, read_reply: Callable[[object], Generation]) -> Generation:
    if found.error is not None:
        return Generation.failed(found.error)
    try:
        return read_reply(found.reply)
    except BadReplyError as error:
        return Generation.failed(str(error))
