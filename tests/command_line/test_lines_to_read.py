"""What a build shows of tables of one's own, since only people can tell whether it fits together."""

import csv
import re
from pathlib import Path

import openpyxl
import polars as pl
import pytest
from openpyxl.comments import Comment
from openpyxl.styles import Font

from blend.builders.mcq.result import STAGE
from blend.cli.releases import _group_with_english, _where_few_were_made
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.responses.returned_sheets import read_answer_sheet
from blend.schemas.frames import KEY
from blend.schemas.reports import finding_kinds
from helpers.in_process import run


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The starter's recipe, locale and tables."""
    monkeypatch.chdir(tmp_path)
    run("init", "mine")
    return tmp_path / "mine"


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8-sig")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def built(*arguments: str) -> str:
    return run("build", "mine/recipe.toml", "--out", "release", *arguments, columns=300)


@pytest.mark.integration
def test_questions_stand_beside_their_english_and_answers(mine: Path):
    replace(mine / "recipe.toml", "Everyday questions", "Everyday life in the Faroe Islands")
    replace(mine / "locales.toml", '"Aotearoa New Zealand"', '"Faroes"')
    printed = built()
    again = "Answer in a few words, without explanation. {q}"
    assert printed.partition("\n\nEveryday life")[2].splitlines()[:3] == [
        (
            " in the Faroe Islands: do topic, question, English and answers fit together? Read the 4 lines of "
            "questions, all with `blend show release --html FILE`:"
        ),
        (
            "  en-NZ: English in New Zealand, Aotearoa, Faroes, New Zealand; its people: New Zealand; Latn, "
            "ltr; in New Zealand; New_Zealand in column country"
        ),
        f"  plain en-GB: {again} | {again}",
    ]
    asked = "What do people in the UK mostly eat for breakfast?"
    assert f"\n  food-01 en-GB: Food | {asked} | {asked} | cereal = cereal (1); toast = toast (1)\n" in printed
    assert "Odd in your tables" not in printed


@pytest.mark.integration
def test_the_english_of_the_rarest_answer_is_shown(mine: Path):
    with (mine / "collected" / "responses" / "en-GB.csv").open("a", encoding="utf-8") as file:
        file.writelines(
            f"food-01,p{n},{answer}\n" for n, answer in enumerate(("eggs", "porridge", "kippers"), 7)
        )
        file.writelines(
            ["food-01,p10,,,,idk,\n", "food-01,p11,,,,not-applicable,\n", "food-01,p12,,,,other,fast\n"]
        )
    read = r"\n  food-01 en-GB: .*; eggs = .*; kippers = .*; porridge = .*; idk 1; not-applicable 1; others 1"
    assert re.search(read, built())


@pytest.mark.integration
def test_what_is_odd_is_told_by_status_and_by_a_build(mine: Path):
    replace(mine / "collected" / "prompts.csv", "Answer in a few words, without", "Svara stutt, uttan")
    line = "prompts.csv:2: column prompt: hardly reads like English; kept\n"
    odd = "Odd in your tables, 1 line, all"
    assert f"\n{odd} in release/reports/findings.jsonl:\n  {line}" in built()
    status = run("status", "mine/recipe.toml", columns=300)
    assert f"{odd} among the findings of a build:\n  {line}" in status


@pytest.mark.integration
def test_verdicts_that_no_build_reads_are_told(mine: Path):
    (mine / "verdicts.tsv").write_text("template_id\tlocale\toption\tverdict\treader\n", encoding="utf-8")
    (mine / "decided").mkdir()
    (mine / "decided" / "verdicts.jsonl").touch()
    printed = built()
    for name in ("verdicts.tsv", "decided/verdicts.jsonl"):
        assert (
            f'mine/{name} lies beside the recipe and was not read: write verdicts = "{name}" below '
            "[mcq], and build again.\n"
        ) in printed
    with (mine / "recipe.toml").open("a", encoding="utf-8") as file:
        file.write('\n[mcq]\nverdicts = "verdicts.tsv"\n')
    assert "was not read" not in built()
    with (mine / "verdicts.tsv").open("a", encoding="utf-8") as file:
        file.writelines(f"food-01\ten-GB\t{said}\tr1\n" for said in ("toast\tsilly", "chikcen\talso_correct"))
    # Verdicts that moved are seen beside the answers, and one on what nobody gave is told.
    printed = built()
    assert "| cereal = cereal (1); toast = toast (1) | verdicts: toast silly; chikcen also_correct\n" in printed
    assert "was made of 4 questions (few-votes 3, no-answers 1). Each shows" in " ".join(printed.split())
    assert "\n1 finding: verdicts are on what is not there, and do not count. Look whether" in printed


def test_what_the_looks_of_a_workbook_say_is_told(mine: Path):
    run("reviews", "propose", "mine/recipe.toml", "--out", "sheet.csv")
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    with Path("sheet.csv").open(encoding="utf-8-sig", newline="") as file:
        for row in csv.reader(file):
            sheet.append(row)
    for cell in sheet[2]:
        cell.font = Font(strike=True)
    sheet["E4"].comment = Comment("not an answer", "r1")
    book.save("back.xlsx")
    diagnostics = Diagnostics()
    read_answer_sheet(Path("back.xlsx"), diagnostics=diagnostics)
    assert sorted(detail for *_, detail in diagnostics.findings) == [
        "a comment at E4: comments are not read",
        "row 2: struck through; each counts all the same: delete what is not to count",
    ]


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        (
            ["few-votes", "few-votes", "no-english"],
            "few-votes 2; no-english 1. "
            + finding_kinds()["no-english"].remedy.replace("propose", "propose mine.toml"),
        ),
        (
            ["few-votes", "few-votes", "few-votes"],
            "few-votes 3. " + finding_kinds()["few-votes"].remedy,
        ),
    ],
)
def test_a_region_that_few_questions_ask_about_is_told_with_the_causes(kinds: list[str], told: str):
    asked = [(f"food-{n}", tag) for tag in ("csb-KS", "fo-FO") for n in range(4)]
    made = [asked[0], *asked[4:6]]
    found = [
        {"stage": STAGE, "kind": kind, "template_id": one, "locale": tag}
        for kind, (one, tag) in zip(kinds, asked[1:4], strict=True)
    ]
    frames = (pl.DataFrame(rows, KEY, orient="row") for rows in (asked, made))
    (line,) = _where_few_were_made(*frames, found, "mine.toml")
    assert line == f"csb-KS: 1 of 4 questions became multiple-choice questions; {told}"


def test_an_answer_in_a_wrong_group_is_seen():
    group = {"answers": ["cwrw", "Cwrw", "medd"], "en_answers": ["ale"], "count": 5}
    assert _group_with_english(group) == "cwrw / medd = ale (5)"
