"""Audit: each baseline on questions of which anybody can say what it gets right."""

import random
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from scipy.special import logsumexp

import blend
from blend.builders.audit import COMBINED, DEFINITIONS, audit_questions
from blend.builders.audit.rules import _choice_weights
from blend.schemas.recipe import Recipe, Source
from helpers.examples import examples
from helpers.messages import wrong
from helpers.questions.mcq_inputs import frames_of


def asked(*rows: tuple[str, str, str, list[str]]) -> pl.DataFrame:
    """Questions of template, group and options, of which the first is right."""
    return pl.DataFrame(
        {
            "question": [f"{template} in {group}?" for template, group, _, _ in rows],
            "options": [options for *_, options in rows],
            "answer": [0] * len(rows),
            "group": [group for _, group, _, _ in rows],
            "template": [template for template, *_ in rows],
            "topic": [topic for _, _, topic, _ in rows],
        },
        schema_overrides={"options": pl.List(pl.String), "answer": pl.Int64},
    )


def one(options: list[str], group: str = "Nowhere", template: str = "t") -> tuple[str, str, str, list[str]]:
    return (template, group, "Food", options)


def fares(audit: blend.Audit, name: str) -> dict:
    return audit.baselines.filter(baseline=name, group="all").row(0, named=True)


def leak(audit: blend.Audit, name: str) -> dict:
    return audit.leaks.filter(cause=name, group="all").row(0, named=True)


@pytest.mark.landing
def test_no_solver_learns_from_the_template_that_it_answers():
    # All that is known of A is what it answers here: whoever used that would be right.
    questions = asked(one(["rice", "bread"], "A", "t0"), one(["bread", "rice"], "B", "t0"))
    audit = audit_questions(questions)
    for name in ("typical", "frequent", COMBINED):
        assert fares(audit, name)["questions"] == 0, name
        assert fares(audit, name)["accuracy"] is None, name


@pytest.mark.landing
def test_the_option_that_no_other_region_gave_else_the_most_widespread():
    given = {
        "ko-KR": [("kimchi", 5)],  # its own answer says nothing: the solver does not know Korea
        "en-GB": [(["Bread", "tea"], 1)],
        "es-ES": [("bread", 5)],
    }
    _, known = frames_of({"t0": given, "t1": {"es-ES": [("kimchi", 5)]}})
    questions = asked(
        one(["kimchi", "bread", "tea"], "ko-KR", "t0"),  # nobody else gave it
        one(["bread", "tea"], "ar-DZ", "t0"),  # both were given, bread in two regions
        one(["tea", "kimchi"], "fa-IR", "t1"),  # tea was not given to this template
        one(["tea", "bread"], "am-ET", "t0"),  # the most widespread is wrong
    )
    found = fares(audit_questions(questions, annotations=known), "elimination")
    assert (found["questions"], found["accuracy"]) == (4, 0.75)
    # Of two or more people: tea was given by one, and is struck out no more.
    by_two = fares(audit_questions(questions, annotations=known), "elimination-2")
    assert (by_two["questions"], by_two["accuracy"]) == (4, (1 / 2 + 0 + 1 + 1) / 4)
    assert fares(audit_questions(questions, annotations=known[0:1]), "elimination")["questions"] == 0


@pytest.mark.slow
def test_an_option_is_an_answer_of_its_region_however_it_was_typed():
    _, known = frames_of({"t": {"as-AS": [("plantatin", 2)], "ko-KR": [("fruit", 5)]}})
    questions = asked(one(["fruit", "plantain"], "ko-KR", "t"))
    assert fares(audit_questions(questions, annotations=known), "elimination")["questions"] == 0
    sources = pl.DataFrame({"template": ["t"], "group": ["as-AS"], "text": ["plantain"]})
    audit = audit_questions(questions, annotations=known, option_sources=sources)
    assert fares(audit, "elimination")["accuracy"] == 1


