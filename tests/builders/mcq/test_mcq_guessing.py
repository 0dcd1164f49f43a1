"""Default mode on all 16 regions: what the rules of the audit find in its questions."""

import polars as pl
import pytest

from blend.builders.audit import audit_questions
from blend.builders.mcq.options import is_latin
from blend.schemas.locales import names_any, registry

pytestmark = [pytest.mark.integration, pytest.mark.nightly]


@pytest.fixture(scope="module")
def figures(build, published):
    questions = pl.concat(list(build.batches())).select(
        "question", "options", "answer", "topic", group="locale", template="template_id"
    )
    return audit_questions(questions, annotations=published.annotations)


def test_the_audit_finds_what_was_aimed_at(figures):
    found = {row["baseline"]: row["accuracy"] for row in figures.baselines.iter_rows(named=True)}
    assert found["typical"] <= 0.62
    for by_value in ("largest", "smallest", "nearest-mean"):
        # Which numbers are on offer decides: seldom are three of them smaller.
        assert abs(found[by_value] - 0.25) <= 0.10, by_value
    leaks = {row["cause"]: row["share"] for row in figures.leaks.iter_rows(named=True)}
    assert leaks["names-region"] <= 0.02
    assert leaks["names-another"] <= 0.01
    assert leaks["script"] == leaks["repeated-option"] == 0


def test_at_least_3000_questions_are_kept(build):
    assert build.n_mcqs >= 3000


def test_no_wrong_option_names_a_region_or_has_foreign_letters(mcqs):
    for row in mcqs.iter_rows(named=True):
        for i, option in enumerate(row["options"]):
            assert is_latin(option), row
            assert i == row["answer"] or not names_any(option, registry()), row


def test_right_answers_that_name_a_region_are_left_out_by_option(built, mcqs):
    named = [
        names_any(options[answer], registry()) for options, answer in mcqs.select("options", "answer").rows()
    ]
    assert sum(named) > 40
    without = built(target_drop_named=True).frame()
    for options, answer in without.select("options", "answer").iter_rows():
        assert not names_any(options[answer], registry())
