"""Answer logs: what other harnesses and providers' batches keep of a model's answers, each as a `LoggedAnswer`.

A log is read raw, without the tool that wrote it. `KINDS` has each kind: how a record of it is recognised, and
how it is read.
"""

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from blend.eval.models.protocols import Generation
from blend.eval.models.server_replies import meaning_of
from blend.eval.runs.batch_results import reason_of, result_in
from blend.loaders.files.content import open_content, read_content, utf8_text
from blend.loaders.files.tables import NOT_AN_ARCHIVE
from blend.schemas.errors import RowError, beyond_limits
from blend.schemas.rows import LETTERS

ID_KEYS = ("item_id", "true_false_id", "MCQID", "ID")
"""Names under which a log, or a table, names the item that was asked; the first one that is there counts."""

LOG_IDS = ("custom_id", "id")
"""What batches and Inspect call it."""

LOG_SUFFIXES = (".eval", ".json", ".jsonl")
"""Name endings of logs; ``.jsonl`` may be a table of answers as well."""

_ZSTANDARD = 93
_HEADER_BYTES = 30

Record = Mapping[str, Any]
Named = Mapping[str, Any]
"""An item, by what a log calls its id."""


class LoggedAnswer(NamedTuple):
    """An answer that another tool keeps."""

    location: str
    """Where it stands."""
    named: Named
    """Its item."""
    answer: Generation
    """What was said, or why there is none; its finish reason is empty where the tool says none."""
    prompt: str | None = None
    """The exact prompt, where the tool says it."""


class Kind(NamedTuple):
    """A kind of log."""

    name: str
    """What messages call it."""
    recognises: Callable[[Record], bool]
    """Whether something is a record of this kind."""
    read: Callable[[Record], tuple[Named, Generation]]
    """Item and answer of a record; an error of Python's own where something is not in its place."""


def read_log(path: Path, *, samples: int = 1) -> tuple[list[LoggedAnswer], int] | None:
    """The answers in a log, in their order; null for a file that is of no kind in `KINDS` and may be a table.

    Left out, and counted, are further answers to one item in a log of lm-eval, and more than ``samples`` epochs
    of Inspect.

    Raises:
        RowError: If it cannot be read, or has records of several kinds; a file that ends in ``.json`` or
            ``.eval`` has to be a log.
    """
    ending = path.suffix.lower()
    if ending not in LOG_SUFFIXES or (ending == ".jsonl" and _kind_of(_first_line(path)) is None):
        return None
    found = records(path, path.name)
    first: tuple[str, Any] = next(found, (path.name, None))
    kind = _kind_of(first[1])
    if kind is None:
        names = ", ".join(kind.name for kind in KINDS)
        raise RowError("not a log of answers", where=path.name, fix=f"give {names}, or a table of answers")
    answers: list[LoggedAnswer] = []
    n_further = 0
    for location, record in chain([first], found):
        if not isinstance(record, dict) or not kind.recognises(record):
            fix = "give one whole log of one kind"
            raise RowError(f"not as the first record, which is of {kind.name}", where=location, fix=fix)
        if record.get("epoch", 1) > samples or record.get("filter") != first[1].get("filter"):
            n_further += 1
            continue
        try:
            answers.append(LoggedAnswer(location, *kind.read(record)))
            n_further += _n_further(record)
        except (AttributeError, LookupError, TypeError, ValueError):
            what = f"like {kind.name}, without the answer in its place"
            raise RowError(what, where=location, fix="give the log as it was written") from None
    return answers, n_further


def read_header(path: Path) -> Record:
    """Read what a log of Inspect says of the run; empty for another kind of log.

    Raises:
        RowError: If it cannot be read.
    """
    content = read_content(path, where=path.name)
    if content.startswith(b"PK"):
        header: Any = next((value for _, value in _archived(content, path.name, "header.json")), None)
    else:
        header = None if path.suffix.lower() == ".jsonl" else _parsed(content, path.name)
    return header if isinstance(header, dict) else {}


def style_of(path: Path) -> str | None:
    """The style in which lm-eval had the likeliest option found; null of answers in words, and other files."""
    record: Any = _first_line(path) if path.suffix.lower() == ".jsonl" else None
    try:
        if all(isinstance(one[0], str) for one in record["resps"]):
            return None
        options = {given["arg_1"].strip() for given in record["arguments"].values()}
    except (AttributeError, LookupError, TypeError):  # not a record of its kind
        return None
    return "letters" if options <= {*LETTERS} else "texts"


def _first_line(path: Path) -> object:
    """The first record of JSON Lines; null for anything that a reader of tables can tell more about."""
    with open_content(path, where=path.name) as file:
        line = next((line for line in file if line.strip()), b"")
    with suppress(RowError):
        return _parsed(line, path.name)
    return None


def records(path: Path, name: str) -> Iterator[tuple[str, Any]]:
    """Every record of a log with its location; half of a line at the end, which a kill leaves, is none.

    Args:
        path: The log.
        name: What locations call it.

    Raises:
        RowError: If it cannot be read.
    """
    content = read_content(path, where=name)
    if content.startswith(b"PK"):
        yield from _archived(content, name)
    elif path.suffix.lower() == ".jsonl":
        *lines, last = content.split(b"\n")
        with suppress(ValueError):
            json.loads(last)
            lines.append(last)
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield f"{name}:{number}", _parsed(line, f"{name}:{number}")
    else:
        value = _parsed(content, name)
        samples = value.get("samples") if isinstance(value, dict) else value
        for number, sample in enumerate(samples if isinstance(samples, list) else (), start=1):
            yield f"{name}, sample {number}", sample