@pytest.mark.landing
def test_the_longest_option_and_the_place_of_most_keys():
    audit = blend.audit_questions(
        asked(*(one([f"a long answer {n}", "short", "brief"], template=f"t{n}") for n in range(4)))
    )
    assert [fares(audit, name)["overall"] for name in ("longest", "position")] == [1, 1]
    # Keys at A, B and B: who always says B is right in two of three.
    rows = asked(*(one([f"tea {n}", f"ale {n}", f"rum {n}"], template=f"t{n}") for n in range(3)))
    mixed = blend.audit_questions(rows.with_columns(answer=pl.Series([0, 1, 1])))
    assert fares(mixed, "position")["overall"] == pytest.approx(2 / 3)
    assert fares(mixed, "longest")["questions"] == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question": pl.lit(" ")}, "row 1{}: no text of the question; write it, or remove the row"),
        ({"options": pl.lit(["tea"])}, "row 1{}: fewer than two options; give every question at least two"),
        ({"options": pl.lit(["tea", " "])}, "row 1{}: an option is blank; write it, or remove the row"),
        ({"answer": pl.lit(2)}, "row 1{}: the answer is not the index of an option; count the options from 0"),
        ({"answer": pl.lit("B")}, "column 'answer'{} is String; make it Int64"),
    ],
)
def test_what_is_not_a_question_is_refused(change: dict, message: str):
    questions = asked(one(["tea", "milk"])).with_columns(**change)
    assert wrong(lambda: blend.audit_questions(questions)) == message.format(" of the questions")


@pytest.mark.landing
def test_a_pair_counts_once_however_many_variants_it_has():
    questions = asked(
        *(one(["tea", "milk", str(number)], "ko-KR", "t0") for number in range(3)),
        one(["rice", "bread"], "en-GB", "t0"),
    )
    _, known = frames_of({"t0": {"en-GB": [("tea", 5)], "ko-KR": [("bread", 5)]}})
    found = fares(audit_questions(questions, annotations=known), "widespread")
    assert (found["questions"], found["accuracy"]) == (4, 0.75)
    assert (found["overall"], found["by_pair"]) == (0.75, 0.5)


@pytest.mark.landing
@pytest.mark.parametrize(
    ("cause", "options", "correct"),
    [
        ("names-region", ["korean rice", "bread", "soup"], 1.0),
        ("names-another", ["bread", "British museum", "soup"], 0.0),
        ("much-longer", ["a long way to go", "bread", "soup"], 1.0),
        ("much-shorter", ["ox", "bread", "soup"], 1.0),
        ("format", ["bread", "rice (white)", "soup"], 0.0),
        ("script", ["김치", "bread", "soup"], 1.0),
        ("number-or-words", ["7", "bread", "soup"], 1.0),
        ("repeated-option", ["soup", "bread", "Bread"], 0.0),
    ],
)
def test_a_leak_is_found_by_its_cause(cause: str, options: list[str], correct: float):
    audit = audit_questions(asked(one(options, "ko-KR", "a"), one(["meat", "bread", "soup"], "en-GB", "b")))
    found = leak(audit, cause)
    assert (found["questions"], found["share"], found["accuracy"]) == (1, 0.5, correct)


@pytest.mark.landing
def test_by_group():
    rows = [("a", "A", "Food", ["10", "1"]), ("b", "B", "Sport", ["1", "10"]), ("c", "B", "Food", ["3", "2"])]
    audit = audit_questions(asked(*rows))
    by_group = audit.baselines.filter(baseline="largest").select("group", "questions", "accuracy")
    assert by_group.rows() == [("all", 3, pytest.approx(2 / 3)), ("A", 1, 1.0), ("B", 2, 0.5)]
    assert audit.size.rows() == [("all", 3, 3, 0.5), ("A", 1, 1, 0.5), ("B", 2, 2, 0.5)]


OPTIONS = st.lists(
    st.sampled_from(["tea", "Milk", "10", "7", "rice soup", "김치", "korean tea"]), min_size=2, max_size=4
)
ROWS = st.lists(
    st.builds(one, OPTIONS, st.sampled_from(["ko-KR", "B"]), st.sampled_from("abcdef")), min_size=1, max_size=20
)


@pytest.mark.nightly
@settings(max_examples=examples(15))
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_is_irrelevant_and_shares_are_shares(rows, rng: random.Random):
    questions = asked(*rows)
    audit = audit_questions(questions)
    shuffled = audit_questions(questions[rng.sample(range(len(questions)), len(questions))])
    for name, frame in audit.frames().items():
        assert_frame_equal(frame, shuffled.frames()[name], check_exact=True)
    for frame in (audit.baselines, audit.leaks):
        found = frame.drop_nulls(["low"])
        assert found.filter(
            (pl.col("low") > pl.col("accuracy") + 1e-12) | (pl.col("high") < pl.col("accuracy") - 1e-12)
        ).is_empty()
        assert frame.filter(~pl.col("accuracy").is_between(0, 1)).is_empty()
    assert audit.baselines["baseline"].unique(maintain_order=True).to_list() == list(DEFINITIONS)


