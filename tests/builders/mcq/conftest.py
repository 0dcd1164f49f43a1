"""Multiple-choice questions of the published answers of all 16 regions, made once per run for every choice."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from blend.builders.mcq import build_mcq
from blend.builders.mcq.result import McqBuild
from blend.loaders.upstream.blend import BlendTables
from blend.schemas.recipe import McqOptions


@pytest.fixture(scope="session")
def published(clean_tables: BlendTables) -> BlendTables:
    return clean_tables


@pytest.fixture(scope="session")
def built(once, published: BlendTables) -> Callable[..., McqBuild]:
    """Builds with some options; all tests that choose the same share what comes out."""

    def build(**chosen: Any) -> McqBuild:
        options = McqOptions(**chosen)
        name = "-".join(["mcqs", *(f"{key}-{value}" for key, value in sorted(chosen.items()))])
        return once.value(
            name, lambda: build_mcq(published.questions, published.annotations, options=options, seed=0)
        )

    return build


@pytest.fixture(scope="session")
def build(built: Callable[..., McqBuild]) -> McqBuild:
    return built()


@pytest.fixture(scope="session")
def mcqs(build: McqBuild) -> pl.DataFrame:
    return build.mcqs


@pytest.fixture(scope="session")
def paper_build(once, raw_tables: BlendTables) -> McqBuild:
    """As published, of the texts as published."""
    tables, options = (raw_tables.questions, raw_tables.annotations), McqOptions(mode="paper")
    return once.value("paper-mcqs", lambda: build_mcq(*tables, options=options, seed=0))
