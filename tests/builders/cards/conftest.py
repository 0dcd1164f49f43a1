"""Made-up facts to document, in any shape."""

from itertools import combinations

import polars as pl
import pytest

from blend.schemas.language.locales import Locale, registry


@pytest.fixture
def all_locales() -> list[Locale]:
    """The 34 locales of the registry."""
    return list(registry())


@pytest.fixture
def means(all_locales: list[Locale]) -> pl.DataFrame:
    """A mean of agreement for every locale: 20 % and 2 % more for each further one."""
    tags = [locale.tag for locale in all_locales]
    return pl.DataFrame({"locale": tags, "mean": [0.2 + 0.02 * i for i in range(len(tags))]})


@pytest.fixture
def overlap(all_locales: list[Locale]) -> pl.DataFrame:
    """A share for every pair: from 1 % on, growing with the distance in the registry."""
    pairs = combinations(range(len(all_locales)), 2)
    rows = [(all_locales[a].tag, all_locales[b].tag, 0.01 * (b - a)) for a, b in pairs]
    return pl.DataFrame(rows, schema=["locale_a", "locale_b", "lemma_share"], orient="row")
