"""Small surveys for tests of aggregation: questions, responses and reviews from a few words."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from blend.builders.saq import Aggregation, aggregate
from blend.schemas.frames import QUESTIONS, RESPONSES, REVIEWS
from blend.schemas.recipe import SaqOptions

OPTIONS = SaqOptions()
KINDS = ("idk", "no-answer", "not-applicable")

Given = Mapping[str, Any]
"""Annotator to answers, to the kind of a non-answer, or to ``other: …``."""


def questions_of(*template_ids: str, locale: str = "en-GB", answer_format: str = "text") -> pl.DataFrame:
    fixed = {"topic": "Food", "source_label": "", "question": "?", "en_question": "?", "source_locale": None}
    fixed |= {"locale": locale, "language": locale[:2], "answer_format": answer_format}
    rows = [
        fixed | {"template_id": name, "source": f"questions.csv:{row}"}
        for row, name in enumerate(template_ids, start=2)
    ]
    return pl.DataFrame(rows, schema=QUESTIONS)


def responses_of(given: Given, *, template_id: str = "q", locale: str = "en-GB") -> pl.DataFrame:
    key, rows = {"template_id": template_id, "locale": locale}, []
    for number, (annotator, answer) in enumerate(given.items(), start=2):
        kind, _, reason = answer.partition(": ") if isinstance(answer, str) else (None, "", "")
        said = {"answers": [] if kind else answer, "non_answer": kind, "reason": reason or None}
        source = f"responses/{locale}.csv:{number}"
        rows.append({**key, **said, "annotator": annotator, "source": source})
    return pl.DataFrame(rows, schema=RESPONSES)


def review_of(
    *groups: tuple[Sequence[str], Sequence[str]],
    invalid: Sequence[str] = (),
    template_id: str = "q",
    locale: str = "en-GB",
) -> pl.DataFrame:
    review = {
        "template_id": template_id,
        "locale": locale,
        "reviewer": "r",
        "invalid": list(invalid),
        "groups": [{"answers": list(answers), "en_answers": list(english)} for answers, english in groups],
        "source": f"reviews/{locale}.jsonl:1",
    }
    return pl.DataFrame([review], schema=REVIEWS)


NO_REVIEW = pl.DataFrame(schema=REVIEWS)


def one(
    given: Given, reviews: pl.DataFrame = NO_REVIEW, *, locale: str = "en-GB"
) -> tuple[list[tuple[list[str], list[str], int]], dict[str, Any]]:
    """Groups as ``(answers, en_answers, votes)``, and the whole row, of a survey with one question."""
    questions = questions_of("q", locale=locale)
    result = aggregate(questions, responses_of(given, locale=locale), reviews, options=OPTIONS)
    row = result.annotations.row(0, named=True)
    return [(g["answers"], g["en_answers"], g["count"]) for g in row["annotations"]], row


def findings_of(result: Aggregation, kind: str) -> list[tuple[str, str]]:
    return result.findings.filter(pl.col("kind") == kind).select("source", "detail").rows()
