"""A model's verdicts go to the end of a file as they come: what a kill cut off goes, all else stays."""

from datetime import date
from pathlib import Path

import pytest

from blend.loaders.responses.exclusions import read_exclusions
from blend.loaders.responses.option_sheets import OptionVerdict
from blend.loaders.responses.option_verdicts import append_verdicts

DAY = date(2026, 1, 2)
PEAR, PLUM = (OptionVerdict("T-1", "en-GB", "What?", option, "ok", "", "", 0.9) for option in ("pear", "plum"))


def append(path: Path, *verdicts: OptionVerdict) -> list[str]:
    """The options of a file once verdicts are added."""
    append_verdicts(path, verdicts, reviewer="chat:m1", when=DAY)
    return read_exclusions(path)["option"].to_list()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a verdict on the pear."""
    path = tmp_path / "verdicts.tsv"
    append(path, PEAR)
    return path


def test_a_file_is_made_for_the_first_verdict_only(tmp_path: Path):
    append_verdicts(tmp_path / "verdicts.tsv", [], reviewer="chat:m1", when=DAY)
    assert list(tmp_path.iterdir()) == []
    assert append(tmp_path / "verdicts.tsv", PEAR, PLUM) == ["pear", "plum"]


@pytest.mark.parametrize(
    "cut_off", ["T-1\ten-GB\tWhat?\tdates", "T-1\ten-GB\tWhat?\tdates\tok\tchat:m1\t\t0.9\t2026"]
)
def test_a_row_that_was_cut_off_goes(path: Path, cut_off: str):
    for verdicts, options in (([], ["pear"]), ([PLUM], ["pear", "plum"])):
        with path.open("a", encoding="utf-8") as file:
            file.write(cut_off)
        assert append(path, *verdicts) == options


def test_a_file_with_columns_of_its_own_is_written_anew(tmp_path: Path):
    path = tmp_path / "mine.csv"
    mine = "kind;option;template_id;locale;reviewer\nsilly;dates;T-1;en-GB;r1\n"
    path.write_text(mine, encoding="utf-8")
    assert append(path) == ["dates"]
    assert path.read_text(encoding="utf-8") == mine
    assert append(path, PLUM) == ["dates", "plum"]
    assert read_exclusions(path)["kind"].to_list() == ["silly", "ok"]
