"""Fillers: reviewed distractors, read with their places."""

from pathlib import Path

import pytest

from blend.loaders.responses.fillers import read_fillers
from blend.schemas.errors import BlendError, RowError


def test_fillers_are_read_with_their_places(tmp_path: Path):
    path = tmp_path / "fillers.csv"
    path.write_text(
        "template_id,locale,option,region,reviewer,why\n"
        "t1,,durian,ID,mina,not sold there\n"
        "t1,ko-KR,poi,US,mina,\n",
        encoding="utf-8",
    )
    assert read_fillers(path).rows() == [
        ("t1", None, "durian", "ID", "mina", "not sold there", "fillers.csv:2"),
        ("t1", "ko-KR", "poi", "US", "mina", None, "fillers.csv:3"),
    ]


def test_a_missing_file(tmp_path: Path):
    with pytest.raises(BlendError) as caught:
        read_fillers(tmp_path / "fillers.csv")
    assert str(caught.value) == (
        f"{tmp_path}/fillers.csv: there is no such file of fillers; correct its name (mcq.fillers in a recipe)"
    )


def test_an_unknown_kind_of_file(tmp_path: Path):
    (tmp_path / "fillers.xls").touch()
    with pytest.raises(BlendError) as caught:
        read_fillers(tmp_path / "fillers.xls")
    assert str(caught.value) == (
        "fillers.xls: another spreadsheet's own format; save it as .xlsx, or as CSV in UTF-8"
    )


def test_a_missing_column(tmp_path: Path):
    (tmp_path / "fillers.csv").write_text("template_id,option\nt1,durian\n", encoding="utf-8")
    with pytest.raises(RowError) as caught:
        read_fillers(tmp_path / "fillers.csv")
    assert "fillers.csv:1" in str(caught.value)
    assert "'region'" in str(caught.value)


def test_a_reviewer_is_a_pseudonym(tmp_path: Path):
    path = tmp_path / "fillers.csv"
    path.write_text("template_id,option,region,reviewer\nfood-01,porridge,UK,Mina Kim\n", encoding="utf-8")
    with pytest.raises(
        RowError, match=r"^fillers\.csv:2, column reviewer: this reads like the name of a person; "
    ):
        read_fillers(path)
