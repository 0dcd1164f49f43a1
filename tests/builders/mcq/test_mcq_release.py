"""Default mode on all 16 regions: the figures of docs/mcq.md. A change here changes the published data."""

import polars as pl
import pytest

from blend.builders.mcq import build_mcq
from blend.schemas.recipe import McqOptions
from blend.schemas.rows import AnswerSpread

pytestmark = [pytest.mark.integration]

YIELD = (459, 3345)
REASONS = {"few-votes": 2153, "non-answers": 542, "not-applicable": 1005, "out-of-format": 1}
REASONS |= {"turned-down": 48, "own-calendar": 7, "short": 899}
DISTRACTORS = (386, 1157)
TRUE_FALSE = 3316
# Questions before, and how many of them stay as they are; of these, how many move their correct answer.
JOINING = {"ko-KP": (3114, 2597, 89), "es-ES": (3059, 2517, 91)}


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize("joining", ["ko-KP", "es-ES"])
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
    kept = before.join(after, on="mcq_id")
    assert len(kept) >= 0.82 * len(before)
    assert (len(before), len(kept), (kept["answer"] != kept["answer_right"]).sum()) == JOINING[joining]


@pytest.mark.landing
def test_distractors_by_region(mcqs):
    wrong = mcqs.explode("option_locales").filter(pl.col("option_locales") != pl.col("locale"))
    uses = dict(wrong["option_locales"].value_counts().iter_rows())
    assert sum(uses.values()) == 3 * len(mcqs)
    assert (min(uses.values()), max(uses.values())) == (uses["az-AZ"], uses["as-AS"]) == DISTRACTORS


@pytest.mark.landing
def test_yield(build):
    assert (len(build.plans), build.n_mcqs) == YIELD
    assert dict(build.dropped["reason"].value_counts().iter_rows()) == REASONS


@pytest.mark.nightly
def test_true_or_false(built):
    assert sum(map(len, built(rungs=True).true_false_batches())) == TRUE_FALSE


@pytest.mark.landing
def test_the_table_of_answer_spread_in_the_documentation(root, mcqs):
    page = (root / "docs" / "mcq.md").read_text(encoding="utf-8")
    for spread in AnswerSpread:
        assert f"| `{spread}` | {len(mcqs.filter(answer_spread=spread)):,} |" in page
