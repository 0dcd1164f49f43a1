"""Reading what questions may show, on the command line, and what the file of verdicts then holds."""

import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
import pytest
from openpyxl.comments import Comment

from blend.loaders.files.new_files import write_sheet
from blend.loaders.responses.returned_sheets import read_verdict_sheet
from blend.loaders.responses.verdicts import add_verdicts
from blend.schemas.sheets import OPTION_SHEET
from helpers.in_process import both, run
from helpers.messages import wrong
from helpers.questions.lunch import lunch

TODAY = datetime.now(UTC).date()
QUESTION = "When is lunch?"
MOVED = "Look whether each verdict fits its option, or the column moved by a row"
TOLD = tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))["cases"]
ROWS = [("12:00", "key"), ("1/2", "distractor"), ("noon", "distractor")]


def sheet_of(*verdicts: tuple[str, str]) -> pl.DataFrame:
    """The sheet of a question about two locales with some verdicts, by option, on the first."""
    rows = [
        {
            "template_id": "T-1", "locale": tag, "question": QUESTION, "option": option, "role": role,
            "regions": "en-US", "votes": 2, "verdict": dict(verdicts).get(option) if tag == "en-GB" else None,
            "check": OPTION_SHEET.mark("T-1", tag, QUESTION, option, role),
        }
        for tag in ("en-GB", "ko-KR")
        for option, role in ROWS
    ]  # fmt: skip
    return pl.DataFrame(rows, OPTION_SHEET.columns)


@pytest.fixture
def back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    def make(*verdicts: tuple[str, str], name: str = "back.csv", all_ok: bool = False) -> Path:
        Path(name).unlink(missing_ok=True)
        sheet = sheet_of(*verdicts)
        write_sheet(OPTION_SHEET, sheet.with_columns(verdict=pl.lit("ok")) if all_ok else sheet, Path(name))
        return Path(name)

    return make


def add(sheet: Path, reader: str = "r7", *, native: bool = False, out: str = "verdicts.tsv"):
    return add_verdicts(
        Path(out), read_verdict_sheet(OPTION_SHEET, sheet), reader=reader, native=native, when=TODAY
    )


@pytest.mark.parametrize(
    ("why", "kind"),
    [
        ("ask mina@example.org", "an e-mail address"),
        ("Jógvan Hansen 212223", "a name with a number"),
        ("call 0703 123 45 67", "a phone number"),
    ],
)
def test_a_reason_tells_nobody_who_somebody_is(back, why: str, kind: str):
    sheet = back(("1/2", "also_correct"), ("noon", "also correct"))
    rows = sheet.read_text("utf-8-sig").replace(
        "1/2,distractor,en-US,2,also_correct,", f"1/2,distractor,en-US,2,also_correct,{why}"
    )
    sheet.write_text(rows, "utf-8")
    what = f"holds {kind} (not shown); say why in other words: a release repeats them"
    assert wrong(lambda: add(sheet)) == f"back.csv:3, column why: {what}"
    sheet.write_text(rows.replace(why, "about 20000-40000 won in South Korea"), "utf-8")
    assert add(sheet).by_verdict == {"also_correct": 2}


@pytest.mark.parametrize("name", ["back.csv", "back.xlsx", "back.jsonl"])
def test_verdicts_are_kept_with_their_author(back, name: str):
    assert add(back(("1/2", "OK"), ("12:00", "wrong"), name=name), native=True).by_verdict == {
        "ok": 1,
        "wrong": 1,
    }
    day = TODAY.isoformat()
    lines = [
        "template_id\tlocale\tquestion\toption\tverdict\twith\treader\tkind\tconfidence\tdate\twhy",
        f"T-1\ten-GB\t{QUESTION}\t12:00\twrong\t\tr7\tnative\t\t{day}\t",
        f"T-1\ten-GB\t{QUESTION}\t1/2\tok\t\tr7\tnative\t\t{day}\t",
    ]
    assert Path("verdicts.tsv").read_text("utf-8").splitlines() == lines
    # The same again adds nothing; an outsider's come behind, and contradict one of them.
    assert add(back(("1/2", "ok"), name=name), native=True).known == 1
    added = add(back(("1/2", "silly"), ("noon", "ok"), name=name), "r8")
    assert added.by_verdict == {"silly": 1, "ok": 1}
    lines.append(f"T-1\ten-GB\t{QUESTION}\t1/2\tsilly\t\tr8\tother\t\t{day}\t")
    lines.append(f"T-1\ten-GB\t{QUESTION}\tnoon\tok\t\tr8\tother\t\t{day}\t")
    assert Path("verdicts.tsv").read_text("utf-8").splitlines() == lines


