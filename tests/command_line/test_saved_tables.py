"""What Excel saves is read wherever a table is read: each kind of file in each of its forms."""

import csv
import io
import shutil
from collections.abc import Callable
from datetime import date, time
from functools import partial
from pathlib import Path

import openpyxl
import pytest
from polars.testing import assert_frame_equal

from blend.eval.tasks.cultural_prompts.cultural_items import is_table_of_texts
from blend.loaders.recipes import sample_path
from blend.loaders.responses import read_responses
from blend.loaders.responses.verdicts import GivenVerdict, append_verdicts, read_verdicts
from blend.loaders.surveys import read_survey
from helpers.in_process import both, run
from helpers.messages import wrong

_Saved = Callable[[Path], Path]


def _rows(path: Path) -> list[list[str]]:
    separator = "\t" if path.suffix == ".tsv" else ","
    return list(csv.reader(io.StringIO(path.read_text("utf-8"), newline=""), delimiter=separator))


def _text(path: Path, suffix: str, separator: str, encoding: str) -> Path:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator="\r\n").writerows(_rows(path))
    path.unlink()
    path.with_suffix(suffix).write_bytes(text.getvalue().encode(encoding))
    return path.with_suffix(suffix)


def _workbook(path: Path) -> Path:
    book = openpyxl.Workbook()
    for row in _rows(path):
        book.active.append([cell or None for cell in row])
    for line in book.active.iter_rows():
        for cell in line:
            cell.data_type = "s" if cell.value is not None else cell.data_type
    path.unlink()
    book.save(path.with_suffix(".xlsx"))
    return path.with_suffix(".xlsx")


FORMS: dict[str, _Saved] = {
    "CSV UTF-8 where a comma is decimal": lambda path: _text(path, ".csv", ";", "utf-8-sig"),
    "Unicode Text": lambda path: _text(path, ".txt", "\t", "utf-16"),
    "workbook": _workbook,
}


@pytest.fixture(params=FORMS.values(), ids=FORMS)
def saved(request: pytest.FixtureRequest) -> _Saved:
    return request.param


@pytest.mark.sampled
@pytest.mark.slow
def test_raw_responses(tmp_path: Path, saved: _Saved):
    with sample_path() as folder:
        shutil.copytree(folder, tmp_path / "raw")
        expected = read_responses(folder)
    for path in sorted((tmp_path / "raw").rglob("*.csv")):
        saved(path)
    (tmp_path / "raw" / "responses" / "~$ko-KR.xlsx").touch()  # what Excel leaves beside a file that is open
    found = read_responses(tmp_path / "raw")
    for name in ("questions", "responses", "reviews", "prompts"):
        assert_frame_equal(getattr(found, name).drop("source"), getattr(expected, name).drop("source"))


def test_surveys_verdicts_and_texts(tmp_path: Path, saved: _Saved):
    survey = tmp_path / "survey.csv"
    survey.write_text("Demonym,a,b\nThai,1.5,#NULL!\nBrazilian,2,3\n", "utf-8")
    assert read_survey(saved(survey), "mine").values.tolist()[1] == [2.0, 3.0]
    verdicts = tmp_path / "verdicts.csv"
    verdicts.write_text("template_id,locale,option,verdict,reader\nt1,ko-KR,rice,silly,r1\n", "utf-8")
    assert read_verdicts(saved(verdicts))["option"].to_list() == ["rice"]
    texts = tmp_path / "texts.csv"
    texts.write_text("group,topic,text\nThai,sound,Ein Märchen\nThai,sound,Another\n", "utf-8")
    assert is_table_of_texts(saved(texts))


def test_verdicts_are_read_and_written_on_as_ours(tmp_path: Path, saved: _Saved):
    path = tmp_path / "verdicts.tsv"
    path.write_text("template_id\toption\tverdict\twith\treader\n\tsoccer\tsame_as\tfootball\tr1\n", "utf-8")
    path = saved(path)
    [given] = read_verdicts(path)["option"]
    more = GivenVerdict("tea", "same_as", "", "", other="té")
    add = partial(append_verdicts, path, [more], reader="chat:m1", when=date(2026, 11, 30))
    if path.suffix == ".xlsx":
        assert wrong(add) == (
            f"{path}: verdicts are added to .tsv or .csv; save it as one of these and name that"
        )
    else:
        add()
        assert path.read_bytes().startswith(b"template_id")
        assert read_verdicts(path)["option"].to_list() == [given, "tea"]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("command", "column", "choices"),
    [
        ("reviews propose --all", "invalid", '"x"'),
        ("reviews propose --pairs --all", "verdict", '"same,different"'),
        ("questions options", "verdict", '"ok,also_correct,silly,wrong"'),
    ],
)
def test_a_workbook_offers_what_can_be_decided(tmp_path: Path, command: str, column: str, choices: str):
    run(*command.split(), "--out", tmp_path / "sheet.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "sheet.xlsx").active
    header = [cell.value for cell in sheet[1]]
    offered = {
        header[next(iter(rule.sqref.ranges)).min_col - 1]: rule.formula1
        for rule in sheet.data_validations.dataValidation
    }
    assert offered == {column: choices}
    assert sheet.freeze_panes == "A2"
    assert {cell.number_format for line in sheet.iter_rows() for cell in line} == {"@"}


@pytest.mark.nightly
def test_reviews_come_back_from_a_workbook_as_from_csv(tmp_path: Path):
    for name in ("sheet.csv", "sheet.xlsx"):
        run("reviews", "propose", "--out", tmp_path / name, "--all")
    book = openpyxl.load_workbook(tmp_path / "sheet.xlsx")
    answers = [cell for cell in next(iter(book.active.iter_cols(5, 5))) if cell.value == "18:00"]
    for cell in answers:  # as Excel keeps what somebody types anew into a column of another format
        cell.value, cell.number_format = time(18, 0), "h:mm"
    book.save(tmp_path / "sheet.xlsx")
    for name in ("csv", "xlsx"):
        told = "".join(both("reviews", "accept", tmp_path / f"sheet.{name}", "--out", tmp_path / name))
        # Nothing that was proposed is taken for a column that was filled down or sorted alone.
        assert "alone?" not in told
        assert "filled down" not in told
    for path in (tmp_path / "csv").iterdir():
        assert (tmp_path / "xlsx" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_templates_by_way_of_a_workbook(tmp_path: Path):
    natives = tmp_path / "natives.csv"
    natives.write_text(
        "id;topic;text\nn1;Food;What do people in Spain eat at home on Sundays?\n"
        "n2;Food;What do people in Mexico eat?\n",
    )
    run("templates", "propose", natives, "--out", tmp_path / "sheet.xlsx")
    book = openpyxl.load_workbook(tmp_path / "sheet.xlsx")
    header = [cell.value for cell in book.active[1]]
    rules = {rule.formula1 for rule in book.active.data_validations.dataValidation}
    assert rules == {'"keep,drop"'}
    book.active.cell(2, header.index("decision") + 1, "keep")
    book.active.cell(3, header.index("decision") + 1, "drop")
    book.save(tmp_path / "sheet.xlsx")
    printed = run("templates", "accept", tmp_path / "sheet.xlsx", "--out", tmp_path / "templates.xlsx")
    assert printed == f"{tmp_path}/templates.xlsx: 1 template; 1 question dropped.\n"
