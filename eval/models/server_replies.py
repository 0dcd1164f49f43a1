"""Replies of OpenAI-compatible servers: what they must hold, and what is wrong with those that do not.

Servers differ, and many pass over what they do not know: what was asked for is looked for and never taken for
granted.
"""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from blend.eval.models.protocols import FinishReason, Generation
from blend.eval.models.thoughts import split_thought
from blend.schemas.errors import BlendError
from blend.schemas.texts import clean

_SHOWN = 120

_COUNTS = range(1 << 31)
"""What a server can say of tokens: more than our columns hold is no count."""

# Azure and Moonshot; OpenAI; Qwen at Alibaba.
_FILTER_ERRORS = frozenset(("content_filter", "content_policy_violation", "data_inspection_failed"))
"""Codes and types of errors that say the same of a whole request."""


class BadReplyError(BlendError):
    """One reply is not what was asked for; another one may be."""


def read_text(reply: object) -> Generation:
    """The answer in a reply of ``/chat/completions`` or ``/completions``, and what was thought before.

    Thoughts come in a field of their own (``reasoning`` or ``reasoning_content``), as parts of the content, or
    in the text between marks.

    Args:
        reply: The reply.

    Raises:
        BadReplyError: If there is no answer, or the server failed before its end.
    """
    choice = _only_choice(reply)
    finish_reason = _finish_reason(choice)
    if finish_reason == "error":
        raise BadReplyError(f"the server ended the answer with finish_reason {_shown(choice['finish_reason'])}")
    thoughts, text = _thoughts_and_text(choice)
    # All tokens may have gone into thoughts, which the server may keep to itself.
    is_spent = finish_reason == "length" and "message" in choice
    if text is None and not (thoughts or is_spent or finish_reason == "content_filter"):
        raise BadReplyError(f"the reply holds no text: {_shown(choice)}")
    split = split_thought(text or "")
    thoughts += [split.thought] if split.thought is not None else []
    return Generation(
        split.text,
        _count(reply, "prompt_tokens"),
        _count(reply, "completion_tokens"),
        finish_reason,
        thought="\n".join(thoughts) or None,
        tokens_thought=_count(reply, "completion_tokens_details", "reasoning_tokens"),
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


def served_name(reply: object) -> str | None:
    """The name under which the server says that it answers."""
    name = reply.get("model") if isinstance(reply, dict) else None
    return name if isinstance(name, str) else None


def _only_choice(reply: object) -> dict[str, Any]:
    match reply:
        case {"choices": [dict() as choice]}:
            return choice
        case {"choices": [*choices]}:
            raise BadReplyError(f"the reply holds {len(choices)} answers instead of 1")
        case _:
            raise BadReplyError(f"the reply is not one of an OpenAI-compatible server: {_shown(reply)}")


def _finish_reason(choice: dict[str, Any]) -> str:
    """Why the answer ends: of itself where the server does not say, and its own word where nobody knows it."""
    reason = clean(str(choice.get("finish_reason") or "")) or "stop"
    return meaning_of(reason) or reason[:_SHOWN]


def _thoughts_and_text(choice: dict[str, Any]) -> tuple[list[str], str | None]:
    """The thoughts that stand beside the text, and the text; null where there is none."""
    message = choice.get("message")
    beside = message if isinstance(message, dict) else {}
    # As vLLM and OpenRouter call them, or DeepSeek and others.
    fields = (beside.get(name) for name in ("reasoning", "reasoning_content"))
    thoughts = [text.strip() for text in fields if isinstance(text, str) and text.strip()][:1]
    match choice:
        case {"message": {"content": str(text)}} | {"message": {"refusal": str(text)}} | {"text": str(text)}:
            return thoughts, text
        case {"message": {"content": [*parts]}}:
            of_parts, text = _parts(parts)
            return thoughts + of_parts, text
        case _:
            return thoughts, None


def _parts(parts: Sequence[object]) -> tuple[list[str], str]:
    """What is thought and what is said in a content of typed parts, as Mistral and others send it."""
    thoughts: list[str] = []
    answer: list[str] = []
    for part in parts:
        match part:
            # Mistral; open models and OpenAI's own, whose thoughts are summed up.
            case (
                {"type": "thinking", "thinking": [*inner]}
                | {"type": "reasoning", "content": [_, *_] as inner}
                | {"type": "reasoning", "summary": [*inner]}
            ):
                thoughts += [text for one in inner if (text := _parts([one])[1])]
            # Anthropic, OpenRouter, Inspect, Gemini.
            case (
                {"type": "thinking", "thinking": str(text)}
                | {"type": "reasoning", "text": str(text)}
                | {"type": "reasoning", "reasoning": str(text)}
                | {"thought": True, "text": str(text)}
            ):
                thoughts.append(text)
            case {"type": str(kind)} if kind == "redacted_thinking" or kind.endswith("_call"):
                pass
            case {"type": "message", "content": [*inner]}:
                answer.append(_parts(inner)[1])
            case {"text": str(text)} | {"refusal": str(text)}:
                answer.append(text)
            case _:
                raise BadReplyError(f"the reply holds a part that is no text: {_shown(part)}")
    return thoughts, "".join(answer)


def _count(reply: object, *path: str) -> int | None:
    """Tokens that a server says it used; null where it does not, or says what cannot be."""
    found = reply
    for key in ("usage", *path):
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, int) and found in _COUNTS else None


def _shown(value: object) -> str:
    text = clean("".join(char if char.isprintable() else " " for char in str(value)))
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


_WORDS: Mapping[FinishReason, str] = {
    # Anthropic and Bedrock say the second and third, TGI the fifth, Cohere the last.
    "stop": "stop end_turn stop_sequence eos eos_token complete",
    # Anthropic, Bedrock, Cohere and Gemini; OpenAI's responses; Mistral; Anthropic.
    "length": "length max_tokens max_output_tokens model_length model_context_window_exceeded max_length",
    "content_filter": (
        # Bedrock the second and third, Anthropic, Cohere, GLM.
        "content_filter content_filtered guardrail_intervened refusal error_toxic sensitive "
        # Gemini, as it is or behind "content_filter: ".
        "safety recitation blocklist prohibited_content spii"
    ),
    # vLLM, OpenRouter, Mistral and Cohere; vLLM and SGLang; DeepSeek; GLM.
    "error": "error abort insufficient_system_resource network_error",
}
"""By what it means for the answer, what it is called in lower case."""

_MEANINGS = {word: meaning for meaning, words in _WORDS.items() for word in words.split()}

FINISH_REASONS: tuple[FinishReason, ...] = tuple(one for one in get_args(FinishReason) if one != "error")
"""Ends of an answer: of itself, cut at the length allowed, or stopped by a content filter, which holds back the
text or the rest of it. What ends with ``error`` is none: the server failed."""


def meaning_of(reason: str) -> FinishReason | None:
    """Find what a finish reason means, in whatever case; null where nobody knows it."""
    # ``FinishReason.STOP`` is how Gemini's own client writes it.
    word = reason.strip().lower().partition(":")[0].rpartition(".")[2]
    return _MEANINGS.get(word)
