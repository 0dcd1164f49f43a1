"""Thoughts: what a model writes to itself before it answers, told from its answer by the marks around it.

Models mark their thoughts in many ways, and chat templates, servers and tools pass on both marks, the last one
or none. Nothing but this module knows them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from blend.schemas.errors import ArgumentError

Marks = tuple[str, str]
"""What stands before a thought, and what stands behind it."""

MARKS: tuple[Marks, ...] = (
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
"""Pairs of marks that are known."""

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

_QUOTES = frozenset("\"'`“”„‘’«»‹›「」『』")


class SplitText(NamedTuple):
    """What a text says, and what it thinks."""

    thought: str | None
    """Thoughts in their order, a line each; null where there are none."""
    text: str
    """What is said: the text as it is where it has no marks; empty where a thought does not end."""
    is_finished: bool = True
    """Whether every thought ends. If one does not, all of the text counts as thought: what stands before it is
    not yet an answer."""


def split_thought(text: str, further: Sequence[Marks] = (), *, is_open: bool = False) -> SplitText:
    """Tell what a text says from what it thinks.

    A thought ends at the first mark that ends it, whatever else begins within. A mark that ends a thought where
    none is under way makes a thought of all that stands before it: the chat template has begun it, or thoughts
    are nested. A mark in quotation marks, ``"<think>"``, or a pair in them, is a word like others.

    Args:
        text: What a model wrote.
        further: Pairs of marks besides `MARKS`.
        is_open: Whether the prompt ends inside a thought, so that the text goes on with it.

    Returns:
        The parts. Nothing of the text is lost but marks, and white space around parts; splitting what is said
        once more changes nothing.
    """
    known = _known(tuple(further))
    parts: list[tuple[bool, str]] = []
    start, thinks = 0, is_open
    awaited = known.endings
    for mark, begin, end in _unquoted(text, known):
        if thinks and mark not in awaited:
            continue
        parts.append((thinks, text[start:begin]))
        start = end
        if mark in known.endings_of:
            thinks, awaited = True, known.endings_of[mark]
        elif mark in known.endings:
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


def any_mark(further: Sequence[Marks] = ()) -> str:
    """A regular expression that finds something in every text with a mark."""
    return f"(?i:{_known(tuple(further)).pattern.pattern})"


def check_marks(further: Sequence[str | Sequence[str]]) -> tuple[Marks, ...]:
    """Pairs of marks that somebody names, also as people type them: ``<plan>,</plan>``.

    Raises:
        ArgumentError: If one is not a pair of two different texts without white space.
    """
    checked = []
    for pair in further:
        marks = tuple(pair.split(",") if isinstance(pair, str) else pair)
        if len(marks) != 2 or len({*marks}) != 2 or any(not re.fullmatch(r"\S+", mark) for mark in marks):
            raise ArgumentError(
                f"`thought_marks`: {pair!r} is not possible (it is a mark before a thought and another one "
                "behind it, without white space)"
            )
        checked.append((marks[0], marks[1]))
    return tuple(checked)


class _Known(NamedTuple):
    """The marks, as a text is searched for them; in lower case."""

    pattern: re.Pattern[str]
    endings_of: dict[str, frozenset[str]]
    """By mark that begins a thought, those that end it."""
    endings: frozenset[str]


@lru_cache(maxsize=16)
def _known(further: tuple[Marks, ...]) -> _Known:
    endings_of: dict[str, frozenset[str]] = {}
    for begin, end in (*MARKS, *further):
        endings_of[begin.lower()] = endings_of.get(begin.lower(), frozenset()) | {end.lower()}
    endings = frozenset().union(*endings_of.values())
    # The longest first, of those that begin alike.
    marks = sorted({*endings_of, *endings, *(mark.lower() for mark in AROUND_ANSWERS)}, key=len, reverse=True)
    # In ASCII alone: letters of other scripts that fold to one of these are no mark.
    return _Known(re.compile("|".join(map(re.escape, marks)), re.IGNORECASE | re.ASCII), endings_of, endings)


def _unquoted(text: str, known: _Known) -> Iterator[tuple[str, int, int]]:
    """The marks of a text that are not in quotation marks, with where they begin and end."""
    position = 0
    while (found := known.pattern.search(text, position)) is not None:
        mark, begin, position = found[0].lower(), found.start(), found.end()
        if text[begin - 1 : begin] not in _QUOTES:
            yield mark, begin, position
        elif text[position : position + 1] not in _QUOTES:
            after_pair = _end_of_quoted_pair(text, position, known, known.endings_of.get(mark, frozenset()))
            if after_pair is None:
                yield mark, begin, position
            else:
                position = after_pair


def _end_of_quoted_pair(text: str, start: int, known: _Known, endings: frozenset[str]) -> int | None:
    """Where the first mark ends that ends a thought, if a quotation mark follows it; else null."""
    for found in known.pattern.finditer(text, start):
        if found[0].lower() in endings:
            return found.end() if text[found.end() : found.end() + 1] in _QUOTES else None
    return None


def _joined(parts: Iterable[str]) -> str:
    # A line feed keeps what stood around a mark from becoming one.
    return "\n".join(stripped for part in parts if (stripped := part.strip()))
