"""Sheets: tables that people fill in with a spreadsheet, and what it leaves of their texts.

Spreadsheets turn ``18:00`` into ``18:00:00`` or ``0.75``, ``5/10`` into a day of this year, ``=1`` into a
formula. Two things make up for it. Texts that one would rewrite are written with an apostrophe before them,
which keeps them text. And every row ends with a mark that is computed from the answer, so that an answer is
recognised even where it was rewritten, and never guessed.
"""

import math
import re
import statistics
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

import polars as pl

from blend.schemas.frames import text_columns

# Months as they begin in English, German, Spanish, French, Italian, Portuguese, Dutch, Swedish and Indonesian.
_MONTH = re.compile(
    "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
    "|mär|mrz|mai|okt|dez|ene|abr|ago|dic|fév|avr|juin|juil|aoû|déc|gen|mag|giu|lug|set|ott|fev|out|mei|maa"
    "|maj|agu|des"
)
_SECONDS = re.compile(r"\d{1,2}:\d{2}:\d{2}(?: ?[AaPp]\.?[Mm]\.?)?")
_MIDNIGHT = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}[ T]0?0:00(?::00)?")
_HYPHENED_DAY = re.compile(rf"(?:\d{{1,2}}-)?(?:{_MONTH.pattern})\.?(?:-\d{{2,4}})?", re.IGNORECASE)
_PART_OF_DAY = re.compile(r"0[.,]\d{6,}")

# Capitals of any language with a mark behind them, #NAME? and #ДЕЛ/0!; #N/A and its like; Err:508.
_ERRORS = re.compile(r"#[¡¿]?[^\W\d_a-z]{2}[^\Wa-z]*(?:/\d)?[?!]|#[^\W\d_a-z]/[^\W\d_a-z]|#NV|Err:\d+")
_FORMULA_LEFT = re.compile(
    r"=\s*(?:[-+(]\s*)*(?:"
    r"(?:'[^']+'!|[\w.]+!)?\$?[A-Z]{1,3}\$?\d{1,7}(?!\w)"  # a cell, $A$2 or Sheet1!A2
    r"|[^\W\d][\w.]*\("  # a function, SUM(
    r"|\d[\d.,]*\s*[-+*/^&]\s*[\d(]"  # a sum, 1+2
    r")"
    r"|=[-+][^\W\d_]{3}"  # -kimchi, which is taken for one
)
_WORD = re.compile(r"[^\W\d_]+")
_FORMULA = ("=", "+", "-", "@")
_IN_NUMBERS = frozenset({"a", "p", "m", "am", "pm", "e", "true", "false"})


def _may_be_rewritten(text: str) -> bool:
    """Whether a spreadsheet may take a text for a formula, a number, a time, a date or a truth value.

    Short texts in other scripts than Latin count as well if they have a digit: ``6월 5일`` is a date in Korea.
    """
    if text.startswith(_FORMULA) or text.lower() in ("true", "false"):
        return True
    words = _WORD.findall(text.lower())
    is_short = not words or len(text) <= _LONGEST
    return is_short and any(map(str.isdigit, text)) and all(map(_may_be_in_a_date, words))


_LONGEST = 40
"""Characters of the longest text with words that may be a time or a date."""


def _may_be_in_a_date(word: str) -> bool:
    return _MONTH.match(word) is not None or word in _IN_NUMBERS or not word[0].isascii()


def left_of_formula(text: str) -> str | None:
    """Say in words which formula or error a spreadsheet has left as a text; null where there surely is none.

    ``=)``, ``=rice`` and ``#1`` are what people write, ``=A2`` and ``#NAME?`` are not.
    """
    text = text.strip()
    if not text.startswith(("=", "#", "Err:")):  # which most texts do not, and that is told fastest
        return None
    if _ERRORS.fullmatch(text):
        return f"the error {text}"
    return f"the formula {text}" if _FORMULA_LEFT.match(text) else None


