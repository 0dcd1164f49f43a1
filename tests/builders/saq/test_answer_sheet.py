"""The answer sheet: what is proposed, what a person's edits make of it, and what is wrong with a sheet."""

import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from blend.builders.saq import aggregate
from blend.builders.saq.answer_sheet import answer_sheet, groups_without_english
from blend.builders.saq.reviews import reviews_of
from blend.schemas.errors import BlendError
from blend.schemas.sheets import ANSWER_SHEET
from helpers.examples import examples
from helpers.questions.random_surveys import surveys
from helpers.questions.saq_inputs import NO_REVIEW, OPTIONS, questions_of, responses_of, review_of

TYPED = {"a1": ["밥", "국"], "a2": ["쌀밥"], "a3": ["밥"], "a4": ["모름"], "a5": "idk"}


def sheet_of(given, reviews=NO_REVIEW, *, locale="ko-KR", answer_format="text", everything=False):
    questions = questions_of("q", locale=locale, answer_format=answer_format)
    return answer_sheet(questions, responses_of(given, locale=locale), reviews, everything=everything)


def returned(sheet: pl.DataFrame) -> pl.DataFrame:
    """The sheet as it comes back from a file."""
    numbered = sheet.with_row_index(offset=2)
    return numbered.with_columns(source=pl.format("sheet.csv:{}", "index")).select(
        *ANSWER_SHEET.columns, "source"
    )


def edited(sheet: pl.DataFrame, **cells: dict[int, str]) -> pl.DataFrame:
    """The sheet with cells replaced: column to row of the file to text."""
    rows = returned(sheet).to_dicts()
    for column, texts in cells.items():
        for row, text in texts.items():
            rows[row - 2][column] = text
    return pl.DataFrame(rows, schema={**ANSWER_SHEET.columns, "source": pl.String()})


def shown(sheet: pl.DataFrame, *columns: str) -> list[tuple[str, ...]]:
    return sheet.select(columns).rows()


def decided(sheet: pl.DataFrame) -> tuple[list[tuple[list[str], list[str]]], list[str], list[str]]:
    """Groups, invalid answers and reasons of the one review."""
    (review,) = reviews_of(sheet, reviewer="r1").reviews.to_dicts()
    groups = [(group["answers"], group["en_answers"]) for group in review["groups"]]
    return groups, review["invalid"], review["reasons"]


def told_of(sheet: pl.DataFrame) -> list[str]:
    """What is noted of a sheet, or the problems for which nothing is made of it."""
    try:
        return [*reviews_of(sheet, reviewer="r1").notes]
    except BlendError as error:
        return [line for line in str(error).splitlines() if not line.endswith("problems:")]


# What is proposed


def test_a_row_for_every_answer_in_the_groups_of_the_rules():
    sheet = sheet_of(TYPED)
    assert shown(sheet, "answer", "annotators", "group", "english") == [
        ("밥", "2", "1", ""),
        ("국", "1", "2", ""),
        ("모름", "1", "3", ""),
        ("쌀밥", "1", "4", ""),
    ]
    assert [text[:6] for text in sheet["check"]] == ["1 of 4", "2 of 4", "3 of 4", "4 of 4"]
    assert groups_without_english(sheet) == 4


def test_an_answer_in_a_format_is_its_own_english():
    given = {"a1": ["18:00"], "a2": ["6 pm"], "a3": ["noon"], "a4": ["7:30"]}
    sheet = sheet_of(given, answer_format="HH:MM")
    assert shown(sheet, "answer", "group", "english", "format", "notes") == [
        ("18:00", "1", "18:00", "HH:MM", ""),
        ("6 pm", "1", "", "HH:MM", ""),
        ("7:30", "2", "07:30", "HH:MM", ""),
        ("noon", "3", "", "HH:MM", "not HH:MM: put it into the group of one that is, or mark it invalid"),
    ]


def test_answers_in_english_are_their_own_english():
    sheet = sheet_of({"a1": ["tea"], "a2": ["Tea"], "a3": ["7|11"]}, locale="en-GB")
    assert sorted(shown(sheet, "answer", "english")) == [("7|11", "7\\|11"), ("Tea", "Tea"), ("tea", "tea")]


def test_what_is_reviewed_is_left_out_unless_all_is_asked_for():
    groups = ((["밥", "쌀밥"], ["rice", "boiled rice"]), (["국"], []))
    review = review_of(*groups, invalid=["모름"], locale="ko-KR")
    assert sheet_of(TYPED, review).is_empty()
    sheet = sheet_of(TYPED, review, everything=True)
    assert shown(sheet, "answer", "group", "english", "invalid") == [
        ("밥", "1", "rice | boiled rice", ""),
        ("쌀밥", "1", "", ""),
        ("국", "2", "", ""),
        ("모름", "", "", "x"),
    ]


