"""Thoughts: what a model writes to itself before it answers, told from its answer by the marks around it.

Models mark their thoughts in many ways, and chat templates, servers and tools pass on both marks, the last one
or none. Nothing but this module knows them.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

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