def is_destroyed(text: str) -> bool:
    """Whether question marks stand where letters were, as in a spreadsheet's CSV whose encoding lacks them.

    Most words are nothing but question marks, of which there are several: ``??? ??`` and ``???? (HH:MM) ??``.
    """
    if text.count("?") < 2:
        return False
    words = text.split()
    return 2 * sum(not word.strip("?.,;:!()\"'") and "?" in word for word in words) > len(words)


def surely_rewritten(text: str) -> bool:
    """Whether a text has the form that a spreadsheet gives a time or a day, and hardly anybody types.

    ``16:00:00``, ``29-Jul`` and ``0.666666667``; not ``2026-07-29``, which people write as well.
    """
    text = text.strip()
    forms = (_SECONDS, _MIDNIGHT, _HYPHENED_DAY, _PART_OF_DAY)
    return any(map(str.isdigit, text)) and any(form.fullmatch(text) for form in forms)


_FEWEST_ROWS = 8
_SURELY = 1.8
"""Standard errors by which lengths must fit the next row better than their own."""
_AT_LEAST_ALIKE = 0.4
"""Correlation of lengths from which texts belong together."""


def rows_off(pairs: Sequence[tuple[str, str]]) -> str | None:
    """Say behind which row the second texts of pairs are, by lengths; null where none surely is.

    Args:
        pairs: In their order; the last one is followed by the first.
    """
    if len(pairs) < _FEWEST_ROWS:
        return None
    first, second = ([math.log1p(len(text)) for text in texts] for texts in zip(*pairs, strict=True))
    own = _correlation(first, second)
    for off, by in (("below", 1), ("above", -1)):
        moved = _correlation(first, [*second[by:], *second[:by]])
        # Fisher's transformation, by which the difference of two correlations has a standard error.
        surely = (math.atanh(moved) - math.atanh(own)) * math.sqrt((len(first) - 3) / 2)
        if moved > _AT_LEAST_ALIKE and surely > _SURELY:
            return off
    return None


def _correlation(one: Sequence[float], other: Sequence[float]) -> float:
    try:
        return max(-0.99, min(statistics.correlation(one, other), 0.99))
    except statistics.StatisticsError:  # all of one length
        return 0.0


def moved_questions(locale: str, off: str) -> str:
    """Say of a locale's questions that they stand beside the English of others."""
    what = f"column question: the questions of {locale} fit the English of the row {off} theirs better"
    return f"{what} than their own; kept, was one of the columns moved?"


class Sheet(NamedTuple):
    """A table that people fill in: how it is written, read and checked."""

    columns: pl.Schema
    """As written, in this order. A column ``check`` holds a mark of the row, which tells whether it came back
    as it was proposed."""
    proposed: tuple[str, ...]
    """Columns that have to come back as they were proposed."""
    filled: Mapping[str, tuple[str, ...]]
    """Columns that people fill in, each with what can be chosen there: nothing where they write their own
    words."""
    numbers: tuple[str, ...] = ()
    """Columns whose numbers a spreadsheet may take for such."""
    also_read: tuple[str, ...] = ()
    """Columns that are read where they are there, and need not be."""

    @property
    def needed(self) -> tuple[str, ...]:
        """Columns without which it cannot come back: what was filled into a renamed one would not be seen."""
        filled = (column for column in self.filled if column not in self.also_read)
        return (*self.proposed, *filled, *(["check"] if "check" in self.columns else []))

    def mark(self, *proposed: str) -> str:
        """Eight digits that tell whether a row came back as it was proposed: spreadsheets rewrite ``1/2``."""
        return sha256("\0".join(proposed).encode()).hexdigest()[:8]


KEEP = "keep"
DROP = "drop"

DECISIONS = (KEEP, DROP)
"""What a reviewer can decide about a question."""

TEMPLATE_SHEET = Sheet(
    pl.Schema(
        text_columns(
            *("template_id", "topic", "source_locale", "question", "template", "reasons", "group", "decision")
        )
    ),
    proposed=("template_id", "topic", "source_locale"),
    filled={"template": (), "decision": DECISIONS},
    also_read=("question", "reasons", "group"),
)
"""One row per native's question, with a proposed template and room for the reviewer's decision.

``reasons`` says what to look at, separated by ``REASON_SEPARATOR``, and is empty where nothing was noticed.
``group`` is the smallest id of the near-duplicates it belongs to, and null for a question without any.
``decision`` is empty until a reviewer fills it.
"""

