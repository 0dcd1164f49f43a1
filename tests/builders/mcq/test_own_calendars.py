"""Days, months and years of people who have a calendar of their own: converted if certain, or left out."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.builders.mcq import build_mcq
from blend.builders.mcq.own_calendars import CONVERTED, UNSTATED, dated, part_asked
from blend.schemas.language.answer_formats import AnswerFormat
from blend.schemas.recipe.recipe import McqOptions
from helpers.examples import examples
from helpers.questions.mcq_inputs import frames_of, loss_of, right_answers, shown_to

OTHERS = {
    "en-GB": [("05/10", 3)],
    "en-US": [("07/09", 3)],
    "ko-KR": [("05/15", 3)],
    "es-ES": [("11/27", 3)],
    "zh-CN": [("09/10", 3)],
}


def read(*groups, calendar="persian", part="day"):
    """What becomes of answers with one vote each: their variants, and the kind of their finding."""
    found = dated([(1, (group,) if isinstance(group, str) else group) for group in groups], part, calendar)
    return [(one.texts, one.finding and one.finding[0]) for one in found]


def test_a_day_that_both_calendars_have_may_be_either():
    assert read("02/12") == [(("02/12", "02/12", "05/02"), UNSTATED)]
    assert read("02/12", calendar="ethiopic") == [(("02/12", "02/12", "10/22"), UNSTATED)]
    assert read("02/12", calendar="gregory") == [(("02/12",), None)]


def test_a_day_that_one_calendar_has_is_of_that():
    assert read("12/31", "2/31", "02/30") == [
        (("12/31",), None),
        (("05/21",), CONVERTED),
        (("05/20",), CONVERTED),
    ]
    assert read("13/05", "10/31", calendar="ethiopic") == [(("09/10",), CONVERTED), (("10/31",), None)]


def test_the_same_day_in_both_calendars_tells_which_is_which():
    assert read("08/13", "11/04") == [(("11/04",), CONVERTED), (("11/04",), None)]
    # In one answer as well, and where the month is named.
    assert read(("02/12", "2 May")) == [(("05/02", "2 May"), CONVERTED)]
    assert read("May 2") == [(("May 2",), None)]
    # What stands for one variant may be another one already.
    assert read(("02/12", "05/02")) == [(("05/02",), CONVERTED)]


def test_variants_that_contradict_each_other_are_left_out():
    # Sene 30 of Ethiopia, mistranslated.
    [(texts, kind)] = read(("june 30", "10/30"), calendar="ethiopic")
    assert kind == UNSTATED
    assert set(texts) == {"june 30", "10/30", "06/30", "07/07"}


def test_a_month_and_a_year_are_left_out_unless_a_name_tells():
    assert read("7", part="month") == [(("7", "10", "9"), UNSTATED)]
    assert read(("7", "September"), "May", part="month") == [(("9", "September"), None), (("May",), None)]
    # Two names tell nothing.
    assert [kind for _, kind in read(("7", "May", "June"), part="month")] == [UNSTATED]
    assert read("1399", "long ago", part="year") == [(("1399",), UNSTATED), (("long ago",), None)]


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("In which month does the school year begin in Iran? (Provide Arabic numerals (1~12) only.)", "month"),
        ("What is the busiest month for weddings in Iran? (Provide Arabic numerals (e.g., 1) only.)", "month"),
        ("In what year did women first vote in Iran?", "year"),
        ("How many months does school last in Iran?", None),
        ("What is the average rent per month in Iran?", None),
        ("What is the duration of elementary school in years in Iran?", None),
        ("At which year of school do children in Iran learn English?", None),
        (None, None),
    ],
)
def test_questions_that_ask_for_a_month_or_a_year(question, part):
    assert part_asked(question, AnswerFormat.INTEGER) == part
    assert part_asked(question, AnswerFormat.DATE) == "day"
    assert part_asked(question, AnswerFormat.TEXT) is None


@pytest.mark.parametrize("answer_format", AnswerFormat)
def test_a_question_may_say_that_it_means_the_gregorian_calendar(answer_format):
    assert part_asked("In which month (Gregorian calendar) does school begin in Iran?", answer_format) is None


def built(iran, **options):
    frames = frames_of({"T-1": {**OTHERS, "fa-IR": iran}}, answer_format="MM/DD")
    return build_mcq(*frames, options=McqOptions(**options), seed=0)


@pytest.mark.slow
def test_what_nobody_can_tell_is_neither_asked_for_nor_offered():
    build = built([("02/12", 4)])
    assert loss_of(build, "fa-IR") == (UNSTATED, "no top answer tells of which calendar it is")
    assert all("fa-IR" not in row for row in build.frame()["option_locales"].to_list())
    detail = "'02/12' may be a day of the Gregorian or of the Solar Hijri calendar: 02/12 or 05/02"
    assert build.found.rows() == [("T-1", "fa-IR", UNSTATED, f"{detail}; neither asked for nor offered")]
    assert ("fa-IR", UNSTATED, 1) in build.outcomes.rows()


@pytest.mark.slow
def test_what_is_certain_is_shown_as_others_count():
    build = built([("08/13", 3), ("11/04", 1)])
    assert right_answers(build, "fa-IR") == {"11/04"}
    assert ("fa-IR", "11/04") in shown_to(build, "en-GB")
    detail = "'08/13' is a day of the Solar Hijri calendar; 11/04 stands for it"
    assert build.found.rows() == [("T-1", "fa-IR", CONVERTED, detail)]


@pytest.mark.slow
def test_what_is_left_out_is_acceptable_in_either_calendar():
    # Iran's month 10 has no 31st; its 08/19, which one person gave, is 11/10 elsewhere.
    frames = frames_of(
        {
            "T-1": {
                **OTHERS,
                "es-ES": [("11/10", 3)],
                "el-GR": [("08/19", 3)],
                "fa-IR": [("10/31", 3), ("08/19", 1)],
            }
        },
        answer_format="MM/DD",
    )
    build = build_mcq(*frames, options=McqOptions(variants="all"), seed=0)
    assert right_answers(build, "fa-IR") == {"10/31"}
    assert {tag for tag, _ in shown_to(build, "fa-IR")} == {"en-GB", "en-US", "ko-KR", "zh-CN"}


def test_paper_mode_shows_what_was_written():
    frames = frames_of({"T-1": {**OTHERS, "fa-IR": [("02/12", 4)]}}, answer_format="MM/DD")
    build = build_mcq(*frames, options=McqOptions(mode="paper"), seed=0)
    assert "02/12" in set(build.frame()["options"].explode())
    assert build.found.is_empty()


DAYS = st.tuples(st.integers(1, 13), st.integers(1, 31)).map(lambda day: f"{day[0]:02}/{day[1]:02}")


@pytest.mark.nightly
@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(st.tuples(DAYS, st.integers(1, 5)), min_size=1, max_size=4, unique_by=lambda group: group[0]),
    st.sampled_from(["fa-IR", "am-ET"]),
)
def test_no_day_of_an_unstated_calendar_is_shown(groups, tag):
    groups = sorted(groups, key=lambda group: -group[1])
    frames = frames_of({"T-1": {**OTHERS, tag: groups}}, answer_format="MM/DD")
    build = build_mcq(*frames, options=McqOptions(variants="all"), seed=0)
    calendar = {"fa-IR": "persian", "am-ET": "ethiopic"}[tag]
    certain = {
        one.texts[0] for one in dated([(n, (text,)) for text, n in groups], "day", calendar) if one.is_certain
    }
    shown = build.frame().explode("options", "option_locales").filter(pl.col("option_locales") == tag)
    assert set(shown["options"]) <= certain
