"""Frames as tables of a terminal: one function writes every value, heading and total."""

import io

import polars as pl
from rich.console import Console

from blend.views.frames import PERCENT, frame_table, rows_frame


def printed(*arguments: object, **options: object) -> list[str]:
    console = Console(file=io.StringIO(), width=80)
    console.print(frame_table(*arguments, **options))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_words_to_the_left_and_figures_to_the_right():
    frame = pl.DataFrame(
        {"locale": ["ko-KR", "am-ET"], "votes": [1234, None], "share": [0.5, 1.0], "mean": [2.0, 12.5]}
    )
    assert printed(
        frame, "Votes", "Counts.", forms={"share": PERCENT}, total={"locale": "all", "votes": 1234}
    ) == [
        "Votes",
        "locale  votes   share   mean",
        "─────────────────────────────",
        "ko-KR   1,234   50.0%   2.00",
        "am-ET       –  100.0%  12.50",
        "",
        "all     1,234",
        "Counts.",
    ]


def test_columns_are_chosen_named_and_broken_behind_slashes():
    frame = pl.DataFrame({"a": [1], "topic": ["Work [life]"], "tags": [["x", "y"]]})
    heads = {"topic": "Food/Drink", "tags": "tags"}
    assert printed(frame, heads=heads, texts=heads) == [
        "Food/",
        "Drink        tags",
        "──────────────────",
        "Work [life]  x, y",
    ]


def test_cells_that_are_written_already_stay():
    assert rows_frame(("a", "b"), [("x", "1"), ("y", "")]).rows() == [("x", "1"), ("y", "")]
    assert rows_frame(("a", "b"), []).columns == ["a", "b"]
