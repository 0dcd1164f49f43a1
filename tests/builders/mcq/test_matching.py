"""How options compare with a right answer."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcq_inputs import frames_of

from blend.builders.mcq.answers import TemplateAnswers, read_answers
from blend.builders.mcq.exclusions import Exclusions
from blend.builders.mcq.matching import Known, matches
from blend.builders.mcq.options import Option, as_option
from blend.schemas.formats import AnswerFormat
from blend.schemas.locales import registry
from blend.schemas.recipe import McqOptions

LOCALES = registry()


def option_of(text, tag, answer_format=AnswerFormat.TEXT):
    found = as_option([text], answer_format, LOCALES.get(tag), 3, locales=LOCALES)
    assert isinstance(found, Option)
    return found


def match_of(gold, others, answer_format=AnswerFormat.TEXT, elsewhere=None, *, seed=0, template_id="T-1"):
    """How texts of the UK compare with the one right answer, of South Korea."""
    templates = {"T-1": {"ko-KR": [(gold, 3)]}, "T-2": elsewhere} if elsewhere else {}
    known = Known.of(*frames_of(templates))
    answers = TemplateAnswers(template_id, answer_format, (), Counter())
    options = [option_of(text, "en-GB", answer_format) for text in others]
    return matches(answers, options, [option_of(gold, "ko-KR", answer_format)], known, seed=seed)


def flagged(table, row=0):
    """The numbers of the options that are flagged beside a right answer."""
    return set(np.flatnonzero(table[row]).tolist())


@pytest.mark.parametrize(
    ("answer_format", "gold", "others", "larger", "far"),
    [
        (AnswerFormat.INTEGER, "12", ["2", "12", "30", "130", "-5", "1"], {2, 3}, {3}),
        (AnswerFormat.INTEGER, "0", ["9", "10"], {0, 1}, {1}),
        (AnswerFormat.TIME, "12:00", ["06:00", "05:59", "18:00", "18:01"], {2, 3}, {1, 3}),
        (AnswerFormat.DATE, "05/15", ["02/15", "02/14", "08/15", "08/16"], {2, 3}, {1, 3}),
        # Numbers in free text, too; what is no number is neither larger nor smaller, and the least alike.
        (AnswerFormat.TEXT, "12", ["2", "30", "a dozen"], {1}, set()),
    ],
)
def test_numbers_times_and_dates_compare_by_value(answer_format, gold, others, larger, far):
    found = match_of(gold, others, answer_format)
    assert found.by_value.all()
    assert flagged(found.above) == larger
    assert {i for i, degree in enumerate(found.unlike[0].tolist()) if degree == 2} == far
    assert [i for i, degree in enumerate(found.unlike[0].tolist()) if degree == 3] == [
        i for i, text in enumerate(others) if text == "a dozen"
    ]
    assert not flagged(found.above) & flagged(found.below)


def test_a_number_between_two_accepted_ones_is_doubtful():
    korean = [("20:00", 3), ("21:00", 3), ("between 18:00 and 19:30", 1)]
    questions, annotations = frames_of({"T-1": {"ko-KR": korean}}, answer_format="HH:MM")
    none = Exclusions(None, questions, LOCALES, shipped=False)
    read = read_answers(questions, annotations, options=McqOptions(), seed=0, exclusions=none, locales=LOCALES)
    (answers,) = read
    options = [option_of(text, "en-GB", AnswerFormat.TIME) for text in ("17:59", "18:30", "20:30", "21:30")]
    known = Known.of(questions, annotations)
    golds = answers.locales[0].golds
    found = matches(answers, options, golds, known, seed=0)
    for row in range(len(golds)):
        # An acceptable range of hours on the 12-hour clock may be one of the morning, too.
        assert flagged(found.doubtful, row) >= {1, 2}
        assert 3 not in flagged(found.doubtful, row)


def test_texts_compare_by_what_is_typical():
    elsewhere = {"ko-KR": [("rice", 3)], "en-GB": [("bread", 3)]}
    found = match_of("soup", ["rice", "bread", "fish"], elsewhere=elsewhere)
    assert (flagged(found.above), flagged(found.below)) == ({0}, set())
    assert not found.by_value.any()


@pytest.mark.parametrize(
    ("gold", "other", "degree"),
    [
        ("rice", "fish", 0),
        ("rice", "pasta and", 1),
        ("rice", "ox", 1),
        ("rice", "fish!", 2),
        ("rice", "fish.", 2),
        ("rice", "7 up", 2),
        ("rice", "pasta (fresh)", 3),
        ("rice (white)", "pasta (fresh)", 0),
    ],
)
def test_length_and_format_make_options_unlike(gold, other, degree):
    assert match_of(gold, [other]).unlike[0].tolist() == [degree]


def test_what_people_gave_elsewhere_is_doubtful_and_the_least_alike():
    found = match_of("rice", ["fishes", "ox"], elsewhere={"ko-KR": [("fish", 1)], "en-GB": [("ox", 1)]})
    assert flagged(found.doubtful) == {0}
    assert found.unlike[0].tolist() == [4, 1]


@given(st.integers(0, 99), st.text("abc", min_size=1, max_size=3))
def test_a_text_wishes_to_be_outdone(seed, template_id):
    found = match_of("rice", ["fish"], seed=seed, template_id=template_id)
    (wanted,) = found.wanted.tolist()
    assert sorted(wanted[:3]) == [1, 2, 3]
    assert wanted[3] == 0


def test_numbers_wish_for_every_place():
    drawn = (match_of("7", ["8"], AnswerFormat.INTEGER, seed=seed).wanted[0] for seed in range(600))
    wishes = Counter(tuple(wanted.tolist()) for wanted in drawn)
    assert all(sorted(wanted) == [0, 1, 2, 3] for wanted in wishes)
    first = Counter({n: sum(k for wanted, k in wishes.items() if wanted[0] == n) for n in range(4)})
    # Six, six, six and one of nineteen tickets.
    assert [first[n] / 600 for n in range(4)] == pytest.approx([6 / 19, 6 / 19, 6 / 19, 1 / 19], abs=0.07)


def test_a_right_answer_that_names_a_region_is_known():
    assert match_of("korean rice", ["fish"]).names_region.all()
    assert not match_of("rice", ["korean fish"]).names_region.any()
