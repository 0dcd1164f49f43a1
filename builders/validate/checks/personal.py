"""Checks for personal data: what annotators typed freely must not tell who they are."""

from collections.abc import Iterator

import polars as pl

from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import Problem, error, warning
from blend.builders.validate.texts import texts_of
from blend.schemas.language.personal_data import personal_data
from blend.schemas.rows.configs import ANNOTATIONS

_FIX = "remove it from the responses, and rebuild the release"

_REASONS = "idks.others.reason"
"""Column of annotators' own sentences."""

_ANSWERS = ("annotations.answers", "annotations.en_answers")
"""Columns of answers: a shop's address may be one, so that a person has to look; most numbers are answers."""

_TRACE = r"@|://|(?i:www\.)|\d(?:[\s().\-/]{0,2}\d){7,}"
"""A text without any of these needs no closer look."""


def check_personal_data(release: Release) -> Iterator[Problem]:
    """Reasons tell nobody's identity.

    No e-mail addresses, phone numbers, web addresses or handles stand in annotators' words. The report names
    the place and the kind, never the value.

    * error: an e-mail or web address, an @handle, or a number of eight or more digits that is not a date in
      annotators' free-text reasons
    * warning: addresses, handles and phone numbers (``+`` or 0, then 8 to 14 digits) among answers, where a
      shop's may be one
    """
    for batch in release.batches(ANNOTATIONS, columns=["annotations", "idks"]):
        for texts in texts_of(batch.rows, "ID"):
            if texts.column != _REASONS and texts.column not in _ANSWERS:
                continue
            found = error if texts.column == _REASONS else warning
            traces = texts.rows.filter(pl.col("text").str.contains(_TRACE))
            for row_id, text in traces.iter_rows():
                for kind in personal_data(text, is_answer=texts.column != _REASONS):
                    yield found(batch.location(row_id), f"column {texts.column} holds {kind} (not shown)", _FIX)