REASON_SEPARATOR = " | "
"""Between the reasons of one row."""

PROPOSED_TEMPLATES = pl.Schema({**TEMPLATE_SHEET.columns, "source": pl.String()})
"""The same with the place of the question, or of the row."""

INVALID = "x"
"""What marks an answer as none; `TICKS` are understood as well."""

ANSWER_SHEET = Sheet(
    pl.Schema(
        text_columns(
            *("template_id", "locale", "question", "format", "answer", "annotators"),
            *("group", "english", "invalid", "reason", "notes", "check"),
        )
    ),
    proposed=("template_id", "locale", "answer"),
    filled={"group": (), "english": (), "invalid": (INVALID,), "reason": ()},
    numbers=("annotators", "group"),
    also_read=("question", "format"),
)
"""One row per answer to a question, all text.

``answer`` is cleaned (`texts.clean`), ``annotators`` how many gave it, ``format`` empty for free
text, ``check`` the mark of the row (`Mark`).
"""

RETURNED_ANSWERS = pl.Schema(text_columns(*ANSWER_SHEET.needed, *ANSWER_SHEET.also_read, "source"))
"""What is read of one that came back; ``source`` is the place of the row."""

TICKS = frozenset({"x", "yes", "true", "1", "invalid"})
NO_TICKS = frozenset({"", "no", "false", "0"})

_BETWEEN = re.compile(r"(?<!\\)[|｜]")
_MARK = re.compile(r"(\d+) of (\d+) ([0-9a-f]{8})")


class Mark(NamedTuple):
    """What the column ``check`` says: ``2 of 5 9f3c2b1d``."""

    number: int
    """Number of the row among those of its question, from 1: the order in which they were proposed."""
    total: int
    """Rows of the question."""
    digest: str
    """What tells the answer from every other one, whatever becomes of its text."""

    @classmethod
    def parse(cls, text: str) -> "Mark | None":
        """The mark in a cell, or null where it is none."""
        found = _MARK.fullmatch(text.strip())
        return None if found is None else cls(int(found[1]), int(found[2]), found[3])

    def __str__(self) -> str:
        """The mark as it stands in the cell."""
        return f"{self.number} of {self.total} {self.digest}"


def guarded(text: str) -> str:
    """A text as it is written into a sheet: behind an apostrophe if a spreadsheet might rewrite it."""
    return f"'{text}" if text.startswith("'") or _may_be_rewritten(text) else text


def unguarded(cell: str) -> str:
    """The text of a cell, whether or not the apostrophe came back."""
    return cell[1:] if cell.startswith("'") and guarded(cell[1:]) == cell else cell


def joined(texts: list[str]) -> str:
    """Several English answers as one cell, the preferred one first."""
    return " | ".join(re.sub(r"([|｜])", r"\\\1", text) for text in texts)


def parted(cell: str) -> list[str]:
    """The English answers of a cell, each once, in its order; a wide ｜, as in East Asia, parts as | does."""
    parts = (re.sub(r"\\([|｜])", r"\1", part).strip() for part in _BETWEEN.split(cell))
    return list(dict.fromkeys(part for part in parts if part))


KEY_ROLE: Final = "key"
"""Role of a top answer, which a question shows as correct."""
DISTRACTOR_ROLE: Final = "distractor"
"""Role of an answer from elsewhere, which a question shows as wrong."""

OK: Final = "ok"
"""Verdict on an option that may stand as it is: a key that is correct, a distractor that is plainly wrong."""

ALSO_CORRECT: Final = "also_correct"
SILLY: Final = "silly"
WRONG: Final = "wrong"
"""On a key; the two before it on a distractor."""
SILLY_ANYWHERE: Final = "silly_anywhere"
SAME_AS: Final = "same_as"
DIFFERS_FROM: Final = "differs_from"
SLIP: Final = "slip"
READ: Final = "read"
PROPOSED: Final = "proposed"

