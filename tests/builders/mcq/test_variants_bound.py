"""Variants beyond reason: how many questions all of them are is known, and told, before any is made."""

import polars as pl
import pytest

from blend.builders.mcq import variants
from blend.builders.mcq.variants import check_sum
from blend.schemas.errors import InputError


def annotations(templates: int, regions: int) -> pl.DataFrame:
    rows = [(f"q{t}", f"xx-{r:03}") for t in range(templates) for r in range(regions)]
    return pl.DataFrame(rows, schema=["template_id", "locale"], orient="row")


def test_the_sum_of_all_questions_is_known_before(monkeypatch: pytest.MonkeyPatch):
    check_sum(annotations(500, 16))  # as published: 3,640,000 at most
    with pytest.raises(InputError) as told:
        check_sum(annotations(500, 33))
    assert str(told.value) == (
        'variants "all": every correct answer with every three options of up to 33 regions are some 81,840,000 '
        "questions, and at most 10,000,000 are made; give a number instead"
    )
    monkeypatch.setattr(variants, "_MOST_QUESTIONS", 3)
    check_sum(annotations(1, 3))  # no three others
    with pytest.raises(InputError, match="some 4 questions"):
        check_sum(annotations(1, 4))