def test_an_answer_typed_after_the_review_brings_its_question_back():
    review = review_of((["밥", "쌀밥"], ["rice"]), (["국"], ["soup"]), locale="ko-KR")
    assert shown(sheet_of(TYPED, review), "answer", "group", "english") == [
        ("밥", "1", "rice"),
        ("쌀밥", "1", ""),
        ("국", "2", "soup"),
        ("모름", "3", ""),
    ]


def test_english_that_a_reviewer_wrote_elsewhere_is_proposed_with_its_place():
    questions = pl.concat([questions_of("p", locale="ko-KR"), questions_of("q", locale="ko-KR")])
    responses = pl.concat(responses_of(TYPED, template_id=name, locale="ko-KR") for name in ("p", "q"))
    review = review_of((["밥", "쌀밥"], ["rice"]), (["국", "모름"], []), template_id="p", locale="ko-KR")
    sheet = answer_sheet(questions, responses, review)
    assert shown(sheet, "answer", "english", "notes") == [
        ("밥", "rice", "English as of p"),
        ("국", "", ""),
        ("모름", "", ""),
        ("쌀밥", "rice", "English as of p"),
    ]


# From the sheet to reviews


def test_edits_become_groups_english_and_reasons():
    sheet = edited(
        sheet_of(TYPED),
        group={5: "1.0"},
        english={2: "rice|boiled  rice", 3: "soup", 5: "rice | steamed rice"},
        invalid={4: "X"},
        reason={4: "means: don't know"},
    )
    assert decided(sheet) == (
        [(["밥", "쌀밥"], ["rice", "boiled rice", "steamed rice"]), (["국"], ["soup"])],
        ["모름"],
        ["means: don't know"],
    )


def test_english_stays_with_the_rest_of_its_group():
    # 밥, whose row has the English, is struck; 모름 is all of its group; and nobody asks for the English of 국.
    sheet = edited(
        sheet_of(TYPED),
        group={5: "1"},
        english={2: "rice", 4: "don't know"},
        invalid={2: "x", 3: "x", 4: "x"},
    )
    assert decided(sheet) == ([(["쌀밥"], ["rice"])], ["밥", "국", "모름"], [])
    assert told_of(sheet) == [
        'sheet.csv:4, column english: "don\'t know" beside answers that are all invalid; left out'
    ]


def test_an_invalid_answer_that_is_its_own_english_is_not_that_of_others():
    sheet = sheet_of({"a1": ["tea"], "a2": ["Tea"], "a3": ["?"]}, locale="en-GB")
    sheet = edited(sheet, invalid={2: "x", 4: "x"})
    kept = sheet["answer"][1]
    assert decided(sheet)[0] == [([kept], [kept])]


# What is wrong with a sheet

TABLES = tomllib.loads(Path(__file__).with_name("told.toml").read_text(encoding="utf-8"))
EDITS = [
    *TABLES["edit"],
    *(
        {**cell, "name": text, cell["column"]: {cell["row"]: text}, "told": told}
        for cell in TABLES["cell"]
        for text, told in cell["told"].items()
    ),
]


@pytest.mark.parametrize("edit", EDITS, ids=[edit["name"] for edit in EDITS])
def test_what_is_told_of_an_edit(edit: dict[str, Any]):
    given = {"a1": edit["answers"]} if "answers" in edit else TYPED
    columns = {column: edit[column] for column in ANSWER_SHEET.columns if isinstance(edit.get(column), dict)}
    cells = {column: {int(row): text for row, text in of.items()} for column, of in columns.items()}
    sheet = edited(sheet_of(given, answer_format=edit.get("format", "text")), **cells)
    assert told_of(sheet) == ([edit["told"]] if isinstance(edit["told"], str) else edit["told"])


def three_questions(**cells: dict[int, str]) -> pl.DataFrame:
    names = ("p", "q", "r")
    questions = pl.concat([questions_of(name, locale="ko-KR") for name in names])
    responses = pl.concat(
        responses_of({"a1": ["밥", "국"]}, template_id=name, locale="ko-KR") for name in names
    )
    return edited(answer_sheet(questions, responses, NO_REVIEW), **cells)


@pytest.mark.parametrize("case", TABLES["columns"], ids=lambda case: case["told"][:40])
def test_columns_that_were_filled_or_moved_alone_are_told(case: dict[str, Any]):
    columns = {column: case[column] for column in ("group", "english") if column in case}
    sheet = three_questions(
        **{column: {int(row): text for row, text in cells.items()} for column, cells in columns.items()}
    )
    assert told_of(three_questions()) == []
    assert told_of(sheet) == [case["told"].format(*map(repr, ["", "", *sheet["answer"]]))]


