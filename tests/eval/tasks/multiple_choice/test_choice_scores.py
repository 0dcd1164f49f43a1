"""Scores of multiple choice, and of true or false: worked by hand, and what holds for any answers."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from blend.eval.items import ITEMS
from blend.eval.runs.answers import ANSWERS
from blend.eval.scores_json import Score, ScoredItems
from blend.eval.task import ScoringOptions
from blend.eval.tasks.multiple_choice.choice_scores import score_choice_run
from blend.eval.tasks.multiple_choice.choices import GOLD
from blend.eval.tasks.multiple_choice.true_false import score_true_false_run
from helpers.answered_run import answered_run
from helpers.examples import examples
from helpers.messages import wrong

CULTURES = ["KR", "US", "CN", "DZ"]


def questions(
    *rows: tuple[str, str, int], rotation: int = 0, end: str = ""
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Items and gold of ``(template, region, index of the correct option)``."""
    items, gold = [], []
    for n, (template, region, answer) in enumerate(rows):
        item_id = f"q{n}{end}"
        items.append(
            {"item_id": item_id, "locale": f"xx-{region}", "region": region, "template_id": template}
            | {
                "topic": "Food",
                "prompt_id": "letters",
                "language": "en",
                "prompt": "?",
                "options": list("ABCD"),
            }
        )
        others = [culture for culture in CULTURES if culture != region]
        regions = [*others[:answer], region, *others[answer:]]
        gold.append(
            {"item_id": item_id, "question_id": f"q{n}", "rotation": rotation, "answer": answer}
            | {"option_texts": [f"of {region}" for region in regions], "option_regions": regions}
            | {"answer_spread": None}
        )
    return pl.DataFrame(items, ITEMS), pl.DataFrame(gold, GOLD)


def chosen(items: pl.DataFrame, letters: str) -> pl.DataFrame:
    """Answers of a letter each; ``?`` for one without any, ``!`` for an error, ``_`` for none."""
    rows = []
    for item_id, letter in zip(items["item_id"], letters, strict=True):
        if letter == "!":
            rows.append({"item_id": item_id, "error": "timed out"})
        elif letter != "_":
            rows.append({"item_id": item_id, "text": "who knows" if letter == "?" else letter})
    return pl.DataFrame(rows, ANSWERS)


def scored(
    parts: list[tuple[pl.DataFrame, pl.DataFrame]],
    gold: list[pl.DataFrame],
    *,
    style: str = "json",
    rule: str = "default",
) -> ScoredItems:
    how = {"style": style, "rotations": 1, "confidence": False}
    run = answered_run(parts, gold, holds_texts=style == "json", **how)
    return score_choice_run(run, ScoringOptions(rule=rule), lambda *_: None)


def scores_of(items: pl.DataFrame, gold: pl.DataFrame, answers: pl.DataFrame, **options: str):
    judged = scored([(items, answers)], [gold], **options)
    return {(score.metric, score.scope, score.key): score for score in judged.scores}


def test_accuracies_by_hand():
    items, gold = questions(("t1", "KR", 0), ("t1", "US", 1), ("t2", "KR", 2), ("t3", "KR", 3))
    scores = scores_of(items, gold, chosen(items, "ABDA"))
    # KR: 1 of 3; US: 1 of 1; all: 2 of 4; the mean of the two regions: (33.3 + 100) / 2.
    assert scores["accuracy", "overall", "all"].value == pytest.approx(50)
    assert scores["accuracy", "region", "KR"].value == pytest.approx(100 / 3)
    assert scores["accuracy", "region", "KR"].n == 3
    assert scores["accuracy", "region", "US"].value == pytest.approx(100)
    assert scores["accuracy", "topic", "Food"].value == pytest.approx(50)
    assert scores["accuracy", "region-topic", "KR/Food"].value == pytest.approx(100 / 3)
    assert scores["accuracy-macro", "overall", "all"].value == pytest.approx(200 / 3)
    assert scores["parity-gap", "overall", "US/KR"].value == pytest.approx(200 / 3)


