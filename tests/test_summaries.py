"""What results say of themselves: a line as ``repr``, a small table in a notebook."""

from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

import blend
from blend.builders.stats.dataset import stats_of_release
from blend.schemas.summaries import html_table


class Cells(HTMLParser):
    """The texts of a table's cells, row by row; anything but a table is an error."""

    def __init__(self) -> None:
        super().__init__()
        self.caption, self.rows, self.at = "", [], ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("table", "caption", "thead", "tbody", "tr", "th", "td")
        assert dict(attrs) in ({}, {"style": "text-align: right"})
        self.at = tag
        if tag == "tr":
            self.rows.append([])

    def handle_data(self, data: str) -> None:
        if self.at == "caption":
            self.caption += data
        else:
            self.rows[-1].append(data)


def cells(html: str) -> Cells:
    parser = Cells()
    parser.feed(html)
    return parser


def test_a_manifest(sample_release: Path):
    manifest = blend.read_manifest(sample_release)
    rows = sum(table.rows for table in manifest.tables)
    assert (
        repr(manifest)
        == f"<ReleaseManifest: blend-sample 0.1.0, {rows:,} rows in {len(manifest.tables)} tables>"
    )
    table = cells(manifest._repr_html_())
    assert f"<{type(manifest).__name__}: {table.caption}>" == repr(manifest)
    assert table.rows[0] == ["configuration", "split", "rows"]
    assert table.rows[1:] == [[one.config, one.split, f"{one.rows:,}"] for one in manifest.tables]


@pytest.mark.slow
def test_statistics(sample_release: Path):
    figures = stats_of_release(sample_release)
    stats = figures.questions
    assert stats is not None
    assert repr(stats) == "<Stats: 10 locales, 395 questions, 2,804 votes>"
    assert cells(stats._repr_html_()).rows[1][:2] == ["en-US", "40"]
    assert repr(figures) == f"<DatasetStats: {len(figures.frames())} tables>"


@pytest.mark.slow
def test_an_audit():
    questions = pl.DataFrame(
        {
            "group": ["ko-KR"] * 2,
            "template": ["a", "b"],
            "topic": ["Food"] * 2,
            "question": ["What?", "Who?"],
            "options": [["rice", "tea", "beer", "milk"]] * 2,
            "answer": [0, 1],
        }
    )
    found = blend.audit_questions(questions)
    assert repr(found) == "<Audit: 2 questions, chance 25.0%>"
    rows = cells(found._repr_html_()).rows
    assert rows[0] == ["baseline", "questions", "accuracy", "overall", "by pair"]
    assert [row[0] for row in rows[1:]] == found.baselines["baseline"].to_list()


def test_a_comparison_and_a_validation(sample_release: Path):
    same = blend.diff_releases(sample_release, sample_release)
    assert repr(same) == "<ReleaseDiff: blend-sample 0.1.0 → blend-sample 0.1.0, the same rows>"
    from blend.builders.validate import CHECKS

    report = blend.validate_release(
        sample_release, checks={"layout": next(iter(CHECKS.values()))}, name="sample"
    )
    assert repr(report) == "<ValidationReport: blend-sample 0.1.0, 0 errors, 0 warnings>"
    assert cells(report._repr_html_()).rows[0] == ["check", "errors", "warnings", "infos"]


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "a\"b'c&d", "\u202etxt.exe", "\x1b[31m"])
def test_a_text_of_others_is_never_markup(text: str):
    html = html_table(text, [text], [[text], [1234], [0.5], [None], [True]])
    assert "<script" not in html
    assert not {"\u202e", "\x1b"} & set(html)
    table = cells(html)
    assert table.rows[2:] == [["1,234"], ["0.50"], ["–"], ["True"]]
