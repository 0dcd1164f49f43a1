"""Spreadsheets: which texts one would take for something else, and what it leaves of them."""

import re

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


def may_be_rewritten(text: str) -> bool:
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


def is_broken(cell: str) -> bool:
    """Whether a cell of a sheet holds a formula, or the error that a spreadsheet shows in place of one."""
    return cell.startswith("=") or left_of_formula(cell) is not None


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
