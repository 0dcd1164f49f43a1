"""How options compare with a correct answer."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.mcq.answers import TemplateAnswers, read_answers
from blend.builders.mcq.distractors import Elsewhere, compare
from blend.builders.mcq.options import Option, as_option
from blend.builders.mcq.verdicts.exclusions import Exclusions
from blend.schemas.language.answer_formats import AnswerFormat
from blend.schemas.language.locales import registry
from blend.schemas.recipe.recipe import McqOptions
from helpers.questions.mcq_inputs import frames_of

LOCALES = registry()


def option_of(text, tag, answer_format=AnswerFormat.TEXT):
    found = as_option([text], answer_format, LOCALES.get(tag), 3, locales=LOCALES)
    assert isinstance(found, Option)
    return found


def compared(gold, others, answer_format=AnswerFormat.TEXT, elsewhere=None, *, seed=0, template_id="T-1"):
    """How texts of the UK compare with the one correct answer, of South Korea."""
    templates = {"T-1": {"ko-KR": [(gold, 3)]}, "T-2": elsewhere} if elsewhere else {}
    known = Elsewhere.of(*frames_of(templates))
    answers = TemplateAnswers(template_id, answer_format, ())
    options = [option_of(text, "en-GB", answer_format) for text in others]
    (found,) = compare(answers, options, [option_of(gold, "ko-KR", answer_format)], known, seed=seed)
    return found


def on_side(found, side):
    """The numbers of the options on a side of the correct answer."""
    return {i for i, one in enumerate(found.side) if one == side}


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
    found = compared(gold, others, answer_format)
    assert found.is_number
    assert on_side(found, 1) == larger
    assert {i for i, degree in enumerate(found.unlike) if degree == 2} == far
    assert [i for i, degree in enumerate(found.unlike) if degree == 3] == [
        i for i, text in enumerate(others) if text == "a dozen"
    ]


def test_a_number_between_two_accepted_ones_is_possibly_correct():
    korean = [("20:00", 3), ("21:00", 3), ("between 18:00 and 19:30", 1)]
    questions, annotations = frames_of({"T-1": {"ko-KR": korean}}, answer_format="HH:MM")
    none = Exclusions(None, questions, LOCALES, shipped=False)
    read = read_answers(questions, annotations, options=McqOptions(), seed=0, exclusions=none, locales=LOCALES)
    (answers,) = read
    options = [option_of(text, "en-GB", AnswerFormat.TIME) for text in ("17:59", "18:30", "20:30", "21:30")]
    known = Elsewhere.of(questions, annotations)
    golds = answers.locales[0].golds
    found = compare(answers, options, golds, known, seed=0)
    assert found
    for one in found:
        # An acceptable range of hours on the 12-hour clock may be one of the morning, too.
        assert one.possibly_correct >= {1, 2}
        assert 3 not in one.possibly_correct


def test_texts_compare_by_keyness():
    elsewhere = {"ko-KR": [("rice", 3)], "en-GB": [("bread", 3)]}
    found = compared("soup", ["rice", "bread", "fish"], elsewhere=elsewhere)
    assert (on_side(found, 1), on_side(found, -1)) == ({0}, set())
    assert not found.is_number


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
    assert compared(gold, [other]).unlike == [degree]


def test_what_people_gave_elsewhere_is_possibly_correct():
    found = compared("rice", ["fishes", "ox"], elsewhere={"ko-KR": [("fish", 1)], "en-GB": [("ox", 1)]})
    assert found.possibly_correct == {0}
    assert found.unlike == [0, 1]


@pytest.mark.slow
@given(st.integers(0, 99), st.text("abc", min_size=1, max_size=3))
def test_a_text_draws_a_quota_of_one_to_three(seed, template_id):
    found = compared("rice", ["fish"], seed=seed, template_id=template_id)
    assert sorted(found.quotas[:3]) == [1, 2, 3]
    assert found.quotas[3:] == (0,)


@pytest.mark.nightly
def test_numbers_draw_every_quota():
    drawn = (compared("7", ["8"], AnswerFormat.INTEGER, seed=seed).quotas for seed in range(600))
    orders = Counter(drawn)
    assert all(sorted(quotas) == [0, 1, 2, 3] for quotas in orders)
    first = Counter({n: sum(k for quotas, k in orders.items() if quotas[0] == n) for n in range(4)})
    # Six, six, six and one of nineteen.
    assert [first[n] / 600 for n in range(4)] == pytest.approx([6 / 19, 6 / 19, 6 / 19, 1 / 19], abs=0.07)


def test_a_correct_answer_that_names_a_region_is_known():
    assert compared("korean rice", ["fish"]).names_region
    assert not compared("rice", ["korean fish"]).names_region