def test_default_culture_by_hand():
    # Three wrong choices about KR, each with US, CN and DZ on offer: US twice, CN once.
    items, gold = questions(("t1", "KR", 0), ("t2", "KR", 0), ("t3", "KR", 0), ("t4", "KR", 0), ("t5", "US", 3))
    assert gold["option_regions"].to_list()[0] == ["KR", "US", "CN", "DZ"]
    scores = scores_of(items, gold, chosen(items, "BBCAA"))
    assert scores["default-culture", "region-culture", "KR/US"].value == pytest.approx(200 / 3)
    assert scores["default-culture", "region-culture", "KR/US"].n == 3
    assert scores["default-culture", "region-culture", "KR/CN"].value == pytest.approx(100 / 3)
    assert scores["default-culture", "region-culture", "KR/DZ"].value == 0
    # About the US, KR was chosen the one time that it was on offer; CN was on offer four times in all.
    assert scores["default-culture", "culture", "KR"].value == 100
    assert scores["default-culture", "culture", "CN"].value == 25
    assert ("default-culture", "region-culture", "KR/KR") not in scores


def test_all_positions_by_hand():
    first = questions(("t1", "KR", 0), ("t2", "KR", 0), ("t3", "KR", 0))
    second = questions(("t1", "KR", 1), ("t2", "KR", 1), ("t3", "KR", 1), rotation=1, end="~1")
    items, gold = pl.concat([first[0], second[0]]), pl.concat([first[1], second[1]])
    # The first question is correct both times, the second once; of the third one answer is missing.
    scores = scores_of(items, gold, chosen(items, "AAABB_"))
    assert scores["correct-in-all-positions", "overall", "all"].value == 100
    assert scores["correct-in-all-positions", "overall", "all"].n == 2
    scores = scores_of(items, gold, chosen(items, "AAABA_"))
    assert scores["correct-in-all-positions", "overall", "all"].value == 50
    assert scores["correct-in-all-positions", "region", "KR"].value == 50


def scored_options(*rows: tuple[list[float], list[int], list[int]]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"item_id": f"q{n}", "logprobs": logprobs, "option_tokens": tokens, "option_bytes": n_bytes}
            for n, (logprobs, tokens, n_bytes) in enumerate(rows)
        ],
        ANSWERS,
    )


@pytest.mark.parametrize(
    ("style", "answers", "rules"),
    [
        ("json", pl.DataFrame([{"item_id": "q0", "text": "A"}], ANSWERS), "default, strict"),
        ("letters", scored_options(([-1.0] * 4, [1] * 4, [1] * 4)), "default"),
        ("texts", scored_options(([-1.0] * 4, [1] * 4, [1] * 4)), "default, sum"),
    ],
)
def test_an_unknown_rule_lists_those_for_these_answers(style: str, answers: pl.DataFrame, rules: str):
    items, gold = questions(("t1", "KR", 0))
    told = wrong(lambda: scored([(items, answers)], [gold], style=style, rule="paper"))
    assert told == f"unknown rule 'paper'; choose one of: {rules}"


@pytest.mark.slow
@settings(max_examples=examples(25))
@given(st.data())
def test_neither_the_order_of_the_answers_nor_the_parts_matter(data: st.DataObject):
    rows = data.draw(
        st.lists(
            st.tuples(st.sampled_from(["t1", "t2", "t3"]), st.sampled_from(CULTURES), st.integers(0, 3)),
            min_size=1,
            max_size=12,
        )
    )
    items, gold = questions(*rows)
    letters = "".join(data.draw(st.lists(st.sampled_from("ABCD?!_"), min_size=len(rows), max_size=len(rows))))
    answers = chosen(items, letters)
    shuffled = answers[data.draw(st.permutations(range(answers.height)))] if answers.height else answers
    at = data.draw(st.integers(0, items.height))
    in_parts = [(some, shuffled.join(some, on="item_id", how="semi")) for some in (items[:at], items[at:])]
    one = scored([(items, answers)], [gold])
    two = scored(in_parts, [gold[:at], gold[at:]])
    assert_frame_equal(one.decisions, two.decisions)
    assert one.scores == two.scores
    for score in one.scores:
        assert score.value is None or 0 <= score.value <= 100
        assert score.low is None or score.low <= score.value + 1e-9
        assert score.high is None or score.high >= score.value - 1e-9
    kept = one.decisions["correct"].drop_nulls()
    assert len(kept) == sum(letter not in "!_" for letter in letters)


