"""Answer logs: what other harnesses and providers' batches keep of a model's answers, each as a `LoggedAnswer`.

A log is read raw, without the tool that wrote it: samples of lm-eval, logs of Inspect, and the results that
OpenAI (chats, completions and Responses), ``vllm run-batch``, Anthropic, Gemini and datatrove's
``InferenceRunner`` write for requests. Whoever reads the reply of a live request reads theirs.

References:
    OpenAI, Batch API, https://platform.openai.com/docs/guides/batch.
    Anthropic, Message Batches, https://docs.claude.com/en/docs/build-with-claude/batch-processing.
    Google, Gemini Batch API, https://ai.google.dev/gemini-api/docs/batch-api.
"""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from blend.eval.models.protocols import Generation
from blend.eval.models.server_replies import BadReplyError, is_filtered, meaning_of, read_text, served_name
from blend.loaders.files.content import open_content, read_content, utf8_text
from blend.loaders.files.tables import NOT_AN_ARCHIVE
from blend.schemas.errors import RowError, beyond_limits
from blend.schemas.rows import LETTERS
from blend.schemas.texts import clean

LOGS = "samples of lm-eval, a log of Inspect, results of a batch"
"""What can be read, for messages."""

ID_KEYS = ("item_id", "true_false_id", "MCQID", "ID")
"""Names under which a log, or a table, names the item that was asked; the first one that is there counts."""

REQUEST_ID = "custom_id"
"""What a batch calls it."""

LOG_SUFFIXES = (".eval", ".json", ".jsonl")
"""Name endings of logs; ``.jsonl`` may be a table of answers as well."""

_ZSTANDARD = 93
_HEADER_BYTES = 30
_SHOWN = 200

Record = Mapping[Any, Any]


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
    n_further, kept_filter = 0, None
    for location, record in records(path, path.name):
        found = _answer_in(record)
        if found is None:
            raise _unknown(location)
        kept_filter = kept_filter or record.get("filter")
        if record.get("epoch", 1) > samples or record.get("filter") != kept_filter:
            n_further += 1
        else:
            answers.append(found._replace(location=location))
            n_further += _n_further(record)
    if not (answers or n_further):
        raise _unknown(path.name)
    return answers, n_further


def _unknown(location: str) -> RowError:
    return RowError("not an answer of a known tool", where=location, fix=f"give {LOGS}, or a table of answers")


def _answer_in(record: object) -> LoggedAnswer | None:
    # A text as ``response`` is how a table of answers has it.
    is_row = isinstance(record, dict) and isinstance(record.get("response"), str)
    return None if is_row else logged_answer(record)


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


def logged_answer(record: Any) -> LoggedAnswer | None:
    """The answer in a record of a log, without its location; null for a record that no known tool writes."""
    held: dict[str, Any] = record if isinstance(record, dict) else {}
    try:
        match record:
            case {"doc": {}, "resps": [*_]}:
                return _of_lm_eval(held)
            case {"epoch": int(), "output": {}}:
                return _of_inspect(held)
            case _:
                found = _named_reply(record)
    except (AttributeError, LookupError, TypeError, ValueError):  # something else where a tool has its own
        return None
    if found is None:
        return None
    name, reply = found
    if isinstance(reply, str):
        return LoggedAnswer(REQUEST_ID, name, Generation.failed(reply))
    try:
        answer = read_text(reply)
    except BadReplyError as error:
        answer = Generation.failed(str(error))
    return LoggedAnswer(REQUEST_ID, name, answer, served_name(reply))


def _id(doc: Record) -> tuple[str, str] | None:
    """The first of the names of an item that something has, with its value."""
    return next(((name, str(doc[name])) for name in ID_KEYS if name in doc), None)


def as_answer(text: str, thought: str | None, reason: str | None) -> Generation:
    """What another tool says of an answer, with the reason for which it ends as our own runs call it."""
    meaning = meaning_of(reason or "")
    if meaning == "error":
        return Generation.failed(str(reason))
    return Generation(text, None, None, meaning or reason or "", thought=thought or None)


def _of_lm_eval(record: Record) -> LoggedAnswer:
    """A line of ``samples_TASK.jsonl``: one response, or the likelihood of each option."""
    named, responses = _id(record["doc"]), record["resps"]
    if named is None:
        return LoggedAnswer(None, None, Generation.failed(f"its doc has none of {', '.join(ID_KEYS)}"))
    if all(isinstance(one[0], str) for one in responses):
        return LoggedAnswer(*named, as_answer(responses[0][0], None, None))
    # Numbers are texts in the file; the continuation of the likeliest option is what the model chose.
    likelihoods = [float(one[0][0]) for one in responses]
    best = likelihoods.index(max(likelihoods))
    return LoggedAnswer(*named, as_answer(record["arguments"][f"gen_args_{best}"]["arg_1"].strip(), None, None))


def _n_further(record: Record) -> int:
    """Further responses of a line of lm-eval, which asks some tasks several times."""
    responses = record.get("resps") or [[""]]
    return len(responses[0]) - 1 if isinstance(responses[0][0], str) else 0


