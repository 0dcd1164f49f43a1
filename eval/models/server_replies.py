"""Replies of OpenAI-compatible servers: what they must hold, and what is wrong with those that do not.

Servers differ, and many pass over what they do not know: what was asked for is looked for and never taken for
granted.
"""

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from blend.eval.models.finish_reasons import meaning_of
from blend.eval.models.protocols import Generation
from blend.eval.models.thoughts import Marks, any_mark, split_thought
from blend.schemas.errors import BlendError, ServerError
from blend.schemas.language.text_comparison import clean

_SHOWN = 120

_COUNTS = range(1 << 31)
"""What a server can say of tokens: more than our columns hold is no count."""

_FILTER_ERRORS = frozenset(
    (
        "content_filter",  # Azure, Moonshot
        "content_policy_violation",
        "data_inspection_failed",  # Qwen at Alibaba
    )
)
"""Codes and types of errors that say the same of a whole request."""


class BadReplyError(BlendError):
    """One reply is not what was asked for; another one may be."""


class OptionReply(NamedTuple):
    """Reply of a server on one item's options."""

    logprobs: list[float]
    tokens: list[int]
    tokens_in: int


def read_text(reply: object, further: Sequence[Marks] = ()) -> Generation:
    """The answer in a reply of ``/chat/completions`` or ``/completions``, and what was thought before.

    Thoughts come in a field of their own (``reasoning`` or ``reasoning_content``), as parts of the content, or
    in the text between marks.

    Args:
        reply: The reply.
        further: Pairs of marks around thoughts besides the usual ones.

    Raises:
        BadReplyError: If there is no answer, or the server failed before its end.
    """
    choice = _choices(reply, 1)[0]
    finish_reason = _finish_reason(choice)
    if finish_reason == "error":
        raise BadReplyError(f"the server ended the answer with finish_reason {_shown(choice['finish_reason'])}")
    thoughts = _field_of_thoughts(choice)
    match choice:
        case {"message": {"content": str(text)}} | {"message": {"refusal": str(text)}} | {"text": str(text)}:
            pass
        case {"message": {"content": [*parts]}}:
            of_parts, text = _parts(parts)
            thoughts += of_parts
        case {"message": {}} if finish_reason == "length":
            # All tokens went into thoughts, which the server may keep to itself.
            text = ""
        case _ if finish_reason == "content_filter":
            text = ""
        case {"message": {}} if thoughts:
            text = ""
        case _:
            raise BadReplyError(f"the reply holds no text: {_shown(choice)}")
    split = split_thought(text, further)
    thoughts += [split.thought] if split.thought is not None else []
    return Generation(
        split.text,
        _usage(reply, "prompt_tokens"),
        _usage(reply, "completion_tokens"),
        finish_reason,
        thought="\n".join(thoughts) or None,
        tokens_thought=_reasoning_tokens(reply),
    )


def is_filtered(error: object) -> bool:
    """Whether the body of an error says that a filter has held back the prompt or the answer."""
    match error:
        case {"error": {**inner}}:
            return is_filtered(inner)
        case {**fields}:
            return not _FILTER_ERRORS.isdisjoint(str(fields.get(key)).lower() for key in ("code", "type"))
        case _:
            return False


def filtered() -> Generation:
    """The answer of a server whose filter has held back all of it."""
    return Generation("", None, 0, "content_filter")


def shows_thoughts(reply: object, further: Sequence[Marks] = ()) -> bool:
    """Whether a model has begun to think in a reply, however short it is.

    Raises:
        BadReplyError: If the reply is none.
    """
    choice = _choices(reply, 1)[0]
    if _field_of_thoughts(choice) or _reasoning_tokens(reply):
        return True
    match choice:
        case {"message": {"content": str(text)}}:
            return re.search(any_mark(further), text) is not None
        case {"message": {"content": [*parts]}}:
            return bool(_parts(parts)[0])
        case _:
            return False


def _finish_reason(choice: dict[str, Any]) -> str:
    """Why the answer ends: of itself where the server does not say, and its own word where nobody knows it."""
    reason = clean(str(choice.get("finish_reason") or "")) or "stop"
    return meaning_of(reason) or reason[:_SHOWN]


def _field_of_thoughts(choice: dict[str, Any]) -> list[str]:
    """The thoughts that stand beside the content: as vLLM and OpenRouter call them, or DeepSeek and others."""
    message = choice.get("message")
    if not isinstance(message, dict):
        return []
    found = next((text for name in ("reasoning", "reasoning_content") if (text := message.get(name))), None)
    return [found.strip()] if isinstance(found, str) and found.strip() else []


