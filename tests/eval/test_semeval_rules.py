"""SemEval-2026 Task 7's rules: the published ones, recomputed."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from blend.eval.recorded_answers import read_predictions
from blend.eval.runs.answers import ANSWERS
from blend.eval.tasks.multiple_choice.choice_scores import score_choices
from blend.eval.tasks.short_answer.short_answer_decisions import decide_short_answers
from helpers.semeval_predictions import ASKED, CODES, GOLD, MCQ_TSV, form_of

Prediction = tuple[str, Sequence[str]]


def published(predictions: Sequence[Prediction]) -> tuple[dict[str, bool], dict[str, Fraction], Fraction]:
    """The published scorer in its own words: what is correct, accuracy per code, and their plain mean."""
    last: dict[str, Sequence[str]] = {}
    for row_id, marks in predictions:
        last[row_id] = marks
    correct = {}
    for row_id, key in GOLD.items():
        marks = last.get(row_id, ())
        one_hot = len(marks) == 4 and set(marks) <= {"0", "1"} and list(marks).count("1") == 1
        correct[row_id] = one_hot and "ABCD"[list(marks).index("1")] == key
    of_code = {
        code: Fraction(100 * sum(correct[i] for i in GOLD if i[:5] == code), sum(i[:5] == code for i in GOLD))
        for code in CODES
    }
    return correct, of_code, sum(of_code.values(), Fraction()) / len(of_code)


def whole(answers: pl.DataFrame) -> pl.DataFrame:
    """With every column that answers can have."""
    return pl.concat([pl.DataFrame(schema=ANSWERS), answers], how="diagonal")


def marks() -> st.SearchStrategy[Sequence[str]]:
    one = st.sampled_from(
        [["1", "0", "0", "0"], ["0", "1", "0", "0"], ["0", "0", "1", "0"], ["0", "0", "0", "1"]]
    )
    return one | st.lists(st.sampled_from(["0", "1", "", "2", "0.5", "A"]), min_size=4, max_size=4)


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([*GOLD, "ga-IE_0999"]), marks()), max_size=16), st.booleans())
def test_multiple_choice_is_scored_exactly_as_published(
    tmp_path_factory: pytest.TempPathFactory, predictions: list[Prediction], rebalance: bool
):
    # A file in which nothing is asked under any id is refused.
    assume(any(row_id in GOLD for row_id, _ in predictions))
    path = tmp_path_factory.mktemp("predictions") / MCQ_TSV
    lines = ["id\tA\tB\tC\tD", *("\t".join([row_id, *cells]) for row_id, cells in predictions)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    items = ASKED[rebalance]
    answers = whole(read_predictions(path, items, form_of("multiple-choice")).answers)
    scored = score_choices([(items.items, answers)], [items.gold], style="json", rule="semeval")
    correct, of_code, overall = published(predictions)
    assert dict(scored.decisions.select("question_id", "correct").iter_rows()) == correct
    figures = {(one.metric, one.scope, one.key): one for one in scored.scores}
    for code, share in of_code.items():
        assert figures["accuracy", "region", code].value == pytest.approx(float(share), abs=1e-9)
        assert figures["accuracy", "region", code].n == sum(i[:5] == code for i in GOLD)
    assert figures["accuracy-macro", "overall", "all"].value == pytest.approx(float(overall), abs=1e-9)


def annotated(*groups: tuple[list[str], list[str]]) -> pl.DataFrame:
    row = {
        "template_id": "ga-IE_001",
        "locale": "ga-IE",
        "language": "ga",
        "en_question": "What?",
        "annotations": [{"answers": a, "en_answers": e, "count": None} for a, e in groups],
        "idks": {"idk": None, "no-answer": None, "not-applicable": None, "others": []},
    }
    return pl.DataFrame([row], schema_overrides={"annotations": _GROUPS, "idks": _IDKS})


_GROUPS = pl.List(
    pl.Struct({"answers": pl.List(pl.String), "en_answers": pl.List(pl.String), "count": pl.Int64})
)
_IDKS = pl.Struct(
    {
        **dict.fromkeys(("idk", "no-answer", "not-applicable"), pl.Int64),
        "others": pl.List(pl.Struct({"reason": pl.String, "count": pl.Int64})),
    }
)


def decided(response: str, annotations: pl.DataFrame, rule: str, language: Any = "local") -> tuple[Any, ...]:
    row = ("i", "ga-IE", "ga-IE_001", "question", "?", response)
    names = ("item_id", "locale", "template_id", "prompt_id", "prompt", "response")
    made = decide_short_answers(
        pl.DataFrame([row], names, orient="row"), annotations, rule=rule, lemmas="none", language=language
    )
    return made.select("correct", "weight", "why").row(0)


def test_a_non_answer_counts_by_the_tasks_rule_alone():
    both = annotated((["tae"], []), (["no answer"], []))
    assert decided("No answer", both, "semeval")[0] is True
    assert decided("No answer", both, "default")[0] is False
    only = annotated((["idk"], []), ([], ["I don't know"]))
    assert decided("idk", only, "semeval")[0] is True
    assert decided("idk", only, "default") == (None, None, "not scored")
    assert decided("idk", only, "paper") == (None, None, "not scored")


def test_the_tasks_rule_takes_answers_in_the_language_asked_in_alone_whatever_the_case():
    groups = annotated((["Tae"], []), ([], ["Tea"]))
    assert decided("tae", groups, "semeval") == (True, None, "containment")
    assert decided("tea", groups, "semeval") == (False, None, "no match")
    assert decided("tea", groups, "semeval", "english")[0] is True
    assert decided("tea", groups, "default")[0] is True
    # Nothing is accepted in English, so that there is nothing to score.
    assert decided("tae", annotated((["tae"], [])), "semeval", "english") == (None, None, "not scored")
