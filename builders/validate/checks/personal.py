"""Checks for personal data: what annotators typed freely must not tell who they are."""

import re
from collections.abc import Iterator
from typing import Final

import polars as pl

from blend.builders.validate.report import Problem, error, warning
from blend.builders.validate.subject import Subject
from blend.builders.validate.texts import texts_of
from blend.schemas.configs import ANNOTATIONS

_FIX = "remove it from the responses, and rebuild the release"

_REASONS = "idks.others.reason"
"""Column of annotators' own sentences."""

_ANSWERS = ("annotations.answers", "annotations.en_answers")
"""Columns of answers: a shop's address may be one, so that a person has to look; numbers are just answers."""

_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_HANDLE = re.compile(r"(?<![\w.@/])@\w[\w.]{1,}")
_NUMBER = re.compile(r"\+?[(]?\d(?:[\s().\-/]{0,2}\d){7,}")

_YEARS = re.compile(r"\d{4}\s?[-/]\s?\d{4}")
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}")

_PATTERNS: Final = {
    "an e-mail address": _MAIL,
    "a web address": _ADDRESS,
    "an @handle": _HANDLE,
    "a phone number": _NUMBER,
}
"""What may tell who somebody is, the surest first; a stretch of text counts once."""

_TRACE = r"@|://|(?i:www\.)|\d(?:[\s().\-/]{0,2}\d){7,}"
"""A text without any of these needs no closer look."""


def check_personal_data(subject: Subject) -> Iterator[Problem]:
    """Reasons tell nobody's identity.

    No e-mail addresses, phone numbers, web addresses or handles stand in annotators' words. The report names
    the place and the kind, never the value.
    """
    for batch in subject.batches(ANNOTATIONS, columns=["annotations", "idks"]):
        for texts in texts_of(batch.rows, "ID"):
            if texts.column != _REASONS and texts.column not in _ANSWERS:
                continue
            found = error if texts.column == _REASONS else warning
            traces = texts.rows.filter(pl.col("text").str.contains(_TRACE))
            for row_id, text in traces.iter_rows():
                for kind in personal_data(text, numbers=texts.column == _REASONS):
                    yield found(batch.place(row_id), f"column {texts.column} holds {kind} (not shown)", _FIX)


def personal_data(text: str, *, numbers: bool = True) -> list[str]:
    """The kinds of personal data in a text, one per place; never the data.

    Args:
        text: What somebody typed.
        numbers: Whether a number of eight or more digits counts, unless it is a date or two years.
    """
    kinds: list[str] = []
    for kind, pattern in _PATTERNS.items():
        if pattern is _NUMBER and not numbers:
            continue
        for match in pattern.finditer(text):
            if pattern is _NUMBER and (_YEARS.fullmatch(match[0]) or _DATE.fullmatch(match[0])):
                continue
            kinds.append(kind)
        text = pattern.sub(" ", text)
    return kinds
