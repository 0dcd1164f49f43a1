"""What commands print on a terminal of 80 columns: whole words, whole figures, no markup of docstrings."""

import io
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from typer.testing import CliRunner

from blend.builders.diff import diff_releases
from blend.builders.diff.text import difference_tables
from blend.builders.release import build_release
from blend.builders.release.inputs import read_inputs
from blend.builders.saq.collection import collection_status
from blend.builders.stats.dataset import stats_of_release
from blend.builders.stats.planning import mean_figures, plan_collection
from blend.builders.validate.report import ValidationReport
from blend.cli import app
from blend.loaders.recipes.ready import food_recipe, sample_recipe
from blend.loaders.releases import read_manifest
from blend.loaders.releases.references import resolve_release
from blend.loaders.responses.shipped import shipped_collections
from blend.schemas.locales import registry
from blend.views.frames import table_of
from blend.views.tables import (
    collection_tables,
    locale_details,
    locale_table,
)

WIDTH = 80


def broken_words(table: Table) -> set[str]:
    """Words of a table that are cut or stand in no line of it as a whole."""
    console = Console(file=io.StringIO(), width=WIDTH)
    console.print(table)
    text = console.file.getvalue()
    assert max(map(cell_len, text.splitlines())) <= WIDTH, table.title
    printed = set(text.replace("│", " ").replace("┃", " ").split())
    cells = [cell for column in table.columns for cell in (column.header, *column.cells)]
    return {word for cell in cells for word in str(cell).replace("[", " [").split() if word not in printed}


def assert_complete(tables: Iterable[Table]) -> None:
    n = 0
    for table in tables:
        n += 1
        assert broken_words(table) == set(), table.title
    assert n


@pytest.fixture(scope="module")
def food_release(food_snapshot: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("food") / "release"
    build_release(food_recipe(food_snapshot), out, source_paths={food_snapshot.name: food_snapshot})
    return out


@pytest.mark.slow
def test_what_build_and_show_print(sample_release: Path, food_release: Path):
    for release in (sample_release, food_release):
        assert_complete(map(table_of, read_manifest(release).as_tables()))


@pytest.mark.slow
def test_statistics_of_questions(sample_release: Path):
    assert_complete(map(table_of, stats_of_release(sample_release).as_tables()))


def test_a_plan():
    figures = mean_figures(shipped_collections())
    assert_complete(map(table_of, plan_collection(figures, templates=[20_000], price=0.1).as_tables()))


@pytest.mark.integration
def test_statistics_of_sixteen_regions(regions_release: Path):
    assert_complete(map(table_of, stats_of_release(regions_release).as_tables()))


@pytest.mark.slow
def test_statistics_of_food(food_release: Path):
    figures = stats_of_release(food_release)
    # All of Wikidata has some 35,000 dishes.
    food = figures.food["food"]
    many = replace(food, languages=food.languages.with_columns(pl.selectors.numeric() * 30))
    assert_complete(map(table_of, replace(figures, food={"food": many}).as_tables()))


@pytest.mark.slow
def test_the_state_of_a_collection():
    recipe = sample_recipe()
    inputs = read_inputs(recipe, base=Path(), locales=registry())
    state = collection_status(inputs.questions, inputs.responses, inputs.reviews, recipe.saq)
    assert_complete(map(table_of, collection_tables(state)))


@pytest.mark.slow
def test_the_registry():
    assert_complete([table_of(locale_table(list(registry())))])
    assert_complete(table_of(locale_details(locale)) for locale in registry())


@pytest.mark.nightly
@pytest.mark.slow
def test_the_settings_of_a_comparison(sample_release: Path, tmp_path: Path):
    recipe = sample_recipe().model_copy(update={"title": "Another title", "seed": 7})
    build_release(recipe, tmp_path / "new")
    found = diff_releases(resolve_release(str(sample_release)), resolve_release(str(tmp_path / "new")))
    tables = difference_tables(found, examples=0)
    assert tables[-1].frame["setting"].to_list() == ["recipe.title", "recipe.seed"]
    assert_complete(map(table_of, tables))


@pytest.mark.nightly
@pytest.mark.slow
def test_the_checks_of_a_validation(sample_release: Path):
    from blend.builders.validate import CHECKS, validate_release

    quick = {name: check for name, check in CHECKS.items() if name != "loading"}
    report: ValidationReport = validate_release(sample_release, checks=quick, name="sample")
    assert_complete(map(table_of, report.as_tables()))


def commands() -> list[list[str]]:
    """Every command and group as typed after ``blend``."""
    found: list[list[str]] = [[]]

    def walk(command, path: list[str]) -> None:
        for name, inner in getattr(command, "commands", {}).items():
            found.append([*path, name])
            walk(inner, [*path, name])

    walk(typer.main.get_command(app), [])
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("path", commands(), ids=lambda path: " ".join(path) or "blend")
def test_help_shows_flags_as_flags_and_no_markup(path: list[str]):
    printed = CliRunner().invoke(app, [*path, "--help"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"}).stdout
    assert "Usage:" in printed
    assert "bool" not in printed
    assert "``" not in printed
    assert max(map(cell_len, printed.splitlines())) <= WIDTH


@pytest.mark.parametrize("arguments", [["locales", "ko-KR"], ["schema"], ["schema", "recipe"]], ids=" ".join)
def test_no_docstring_is_printed_as_it_is_written(arguments: list[str]):
    assert "``" not in CliRunner().invoke(app, arguments).stdout


def test_one_of_a_thing_is_singular():
    locale = registry().get("ko-KR")
    assert locale_table([locale]).title == "1 locale"
    assert re.match(r"\d+ locales$", str(locale_table(list(registry())).title))