def _archived(content: bytes, name: str, start: str = "samples/") -> Iterator[tuple[str, Any]]:
    """The samples in the archive of an ``.eval`` log, or other files whose names start alike."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        for info in [info for info in archive.infolist() if info.filename.startswith(start)]:
            packed = info.compress_type == _ZSTANDARD
            member = _unpacked(content, info) if packed else archive.read(info)
            yield f"{name}:{info.filename}", _parsed(member, f"{name}:{info.filename}")
    except NOT_AN_ARCHIVE as error:
        if isinstance(error, RowError):
            raise
        fix = "copy it again, or convert it with `inspect log convert --to json`"
        raise RowError(f"cannot be read as an archive ({error})", where=name, fix=fix) from None


def _unpacked(content: bytes, info: zipfile.ZipInfo) -> bytes:
    """A file packed with Zstandard, as Inspect does and Python's own reader of archives cannot undo."""
    import pyarrow as pa

    header = content[info.header_offset :][:_HEADER_BYTES]
    # Name and extra field stand between the header, which ends with their lengths, and the content.
    lengths = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    start = info.header_offset + _HEADER_BYTES + lengths
    packed = content[start : start + info.compress_size]
    return bytes(pa.decompress(packed, info.file_size, codec="zstd", asbytes=True))


def _parsed(content: bytes, where: str) -> Any:
    """The value of JSON as Python writes it, with ``NaN``, which scores beside answers may be."""
    try:
        return json.loads(utf8_text(content, where, fix="copy the file again"))
    except (RecursionError, ValueError) as error:
        if isinstance(error, RowError):
            raise
        why = str(error) if isinstance(error, json.JSONDecodeError) else beyond_limits(error)
        raise RowError(f"not JSON ({why})", where=where, fix="copy the file again") from None


def _kind_of(record: object) -> Kind | None:
    # A text as ``response`` is how a table of answers has it.
    if not isinstance(record, dict) or isinstance(record.get("response"), str):
        return None
    return next((kind for kind in KINDS if kind.recognises(record)), None)


def _id(doc: Record) -> Named:
    """The first of the names of an item that something has, with its value; nothing where it has none."""
    return {name: str(doc[name]) for name in [name for name in ID_KEYS if name in doc][:1]}


def _n_further(record: Record) -> int:
    """Further responses of a line of lm-eval, which asks some tasks several times."""
    responses = record.get("resps") or [[""]]
    return len(responses[0]) - 1 if isinstance(responses[0][0], str) else 0


def as_answer(text: str, thought: str | None, reason: str | None) -> Generation:
    """What another tool says of an answer, with the reason for which it ends as our own runs call it."""
    meaning = meaning_of(reason or "")
    if meaning == "error":
        return Generation.failed(str(reason))
    return Generation(text, None, None, meaning or reason or "", thought=thought or None)


def _lm_eval(record: Record) -> tuple[Named, Generation]:
    """A line of ``samples_TASK.jsonl``: one response, or the likelihood of each option."""
    named, responses = _id(record["doc"]), record["resps"]
    if not named:
        return named, Generation.failed(f"its doc has none of {', '.join(ID_KEYS)}")
    if all(isinstance(one[0], str) for one in responses):
        return named, as_answer(responses[0][0], None, None)
    # Numbers are texts in the file; the continuation of the likeliest option is what the model chose.
    likelihoods = [float(one[0][0]) for one in responses]
    best = likelihoods.index(max(likelihoods))
    return named, as_answer(record["arguments"][f"gen_args_{best}"]["arg_1"].strip(), None, None)


def _inspect(record: Record) -> tuple[Named, Generation]:
    """A sample of a log of Inspect."""
    output = record["output"]
    named = _id(record.get("metadata") or {}) or {"id": str(record["id"])}
    if record.get("error") or not output.get("choices"):
        return named, Generation.failed(reason_of(record.get("error") or output.get("error") or "no output"))
    if record["epoch"] > 1:
        # As `items.repeated` names what is asked again.
        named = {name: f"{one}#{record['epoch'] - 1}" for name, one in named.items()}
    return named, inspect_answer(output)


def inspect_answer(output: Record) -> Generation:
    """What a model's output in Inspect says and thinks, and why it ends."""
    choice = output["choices"][0]
    content = choice["message"]["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    text = "".join(part["text"] for part in parts if part["type"] == "text")
    thought = "\n".join(part["reasoning"] for part in parts if part["type"] == "reasoning")
    reason = choice.get("stop_reason")
    return as_answer(text, thought, None if reason == "unknown" else reason)


def _batch(record: Record) -> tuple[Named, Generation]:
    """A line of what came back for requests in a file."""
    found = result_in(record)
    assert found is not None
    return {"custom_id": found.request_id}, found.answer


KINDS = (
    Kind("samples of lm-eval", lambda one: "doc" in one and "resps" in one, _lm_eval),
    Kind("a log of Inspect", lambda one: "epoch" in one and "output" in one, _inspect),
    Kind("results of a batch", lambda one: result_in(one) is not None, _batch),
)
"""Every kind of log, in the order in which a file is tried."""