def _of_inspect(record: Record) -> LoggedAnswer:
    """A sample of a log of Inspect."""
    output, epoch = record["output"], record["epoch"]
    name, item = _id(record.get("metadata") or {}) or ("id", str(record["id"]))
    # As `items.repeated` names what is asked again.
    named = (name, item if epoch == 1 else f"{item}#{epoch - 1}")
    if record.get("error") or not output.get("choices"):
        why = reason_of(record.get("error") or output.get("error") or "no output")
        return LoggedAnswer(*named, Generation.failed(why))
    return LoggedAnswer(*named, inspect_answer(output))


def inspect_answer(output: Record) -> Generation:
    """What a model's output in Inspect says and thinks, and why it ends."""
    choice = output["choices"][0]
    content = choice["message"]["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    text = "".join(part["text"] for part in parts if part["type"] == "text")
    thought = "\n".join(part["reasoning"] for part in parts if part["type"] == "reasoning")
    reason = choice.get("stop_reason")
    return as_answer(text, thought, None if reason == "unknown" else reason)


_HELD_BACK: Record = {
    "choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}],
    "usage": {"completion_tokens": 0},
}


def _named_reply(record: object) -> tuple[str, Record | str] | None:
    """The id of a request with the reply of a chat to it, or with why there is none."""
    match record:
        case {"custom_id": str(name), "result": {"type": "succeeded", "message": {**message}}}:
            return name, _of_anthropic(message)
        case {"custom_id": str(name), "result": {"type": str(end), **result}}:
            return name, _failed(result.get("error") or end)
        case {"key": str(name), "response": {**response}}:
            return name, _of_gemini(response)
        case {"key": str(name), "error": error}:
            return name, _failed(error)
        case {"id": str(name), "metadata": {"rollout_results": [*rollouts]}}:
            return name, _of_datatrove(rollouts[0] if rollouts else {"error": "no answer"})
        case {"custom_id": str(name), "error": error} if error:
            return name, _failed(error)
        case {"custom_id": str(name), "response": {"status_code": int(code), **response}} if code >= 400:
            return name, _failed(response.get("body"), code)
        case {"custom_id": str(name), "response": {"body": {"error": error}}} if error:
            return name, _failed(error)
        case {"custom_id": str(name), "response": {"body": {"output": [*output], **body}}}:
            return name, _of_responses(output, body)
        case {"custom_id": str(name), "response": {"body": {**body}}}:
            return name, body
        case _:
            return None


def _failed(error: object, code: int | None = None) -> Record | str:
    if is_filtered(error):
        return _HELD_BACK
    return reason_of(error) if code is None else f"HTTP {code}, {reason_of(error)!r}"


def reason_of(error: object) -> str:
    """What a provider says went wrong."""
    match error:
        case {"error": inner} if inner:
            return reason_of(inner)
        case {"message": str(text)} | {"code": str(text)}:
            return clean(text)[:_SHOWN]
        case _:
            return clean(str(error))[:_SHOWN]


def _chat(content: object, end: object, usage: Record, model: object, reasoning: object = None) -> Record:
    message = {"content": content, "reasoning": reasoning}
    return {"model": model, "choices": [{"message": message, "finish_reason": end}], "usage": usage}


def _of_anthropic(message: Record) -> Record:
    # Its blocks are called as the parts of a chat's content are.
    usage = _usage(message.get("usage") or {})
    return _chat(message.get("content"), message.get("stop_reason"), usage, message.get("model"))


def _of_responses(output: list[Any], body: Record) -> Record:
    content = [
        part if one.get("type") == "message" else {"type": "reasoning", "text": part["text"]}
        for one in output
        for part in one.get("content") or one.get("summary") or ()
        if one.get("type") in ("message", "reasoning")
    ]
    ends = {"completed": "stop", "incomplete": (body.get("incomplete_details") or {}).get("reason")}
    end = ends.get(body.get("status", "")) or body.get("status")
    return _chat(content, end, _usage(body.get("usage") or {}), body.get("model"))


def _usage(usage: Record) -> Record:
    return {
        "prompt_tokens": usage.get("input_tokens"),
        "completion_tokens": usage.get("output_tokens"),
        "completion_tokens_details": usage.get("output_tokens_details"),
    }


def _of_gemini(response: Record) -> Record:
    if not response.get("candidates"):
        return _HELD_BACK if response.get("promptFeedback") else response
    candidate, usage = response["candidates"][0], response.get("usageMetadata") or {}
    content = [
        {"type": "reasoning" if part.get("thought") else "text", "text": part.get("text", "")}
        for part in (candidate.get("content") or {}).get("parts") or ()
    ]
    thought, answered = usage.get("thoughtsTokenCount"), usage.get("candidatesTokenCount")
    counts = {
        "prompt_tokens": usage.get("promptTokenCount"),
        "completion_tokens": (answered or 0) + (thought or 0) if usage else None,
        "completion_tokens_details": {"reasoning_tokens": thought},
    }
    return _chat(content, candidate.get("finishReason"), counts, response.get("modelVersion"))


def _of_datatrove(rollout: Record) -> Record | str:
    if rollout.get("error"):
        return _failed(rollout)
    usage = rollout.get("usage") or {}
    # The field in which `cluster` keeps the name of who answered.
    model = usage.get("model")
    return _chat(rollout["text"], rollout.get("finish_reason"), usage, model, rollout.get("reasoning"))
