"""A reviewer's decisions become templates, and an unfinished review is refused with its places."""

from typing import Any

import polars as pl
import pytest

from blend.builders.templates import accept_sheet
from blend.schemas.errors import RowError
from blend.schemas.frames import FINDINGS, TEMPLATES
from blend.schemas.sheets import PROPOSED_TEMPLATES as SHEET

ROW: dict[str, Any] = {
    "template_id": "Q-1",
    "topic": "Food",
    "source_locale": "ko-KR",
    "question": "What is eaten in Korea?",
    "template": "What is eaten in {country}?",
    "reasons": "",
    "decision": "keep",
    "merge_into": "",
}


def sheet_of(*changes: dict[str, Any]) -> pl.DataFrame:
    rows = [
        {"template_id": f"Q-{number}", "source": f"sheet.csv:{number + 1}", **change}
        for number, change in enumerate(changes, start=1)
    ]
    return pl.DataFrame([{**ROW, **row} for row in rows], schema=SHEET)


def test_decisions():
    sheet = sheet_of(
        {"template": " When is lunch in {country}?  (HH:MM) ", "decision": "Keep "},
        {"decision": "drop", "reasons": "name: 'Boxing Day'"},
        {"decision": "merge-into", "merge_into": "Q-1", "source_locale": None},
    )
    templates, dropped = accept_sheet(sheet)
    assert templates.schema == TEMPLATES
    assert templates.rows() == [
        ("Q-1", "Food", "ko-KR", "When is lunch in {country}? (HH:MM)", "HH:MM", "sheet.csv:2")
    ]
    assert dropped.schema == FINDINGS
    assert dropped.rows() == [
        (
            "dropped-question",
            "sheet.csv:3",
            "ko-KR",
            "Q-2",
            "the reviewer dropped it (noticed: name: 'Boxing Day')",
        ),
        ("merged-question", "sheet.csv:4", None, "Q-3", "the reviewer merged it into Q-1"),
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            [{"decision": ""}],
            "sheet.csv:2, column decision: Q-1 is not reviewed; write one of: keep, drop, merge-into",
        ),
        (
            [{"decision": "yes"}],
            "sheet.csv:2, column decision: unknown decision 'yes'; write one of: keep, drop, merge-into",
        ),
        (
            [{"template": "What is eaten?"}],
            (
                "sheet.csv:2, column template: no slot, so that every country would be asked the same; "
                "write {country} where the country is named, or {nationality} where its people are"
            ),
        ),
        (
            [{"template": "What is eaten in {city}, {country}?"}],
            "sheet.csv:2, column template: unknown slot {city}; the slots are {country} and {nationality}",
        ),
        (
            [{}, {"decision": "merge-into"}],
            (
                "sheet.csv:3, column merge_into: Q-2 is merged into nothing; "
                "write the id of the question that is kept instead"
            ),
        ),
        (
            [{}, {"decision": "merge-into", "merge_into": "Q-9"}],
            (
                "sheet.csv:3, column merge_into: no question has the id 'Q-9'; "
                "name a question whose decision is 'keep'"
            ),
        ),
        (
            [{"decision": "drop"}, {"decision": "merge-into", "merge_into": "Q-1"}],
            "sheet.csv:3, column merge_into: 'Q-1' is not kept; name a question whose decision is 'keep'",
        ),
        (
            [{}, {"merge_into": "Q-1"}],
            (
                "sheet.csv:3, column merge_into: 'Q-1' stands beside the decision 'keep'; "
                "clear it, or decide 'merge-into'"
            ),
        ),
        (
            [{}, {"template_id": "Q-1"}],
            (
                "sheet.csv:3, column template_id: 'Q-1' is the id of sheet.csv:2 as well; "
                "delete one of the rows or give it an id of its own"
            ),
        ),
        ([{"topic": " "}], "sheet.csv:2, column topic: the cell is blank; fill it in"),
    ],
)
def test_unfinished_reviews(changes: list[dict[str, Any]], message: str):
    with pytest.raises(RowError) as caught:
        accept_sheet(sheet_of(*changes))
    assert str(caught.value) == message
