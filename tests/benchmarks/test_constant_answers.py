"""One constant list of a region's most common answers is no way to a score, on the published data."""

from itertools import product
from pathlib import Path

import polars as pl
import pytest

from blend.schemas.locales import registry
from helpers.scripts import script

CONSTANT = script("benchmarks/constant_answers.py")

LOCALES = [locale.tag for locale in registry() if "blend" in locale.collections]
OTHERS = [form for form in CONSTANT.FORMS if form not in ("commas", "blanks")]
WRITTEN = [
    *product(LOCALES, ("commas", "blanks"), [50]),
    *product(("en-US", "ko-KR"), OTHERS, [50]),
    *product(["en-US"], CONSTANT.FORMS, [200]),
]
"""Locales, forms in which a list is written, and its length: two forms everywhere, all of them in two."""
MOST = 5.0
"""Percent that a list of fifty answers or more may score."""


@pytest.fixture(scope="module")
def annotations(blend_data: Path) -> pl.DataFrame:
    found: pl.DataFrame = CONSTANT.published_annotations(blend_data)
    return found


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.parametrize(("locale", "form", "n_answers"), WRITTEN)
def test_a_constant_list(annotations: pl.DataFrame, locale: str, form: str, n_answers: int):
    rows = annotations.filter(locale=locale)
    text = CONSTANT.FORMS[form](CONSTANT.common_answers(rows, n_answers))
    assert CONSTANT.sem_b(rows, text) <= MOST


@pytest.mark.nightly
@pytest.mark.integration
def test_three_answers_may_be_given(annotations: pl.DataFrame):
    # The published annotations of the US hold one of basketball, baseball and American Football to 8.0 % of the
    # questions; a list of ten counts as its first three.
    rows = annotations.filter(locale="en-US")
    three, ten = (CONSTANT.sem_b(rows, ", ".join(CONSTANT.common_answers(rows, n))) for n in (3, 10))
    assert three == ten
    assert round(three, 1) == 8.0
