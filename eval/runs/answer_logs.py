"""Answer logs: what other harnesses and providers' batches keep of a model's answers, each as a `LoggedAnswer`.

A log is read raw, without the tool that wrote it: samples of lm-eval, logs of Inspect, and the results that
OpenAI (chats, completions and Responses), ``vllm run-batch``, Anthropic, Gemini and datatrove's
``InferenceRunner`` write for requests. Whoever reads the reply of a live request reads theirs, once
``replies.toml`` has said where they keep it.

References:
    OpenAI, Batch API, https://platform.openai.com/docs/guides/batch.
    Anthropic, Message Batches, https://docs.claude.com/en/docs/build-with-claude/batch-processing.
    Google, Gemini Batch API, https://ai.google.dev/gemini-api/docs/batch-api.
"""

import io
import json
import lzma
import re
import tomllib
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from blend.eval.models import Generation
from blend.eval.models.replies import (
    BadReplyError,
    filtered,
    is_filtered,
    meaning_of,
    read_text,
    served_name,
)
from blend.loaders.files.content import read_content, utf8_text
from blend.schemas.errors import RowError, beyond_limits
from blend.schemas.rows import LETTERS
from blend.schemas.texts import clean

LOGS = "samples of lm-eval, a log of Inspect, results of a batch"
"""What can be read, for messages."""

ID_KEYS = ("item_id", "true_false_id", "MCQID", "ID")
"""Names under which a log, or a table, names the item that was asked; the first one that is there counts."""

REQUEST_ID = "custom_id"
"""What a batch calls it."""

NOT_AN_ARCHIVE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError),
    *(NotImplementedError, RuntimeError, OSError, ValueError),
)
"""What `zipfile` raises for bytes that are not a sound archive: each packing has an error of its own."""

LOG_SUFFIXES = (".eval", ".json", ".jsonl")
"""Name endings of logs; ``.jsonl`` may be a table of answers as well."""

_ZSTANDARD = 93
_HEADER_BYTES = 30
_SHOWN = 200

_Record = Mapping[str, Any]


class LoggedAnswer(NamedTuple):
    """An answer that another tool keeps."""

    id_name: str | None
    """What the tool calls the id of the item; null where it has none."""
    id: str | None
    """Its id."""
    answer: Generation
    """What was said, or why there is none; its finish reason is empty where the tool says none."""
    served_as: str | None = None
    """Name under which the model answered; null where nobody says."""
    prompt: str | None = None
    """The exact prompt, where the tool says it."""
    location: str = ""
    """Where it stands."""


def read_log(path: Path, *, samples: int = 1) -> tuple[list[LoggedAnswer], int] | None:
    """The answers in a log, in their order; null for a file that may be a table.

    Left out, and counted, are further answers to one item in a log of lm-eval, and more than ``samples`` epochs
    of Inspect.

    Raises:
        RowError: If it cannot be read; a file that ends in ``.json`` or ``.eval`` has to be a log.
    """
    ending = path.suffix.lower()
    if ending not in LOG_SUFFIXES or (ending == ".jsonl" and _answer_in(_first_line(path)) is None):
        return None
    answers: list[LoggedAnswer] = []
    n_further, filters = 0, dict[str | None, object]()
    for location, record in records(path, path.name):
        found = _answer_in(record)
        if found is None:
            raise _unknown(location)
        # Tasks of lm-eval in one file can have filters of their own.
        kept_filter = filters.setdefault(found.id, record.get("filter"))
        if record.get("epoch", 1) > samples or record.get("filter") != kept_filter:
            n_further += 1
            continue
        answers.append(found._replace(location=location))
        # lm-eval asks some tasks several times, with all responses in a line.
        responses = record.get("resps") or [[""]]
        n_further += len(responses[0]) - 1 if isinstance(responses[0][0], str) else 0
    if not (answers or n_further):
        raise _unknown(path.name)
    return answers, n_further


def _unknown(location: str) -> RowError:
    return RowError("not an answer of a known tool", where=location, fix=f"give {LOGS}, or a table of answers")


def _answer_in(record: object) -> LoggedAnswer | None:
    # A text as ``response`` is how a table of answers has it.
    is_row = isinstance(record, dict) and isinstance(record.get("response"), str)
    return None if is_row else logged_answer(record)


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
    with suppress(RowError):
        return next((record for _, record in records(path, path.name)), None)
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


