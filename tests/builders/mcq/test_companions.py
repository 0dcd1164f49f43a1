"""What people gave to other questions and may have meant here."""

import polars as pl
import pytest
from mcq_inputs import build_of, frames_of, loss_of, shown_to

from blend.builders.mcq import build_mcq
from blend.builders.mcq.companions import Companions
from blend.builders.mcq.said import Said, said_texts
from blend.loaders.responses.turned_down import TurnedDown
from blend.schemas.recipe import JudgeOptions, McqOptions

TEMPLATES = {
    "T-1": {"ko-KR": [("soccer", 4)], "en-GB": [("soccer", 3), ("rugby", 1)]},
    "T-2": {"ko-KR": [("Soccer", 3), ("volleyball", 1)], "en-GB": [("cricket", 3)]},
    "T-3": {"ko-KR": [("cycling", 3), ("apples", 2)]},
}


TEXTS = ("soccer", "rugby", "volleyball", "cricket", "cycling", "apple", "boules", "?")


def doubtful(template_id, tag, text, topics):
    """Which of some texts are doubtful beside a right answer."""
    questions, annotations = frames_of(TEMPLATES)
    topic = pl.col("template_id").replace_strict(topics, return_dtype=pl.String)
    companions = Companions(questions.with_columns(topic=topic), said_texts(annotations))
    (found,) = companions.doubtful(template_id, [Said(text, tag)], TEXTS)
    return {text for text, is_doubtful in zip(TEXTS, found, strict=True) if is_doubtful}


TWO_TOPICS = {"T-1": "Sport", "T-2": "Leisure", "T-3": "Food"}


def test_what_was_said_beside_it_anywhere():
    # Another region's answers say nothing about this one.
    assert doubtful("T-1", "ko-KR", "soccer", TWO_TOPICS) == {"soccer", "volleyball"}


def test_what_was_said_on_the_same_topic():
    found = doubtful("T-1", "ko-KR", "baseball", dict.fromkeys(TEMPLATES, "Leisure"))
    assert found == {"soccer", "volleyball", "cycling", "apple"}
    assert doubtful("T-1", "en-GB", "baseball", TWO_TOPICS) == {"soccer", "rugby"}


def test_who_said_nothing_has_no_companions():
    assert doubtful("T-9", "ko-KR", "soccer", TWO_TOPICS) == {"soccer", "volleyball"}
    assert doubtful("T-1", "fr-FR", "soccer", TWO_TOPICS) == set()
    questions, annotations = frames_of({})
    nobody = Companions(questions, said_texts(annotations))
    assert nobody.doubtful("T-1", [Said("soccer", "ko-KR")], TEXTS).tolist() == [[False] * len(TEXTS)]
    assert nobody.doubtful("T-1", [], ()).shape == (0, 0)


ANSWERS = {
    "en-GB": [("apple", 4)],
    "en-US": [("pear", 3)],
    "ko-KR": [("plum", 3)],
    "ar-DZ": [("dates", 5)],
    "zh-CN": [("grape", 4)],
}


@pytest.mark.parametrize("limit", [1, 5])
def test_a_doubtful_option_stands_only_where_the_others_do_not_suffice(limit):
    templates = {"T-1": ANSWERS, "T-2": {"en-GB": [("grapes", 1)]}}
    rows = build_mcq(*frames_of(templates), options=McqOptions(variants=limit), seed=0).frame()
    shown = set(rows.filter(pl.col("locale") == "en-GB")["options"].explode())
    assert shown == {"apple", "pear", "plum", "dates"}
    assert "grape" in set(rows.filter(pl.col("locale") == "en-US")["options"].explode())
    short = {tag: groups for tag, groups in ANSWERS.items() if tag != "ar-DZ"}
    rows = build_mcq(*frames_of({**templates, "T-1": short}), options=McqOptions(), seed=0).frame()
    assert "grape" in set(rows.filter(pl.col("locale") == "en-GB")["options"].explode())


def test_all_variants_show_doubtful_options_as_well():
    assert ("zh-CN", "grape") in shown_to(build_of(ANSWERS), "en-GB")


def test_what_a_reader_holds_for_right_is_not_a_distractor(monkeypatch):
    questions, annotations = frames_of({"T-1": ANSWERS})
    reviewed = {
        ("T-1", "en-GB", "What do people eat?"): (TurnedDown("grapes", "also-right"),),
        ("T-1", "en-US", "Another?"): (TurnedDown("plum", "also-right"),),
    }
    monkeypatch.setattr("blend.builders.mcq.exclusions.shipped_turned_down", lambda: reviewed)

    def shown(options):
        rows = build_mcq(questions, annotations, options=options, seed=0).frame()
        return {tag: set(mine["options"].explode()) for (tag,), mine in rows.group_by("locale")}

    assert shown(McqOptions())["en-GB"] == {"apple", "pear", "plum", "dates"}
    assert "plum" in shown(McqOptions())["en-US"]
    without = McqOptions(variants="all", judge=JudgeOptions(shipped=False))
    assert "grape" in shown(without)["en-GB"]


def test_a_right_answer_that_a_reader_holds_for_wrong_is_not_asked_for(monkeypatch):
    questions, annotations = frames_of({"T-1": ANSWERS})
    asked = ("T-1", "en-GB", "What do people eat?")
    reviewed = {asked: (TurnedDown("apple", "wrong"),)}
    monkeypatch.setattr("blend.builders.mcq.exclusions.shipped_turned_down", lambda: reviewed)
    build = build_mcq(questions, annotations, options=McqOptions(), seed=0)
    assert "en-GB" not in set(build.frame()["locale"])
    assert loss_of(build, "en-GB") == ("turned-down", "reviewers say that 'apple' is wrong")
    without = build_mcq(questions, annotations, options=McqOptions(judge=JudgeOptions(shipped=False)), seed=0)
    assert "en-GB" in set(without.frame()["locale"])
