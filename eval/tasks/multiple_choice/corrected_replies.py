"""Corrected replies: what is left of a reply without the letters that it denies, and behind what it takes back.

The words for it are those of `answer_phrases`.
"""

import re
from collections.abc import Sequence

from blend.eval.tasks.multiple_choice.answer_phrases import AnswerPhrases
from blend.schemas.rows import LETTERS

_LETTER = re.compile(rf"(?<![A-Za-z0-9])[{LETTERS}](?![A-Za-z0-9])")
_QUOTING = " \t\"'*_`([{“”„«»「」『』【】)]}"
_SENTENCE_END = re.compile(r"[!?\n！？]")
_COMMAS = ",،、，"
_WORD_STARTS = re.compile(r"(?<!\w)(?=\w)")
_ASIDE = re.compile(r"^\s*\([^()]*\)")
# Without its accent the Irish "or" is "no", and a Persian word that ends in "not" is none.
_NO_DENIAL = re.compile(r"(?<![a-z])[a-d] no$|[\u0600-\u06ff]نه$")
_WINDOW = 60
"""Characters before and behind a letter in which it is denied."""


def letters_in(text: str) -> list[tuple[int, int]]:
    """Where capital letters stand by themselves that may be choices."""
    return [letter.span() for letter in _LETTER.finditer(text)]


def without_denied(text: str, choices: Sequence[tuple[int, int]], phrases: AnswerPhrases) -> str:
    """The text with a colon in place of choices that it denies and of what leads on: *not A but*, *A가 아니라*.

    Args:
        text: A reply, folded.
        choices: Where letters or options stand in it, in order.
        phrases: The phrases of all languages.
    """
    if len(choices) < 2:
        return text  # Whoever reads it asks for words of doubt beside it.
    low = text.lower()
    denied = 0
    for number, (start, end) in enumerate(choices):
        span = _denial(low, start, end, phrases) if start >= denied else None
        if span is not None:
            first, behind = span
            denied = _end_of_denial(low, behind, choices[number + 1 :], phrases)
            text = text[:first] + ":".ljust(denied - first) + text[denied:]
    return text


def _denial(low: str, start: int, end: int, phrases: AnswerPhrases) -> tuple[int, int] | None:
    """Where a letter is denied, with what denies it; null if it is not."""
    first = max(0, start - _WINDOW)
    before = low[first:start].rstrip(_QUOTING)
    endings = phrases.before.of(before)
    option = endings.get("option", before).rstrip(_QUOTING)
    if "deny" not in endings:
        before, endings = option, phrases.before.of(option)
    after = _ASIDE.sub("", low[end : end + _WINDOW])
    rest = phrases.denied.without_start(after.lstrip(_QUOTING))
    behind = end if rest is None else min(end + _WINDOW, len(low)) - len(rest)
    if "deny" in endings and not _NO_DENIAL.search(before):
        return first + len(endings["deny"]), behind
    # "گزینه A نیست": the word for option goes too, unless it is that for the answer: "उत्तर A नहीं, C".
    return None if rest is None else (start if option.strip() else first, behind)


def _end_of_denial(low: str, end: int, following: Sequence[tuple[int, int]], phrases: AnswerPhrases) -> int:
    """The end of what leads on to the next choice: *not A or B* denies both, *not A, B* only one."""
    at = end
    for start, behind in following:
        gap = low[at:start].strip(_QUOTING)
        if phrases.join.without_start(gap.strip(_COMMAS)) == "":
            end = at = behind
        elif not gap.strip(_COMMAS):
            at = behind
        else:
            # A list without *or* is denied as a whole where *but* follows it.
            rest = _behind_but(low[at : min(start, at + _WINDOW)], phrases)
            return end if rest is None else min(start, at + _WINDOW) - len(rest)
    # Of "not A, B" the comma goes, too.
    following_start = next((start for start, _ in following if start >= end), end)
    return end if low[end:following_start].strip(_QUOTING + _COMMAS) else following_start


def _behind_but(gap: str, phrases: AnswerPhrases) -> str | None:
    """What stands behind *but* between two choices, in the sentence of the first; null without such a word."""
    for word in _WORD_STARTS.finditer(_SENTENCE_END.split(gap)[0]):
        rest = phrases.but.without_start(gap[word.start() :])
        if rest is not None:
            return rest
    return None