def _archived(content: bytes, name: str) -> Iterator[tuple[str, Any]]:
    """The samples in the archive of an ``.eval`` log."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        for info in [info for info in archive.infolist() if info.filename.startswith("samples/")]:
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
    text = utf8_text(content, where, fix="copy the file again")
    try:
        return json.loads(text)
    except (RecursionError, ValueError) as error:
        why = str(error) if isinstance(error, json.JSONDecodeError) else beyond_limits(error)
        raise RowError(f"not JSON ({why})", where=where, fix="copy the file again") from None


def logged_answer(record: Any) -> LoggedAnswer | None:
    """The answer in a record of a log, without its location; null for a record that no known tool writes."""
    try:
        match record:
            case {"doc": {}, "resps": [*_]}:
                return _of_lm_eval(record)
            case {"epoch": int(), "output": {}}:
                return _of_inspect(record)
            case {}:
                return _of_batch(record)
    except (AttributeError, LookupError, TypeError, ValueError):  # something else where a tool has its own
        pass
    return None


def _id(doc: _Record) -> tuple[str, str] | None:
    """The first of the names of an item that something has, with its value."""
    return next(((name, str(doc[name])) for name in ID_KEYS if name in doc), None)


def as_answer(text: str, thought: str | None = None, reason: str = "") -> Generation:
    """What another tool says of an answer, with the reason for which it ends as our own runs call it."""
    meaning = meaning_of(reason)
    if meaning == "error":
        return Generation.failed(reason)
    return Generation(text, None, None, meaning or reason, thought=thought or None)


def _of_lm_eval(record: _Record) -> LoggedAnswer:
    """A line of ``samples_TASK.jsonl``: one response, or the likelihood of each option."""
    named, responses = _id(record["doc"]), record["resps"]
    if named is None:
        return LoggedAnswer(None, None, Generation.failed(f"its doc has none of {', '.join(ID_KEYS)}"))
    if all(isinstance(one[0], str) for one in responses):
        return LoggedAnswer(*named, as_answer(responses[0][0]))
    # Numbers are texts in the file; the continuation of the likeliest option is what the model chose.
    likelihoods = [float(one[0][0]) for one in responses]
    best = likelihoods.index(max(likelihoods))
    return LoggedAnswer(*named, as_answer(record["arguments"][f"gen_args_{best}"]["arg_1"].strip()))


def _of_inspect(record: _Record) -> LoggedAnswer:
    """A sample of a log of Inspect."""
    epoch = record["epoch"]
    name, item = _id(record.get("metadata") or {}) or ("id", str(record["id"]))
    # As `items.repeated` names what is asked again.
    item = item if epoch == 1 else f"{item}#{epoch - 1}"
    if record.get("error"):
        return LoggedAnswer(name, item, Generation.failed(reason_of(record["error"])))
    return LoggedAnswer(name, item, inspect_answer(record["output"]))


def inspect_answer(output: _Record) -> Generation:
    """What a model's output in Inspect says and thinks, and why it ends."""
    if not output.get("choices"):
        return Generation.failed(reason_of(output.get("error") or "no output"))
    return _read(_as_chat({"output": output}, _kinds()["inspect"]))


_ERRORS = ("error", "result.error", "response.body.error", "metadata.rollout_results.0.error")
"""Where a batch says that a request failed; the first that leads somewhere counts."""


def _of_batch(record: _Record) -> LoggedAnswer | None:
    """The result of a request in a batch."""
    is_of_datatrove = isinstance(rollouts := _at(record, "metadata.rollout_results"), list)
    name = record["id"] if is_of_datatrove else record.get(REQUEST_ID, record.get("key"))
    if not isinstance(name, str):
        return None
    error = next((found for path in _ERRORS if (found := _at(record, path))), None)
    code, end = _at(record, "response.status_code") or 0, _at(record, "result.type")
    if error is None and code >= 400:
        error = _at(record, "response.body")
    elif error is None and end not in (None, "succeeded"):
        error = end
    elif rollouts == []:
        error = "no answer"
    is_blocked = _at(record, "response.promptFeedback") and not _at(record, "response.candidates")
    found = partial(LoggedAnswer, REQUEST_ID, name)
    if is_blocked or is_filtered(error):
        return found(filtered())
    if error is not None:
        why = reason_of(error)
        return found(Generation.failed(f"HTTP {code}, {why!r}" if code >= 400 else why))
    kind = next((kind for kind in _kinds().values() if _at(record, kind["found_at"]) is not None), None)
    reply = _at(record, "response.body") if kind is None else _as_chat(record, kind)
    return found(_read(reply), served_name(reply)) if isinstance(reply, dict) else None


def reason_of(error: object) -> str:
    """What a provider says went wrong."""
    match error:
        case {"error": inner} if inner:
            return reason_of(inner)
        case {"message": str(text)} | {"code": str(text)}:
            return clean(text)[:_SHOWN]
        case _:
            return clean(str(error))[:_SHOWN]


def _read(reply: object) -> Generation:
    try:
        return read_text(reply)
    except BadReplyError as error:
        return Generation.failed(str(error))


@cache
def _kinds() -> Mapping[str, Mapping[str, Any]]:
    """By tool or provider, where its records keep what a reply says: the tables of ``replies.toml``."""
    return tomllib.loads(files("blend.eval.runs").joinpath("replies.toml").read_text(encoding="utf-8"))


def _at(value: Any, path: str) -> Any:
    """What a path leads to; null where it leads nowhere."""
    try:
        for key in path.split("."):
            value = value[int(key) if isinstance(value, list) else key]
    except (LookupError, TypeError, ValueError):
        return None
    return value


def _as_chat(record: _Record, kind: Mapping[str, Any]) -> _Record:
    """A reply as a server of chats would have sent it."""
    written = [count for path in kind["tokens_out"] if (count := _at(record, path)) is not None]
    # Inspect does not always know.
    end = next((found for path in kind["end"] if (found := _at(record, path)) not in (None, "unknown")), None)
    message = {"content": _at(record, kind["content"]), "reasoning": _at(record, kind.get("reasoning", ""))}
    return {
        "model": _at(record, kind["model"]),
        "choices": [{"message": message, "finish_reason": end}],
        "usage": {
            "prompt_tokens": _at(record, kind["tokens_in"]),
            "completion_tokens": sum(written) if written else None,
            "completion_tokens_details": {"reasoning_tokens": _at(record, kind["tokens_thought"])},
        },
    }


_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def request_id(item_id: str) -> str:
    """The id of an item's request, which every provider takes: Anthropic's are the narrowest.

    An id that is one already stays as it is; any other has its digest.
    """
    return item_id if _ID.fullmatch(item_id) else sha256(item_id.encode()).hexdigest()


def items_by_request(item_ids: Iterable[str]) -> dict[str, str]:
    """The item that each id of a request, or of an item itself, names."""
    return {name: item_id for item_id in item_ids for name in (item_id, request_id(item_id))}
