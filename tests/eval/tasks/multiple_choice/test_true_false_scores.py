"""True or false: figures worked by hand, and what holds for any answers."""

import polars as pl
import pytest

from blend.eval.items import ITEMS
from blend.eval.runs.answers import ANSWERS
from blend.eval.scores_json import Score, ScoredItems
from blend.eval.task import ScoringOptions
from blend.eval.tasks.multiple_choice.true_false import score_true_false_run
from helpers.answered_run import answered_run


def questions(*regions: str) -> tuple[pl.DataFrame, pl.DataFrame]:
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


def answers(items: pl.DataFrame, texts: list[str | None]) -> pl.DataFrame:
    """Answers in words; none where the text is null."""
    said = dict(zip(items["item_id"], texts, strict=True))
    return pl.DataFrame(
        [{"item_id": one, "text": text} for one, text in said.items() if text is not None], ANSWERS
    )


def judged(
    items: pl.DataFrame, gold: pl.DataFrame, given: pl.DataFrame, *, style: str = "json", rule: str = "default"
) -> ScoredItems:
    run = answered_run([(items, given)], [gold], holds_texts=style == "json", style="written")
    return score_true_false_run(run, ScoringOptions(rule=rule), lambda *_: None)


def value(scored: ScoredItems, metric: str, scope: str = "overall") -> list[float | None]:
    return [score.value for score in scored.scores if score.metric == metric and score.scope == scope]


def score(scored: ScoredItems, metric: str) -> Score:
    return next(score for score in scored.scores if score.metric == metric)


def test_figures_worked_by_hand():
    # Korea: all four correct; yes to two options; the US: yes to all, so 1 of 4 options; and one unreadable.
    items, gold = questions("KR", "KR", "US", "US")
    said = ["yes", "no", "no", "no", "yes", "yes", "no", "no", *["yes"] * 4, "yes", "hm", "no", "no"]
    scored = judged(items, gold, answers(items, said))
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
    items, gold = questions("KR", "US")
    scored = judged(items, gold, answers(items, ["yes", "no", "no", None, *["yes"] * 4]))
    assert value(scored, "accuracy") == [0.0]
    assert score(scored, "accuracy").n == 1
    assert score(scored, "balanced-accuracy").n == 4
    assert value(scored, "missing") == [12.5]
    assert scored.decisions["correct"].to_list()[3] is None
    assert scored.decisions["why"].to_list()[3] == "missing"
