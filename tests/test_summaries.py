"""What results say of themselves: a line as ``repr``, a small table in a notebook."""

from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

import blend
from blend.builders.stats.dataset import stats_of_release
from blend.builders.validate import CHECKS
from blend.schemas.summaries import Table, html_table


class Cells(HTMLParser):
    """The texts of a table's cells, row by row; anything but a table is an error."""

    def __init__(self) -> None:
        super().__init__()
        self.caption, self.rows, self.at = "", [], ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("table", "caption", "thead", "tbody", "tr", "th", "td", "bdi")
        assert set(dict(attrs)) <= {"class", "style", "scope", "data-label"}
        self.at = "td" if tag == "bdi" else tag
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


@pytest.mark.slow
def test_what_results_say_of_themselves(sample_release: Path):
    manifest = blend.read_manifest(sample_release)
    figures = stats_of_release(sample_release)
    same = blend.diff_releases(sample_release, sample_release)
    report = blend.validate_release(sample_release, checks={"files": CHECKS["files"]}, name="sample")
    audit = blend.audit_release(sample_release)
    n_questions = audit.size["questions"][0]
    titles = [
        (manifest, "<ReleaseManifest: blend-sample 0.1.0>"),
        (figures, "<DatasetStats: Counts>"),
        (figures.questions, "<Stats: Counts>"),
        (same, "<ReleaseDiff: Reasons>"),
        (report, f"<ValidationReport: blend-sample 0.1.0, {sum(t.rows for t in manifest.tables):,} rows>"),
        (audit, f"<Audit: Answering {n_questions:,} questions by simple rules>"),
    ]
    for result, title in titles:
        assert repr(result) == title
        shown = cells(result._repr_html_())
        table = result.as_tables()[0]
        assert (shown.caption, shown.rows) == (table.title, [table.frame.columns, *table.cells()])


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "a\"b'c&d", "\u202etxt.exe", "\x1b[31m"])
def test_a_text_of_others_is_never_markup(text: str):
    html = html_table(Table(text, pl.DataFrame({text: [text], "n": [1234], "share": [0.5], "none": [None]})))
    assert "<script" not in html
    assert not {"\u202e", "\x1b"} & set(html)
    table = cells(html)
    assert table.rows[1][1:] == ["1,234", "0.50", "–"]
