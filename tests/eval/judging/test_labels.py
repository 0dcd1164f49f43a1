"""Labels: written and read again, ties by their share, and a file that somebody has changed."""

from pathlib import Path

import polars as pl
import pytest

from blend.eval.judging.labels import LABELS, LABELS_NAME, read_labels, write_labels
from blend.schemas.errors import RowError

ROWS = [
    ("KR/1/p/ko", 0.25, "correct", "anna|ben"),
    ("KR/2/p/ko", 1 / 3, "correct|wrong", "anna|ben"),
    ("KR/3/p/ko", 1.0, "partly|wrong", "anna|ben"),
]


def test_labels_come_back_with_the_share_of_correct_and_changed_ones_are_told(tmp_path: Path):
    assert read_labels(tmp_path) is None
    labels = pl.DataFrame(ROWS, LABELS, orient="row")
    write_labels(tmp_path, labels)
    found = read_labels(tmp_path)
    assert found is not None
    assert found.drop("correct").equals(labels)
    assert found["correct"].to_list() == [1.0, 0.5, 0.0]
    (tmp_path / LABELS_NAME).write_bytes(b"PAR1")
    told = r"labels\.parquet: not a Parquet file, or damaged; read the sheets again: "
    with pytest.raises(RowError, match=told):
        read_labels(tmp_path)