def _parts(parts: Sequence[object]) -> tuple[list[str], str]:
    """What is thought and what is said in a content of typed parts, as Mistral and others send it."""
    thoughts: list[str] = []
    answer: list[str] = []
    for part in parts:
        match part:
            case {"type": "text" | "output_text", "text": str(text)} | {
                "type": "refusal",
                "refusal": str(text),
            }:
                answer.append(text)
            case {"type": "thinking", "thinking": [*inner]}:
                thoughts += [text for one in inner if (text := _parts([one])[1])]
            case {"type": "thinking", "thinking": str(text)} | {"type": "reasoning", "text": str(text)}:
                thoughts.append(text)
            case {"type": "redacted_thinking"}:
                pass
            case _:
                raise BadReplyError(f"the reply holds a part that is no text: {_shown(part)}")
    return thoughts, "".join(answer)


def _reasoning_tokens(reply: object) -> int | None:
    """Tokens that a server says were thought, which it may tell though it keeps the thoughts to itself."""
    match reply:
        case {"usage": {"completion_tokens_details": {"reasoning_tokens": int(count)}}} if count in _COUNTS:
            return count
        case _:
            return None


def read_options(reply: object, sent: Sequence[str], *, where: str) -> OptionReply:
    """The log-probabilities in a reply of ``/completions`` that repeats what it was sent (``echo``).

    Args:
        reply: The reply.
        sent: The texts that it is about: the prompt alone, then the prompt with each option.
        where: The server, as messages name it.

    Raises:
        ServerError: If the server does not give log-probabilities of what it is sent.
        BadReplyError: If there are fewer of them than asked for.
    """
    texts = [
        _echoed(choice, text, where) for choice, text in zip(_choices(reply, len(sent)), sent, strict=True)
    ]
    (alone, _), *completed = texts
    # As in `encoding.Encoder.questions`: a token in which prompt and option meet counts as the option's.
    start = min(min(_in_common(alone, tokens), len(tokens) - 1) for tokens, _ in completed)
    if start < 1:
        raise BadReplyError("the prompt is empty: there is nothing after which the model could answer")
    sums: list[float] = []
    for _, values in completed:
        scored = values[start:]
        if not all(isinstance(value, (int, float)) and math.isfinite(value) for value in scored):
            raise BadReplyError("the reply lacks the log-probabilities of some tokens")
        sums.append(math.fsum(scored))
    return OptionReply(sums, [len(tokens) - start for tokens, _ in completed], start)


def check_logprobs(reply: object, *, where: str) -> None:
    """Check that a server gives log-probabilities at all.

    Args:
        reply: Its reply to one text.
        where: The server, as messages name it.

    Raises:
        ServerError: If it does not.
        BadReplyError: If the reply holds nothing that could have them.
    """
    _logprobs(_choices(reply, 1)[0], where)


def served_name(reply: object) -> str | None:
    """The name under which the server says that it answers."""
    match reply:
        case {"model": str(name)}:
            return name
        case _:
            return None


def _choices(reply: object, n: int) -> list[dict[str, Any]]:
    match reply:
        case {"choices": [*choices]} if all(isinstance(choice, dict) for choice in choices):
            pass
        case _:
            raise BadReplyError(f"the reply is not one of an OpenAI-compatible server: {_shown(reply)}")
    if len(choices) != n:
        raise BadReplyError(f"the reply holds {len(choices)} answers instead of {n}")
    return sorted(choices, key=lambda choice: choice.get("index") or 0)


def _echoed(choice: dict[str, Any], text: str, where: str) -> tuple[list[str], list[Any]]:
    """Tokens of a text that was sent, and their log-probabilities."""
    tokens, values = _logprobs(choice, where)
    if len(values) != len(tokens):
        raise BadReplyError(f"the reply holds {len(values)} log-probabilities for {len(tokens)} tokens")
    # Compared without outer white space: some tokenizers put a blank before the first word.
    if isinstance(echo := choice.get("text"), str) and echo.strip() != text.strip():
        raise BadReplyError(f"the reply does not repeat what was sent but {_shown(echo)}")
    return [str(token) for token in tokens], values


def _logprobs(choice: dict[str, Any], where: str) -> tuple[list[Any], list[Any]]:
    """Tokens and their log-probabilities as the server gives them."""
    match choice:
        case {"logprobs": {"tokens": [*tokens], "token_logprobs": [*values]}}:
            return tokens, values
        case _:
            raise ServerError(
                f"{where}: the server does not give the log-probabilities of what it is sent (logprobs with "
                "echo), which scoring options needs; use one that does, such as vLLM, load the model here, "
                "or choose a style that reads texts"
            )


def _usage(reply: object, key: str) -> int | None:
    match reply:
        case {"usage": {**usage}} if isinstance(count := usage.get(key), int) and count in _COUNTS:
            return count
        case _:
            return None


def _in_common(a: Sequence[str], b: Sequence[str]) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _shown(value: object) -> str:
    text = clean("".join(char if char.isprintable() else " " for char in str(value)))
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
