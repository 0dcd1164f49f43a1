"""Commands that look at something and print it: stats, status, schema, locales, show."""

import json
from pathlib import Path

import polars as pl
import pytest

from blend.builders.stats.dataset import stats_of_release
from blend.cli.look import schema_models
from blend.schemas.errors import BlendError
from helpers.in_process import run


@pytest.fixture(scope="module")
def release(sample_release: Path) -> Path:
    return sample_release


@pytest.mark.slow
def test_stats_prints_json_and_writes_files(release: Path, tmp_path: Path):
    printed = json.loads(run("stats", release, "--json", "--out", tmp_path / "stats"))
    assert sum(row["questions"] for row in printed["counts"]) == 395
    written = pl.read_parquet(tmp_path / "stats" / "counts.parquet")
    assert written["questions"].sum() == 395


@pytest.mark.slow
def test_stats_prints_tables(release: Path):
    first, everything = run("stats", release), run("stats", release, "--all")
    assert first.split()[0] == "Counts"
    assert len(first.splitlines()) < 40
    names = [table.name for table in stats_of_release(release).as_tables()]
    told = f"Further tables: {', '.join(names[1:])}. --table NAME prints one of them, --all prints all."
    assert " ".join(first.split()).endswith(told)
    assert everything.startswith(first.partition("Further tables")[0])
    assert "Lemmas of English answers in common" in everything
    assert "Further tables" not in everything


@pytest.mark.slow
def test_stats_of_an_unknown_table(release: Path):
    with pytest.raises(BlendError) as error:
        run("stats", release, "--table", "overlaps")
    assert str(error.value) == (
        "unknown table 'overlaps'; did you mean 'overlap'? the nearest of the 15 there are: overlap, "
        "templates, non-answers"
    )


@pytest.mark.nightly
@pytest.mark.slow
def test_status_lists_questions_that_need_responses():
    assert "work-02" in run("status")
    states = json.loads(run("status", "--json"))
    assert {row["state"] for row in states} == {"complete", "needs-responses", "stopped-idk"}


def test_status_is_that_of_locales_whose_answers_are_collected(tmp_path: Path, root: Path):
    valid = root / "tests" / "loaders" / "valid"
    recipe = tmp_path / "recipe.toml"
    sources = "".join(
        f'[[sources]]\nkind = "{kind}"\nlocation = "{valid / kind}"\n' for kind in ("responses", "blend")
    )
    recipe.write_text(f'name = "b"\nversion = "1.0.0"\nlicense = "mit"\n{sources}', encoding="utf-8")
    locales = {row["locale"] for row in json.loads(run("status", recipe, "--json"))}
    assert locales == {"am-ET", "ko-KR"}  # not en-GB, of which the other source has finished annotations


@pytest.mark.parametrize("name", schema_models())
def test_schema_prints_a_json_schema(name: str):
    assert json.loads(run("schema", name))["title"] == schema_models()[name].__name__


@pytest.mark.slow
def test_an_unknown_model():
    with pytest.raises(BlendError) as caught:
        run("schema", "mqc")
    assert str(caught.value) == (
        f"unknown model 'mqc'; did you mean 'mcq'? the nearest of the {len(schema_models())} there are: "
        "mcq, saq, recipe"
    )


@pytest.mark.slow
def test_locales_are_printed_all_or_one():
    assert "34 locales" in run("locales")
    assert json.loads(run("locales", "South_Korea", "--json"))[0]["tag"] == "ko-KR"
    assert "right to left" in run("locales", "ar-DZ")


@pytest.mark.parametrize(
    ("name", "tags"),
    [
        ("South Korea", ["ko-KR"]),
        ("Korea", ["ko-KR", "ko-KP"]),
        ("uk", ["en-GB"]),
        ("the United Kingdom", ["en-GB"]),
        ("SG", ["en-SG", "ms-SG", "ta-SG", "zh-SG"]),
        ("New Zealand", ["en-NZ"]),
    ],
)
def test_locales_by_any_name(name: str, tags: list[str], root: Path):
    own = root / "loaders" / "starter" / "locales.toml"
    found = json.loads(run("locales", name, "--locale-file", own, "--json"))
    assert [locale["tag"] for locale in found] == tags
    assert tags[-1] in run("locales", name, "--locale-file", own)


def test_a_name_of_no_locale():
    with pytest.raises(BlendError) as caught:
        run("locales", "Atlantis")
    assert str(caught.value) == (
        "unknown locale 'Atlantis'; describe a region of your own in a locale file (--locale-file, see "
        "docs/recipe.md)"
    )


@pytest.mark.slow
def test_show_prints_a_row_of_every_configuration(release: Path):
    printed = run("show", release)
    assert printed.count('load_dataset("') == 4
    for column in ("ID", "Translation", "en_prompt", "MCQID"):
        assert column in printed
