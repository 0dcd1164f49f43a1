"""The table of verdicts: what is read of it, what is wrong with a row, what is added; the package's own."""

import tomllib
from datetime import date
from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest

from blend.loaders.responses.verdicts import (
    GivenVerdict,
    append_verdicts,
    decisions_in,
    read_verdicts,
    shipped_decisions,
    shipped_verdicts,
)
from blend.schemas.errors import BlendError
from blend.schemas.frames import KEY, VERDICTS
from blend.schemas.locales import registry
from blend.schemas.sheets import ALL_VERDICTS
from blend.schemas.texts import pair_key, words
from helpers.messages import wrong

FOLDER = files("blend.decisions") / "blend"
COLUMNS = list(VERDICTS)[:-1]
TOLD = tomllib.loads(Path(__file__).with_name("told.toml").read_text(encoding="utf-8"))


def table(folder: Path, *rows: str) -> Path:
    path = folder / "v.csv"
    path.write_text("\n".join([",".join(COLUMNS), *rows, ""]), encoding="utf-8")
    return path


def test_kinds_of_readers_are_filled_in_and_confidences_are_fractions(tmp_path: Path):
    read = read_verdicts(
        table(
            tmp_path,
            "T-1,en-GB,,pear,ok,,r1,,,,",
            "T-1,en-GB,,pear,ok,,r2,native,,,",
            *(f"T-1,en-GB,,pear,ok,,chat:m{n},,{sure},," for n, sure in enumerate(["0", "1", "0.5"])),
            ",,,soccer,same_as,football,r1,,,2026-01-02,one sport",
            "T-1,,,kiwi,proposed,GR,r1,,,,",
        )
    )
    assert read["kind"].to_list() == ["other", "native", "model", "model", "model", "other", "other"]
    assert read["confidence"].to_list() == [None, None, 0, 1, 0.5, None, None]
    assert read["source"][0] == "v.csv:2"
    [one] = decisions_in(read)
    assert one == ("soccer", "football", True, "r1", "v.csv:7")


@pytest.mark.parametrize("case", TOLD["verdicts"], ids=lambda case: case["row"])
def test_what_is_wrong_with_a_row(tmp_path: Path, case: dict[str, str]):
    assert wrong(lambda: read_verdicts(table(tmp_path, case["row"]))) == case["told"]


def test_a_file_that_lacks_a_column(tmp_path: Path):
    (tmp_path / "v.csv").write_text("template_id,option\nt1,durian\n", encoding="utf-8")
    with pytest.raises(BlendError, match=r"v\.csv:1: columns 'verdict', 'reader' are missing"):
        read_verdicts(tmp_path / "v.csv")


# A model's verdicts go to the end of a file as they come


DAY = date(2026, 1, 2)
PEAR, PLUM = (
    GivenVerdict(option, "ok", "", "", "T-1", "en-GB", "What?", confidence=0.9) for option in ("pear", "plum")
)


def append(path: Path, *verdicts: GivenVerdict) -> list[str]:
    """The options of a file once verdicts are added."""
    append_verdicts(path, verdicts, reader="chat:m1", when=DAY)
    return read_verdicts(path)["option"].to_list()


def test_a_file_is_made_for_the_first_verdict_only(tmp_path: Path):
    append_verdicts(tmp_path / "verdicts.tsv", [], reader="chat:m1", when=DAY)
    assert list(tmp_path.iterdir()) == []
    assert append(tmp_path / "verdicts.tsv", PEAR, PLUM) == ["pear", "plum"]


@pytest.mark.parametrize(
    "cut_off", ["T-1\ten-GB\tWhat?\tdates", "T-1\ten-GB\tWhat?\tdates\tok\t\tchat:m1\tmodel\t0.9\t2026"]
)
def test_a_row_that_was_cut_off_goes(tmp_path: Path, cut_off: str):
    path = tmp_path / "verdicts.tsv"
    append(path, PEAR)
    for verdicts, options in (([], ["pear"]), ([PLUM], ["pear", "plum"])):
        with path.open("a", encoding="utf-8") as file:
            file.write(cut_off)
        assert append(path, *verdicts) == options


def test_a_file_with_columns_of_its_own_is_written_anew(tmp_path: Path):
    path = tmp_path / "mine.csv"
    mine = "verdict;option;template_id;locale;reader\nsilly;dates;T-1;en-GB;r1\n"
    path.write_text(mine, encoding="utf-8")
    assert append(path) == ["dates"]
    assert path.read_text(encoding="utf-8") == mine
    assert append(path, PLUM) == ["dates", "plum"]
    assert read_verdicts(path)["verdict"].to_list() == ["silly", "ok"]


# The table that comes with the package


def test_the_package_holds_what_the_reader_of_such_files_finds_in_it():
    assert shipped_verdicts().equals(read_verdicts(Path(str(FOLDER / "verdicts.tsv"))))


def test_no_pair_of_the_package_is_there_twice_or_found_by_the_rules():
    pairs = shipped_decisions()
    assert len({pair_key(one.answer_a, one.answer_b) for one in pairs}) == len(pairs)
    # Two answers that share a word, or of which one has none, count as one already.
    for one in pairs:
        texts = [set(words(text)) for text in (one.answer_a, one.answer_b)]
        assert all(texts), one
        assert texts[0].isdisjoint(texts[1]), one


def test_every_row_of_the_package_is_complete_and_none_is_there_twice(root: Path):
    rows = shipped_verdicts()
    about = rows.select("template_id", "locale", "question", "option", "with", "verdict")
    assert about.is_unique().all()
    assert (
        about.rows()
        == rows.sort(*KEY, "question", "option", "with", maintain_order=True).select(about.columns).rows()
    )
    assert set(rows["locale"].drop_nulls()) <= set(registry().tags)
    assert rows.select("reader", "kind").unique().rows() == [("model", "model")]
    on_options = rows.filter(pl.col("verdict").is_in(ALL_VERDICTS))
    read = rows.filter(verdict="read").select(*KEY, "question")
    assert set(on_options.select(*KEY, "question").rows()) <= set(read.rows())
    # What is shown in place of a slip is neither refused nor put right again.
    slips = rows.filter(pl.col("option").is_not_null(), verdict="slip").select("template_id", option="with")
    anywhere = rows.filter(pl.col("verdict").is_in(["slip", "silly_anywhere"]))
    assert slips.join(anywhere, on=slips.columns, how="semi").is_empty()
    of_questions = rows.filter(pl.col("option").is_null(), verdict="slip").select("question", "with").rows()
    assert all(slip not in text for slip, text in of_questions)
    readme = (root / "decisions" / "blend" / "README.md").read_text(encoding="utf-8")
    for verdict, n in rows["verdict"].value_counts().iter_rows():
        assert f"| `{verdict}` | {n:,} |" in readme


def test_each_is_about_a_published_question_and_only_what_is_wrong_was_given(clean_tables):
    asked = {tuple(row) for row in clean_tables.questions.select(*KEY, "en_question").iter_rows()}
    given: dict[tuple[str, str], set[str]] = {}
    for template_id, tag, groups in clean_tables.annotations.select(*KEY, "annotations").iter_rows():
        given[template_id, tag] = {text.lower() for group in groups for text in group["en_answers"]}
    refused = shipped_verdicts().filter(pl.col("verdict").is_in(ALL_VERDICTS))
    assert set(refused.select(*KEY, "question").rows()) <= asked
    for template_id, tag, option, verdict in refused.select(*KEY, "option", "verdict").iter_rows():
        assert (option in given[template_id, tag]) == (verdict == "wrong"), (template_id, tag, option)