def test_a_file_of_ones_own_goes_on_and_stays_as_it_is_where_nothing_is_added(back):
    mine = "Locale;template_id;option;verdict;reader;date\nen-GB;T-1;noon;silly;r1;2026-01-02\n"
    Path("mine.csv").write_text(mine, "utf-8")
    add(back(("noon", "ok")), out="mine.csv")
    rows = pl.read_csv("mine.csv").select("date", "option", "verdict", "question").rows()
    assert rows == [("2026-01-02", "noon", "silly", None), (TODAY.isoformat(), "noon", "ok", QUESTION)]
    known = f"verdict;option;template_id;locale;reader;question\nok;noon;T-1;en-GB;r7;{QUESTION}\n"
    Path("mine.csv").write_text(known, "utf-8")
    assert add(back(("noon", "ok")), out="mine.csv").known == 1
    assert Path("mine.csv").read_text("utf-8") == known


@pytest.mark.parametrize("case", TOLD, ids=lambda case: case["told"][:40])
def test_what_is_wrong_with_a_sheet_or_with_who_read_it(back, case: dict[str, Any]):
    add(back(("noon", "ok")))
    sheet = back(*map(tuple, case.get("verdicts", ())), all_ok="both" in case)  # verdicts on all locales
    text = sheet.read_text("utf-8-sig")
    for old, new in case.get("replaced", []):
        assert old in text
        text = text.replace(old, new)
    if "repeated" in case:  # a row, with another verdict
        text += text.splitlines()[2].replace(*case["repeated"]) + "\n"
    sheet.write_text(text, "utf-8")
    how = {"out": "verdicts.tsv", "reader": "r7", "native": False} | case.get("how", {})
    assert wrong(lambda: add(sheet, **how)) == case["told"]


def accepted(sheet: Path, *words: str) -> tuple[str, str]:
    """What the command that takes a sheet in prints of it, and what it tells beside."""
    return both("questions", "accept", sheet, "--reviewer", "r1", *words)


def test_what_looks_say_of_verdicts_is_told(back):
    sheet = back(("noon", "ok"), name="read.xlsx")
    book = openpyxl.load_workbook(sheet)
    book.active["D2"].comment = Comment("this one is correct too", "r1")
    book.save(sheet)
    printed, told = accepted(sheet)
    assert printed.splitlines()[0] == (
        "verdicts.tsv: 1 verdict added, 1 ok, 0 also_correct, 0 silly, 0 wrong; not of a native: give --native "
        "if r1 is of the region."
    )
    assert told.endswith(": a comment at D2: comments are not read\n")


@pytest.mark.parametrize(
    ("verdicts", "told"),
    [
        (
            [("12:00", "ok"), ("1/2", "also_correct"), ("noon", "silly")],
            f"{MOVED}: 1/2 = also_correct; noon = silly.\n",
        ),
        ([], "All 6 verdicts are ok: was every option read, or the column filled down?\n"),
        ([(option, "ok") for option, _ in ROWS], ""),
    ],
)
def test_verdicts_stand_beside_their_options(back, verdicts: list[tuple[str, str]], told: str):
    sheet = back(*verdicts, all_ok=not verdicts)
    named = 'verdicts = "verdicts.tsv" below [mcq], relative to the recipe\'s folder.\n'
    assert accepted(sheet)[0].partition(named)[2] == told


@pytest.mark.slow
def test_a_locale_whose_options_are_all_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    lunch(tmp_path, verdicts="verdicts.tsv")
    rows = [("pizza", "silly"), ("salad", "silly"), ("tacos", "silly"), ("soup", "also_correct")]
    lines = [f"food-00\ten-GB\t{option}\t{kind}\tr7" for option, kind in rows]
    header = "template_id\tlocale\toption\tverdict\treader"
    Path("verdicts.tsv").write_text("\n".join([header, *lines, ""]), "utf-8")
    arguments = ["questions", "options", "recipe.toml", "--locale", "en-GB"]
    assert wrong(lambda: run(*arguments, "--out", "no.csv")) == (
        "--locale en-GB: no question can ask about it; some ask about en-US, es-MX, en-AU; --all also shows "
        "what verdicts leave out"
    )
    # Beside others it is named.
    assert run("questions", "options", "recipe.toml", "--out", "rest.csv").splitlines()[1] == (
        "No options, as findings of a build explain: 1 question, food-00 (en-GB)."
    )
    assert run(*arguments, "--all", "--out", "all.csv").splitlines()[0] == (
        "all.csv: 7 options of 1 question, 4 of them with a verdict."
    )
    # Whoever reads next is not to know what was said.
    assert run(*arguments, "--all", "--blind", "--out", "blind.csv").splitlines()[0] == (
        "blind.csv: 7 options of 1 question."
    )
    known, blind = (pl.read_csv(name) for name in ("all.csv", "blind.csv"))
    assert blind["read"].null_count() == len(blind)
    assert known.drop("read").equals(blind.drop("read"))


@pytest.mark.parametrize("name", ["back.ods", "back.json", "back.parquet"])
def test_a_sheet_that_would_not_come_back_is_not_made(back, name: str):
    assert wrong(lambda: back(name=name)) == f"{name}: a sheet is .csv, .xlsx or .jsonl; choose another `out`"
