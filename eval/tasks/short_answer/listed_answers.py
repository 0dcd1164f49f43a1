"""Lists in replies: how many answers a reply gives, and which part of it holds the first ones.

Answers are listed behind bullets or numbers, on lines of their own, between commas and other marks, by *and*
and *or*, or in sentences of a few words each. A mark inside a number parts nothing, and neither does a single
*and* inside an answer (*fish and chips*). What has many words is part of a sentence, whatever commas that has.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from blend.eval.tasks.short_answer.asserted_text import WORD, n_words
from blend.eval.tasks.short_answer.reply_words import ReplyWords

MAX_ANSWERS = 3
"""Answers of a reply that count: the questions allow annotators three."""

MAX_LISTED = 10
"""Answers up to which the first ones of a list count; a reply that lists more answers no question."""

ENTRY_WORDS = 5
"""Words up to which a text between two marks is an entry by itself."""

RUN_ON_WORDS = 50
"""Words from which on a text without a mark is no sentence but a list without marks."""

_SAME_BEGINNING = 3
"""Words that two sentences begin with if they list answers: "The answer is tea. The answer is coffee."."""

_LINE_BULLET = re.compile(r"^[ \t]*(?:[-*+•·▪◦‣–—](?=\s)|\(?\d{1,3}[.)、．])[ \t]*(?=[^\s\d])", re.MULTILINE)
_NUMBER = re.compile(r"(?:(?<=\s)|^)\(?(\d{1,2})[.)、．]\s*(?=[^\s\d])")
_ASIDE = re.compile(r"\([^(),;،、，；\n]{0,60}\)|（[^（）、，；\n]{0,60}）")
_SENTENCE_END = r"[.!?؟।॥።](?=[\s\"'”’)\]*]|$)|[。！？…\n\r]"
_COLON = r"[:：](?!\d)"
_MARK = re.compile(
    rf"(?P<sentence>{_SENTENCE_END})|(?P<colon>{_COLON})"
    r"|[;；؛|\t•·・፣፤፥，、]|(?<!\d)[,،/]|[,،/](?!\d)|\s[-–—]\s|—"
)
_NUMBERS_WITH_COMMAS = re.compile(r"(?<!\d)\d+(?:[,،]\d+){2,}")
_THOUSANDS = re.compile(r"\d{1,3}(?:[,،]\d{2,3})*[,،]\d{3}")


class Listed(NamedTuple):
    """How many answers a reply lists."""

    n_answers: int
    """Count of the entries of its lists; of a reply without a list, 1 or a few."""
    end: int
    """Where the text ends that holds its first `MAX_ANSWERS`; its length if it lists no more."""


class _Passage(NamedTuple):
    """Text between two marks."""

    start: int
    end: int
    mark: str
    """Name of the mark after it: ``sentence``, ``colon``, or ``list`` for any other."""


def listed_answers(text: str, words: ReplyWords) -> Listed:
    """Count the answers that a reply lists, and find where its first ones end.

    Args:
        text: The reply, in NFC.
        words: The words of its language.
    """
    bulleted = _bulleted(text)
    if not bulleted:
        return _between_marks(text, words)
    inside = [_between_marks(text[start:end], words).n_answers for start, end in bulleted]
    # An explanation behind a bullet has commas too; a list of its own is one.
    n_answers = sum(n if n > MAX_ANSWERS else 1 for n in inside)
    end = bulleted[MAX_ANSWERS - 1][1] if len(bulleted) > MAX_ANSWERS else len(text)
    return Listed(n_answers, end)


def _bulleted(text: str) -> list[tuple[int, int]]:
    """What stands behind bullets or numbers, if there are several."""
    bullets = [bullet.span() for bullet in _LINE_BULLET.finditer(text)]
    numbers = list(_NUMBER.finditer(text))
    if [int(number[1]) for number in numbers] == list(range(1, len(numbers) + 1)):
        bullets = max(bullets, [number.span() for number in numbers], key=len)
    if len(bullets) < 2:
        return []
    starts = [start for start, _ in bullets[1:]]
    return [(behind, end) for (_, behind), end in zip(bullets, [*starts, len(text)], strict=True)]


def _between_marks(text: str, words: ReplyWords) -> Listed:
    plain = _ASIDE.sub(lambda aside: " " * len(aside[0]), text)
    marked = list(_marked(plain))
    sizes = [n_words(plain, part.start, part.end) for part in marked]
    n_run_on = sum(int(size) for size in sizes if size >= RUN_ON_WORDS)
    runs: list[list[int]] = [[]]
    beginnings: set[tuple[str, ...]] = set()
    for part in _passages(plain, marked, words):
        size = n_words(plain, part.start, part.end)
        beginning = _beginning(plain, part)
        again = beginning in beginnings
        beginnings.add(beginning)
        if size <= ENTRY_WORDS or again:
            runs[-1].append(part.end)
        else:
            # The end of a long part may be the first entry: "People in most places eat rice, bread …"
            runs.append([part.end] if part.mark == "list" else [])
    long_ones = [run for run in runs if len(run) > MAX_ANSWERS]
    n_listed = sum(map(len, long_ones)) or max(map(len, runs))
    end = long_ones[0][MAX_ANSWERS - 1] if long_ones else len(text)
    return Listed(max(1, n_listed + n_run_on), end)


def _beginning(text: str, part: _Passage) -> tuple[str, ...]:
    found = []
    for word in WORD.finditer(text, part.start, part.end):
        found.append(word[0].casefold())
        if len(found) == _SAME_BEGINNING:
            return tuple(found)
    # Shorter than that is an entry anyhow.
    return ()


def _passages(text: str, parts: Sequence[_Passage], words: ReplyWords) -> Iterator[_Passage]:
    """The parts of a text between its marks, and between words like *and* where these part entries."""
    joined = [_joined(text, part, words) for part in parts]
    inside_answers = False
    for number, (part, pieces) in enumerate(zip(parts, joined, strict=True)):
        last = part.mark == "sentence" or number == len(parts) - 1
        # One "and" is that of an answer (fish and chips), or stands before the last entry of a list.
        before_last = last and number > 0 and parts[number - 1].mark == "list" and not inside_answers
        if len(pieces) > 2 or (len(pieces) == 2 and before_last):
            yield from pieces
        else:
            inside_answers = inside_answers or len(pieces) == 2
            yield part
        if last:
            inside_answers = False


def _marked(text: str) -> Iterator[_Passage]:
    marks = [(*mark.span(), mark.lastgroup or "list") for mark in _MARK.finditer(text)]
    marks += [(at, at + 1, "list") for at in _commas_between_numbers(text)]
    start = 0
    for at, behind, name in [*sorted(marks), (len(text), len(text), "sentence")]:
        # What a colon ends announces answers.
        if name != "colon" and WORD.search(text, start, at):
            yield _Passage(start, at, name)
        start = behind


def _commas_between_numbers(text: str) -> Iterator[int]:
    """Where commas part numbers that are written without blanks: ``1,2,3``, but not ``1,000,000``."""
    for numbers in _NUMBERS_WITH_COMMAS.finditer(text):
        if not _THOUSANDS.fullmatch(numbers[0]):
            yield from (numbers.start() + i for i, char in enumerate(numbers[0]) if char in ",،")


def _joined(text: str, part: _Passage, words: ReplyWords) -> Sequence[_Passage]:
    """A part, parted at every word like *and*; the one that begins it stands before the last entry already."""
    pieces: list[_Passage] = []
    start = part.start
    begins = False
    for join in words.joins.finditer(text, part.start, part.end):
        if WORD.search(text, start, join.start()):
            pieces.append(_Passage(start, join.start(), "list"))
        else:
            begins = True
        start = join.end()
    if WORD.search(text, start, part.end):
        pieces.append(_Passage(start, part.end, part.mark))
    return [part] if begins and len(pieces) == 2 else pieces