# True or false


def options_about(*regions: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Items and gold of a question of four options about each region, of which the first is true."""
    items, gold = [], []
    for n, region in enumerate(regions):
        for option in range(4):
            item_id = f"q{n}-{option}"
            items.append(
                {"item_id": item_id, "locale": f"xx-{region}", "region": region, "template_id": f"t{n}"}
                | {"topic": "Food", "prompt_id": "written", "language": "en", "prompt": "?", "options": None}
            )
            gold.append(
                {"item_id": item_id, "question_id": f"q{n}", "option": f"o{option}", "answer": int(option > 0)}
                | {"option_texts": ["yes", "no"]}
            )
    return pl.DataFrame(items, ITEMS), pl.DataFrame(gold)


def judged(items: pl.DataFrame, gold: pl.DataFrame, texts: list[str | None]) -> ScoredItems:
    """Decisions on answers in words; none where the text is null."""
    said = zip(items["item_id"], texts, strict=True)
    answers = pl.DataFrame([{"item_id": one, "text": text} for one, text in said if text is not None], ANSWERS)
    run = answered_run([(items, answers)], [gold], style="written")
    return score_true_false_run(run, ScoringOptions(rule="default"), lambda *_: None)


def value(scored: ScoredItems, metric: str, scope: str = "overall") -> list[float | None]:
    return [score.value for score in scored.scores if score.metric == metric and score.scope == scope]


def score(scored: ScoredItems, metric: str) -> Score:
    return next(score for score in scored.scores if score.metric == metric)


def test_figures_worked_by_hand():
    # Korea: all four correct; yes to two options; the US: yes to all, so 1 of 4 options; and one unreadable.
    items, gold = options_about("KR", "KR", "US", "US")
    said = ["yes", "no", "no", "no", "yes", "yes", "no", "no", *["yes"] * 4, "yes", "hm", "no", "no"]
    scored = judged(items, gold, said)
    assert value(scored, "accuracy") == [25.0]
    assert value(scored, "accuracy", "region") == [50.0, 0.0]
    assert value(scored, "accuracy-macro") == [25.0]
    assert [one.key for one in scored.scores if one.metric == "parity-gap"] == ["KR/US"]
    # True options: 4 of 4 called true; false ones: 3 + 2 + 0 + 2 of 12 called false.
    assert value(scored, "balanced-accuracy") == pytest.approx([100 * (1 + 7 / 12) / 2])
    assert value(scored, "balanced-accuracy", "region") == pytest.approx(
        [100 * (1 + 5 / 6) / 2, 100 * (1 + 2 / 6) / 2]
    )
    # Of 15 options with yes or no, yes is said of 1 + 2 + 4 + 1 and true of 4.
    assert value(scored, "yes-bias") == pytest.approx([100 * (8 - 4) / 15])
    assert value(scored, "unparsable") == [100 / 16]
    assert value(scored, "parsed-strictly") == [1500 / 16]
    assert value(scored, "missing") == [0.0]
    assert score(scored, "accuracy").n == 4
    assert score(scored, "balanced-accuracy").n == 16
    assert score(scored, "yes-bias").n == 15
    assert scored.decisions["why"].to_list()[12:14] == ["strict", "unparsable"]
    # Nor does an interval over two templates leave what a figure can be.
    ends = [end for one in scored.scores for end in (one.low, one.high) if end is not None]
    assert all(-100 <= end <= 100 for end in ends)


def test_a_question_of_which_an_answer_is_missing_is_left_out():
    items, gold = options_about("KR", "US")
    scored = judged(items, gold, ["yes", "no", "no", None, *["yes"] * 4])
    assert value(scored, "accuracy") == [0.0]
    assert score(scored, "accuracy").n == 1
    assert score(scored, "balanced-accuracy").n == 4
    assert value(scored, "missing") == [12.5]
    assert scored.decisions["correct"].to_list()[3] is None
    assert scored.decisions["why"].to_list()[3] == "missing"
