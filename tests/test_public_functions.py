"""The public functions in a notebook: a path may come as text, and results say what they are."""

import re
from html import unescape
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import blend
from blend.builders.stats.dataset import stats_of_release
from blend.builders.validate import CHECKS
from blend.loaders.recipes import sample_path
from blend.schemas.recipe import find_domain
from blend.schemas.summaries import Table, html_table
from helpers.messages import wrong


def test_a_release_by_its_path_as_text(sample_release: Path):
    text = str(sample_release)
    assert_frame_equal(blend.read_config(text, "annotations"), blend.read_config(sample_release, "annotations"))
    assert blend.read_manifest(text) == blend.read_manifest(sample_release)
    assert blend.diff_releases(text, text).is_empty
    assert blend.validate_release(text, checks={"files": CHECKS["files"]}).passes()


@pytest.mark.slow
def test_sources_and_what_is_made_of_them_by_their_path_as_text(tmp_path: Path, root: Path):
    with sample_path() as folder:
        recipe = blend.read_recipe(str(folder / "recipe.toml"))
        assert not blend.read_responses(str(folder)).questions.is_empty()
        few = recipe.model_copy(update={"locales": ("ko-KR",)})
        made = blend.build_release(few, str(tmp_path / "release"), base=str(folder))
    assert made == blend.read_manifest(tmp_path / "release")
    published = root / "tests" / "loaders" / "valid" / "blend"
    assert not blend.read_blend(str(published)).questions.is_empty()


def test_a_snapshot_by_its_path_as_text(tmp_path: Path):
    (tmp_path / "empty.nt").touch()
    dish, endpoint = find_domain("dish"), "http://127.0.0.1:9/sparql"
    assert blend.read_facts(str(tmp_path / "empty.nt"), dish).claims.is_empty()
    told = wrong(lambda: blend.take_snapshots({str(tmp_path / "dishes.nt.gz"): dish}, endpoint=endpoint))
    assert told.startswith(f"{endpoint}: cannot be reached")
    assert [path.name for path in tmp_path.iterdir()] == ["empty.nt"]


# What results say of themselves: a line as ``repr``, a small table.


def rows_of(html: str) -> list[list[str]]:
    """The texts of a table's cells, row by row."""
    cells = (
        re.findall(r"<t[hd][^>]*>(?:<bdi>)?(.*?)(?:</bdi>)?</t[hd]>", row) for row in html.split("<tr>")[1:]
    )
    return [[unescape(cell) for cell in row] for row in cells]


def test_what_results_say_of_themselves(sample_release: Path):
    manifest = blend.read_manifest(sample_release)
    figures = stats_of_release(sample_release)
    same = blend.diff_releases(sample_release, sample_release)
    report = blend.validate_release(sample_release, checks={"files": CHECKS["files"]}, name="sample")
    audit = blend.audit_release(sample_release)
    n_questions = audit.size["questions"][0]
    titles = [
        (manifest, "<ReleaseManifest: blend-sample 0.1.0>"),
        (figures, "<_DatasetStats: Counts>"),
        (figures.questions, "<Stats: Counts>"),
        (same, "<ReleaseDiff: Reasons>"),
        (report, f"<ValidationReport: blend-sample 0.1.0, {sum(t.rows for t in manifest.tables):,} rows>"),
        (audit, f"<Audit: Answering {n_questions:,} questions by simple rules>"),
    ]
    for result, title in titles:
        assert repr(result) == title
        table, shown = result.as_tables()[0], result._repr_html_()
        assert unescape(re.findall(r"<caption>(.*?)</caption>", shown)[0]) == table.title
        assert rows_of(shown) == [table.frame.columns, *table.cells()]


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "a\"b'c&d", "\u202etxt.exe", "\x1b[31m"])
def test_a_text_of_others_is_never_markup(text: str):
    html = html_table(Table(text, pl.DataFrame({text: [text], "n": [1234], "share": [0.5], "none": [None]})))
    tags = set(re.findall(r"<(\w+)", html))
    assert tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "bdi"}
    assert not {"\u202e", "\x1b"} & set(html)
    assert rows_of(html)[1][1:] == ["1,234", "0.50", "–"]
