"""Default mode on all 16 regions: the figures of docs/mcq.md. A change here changes the published data."""

import polars as pl
import pytest

from blend.builders.mcq import build_mcq
from blend.schemas.recipe.recipe import McqOptions
from blend.schemas.rows.published_rows import AnswerSpread

pytestmark = [pytest.mark.integration]

YIELD = {5: (450, 3005, 5252), "all": (450, 3236, 97_197)}
REASONS = {"few-votes": 2153, "non-answers": 542, "not-applicable": 1005, "out-of-format": 1}
REASONS |= {"turned-down": 48, "unstated-calendar": 7}
SHORT = {5: 1239, "all": 1008}
DISTRACTORS = (577, 1886)
# Questions before, kept of them, moved of the kept; the same for those that the locale is not drawn into.
JOINING = {"ko-KP": (4910, 4053, 153, 3666, 84), "as-AS": (4656, 3087, 258, 2428, 96)}


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize("joining", ["ko-KP", "as-AS"])
def test_a_joining_locale_leaves_what_it_is_not_drawn_into(published, mcqs, joining):
    others = pl.col("locale") != joining
    before = build_mcq(
        published.questions.filter(others), published.annotations.filter(others), options=McqOptions(), seed=0
    ).frame()
    after = mcqs.filter(others)
    key = ["template_id", "locale"]
    drawn = after.filter(pl.col("option_locales").list.contains(joining)).select(key).unique()
    untouched = after.join(drawn, on=key, how="anti", maintain_order="left")
    same = before.join(untouched.select(key).unique(), on=key, how="semi", maintain_order="left")
    assert same["mcq_id"].to_list() == untouched["mcq_id"].to_list()
    moved = (same["answer"] != untouched["answer"]).sum()
    kept = before.join(after, on="mcq_id")
    figures = (len(before), len(kept), (kept["answer"] != kept["answer_right"]).sum(), len(untouched), moved)
    assert figures == JOINING[joining]


@pytest.mark.landing
def test_distractors_by_region(mcqs):
    wrong = mcqs.explode("option_locales").filter(pl.col("option_locales") != pl.col("locale"))
    uses = dict(wrong["option_locales"].value_counts().iter_rows())
    assert sum(uses.values()) == 3 * len(mcqs)
    assert (min(uses.values()), max(uses.values())) == (uses["az-AZ"], uses["as-AS"]) == DISTRACTORS


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize("variants", [5, "all"])
def test_yield(built, variants):
    build = built() if variants == 5 else built(variants=variants)
    counts = build.summary
    figures = (len(build.plans), int(counts["questions"].sum()), build.n_mcqs)
    assert figures == YIELD[variants]
    reasons = dict(build.dropped["reason"].value_counts().iter_rows())
    assert reasons == REASONS | {"short": SHORT[variants]}


THRESHOLDS = [
    ({"target_min_votes": 2}, 4568),
    ({"target_min_votes": 4}, 1843),
    ({"target_max_non_answers": 1}, 2878),
    ({"distractor_min_votes": 3}, 2445),
    ({"target_drop_named": True}, 2843),
    ({"specific_only": True}, 1033),
    ({"distractor_reserve_votes": 2}, 2321),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("thresholds", "questions"), THRESHOLDS)
def test_other_thresholds(built, thresholds, questions):
    assert built(**thresholds).summary["questions"].sum() == questions


@pytest.mark.landing
def test_the_table_of_answer_spread_in_the_documentation(root, mcqs):
    page = (root / "docs" / "mcq.md").read_text(encoding="utf-8")
    pairs = mcqs.unique(["template_id", "locale", "answer_spread"])
    for spread in AnswerSpread:
        counts = [f"{len(rows.filter(answer_spread=spread)):,}" for rows in (pairs, mcqs)]
        assert f"| `{spread}` | {' | '.join(counts)} |" in page