ALL_VERDICTS = (OK, ALSO_CORRECT, SILLY, WRONG)
"""Those on an option of a question about a locale, which readers give."""

MEANINGS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(ALL_VERDICTS, ("template_id", "locale", "option")),
    SILLY_ANYWHERE: ("template_id", "option"),
    SAME_AS: ("option", "with"),
    DIFFERS_FROM: ("option", "with"),
    SLIP: ("template_id", "with"),
    READ: ("template_id", "locale", "question"),
    PROPOSED: ("template_id", "option", "with"),
}
"""Verdicts of a table, each with the columns that it fills.

The first four are on an option of a question about a locale. ``silly_anywhere``: no answer of the kind asked
for, in any region. ``same_as``, ``differs_from``: whether two answers mean the same, to any question.
``slip``: an option, or without one the part of questions in ``question``, is shown as in ``with``.
``read``: a model has read all options of the question that published answers offer. ``proposed``: an option for
questions that are short of them, from the region in ``with``.
"""

VERDICTS: Mapping[str, Mapping[str, str]] = {
    KEY_ROLE: {OK: "it is a correct answer", WRONG: "it is not correct"},
    DISTRACTOR_ROLE: {
        OK: "it is plainly not correct there, as it should be",
        ALSO_CORRECT: "it is correct as well, or a fair person might say so",
        SILLY: "it is no answer to the question",
    },
}
"""By role, the verdicts that can be given, and what each of them says of the option."""


def stands_by_natives(kinds: Sequence[str]) -> bool:
    """Whether most of three or more natives accept an option: then it stands, whoever refuses it.

    Args:
        kinds: The natives' verdicts on it.
    """
    return len(kinds) > 2 and 2 * kinds.count(OK) > len(kinds)


OPTION_SHEET = Sheet(
    pl.Schema(
        {
            **text_columns("template_id", "locale", "question", "option", "role", "regions"),
            "votes": pl.Int64(),
            **text_columns("verdict", "why", "read", "check"),
        }
    ),
    proposed=("template_id", "locale", "question", "option", "role"),
    filled={"verdict": ALL_VERDICTS, "why": ()},
)
"""One row per question and option, by template and locale, the key first, then most votes first.

``locale`` is the one asked about, ``question`` is in English, ``role`` is ``key`` or ``distractor``,
``regions`` the locales that gave the option, ``votes`` the annotators there who did, and ``read`` who has given
which verdict before.
"""

SAME, DIFFERENT = "same", "different"
"""Verdicts on a pair of answers in a sheet."""
ON_PAIRS: Mapping[str, str] = {SAME: SAME_AS, DIFFERENT: DIFFERS_FROM}
"""What they are called in a table of verdicts."""

PAIR_SHEET = Sheet(
    pl.Schema(
        {
            **text_columns("answer_a", "answer_b", "verdict", "why"),
            "questions": pl.Int64(),
            **text_columns("suspected", "template_id", "question", "check"),
        }
    ),
    proposed=("answer_a", "answer_b"),
    filled={"verdict": (SAME, DIFFERENT), "why": ()},
)
"""One row per pair of answers, the most frequent first.

``questions`` counts those, by template and locale, in which one may stand beside the other; ``template_id`` and
``question`` are the first of their templates. ``suspected`` says why the two may be the same, and is empty for
pairs about which nothing is suspected.
"""

CORRECT: Final = "correct"
REPLY_VERDICTS: Final = (CORRECT, "partly", "wrong", "refused")
"""What people, and models that judge, say of a reply."""

REPLY_SHEET = Sheet(
    pl.Schema(text_columns("id", "locale", "region", "question", "reply", "verdict", "comment")),
    proposed=("id", "reply"),
    filled={"verdict": REPLY_VERDICTS, "comment": ()},
)
"""One row per question and reply, in an order that says nothing: an id that names no model, the question in the
language of the region, what a model replied; and, to be filled in, ``verdict`` (`REPLY_VERDICTS`, empty where
somebody does not know) and a comment."""
