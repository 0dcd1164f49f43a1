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
    verdicts = pl.DataFrame(
        {
            "template_id": ["T-1", "T-1", "T-2", "T-1"],
            "question": ["What do people in the UK mostly eat (a lot)?", "Eat?", "mostly eat (a lot)?", None],
        }
    )
    now = ["What do people in the UK have?", "Eat?", "mostly eat (a lot)?", None]
    assert reworded(verdicts, wordings)["question"].to_list() == now


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
