"""Labels: written and read again, ties by their share, and what a file of them cannot hold."""

from pathlib import Path

import polars as pl
import pytest

from blend.eval.runs.labels import LABELS, read_labels, write_labels
from blend.schemas.errors import RowError

ROWS = [
    ("KR/1/p/ko", "ko-KR", "1", "correct/Food", 0.25, "correct", "anna|ben"),
    ("KR/2/p/ko", "ko-KR", "2", 'wrong/"A, B"', 1 / 3, "correct|wrong", "anna|ben"),
    ("KR/3/p/ko", "ko-KR", "3", "wrong/Food", 1.0, "partly|wrong", "anna|ben"),
]


def test_labels_come_back_with_the_share_of_correct(tmp_path: Path):
    assert read_labels(tmp_path) is None
    labels = pl.DataFrame(ROWS, LABELS, orient="row")
    write_labels(tmp_path, labels)
    found = read_labels(tmp_path)
    assert found is not None
    assert found.drop("correct").equals(labels)
    assert found["correct"].to_list() == [1.0, 0.5, 0.0]


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("verdict", "right", "'right' is no verdict; write correct, partly, wrong, refused"),
        ("probability", "0", "'0' is not possible (Input should be greater than 0); correct it"),
        ("probability", "1.5", "'1.5' is not possible (Input should be less than or equal to 1); correct it"),
    ],
)
def test_what_is_no_label(tmp_path: Path, column: str, value: str, message: str):
    write_labels(tmp_path, pl.DataFrame(ROWS[:1], LABELS, orient="row"))
    path = tmp_path / "labels.tsv"
    held = dict(zip(LABELS, map(str, ROWS[0]), strict=True)) | {column: value}
    path.write_text("\t".join(held) + "\n" + "\t".join(held.values()) + "\n")
    with pytest.raises(RowError) as raised:
        read_labels(tmp_path)
    assert str(raised.value) == f"labels.tsv:2, column {column}: {message}"
