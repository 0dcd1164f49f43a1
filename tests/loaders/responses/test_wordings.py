"""Changes of wording: read from a file, and taken into account where verdicts quote questions."""

from pathlib import Path

import polars as pl
import pytest

from blend.loaders.responses.wordings import Wording, read_wordings, reworded
from blend.schemas.errors import BlendError

HEADER = "template_id,wording,corrected,reviewer\n"
SAME = (
    "wordings.csv:2, column corrected: 'eat' stands for itself; write what the questions say now, or delete "
    "the row"
)


def file_of(folder: Path, rows: str) -> Path:
    (folder / "wordings.csv").write_text(HEADER + rows, encoding="utf-8")
    return folder / "wordings.csv"


def test_verdicts_quote_the_words_of_now_whatever_the_region(tmp_path: Path):
    wordings = read_wordings(file_of(tmp_path, "T-1,mostly eat (a lot),eat,r1\nT-1,eat,have,r1\n"))
    assert wordings[0] == Wording("T-1", "mostly eat (a lot)", "eat", "r1")
    verdicts = [
        ("T-1", "en-GB", "What do people in the UK mostly eat (a lot)?"),
        ("T-1", "en-GB", "Eat?"),
        ("T-2", "en-GB", "mostly eat (a lot)?"),
        ("T-1", "en-GB", None),
    ]
    asked = [("T-1", "en-GB", "What do people in the UK have?"), ("T-2", "en-GB", "have?")]
    now = ["What do people in the UK have?", "Eat?", "mostly eat (a lot)?", None]
    assert questions_now(verdicts, wordings, asked) == now


def questions_now(verdicts, wordings, asked):
    columns = ["template_id", "locale", "question"]
    frames = (pl.DataFrame(rows, columns, orient="row") for rows in (verdicts, asked))
    return reworded(next(frames), wordings, next(frames))["question"].to_list()


@pytest.mark.parametrize(
    ("now", "quoted"),
    [
        pytest.param("What do you mostly eat?", "What do you mostly eat?", id="not changed here"),
        pytest.param("What do you mostly have?", "What do you mostly have?", id="the first change alone"),
        pytest.param("What do you usually eat?", "What do you usually eat?", id="the second alone"),
        pytest.param("What do you usually have?", "What do you usually have?", id="both"),
        pytest.param(
            "What do you drink?", "What do you mostly eat?", id="something else: it stays, and is void"
        ),
    ],
)
def test_a_change_may_have_come_to_some_regions_only(now: str, quoted: str):
    wordings = (Wording("T-1", "eat", "have"), Wording("T-1", "mostly", "usually"))
    verdicts = [("T-1", tag, "What do you mostly eat?") for tag in ("en-GB", "en-US")]
    asked = [("T-1", "en-GB", now), ("T-1", "en-US", "What do you usually have?")]
    assert questions_now(verdicts, wordings, asked) == [quoted, "What do you usually have?"]
    # A region that asked in these words before says nothing about one that has them now.
    assert questions_now([("T-1", "en-GB", "What do you usually have?")], wordings, asked[1:]) == [
        "What do you usually have?"
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("T-1,,now,r1\n", "wordings.csv:2: a wording without wording; fill it in or delete the row"),
        ("T-1,eat,eat,r1\n", SAME),
    ],
)
def test_a_row_that_says_nothing(tmp_path: Path, rows: str, message: str):
    with pytest.raises(BlendError) as raised:
        read_wordings(file_of(tmp_path, rows))
    assert str(raised.value) == message


def test_a_file_that_is_not_there(tmp_path: Path):
    with pytest.raises(
        BlendError, match=r"there is no such file of wordings; correct its name \(mcq\.wordings"
    ):
        read_wordings(tmp_path / "no.csv")