@pytest.mark.landing
def test_a_release_without_multiple_choice_is_refused(food_release: Path):
    assert wrong(lambda: blend.audit_release(food_release)) == (
        f"{food_release}: no multiple-choice questions in this release; audit one that has some"
    )


@pytest.mark.slow
def test_an_answer_is_of_its_locale_not_of_others_in_its_region(tmp_path: Path):
    places = {"en-GB": "the UK", "en-AU": "Australia", "en-US": "the US", "en-SG": "Singapore"}
    asked = {
        "eat in the morning": ["toast", "porridge", "pancakes", "noodles"],
        "drink at night": ["tea", "wine", "soda", "juice"],
        "play at school": ["marbles", "rugby", "tag", "hopscotch"],
    }
    (tmp_path / "collected/responses").mkdir(parents=True)
    templates, questions = ["template_id,topic,source_locale,text"], ["template_id,locale,question,en_question"]
    for number, what in enumerate(asked):
        templates.append(f"t{number},Food,,What do people in {{country}} {what}?")
        for tag, at in places.items():
            text = f"What do people in {at} {what}?"
            questions.append(f"t{number},{tag},{text},{text}")
    (tmp_path / "collected/templates.csv").write_text("\n".join(templates))
    (tmp_path / "collected/questions.csv").write_text("\n".join(questions))
    for place, tag in enumerate(places):
        said = [answers[place] for answers in asked.values()]
        rows = [f"t{number},a{who},{answer}" for number, answer in enumerate(said) for who in range(5)]
        text = "\n".join(["template_id,annotator,answer_1", *rows])
        (tmp_path / f"collected/responses/{tag}.csv").write_text(text)
    sources = (Source(kind="responses", location="collected"),)
    recipe = Recipe(name="x", version="1.0.0", license="cc-by-4.0", sources=sources)
    blend.build_release(recipe, tmp_path / "release", base=tmp_path)
    # Each option is an answer of one locale alone; the registry has four in Singapore.
    assert fares(blend.audit_release(tmp_path / "release"), "elimination")["overall"] == 1


@pytest.mark.landing
@pytest.mark.integration
def test_the_16_regions(regions_release: Path, paper_release: Path, root: Path):
    default, paper = blend.audit_release(regions_release), blend.audit_release(paper_release)
    assert default.size.height == paper.size.height == 17
    assert paper.size.row(0, named=True)["questions"] == 69_810
    # The published questions do not change any more, so that every figure of theirs on the page is fixed.
    page = (root / "docs" / "stats.md").read_text(encoding="utf-8")
    for row in paper.baselines.filter(group="all").iter_rows(named=True):
        shown = f"| {row['by_pair'] * 100:.1f} % | {row['overall'] * 100:.1f} % |\n"
        assert re.search(rf"\n\| `{row['baseline']}` .*{re.escape(shown)}", page), row
    figures = dict(default.baselines.filter(group="all").select("baseline", "overall").iter_rows())
    assert (round(figures["elimination"], 3), round(figures["elimination-2"], 3)) == (0.827, 0.479)
    # What default mode promises holds here too: no option twice.
    assert leak(default, "repeated-option")["questions"] == 0
    assert leak(paper, "repeated-option")["questions"] == 346


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 60), rare=st.floats(0, 1000))
def test_weights_are_the_best_ones_also_where_a_score_is_rare_and_large(seed: int, n: int, rare: float):
    rng = np.random.default_rng(seed)
    question = np.repeat(np.arange(n), 2 + np.arange(n) % 3)
    starts = np.searchsorted(question, np.arange(n))
    is_correct = np.isin(np.arange(len(question)), starts + rng.integers(0, 2, n))
    scores = rng.normal(size=(3, len(question)))
    scores[0, is_correct] += 1
    scores[2] = np.where(rng.random(len(question)) < 0.05, rare, 0.0)

    def loss(weights: np.ndarray) -> float:
        by_question = np.split(weights @ scores, starts[1:])
        return float(
            sum(map(logsumexp, by_question)) - (weights @ scores)[is_correct].sum() + weights @ weights / 2
        )

    found = _choice_weights(scores, question, is_correct)
    # The loss is convex: where no weight around is better, none is anywhere.
    around = [found + sign * 1e-3 * axis for axis in np.eye(3) for sign in (-1, 1)]
    assert min(map(loss, around)) > loss(found)
