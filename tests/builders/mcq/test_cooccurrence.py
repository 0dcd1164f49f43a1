"""What people gave to other questions and may have meant here."""

import polars as pl
import pytest

from blend.builders.mcq import build_mcq
from blend.builders.mcq.keyness import Cooccurrence, answer_index
from blend.builders.mcq.overlap import base_forms
from blend.schemas.recipe.recipe import JudgeOptions, McqOptions
from blend.schemas.rows.frame_columns import EXCLUSIONS
from helpers.questions.mcq_inputs import build_of, frames_of, loss_of, shown_to

TEMPLATES = {
    "T-1": {"ko-KR": [("soccer", 4)], "en-GB": [("soccer", 3), ("rugby", 1)]},
    "T-2": {"ko-KR": [("Soccer", 3), ("volleyball", 1)], "en-GB": [("cricket", 3)]},
    "T-3": {"ko-KR": [("cycling", 3), ("apples", 2)]},
}


TEXTS = ("soccer", "rugby", "volleyball", "cricket", "cycling", "apple", "boules", "?")


FORMS = [base_forms(text) for text in TEXTS]


def possibly_correct(template_id, tag, text, topics):
    """Which of some texts are possibly correct beside a correct answer."""
    questions, annotations = frames_of(TEMPLATES)
    topic = pl.col("template_id").replace_strict(topics, return_dtype=pl.String)
    known = Cooccurrence(questions.with_columns(topic=topic), answer_index(annotations))
    (found,) = known.possibly_correct(template_id, [(text, tag)], FORMS)
    return {TEXTS[i] for i in found}


TWO_TOPICS = {"T-1": "Sport", "T-2": "Leisure", "T-3": "Food"}


def test_what_was_said_beside_it_anywhere():
    # Another region's answers say nothing about this one.
    assert possibly_correct("T-1", "ko-KR", "soccer", TWO_TOPICS) == {"soccer", "volleyball"}


def test_what_was_said_on_the_same_topic():
    found = possibly_correct("T-1", "ko-KR", "baseball", dict.fromkeys(TEMPLATES, "Leisure"))
    assert found == {"soccer", "volleyball", "cycling", "apple"}
    assert possibly_correct("T-1", "en-GB", "baseball", TWO_TOPICS) == {"soccer", "rugby"}


def test_who_gave_nothing_elsewhere_makes_nothing_possibly_correct():
    assert possibly_correct("T-9", "ko-KR", "soccer", TWO_TOPICS) == {"soccer", "volleyball"}
    assert possibly_correct("T-1", "fr-FR", "soccer", TWO_TOPICS) == set()
    questions, annotations = frames_of({})
    nobody = Cooccurrence(questions, answer_index(annotations))
    assert nobody.possibly_correct("T-1", [("soccer", "ko-KR")], FORMS) == [set()]


ANSWERS = {
    "en-GB": [("apple", 4)],
    "en-US": [("pear", 3)],
    "ko-KR": [("plum", 3)],
    "ar-DZ": [("dates", 5)],
    "zh-CN": [("grape", 4)],
}


@pytest.mark.slow
@pytest.mark.parametrize("limit", [1, 5])
def test_a_possibly_correct_option_stands_only_where_the_others_do_not_suffice(limit):
    templates = {"T-1": ANSWERS, "T-2": {"en-GB": [("grapes", 1)]}}
    rows = build_mcq(*frames_of(templates), options=McqOptions(variants=limit), seed=0).frame()
    shown = set(rows.filter(pl.col("locale") == "en-GB")["options"].explode())
    assert shown == {"apple", "pear", "plum", "dates"}
    assert "grape" in set(rows.filter(pl.col("locale") == "en-US")["options"].explode())
    short = {tag: groups for tag, groups in ANSWERS.items() if tag != "ar-DZ"}
    rows = build_mcq(*frames_of({**templates, "T-1": short}), options=McqOptions(), seed=0).frame()
    assert "grape" in set(rows.filter(pl.col("locale") == "en-GB")["options"].explode())


def test_all_variants_show_possibly_correct_options_as_well():
    assert ("zh-CN", "grape") in shown_to(build_of(ANSWERS), "en-GB")


READ = {"template_id": "T-1", "locale": "en-GB", "reviewer": "r1", "question": "What do people eat? (T-1)"}


@pytest.mark.slow
def test_what_a_reader_holds_for_right_is_not_a_distractor(monkeypatch):
    questions, annotations = frames_of({"T-1": ANSWERS})
    reviewed = pl.DataFrame(
        [
            {**READ, "option": "grapes", "kind": "also-right"},
            {**READ, "locale": "en-US", "option": "plum", "kind": "also-right", "question": "Another?"},
        ],
        schema=EXCLUSIONS,
    )
    monkeypatch.setattr("blend.builders.mcq.verdicts.exclusions.shipped_exclusions", lambda: reviewed)

    def shown(options):
        rows = build_mcq(questions, annotations, options=options, seed=0).frame()
        return {tag: set(mine["options"].explode()) for (tag,), mine in rows.group_by("locale")}

    assert shown(McqOptions())["en-GB"] == {"apple", "pear", "plum", "dates"}
    assert "plum" in shown(McqOptions())["en-US"]
    without = McqOptions(variants="all", judge=JudgeOptions(shipped=False))
    assert "grape" in shown(without)["en-GB"]


@pytest.mark.slow
def test_a_correct_answer_that_a_reader_holds_for_wrong_is_not_asked_for(monkeypatch):
    questions, annotations = frames_of({"T-1": ANSWERS})
    reviewed = pl.DataFrame([{**READ, "option": "apple", "kind": "wrong"}], schema=EXCLUSIONS)
    monkeypatch.setattr("blend.builders.mcq.verdicts.exclusions.shipped_exclusions", lambda: reviewed)
    build = build_mcq(questions, annotations, options=McqOptions(), seed=0)
    assert "en-GB" not in set(build.frame()["locale"])
    assert loss_of(build, "en-GB") == ("turned-down", "verdicts say that 'apple' is wrong")
    without = build_mcq(questions, annotations, options=McqOptions(judge=JudgeOptions(shipped=False)), seed=0)
    assert "en-GB" in set(without.frame()["locale"])
