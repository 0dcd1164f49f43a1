"""Default mode on the published answers of all 16 regions, built once per run."""

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
def build(once, published: BlendTables) -> McqBuild:
    return once.value(
        "default-mcqs",
        lambda: build_mcq(published.questions, published.annotations, options=McqOptions(), seed=0),
    )


@pytest.fixture(scope="session")
def mcqs(build: McqBuild) -> pl.DataFrame:
    return build.frame()
