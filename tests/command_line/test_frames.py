"""Tables on a terminal: one function writes every value and heading."""

import io

import polars as pl
from rich.console import Console

from blend.schemas.summaries import Table
from blend.views.frames import table_of


def printed(frame: pl.DataFrame, title: str = "", caption: str = "") -> list[str]:
    console = Console(file=io.StringIO(), width=80)
    console.print(table_of(Table(title, frame, caption)))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_words_to_the_left_and_figures_to_the_right():
    frame = pl.DataFrame(
        {
            "locale": ["ko-KR", "am-ET"],
            "votes": [1234, None],
            "share %": [50.0, 100.0],
            "mean": [2.0, 12.5],
            "interval": ["61.3 [58.0, 64.5]", "–"],
        }
    )
    assert printed(frame, "Votes", "Counts, [b] for all.") == [
        "Votes",
        "               share",
        "locale  votes      %   mean           interval",
        "───────────────────────────────────────────────",
        "ko-KR   1,234   50.0   2.00  61.3 [58.0, 64.5]",
        "am-ET       –  100.0  12.50                  –",
        "Counts, [b] for all.",
    ]


def test_headings_are_broken_behind_slashes():
    assert printed(pl.DataFrame({"Food/Drink": ["Work [life]"], "a_b": ["x, y"]})) == [
        "Food/        a",
        "Drink        b",
        "──────────────────",
        "Work [life]  x, y",
    ]


def test_cells_that_are_written_already_stay():
    assert Table.of("", ("a", "b"), [("x", "1"), ("y", "")]).cells() == [["x", "1"], ["y", ""]]
    assert Table.of("", ("a", "b"), []).frame.columns == ["a", "b"]
