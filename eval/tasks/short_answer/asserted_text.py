"""What a reply asserts: all but what it denies, declines to say, or repeats of the question."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from blend.eval.tasks.short_answer.reply_words import LETTER, ReplyWords

GAP = "\ufffc"
"""What stands for a character that is left out: part of no word, so that what is beside a gap stays apart."""

QUOTED_WORDS = 3
"""Words in a row from which on a reply repeats its question: "the most popular fruit"."""

CHOICE_WORDS = 4
"""Words up to which a reply that is nothing but words of the question is a choice between what it offers."""

SUBJECT_WORDS = 3
"""Words before "is not" up to which they are what is denied: "Rice is not the answer"."""

# Marks inside numbers and times do not end a clause.
_CLAUSE_END = re.compile(r"[;!?\n\r。！？；،，、؛؟।॥።፣፤፥…()（）\[\]]|[,.:](?!\d)|\s[-–—]\s|—")
# What stands in brackets is no part of the clause around it, which goes on behind them.
_ASIDE = re.compile(r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]")
_QUESTION_MARK = re.compile(r"[?？؟]\s*")
_TURN = 80
"""Characters behind a guess of others in which the reply turns from it: "many would guess apples, but …"."""
_IDEOGRAPHS = r"\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff\uf900-\ufaff"
_IDEOGRAPH = re.compile(f"[{_IDEOGRAPHS}]")
WORD = re.compile(f"[{_IDEOGRAPHS}]|(?:(?![{_IDEOGRAPHS}]){LETTER})+")
"""A word, or a single character of a script that writes no blanks."""

_Span = tuple[int, int]


class _Clause(NamedTuple):
    """A clause, as patterns take it."""

    text: str
    """The whole reply, with blanks for the asides in the clause."""
    start: int
    end: int


class Asserted(NamedTuple):
    """A reply, read as what it asserts; its texts are as long as itself."""

    text: str
    """The reply, with a `GAP` for every character of what it denies or declines to say."""
    own: str
    """The same, and with gaps for what it repeats of the question."""
    refused: bool
    """Whether it says that it does not answer, and asserts nothing."""


def asserted(text: str, prompt: str, words: ReplyWords) -> Asserted:
    """Leave out what a reply denies, declines to say, or repeats of the question.

    Args:
        text: The reply, in NFC.
        prompt: What was asked.
        words: The words of its language.
    """
    clauses = list(_clauses(text, words))
    refusing = [bool(words.refusals.search(*clause)) for clause in clauses]
    gaps = [
        (clause.start, clause.end) if refuses or _is_answered_no(clause, words) else _denied(clause, words)
        for clause, refuses in zip(clauses, refusing, strict=True)
    ]
    left = _with_gaps(text, gaps)
    own = _with_gaps(left, quotes(text, prompt))
    refused = any(refusing) and not any(
        WORD.search(own, clause.start, clause.end) and not words.beside_refusals.search(*clause)
        for clause in clauses
    )
    return Asserted(left, own, refused)


def n_words(text: str, start: int = 0, end: int | None = None) -> float:
    """Count the words of a text; a character of a script without blanks is half a word."""
    found = WORD.findall(text, start, len(text) if end is None else end)
    return sum(0.5 if _IDEOGRAPH.match(word) else 1 for word in found)


def denies(text: str, words: ReplyWords) -> bool:
    """Whether a text denies something: ``no religion``."""
    return any(start < end for start, end in (_denied(clause, words) for clause in _clauses(text, words)))


def quotes(text: str, prompt: str) -> list[_Span]:
    """Where a text repeats what was asked, word by word and in its order."""
    asked = [word.casefold() for word in WORD.findall(prompt)]
    known = set(_in_a_row(asked))
    found = list(WORD.finditer(text))
    repeated = [row in known for row in _in_a_row([word[0].casefold() for word in found])]
    spans: list[_Span] = []
    first = None
    for number, repeats in enumerate([*repeated, False]):
        if repeats and first is None:
            first = number
        elif not repeats and first is not None:
            # The last words that began a row were followed by its others.
            run = found[first : number + QUOTED_WORDS - 1]
            span = (run[0].start(), run[-1].end())
            size = n_words(text, *span)
            if size >= QUOTED_WORDS and not (len(run) == len(found) and size <= CHOICE_WORDS):
                spans.append(span)
            first = None
    return spans


def _in_a_row(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Every `QUOTED_WORDS` words that stand next to each other."""
    return list(zip(*(words[start:] for start in range(QUOTED_WORDS)), strict=False))


def _clauses(text: str, words: ReplyWords) -> Iterator[_Clause]:
    """The clauses of a text and of the asides in it: between punctuation, and from words like *but* on."""
    plain = _ASIDE.sub(lambda aside: " " * len(aside[0]), text)
    yield from _clauses_between(plain, 0, len(text), words)
    for aside in _ASIDE.finditer(text):
        yield from _clauses_between(text, aside.start() + 1, aside.end() - 1, words)


def _clauses_between(text: str, start: int, end: int, words: ReplyWords) -> Iterator[_Clause]:
    ends = sorted(
        [mark.span() for mark in _CLAUSE_END.finditer(text, start, end)]
        + [word.span() for word in words.but.finditer(text, start, end)]
    )
    for at, following in [*ends, (end, end)]:
        if at > start:
            yield _Clause(text, start, at)
        start = max(start, following)


def _denied(clause: _Clause, words: ReplyWords) -> _Span:
    """What a clause denies, or others guess from whom the reply turns; empty where it denies nothing."""
    text, start, end = clause
    if words.guesses.search(*clause) and (turn := words.turns.search(text, end, end + _TURN)):
        return start, turn.start()
    following = words.negates_next.search(*clause)
    preceding = words.negates_previous.search(*clause)
    of_clause = words.negates_clause.search(*clause)
    of_word = _word_around(words.negates_word.search(*clause), clause)
    if not (following or preceding or of_word or of_clause) or words.not_negations.search(*clause):
        return start, start
    denied = []
    if following:
        # Behind a few words that nothing follows it denies these: "apples no, strawberries yes".
        is_last = not WORD.search(text, following.end(), end)
        few = n_words(text, start, following.start()) <= SUBJECT_WORDS
        denied.append((start if is_last and few else following.start(), end))
    if preceding:
        denied.append((start, preceding.end()))
    if of_word:
        denied.append(of_word)
    if of_clause and n_words(text, start, of_clause.start()) <= SUBJECT_WORDS:
        denied.append((start, end))
    elif of_clause:
        denied.append((of_clause.start(), end))
    return min(denied)[0], max(last for _, last in denied)


def _is_answered_no(clause: _Clause, words: ReplyWords) -> bool:
    """Whether a clause is a question that a negation answers, as in *Apples? No, strawberries*."""
    mark = _QUESTION_MARK.match(clause.text, clause.end)
    return mark is not None and words.negates_next.match(clause.text, mark.end()) is not None


def _word_around(ending: re.Match[str] | None, clause: _Clause) -> _Span | None:
    """The word that an ending is written onto; null for an ending that stands by itself."""
    if ending is None:
        return None
    words = [word.start() for word in WORD.finditer(clause.text, clause.start, ending.start())]
    is_word = words and WORD.match(clause.text, ending.start() - 1)
    return (words[-1], ending.end()) if is_word else None


def _with_gaps(text: str, gaps: Iterable[_Span]) -> str:
    left = list(text)
    for start, end in gaps:
        left[start:end] = GAP * (end - start)
    return "".join(left)