@pytest.mark.parametrize("locale", ["id-ID", "en-GB"])
def test_answers_in_place_of_their_english_are_told(locale: str):
    sheet = sheet_of({"a1": ["nasi", "roti", "soto"], "a2": ["mie", "kue"], "a3": ["sate"]}, locale=locale)
    own = dict(enumerate(sheet["answer"], start=2))
    given = edited(sheet, english={**own, 4: "cake", 5: "rice", 6: "soup", 7: "noodles"})
    told = (
        f"sheet.csv:2, column english: {own[2]!r}, {own[3]!r}: the answer itself; right for names and for loan "
        "words such as pizza, but options are in English: translate all else"
    )
    assert reviews_of(given, reviewer="r1").notes == ((told,) if locale == "id-ID" else ())


def test_several_answers_in_a_cell_are_noted():
    sheet = sheet_of({"a1": ["kaffi, te"], "a2": ["kaffi/te"], "a3": ["dunna\nræst"], "a4": ["24/7"]})
    several = "may be 2 answers, {}, and counts for none of them"
    assert dict(shown(sheet, "answer", "notes")) == {
        "kaffi, te": several.format("'kaffi', 'te'"),
        "kaffi/te": several.format("'kaffi', 'te'"),
        "dunna ræst": several.format("'dunna', 'ræst'"),
        "24/7": "",
    }


def test_a_deleted_row_is_told():
    sheet = returned(sheet_of(TYPED))
    fix = (
        "bring back what was deleted, with x in column invalid for an answer that is none; or delete all rows "
        "of the question to leave it unreviewed"
    )
    assert told_of(sheet.filter(pl.col("answer") != "국")) == [
        f"sheet.csv:2, column check: of the 4 rows of 'q' in ko-KR these are missing: 2; {fix}"
    ]
    assert told_of(sheet.head(2)) == [
        f"sheet.csv:2, column check: of the 4 rows of 'q' in ko-KR these are missing: 3, 4; {fix}"
    ]


def test_a_row_that_was_copied_is_told():
    sheet = returned(sheet_of(TYPED))
    copied = sheet.head(1).with_columns(source=pl.lit("sheet.csv:9"))
    assert told_of(pl.concat([sheet, copied])) == [
        "sheet.csv:9, column answer: '밥' stands in sheet.csv:2 as well; delete one of the two rows"
    ]


def test_rows_of_two_sheets_are_told():
    later = returned(sheet_of({**TYPED, "a6": ["빵"]}))
    other = later.tail(1).with_columns(source=pl.lit("x.csv:6"))
    (problem,) = told_of(pl.concat([returned(sheet_of(TYPED)).head(3), other]))
    assert problem == (
        "x.csv:6, column check: one of 5 rows of 'q' in ko-KR, but sheet.csv:2 is one of 4: they were proposed "
        "at different times; keep the rows of one sheet, or propose it again"
    )


# For any survey

few = settings(max_examples=examples(25), deadline=None)


@pytest.mark.nightly
@pytest.mark.slow
@few
@given(surveys())
def test_an_untouched_sheet_builds_the_groups_that_no_review_gives(survey):
    questions, responses, _ = survey
    sheet = returned(answer_sheet(questions, responses, NO_REVIEW))
    reviews = reviews_of(sheet, reviewer="r1").reviews
    expected = aggregate(questions, responses, NO_REVIEW, options=OPTIONS).annotations
    built = aggregate(questions, responses, reviews, options=OPTIONS).annotations
    assert_frame_equal(built.drop("grouping"), expected.drop("grouping"))


@pytest.mark.slow
@few
@given(surveys(), st.data())
def test_any_edit_is_what_the_build_then_does(survey, data: st.DataObject):
    questions, responses, _ = survey
    rows = returned(answer_sheet(questions, responses, NO_REVIEW)).to_dicts()
    for row in rows:
        row["group"] = data.draw(st.sampled_from(["1", "2", "new"]))
        row["invalid"] = data.draw(st.sampled_from(["", "x"]))
        row["english"] = data.draw(st.sampled_from(["", "one", "two | one"]))
    sheet = pl.DataFrame(rows, schema={**ANSWER_SHEET.columns, "source": pl.String()})
    shuffled = sheet.sample(fraction=1, shuffle=True, seed=data.draw(st.integers(0, 9)))
    reviews = reviews_of(shuffled, reviewer="r1").reviews.drop("source").with_columns(source=pl.lit("r"))
    built = aggregate(questions, responses, reviews, options=OPTIONS)
    wanted: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        if not row["invalid"]:
            answer = row["answer"].removeprefix("'")
            wanted.setdefault((row["template_id"], row["group"]), set()).add(answer)
    got = [
        (row["template_id"], sorted(set(group["answers"])))
        for row in built.annotations.to_dicts()
        for group in row["annotations"]
    ]
    assert sorted(got) == sorted((name, sorted(a)) for (name, _), a in wanted.items())
    assert set(built.annotations.filter(pl.col("annotations").list.len() > 0)["grouping"]) <= {"reviewed"}
