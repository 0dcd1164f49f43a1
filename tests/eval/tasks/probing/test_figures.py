"""Figures of probing, by hand: differences on the same dishes, the gap, and what is left out."""

import polars as pl
import pytest

from blend.eval.scores_json import ScoredItems
from blend.eval.tasks.probing.probing_scores import score_probing

CANDIDATES = ("a", "b", "c", "d")


def judged(
    *asked: tuple[str, str, str, str, list[str], list[float | None] | None],
    scorer: str = "masked",
    causal: str = "conditional",
    prompt: str = "x [Y].",
) -> ScoredItems:
    """Items as (language, dish, country, template, gold, scores of a, b, c and d)."""
    items = pl.DataFrame(
        [
            (f"{language}/{dish}/{template}", language, country, dish, language, template, prompt)
            for language, dish, country, template, _, _ in asked
        ],
        schema=["item_id", "locale", "region", "template_id", "language", "prompt_id", "prompt"],
        orient="row",
    )
    gold = items.select(
        "item_id",
        qid="template_id",
        relation="prompt_id",
        with_country=pl.col("prompt_id").str.starts_with("country"),
        candidate_set="language",
    ).with_columns(pl.Series("gold", [row[4] for row in asked]))
    answers = items.select("item_id").with_columns(
        pl.Series("logprobs", [row[5] for row in asked], pl.List(pl.Float64)),
        option_tokens=pl.lit([1, 1, 1, 1]),
        error=pl.when(pl.Series([row[5] is None for row in asked])).then(pl.lit("out of memory")),
    )
    languages = sorted({row[0] for row in asked})
    candidates = pl.DataFrame(
        [(language, text) for language in languages for text in CANDIDATES],
        schema=["candidate_set", "candidate"],
        orient="row",
    )
    return score_probing(items, gold, answers, candidates, scorer=scorer, causal=causal, vectors={}, seed=0)


def figure(found: ScoredItems, metric: str, scope: str = "overall", key: str = "all") -> float | None:
    [score] = [s for s in found.scores if (s.metric, s.scope, s.key) == (metric, scope, key)]
    return score.value


FIRST, SECOND, LAST = [-1.0, -2, -3, -4], [-2.0, -1, -3, -4], [-4.0, -1, -2, -3]
"""Scores with which ``a`` is first, second and last."""


@pytest.mark.slow
def test_naming_the_country_is_compared_on_the_same_dishes():
    found = judged(
        ("en", "Q1", "Japan", "hasParts_1", ["a"], SECOND),
        ("en", "Q1", "Japan", "country_1", ["a"], FIRST),
        ("en", "Q2", "Japan", "hasParts_1", ["a"], LAST),
        ("en", "Q2", "Japan", "country_1", ["a"], LAST),
        # Without its counterpart it does not count.
        ("en", "Q3", "Japan", "country_2", ["a"], FIRST),
    )
    # (1 - 1/2 + 1/4 - 1/4) / 2
    assert figure(found, "country-effect") == pytest.approx(25)
    assert figure(found, "country-effect", "language", "en") == pytest.approx(25)
    assert figure(found, "mAP", "naming", "country-not-named") == pytest.approx(100 * (1 / 2 + 1 / 4) / 2)


def test_a_dish_without_a_ranked_ingredient_counts_in_hits_and_not_in_map():
    found = judged(
        ("en", "Q1", "Japan", "hasParts_1", ["a"], FIRST),
        ("en", "Q2", "Japan", "hasParts_1", ["z"], FIRST),
        ("en", "Q3", "Japan", "hasParts_1", ["b"], [-1, None, -2, -3]),
    )
    assert figure(found, "mAP") == pytest.approx(100)
    # One of three.
    assert figure(found, "P@1") == pytest.approx(100 / 3)
    assert figure(found, "gold-not-ranked") == pytest.approx(200 / 3)
    # One of twelve candidates.
    assert figure(found, "not-ranked") == pytest.approx(100 / 12)
    assert found.decisions["precision"].to_list() == [1.0, None, None]
    assert found.decisions["correct"].to_list() == [True, False, False]


def test_a_prompt_without_an_answer_counts_in_nothing_but_missing():
    found = judged(
        ("en", "Q1", "Japan", "hasParts_1", ["a"], FIRST), ("en", "Q2", "Japan", "hasParts_1", ["a"], None)
    )
    assert figure(found, "missing") == 50
    assert figure(found, "P@1") == 100
    assert found.decisions["correct"].to_list() == [True, None]
