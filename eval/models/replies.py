"""Replies: what a model said, told from what it thought, in a text or in the reply of a server.

Models mark their thoughts in many ways, and chat templates, servers and tools pass on both marks, the last one
or none; nothing but this module knows them. Servers differ, and many pass over what they do not know: what was
asked for is looked for and never taken for granted.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from blend.eval.models import FinishReason, Generation
from blend.schemas.errors import BlendError
from blend.schemas.texts import clean

MARKS: tuple[tuple[str, str], ...] = (
    ("<think>", "</think>"),  # DeepSeek-R1, Qwen3, SmolLM3 and most others
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),  # Sky-T1, OpenThinker
    ("<|START_THINKING|>", "<|END_THINKING|>"),  # Command A
    ("<seed:think>", "</seed:think>"),  # Seed-OSS
    ("[THINK]", "[/THINK]"),  # Magistral
    ("◁think▷", "◁/think▷"),  # Kimi-VL
    ("<|channel>thought", "<channel|>"),  # Gemma 4
    # Harmony (gpt-oss): a channel is over where the next one begins.
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    ("<|channel|>commentary<|message|>", "<|channel|>final<|message|>"),
    # The same where a tool has dropped the special tokens: ``analysisThe user asks …assistantfinalNachos``.
    ("<|channel|>analysis<|message|>", "assistantfinal"),
)
"""Pairs of marks: what stands before a thought, and what stands behind it."""

AROUND_ANSWERS = (
    "<|begin_of_solution|>",
    "<|end_of_solution|>",
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|start|>assistant",
    "<|end|>",
    "<|return|>",
)
"""Marks around an answer, which belong neither to it nor to a thought."""

THINKING_VARIABLES = ("enable_thinking", "thinking")
"""Variables by which templates let a model think or not: Qwen's and most others', DeepSeek's and Granite's."""

_ENDINGS_OF = {begin.lower(): frozenset(y.lower() for x, y in MARKS if x == begin) for begin, _ in MARKS}
"""By mark that begins a thought, those that end it."""

_ENDINGS = frozenset().union(*_ENDINGS_OF.values())

# The longest first, of those that begin alike.
_LONGEST_FIRST = sorted({*(mark for pair in MARKS for mark in pair), *AROUND_ANSWERS}, key=len, reverse=True)

ANY_MARK = f"(?i:{'|'.join(map(re.escape, _LONGEST_FIRST))})"
"""A regular expression that finds something in every text with a mark."""

# In ASCII alone: letters of other scripts that fold to one of these are not a mark.
_MARK = re.compile(ANY_MARK, re.ASCII)


class SplitText(NamedTuple):
    """What a text says, and what it thinks."""

    thought: str | None
    """Thoughts in their order, a line each; null where there are none."""
    text: str
    """What is said: the text as it is where it has no marks; empty where a thought does not end."""
    is_finished: bool = True
    """Whether every thought ends. If one does not, all of the text counts as thought: what stands before it is
    not yet an answer."""


def split_thought(text: str, *, is_open: bool = False) -> SplitText:
    """Tell what a text says from what it thinks.

    A thought ends at the first mark that ends it, whatever else begins within. A mark that ends a thought where
    none is under way makes a thought of all that stands before it: the chat template has begun it, or thoughts
    are nested.

    Args:
        text: What a model wrote.
        is_open: Whether the prompt ends inside a thought, so that the text goes on with it.

    Returns:
        The parts. Nothing of the text is lost but marks, and white space around parts; splitting what is said
        once more changes nothing.
    """
    parts: list[tuple[bool, str]] = []
    start, thinks = 0, is_open
    awaited = _ENDINGS
    for found in _MARK.finditer(text):
        mark = found[0].lower()
        if thinks and mark not in awaited:
            continue
        parts.append((thinks, text[start : found.start()]))
        start = found.end()
        if mark in _ENDINGS_OF:
            thinks, awaited = True, _ENDINGS_OF[mark]
        elif mark in _ENDINGS:
            if not thinks:
                parts = [(True, part) for _, part in parts]
            thinks = False
    if not parts and not thinks:
        return SplitText(None, text)
    parts.append((thinks, text[start:]))
    if thinks:
        return SplitText(_joined(part for _, part in parts) or None, "", is_finished=False)
    thought = _joined(part for is_thought, part in parts if is_thought)
    answer = _joined(part for is_thought, part in parts if not is_thought)
    return SplitText(thought or None, answer)


def _joined(parts: Iterable[str]) -> str:
    # A line feed keeps what stood around a mark from becoming one.
    return "\n".join(stripped for part in parts if (stripped := part.strip()))


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
    # Anthropic and Bedrock say the second and third, TGI the fifth, Cohere the next, Responses the last.
    "stop": "stop end_turn stop_sequence eos eos_token complete completed",
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
