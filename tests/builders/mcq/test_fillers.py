"""Fillers: reviewed distractors where a question is short of them."""

import polars as pl
import pytest

from blend.schemas.errors import RowError, RowErrors, UnknownNameError
from blend.schemas.frames import FILLERS
from helpers.questions.mcq_inputs import FRUIT, build_of, loss_of, shown_to

ROW = {
    "template_id": "T-1",
    "locale": None,
    "option": "kiwi",
    "region": "GR",
    "reviewer": "r1",
    "why": "absent",
}


def fillers_of(*rows):
    return pl.DataFrame([{**ROW, **row} for row in rows], schema=FILLERS)


SHORT = {"en-GB": [("apple", 4)], "en-US": [("pear", 3)], "ko-KR": [("plum", 3)]}


def test_a_filler_stands_in_where_options_are_short():
    build = build_of(SHORT, fillers=fillers_of({}))
    assert sorted(build.frame()["locale"]) == ["en-GB", "en-US", "ko-KR"]
    assert ("el-GR", "kiwi") in shown_to(build, "en-GB")
    assert build.fillers.rows()[0] == ("T-1", "en-GB", "kiwi", "GR", "r1", "used")


def test_a_filler_for_one_locale():
    build = build_of(SHORT, fillers=fillers_of({"locale": "ko-KR"}))
    assert build.frame()["locale"].to_list() == ["ko-KR"]


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        ({"option": "Apple pie"}, "refused"),
        ({"option": "n/a"}, "placeholder"),
        ({"region": "GB"}, "own-region"),
        ({"region": "US"}, "refused"),
    ],
)
def test_a_filler_passes_the_same_rules(row, outcome):
    build = build_of(SHORT, fillers=fillers_of({**row, "locale": "en-GB"}))
    assert build.n_mcqs == 0
    assert build.fillers["outcome"].to_list() == [outcome]


@pytest.mark.parametrize(
    ("answers", "filler", "left"),
    [
        # Korea has no answer that may be shown; Greece is in no table and comes with the filler alone.
        ({**SHORT, "ko-KR": [("n/a", 1)]}, {}, "1 of 2"),
        # A filler for a region that answers.
        ({**SHORT, "ko-KR": [("n/a", 1)], "ar-DZ": [("none", 1)]}, {"region": "KR"}, "2 of 3"),
        (SHORT, {"option": "Apple pie"}, "2 of 2"),
    ],
)
def test_short_questions_count_the_regions_that_answer(answers, filler, left):
    build = build_of(answers, fillers=fillers_of({**filler, "locale": "en-GB"}))
    said = f"{left} other regions have an option left, 3 are needed"
    assert loss_of(build, "en-GB") == ("short", said)


def test_short_questions_count_no_region_that_contains_the_one_asked_about():
    # Indonesia contains West Java: what people say there is no wrong answer here.
    build = build_of({"id-ID": [("rice", 3)], "su-JB": [("tempeh", 3)], "en-US": [("pear", 3)]})
    assert loss_of(build, "su-JB")[1] == "1 of 1 other regions have an option left, 3 are needed"


@pytest.mark.slow
def test_a_filler_is_not_used_where_there_are_options():
    build = build_of(FRUIT, fillers=fillers_of({}))
    assert build.fillers.rows() == [("T-1", None, "kiwi", "GR", "r1", "not-needed")]
    assert not any("kiwi" in options for options in build.frame()["options"])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"template_id": "T-9"},
            "fillers, row 1: unknown template 'T-9'; write the id of a template that is built",
        ),
        (
            {"option": " ", "reviewer": None},
            "fillers, row 1: a filler without option, reviewer; fill it in or delete the row",
        ),
    ],
)
def test_a_bad_filler_is_an_error(row, message):
    with pytest.raises(RowError) as error:
        build_of(SHORT, fillers=fillers_of(row))
    assert str(error.value) == message


def test_all_bad_fillers_at_once_with_their_places():
    rows = fillers_of({"region": "Grece"}, {"locale": "ko-KO"}).with_columns(source=pl.lit("fillers.csv:2"))
    with pytest.raises(RowErrors) as error:
        build_of(SHORT, fillers=rows)
    first, second = str(error.value).splitlines()[1:]
    assert first.startswith("fillers.csv:2: unknown locale 'Grece'; ")
    assert second.startswith("fillers.csv:2: unknown locale 'ko-KO'; did you mean 'ko-KR'? the nearest of ")


def test_an_unknown_locale_is_an_error():
    with pytest.raises(UnknownNameError, match="unknown locale 'ko-XX'; the nearest of"):
        build_of({**FRUIT, "ko-XX": [("grape", 3)]})
