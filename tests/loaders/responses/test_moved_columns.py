"""Columns that were sorted or moved alone: no single cell shows it, and every text is one as before."""

from collections.abc import Callable
from typing import Any

import pytest

from blend.loaders.files.diagnostics import Diagnostics, Placed
from blend.loaders.recipes import sample_path
from blend.loaders.responses.odd_answers import moved_columns
from blend.loaders.responses.response_rows import ResponseRows, read_response_rows, response_layout
from blend.schemas.locales import registry


@pytest.fixture(scope="module")
def sample() -> ResponseRows:
    diagnostics = Diagnostics()
    with sample_path() as folder:
        return read_response_rows(response_layout(folder, diagnostics), folder, registry(), diagnostics)


def told(rows: ResponseRows) -> list[tuple[str, str]]:
    return [(source, detail) for _, source, _, _, detail in moved_columns(rows, registry())]


def moved(values: list[Any], by: int = 1) -> list[Any]:
    return [*values[-by:], *values[:-by]]


def edited(
    rows: ResponseRows, table: str, locale: str, edit: Callable[[list[Placed[Any]]], list[Placed[Any]]]
) -> ResponseRows:
    """The rows, those of a locale in a table as edited."""
    there = getattr(rows, table)
    own = [one for one in there.rows if one.row.locale == locale]
    others = [one for one in there.rows if one.row.locale != locale]
    return rows._replace(**{table: there._replace(rows=[*others, *edit(own)])})


def with_moved_english(review: Placed[Any]) -> Placed[Any]:
    groups = review.row.groups
    englishes = moved([group.en_answers for group in groups])
    as_moved = [
        group.model_copy(update={"en_answers": one}) for group, one in zip(groups, englishes, strict=True)
    ]
    return review._replace(row=review.row.model_copy(update={"groups": tuple(as_moved)}))


def test_what_nobody_moved(sample: ResponseRows):
    assert told(sample) == []


def test_english_beside_other_answers(sample: ResponseRows):
    rows = edited(sample, "reviews", "ko-KR", lambda own: [with_moved_english(own[0]), *own[1:]])
    detail = (
        "groups: 'instant noodles' stands beside '김치볶음밥' and seems to be the English of '라면', beside "
        "'rolled omelette'; kept, was the English moved?"
    )
    assert told(rows) == [("reviews/ko-KR.jsonl:1", detail)]


@pytest.mark.parametrize("locale", ["am-ET", "es-MX", "fa-IR", "ja-JP", "ko-KR", "zh-CN"])
@pytest.mark.parametrize(("by", "off"), [(1, "above"), (-1, "below")])
def test_questions_beside_the_english_of_another(sample: ResponseRows, locale: str, by: int, off: str):
    def edit(own: list[Placed[Any]]) -> list[Placed[Any]]:
        questions = moved([one.row.question for one in own], by)
        return [
            one._replace(row=one.row.model_copy(update={"question": question}))
            for one, question in zip(own, questions, strict=True)
        ]

    detail = (
        f"column question: the questions of {locale} fit the English of the row {off} theirs better than their "
        "own; kept, was one of the columns moved?"
    )
    assert [text for _, text in told(edited(sample, "questions", locale, edit))] == [detail]
