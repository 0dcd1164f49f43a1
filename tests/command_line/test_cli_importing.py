"""Answers collected elsewhere come in by a map that is drafted first."""

import json
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from blend.loaders.files.toml import read_toml
from blend.loaders.responses import read_responses
from blend.loaders.responses.import_map import ImportMap
from blend.schemas.errors import BlendError
from helpers.in_process import run
from helpers.messages import wrong

LONG = "아침에 무엇을 먹나요?"
TIME = "퇴근은 몇 시인가요? (HH:MM)"


@pytest.fixture
def collected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "collected"
    folder.mkdir()
    (folder / "templates.csv").write_text(
        "template_id,topic,source_locale,text\n"
        "food-01,Food,,What do people in {country} eat in the morning?\n"
        'work-01,Work life,,"When does work end in {country}? (e.g., HH:MM)"\n',
        "utf-8",
    )
    (folder / "questions.csv").write_text(
        "template_id,locale,question,en_question\n"
        f"food-01,ko-KR,{LONG},What do people in South Korea eat in the morning?\n"
        f'work-01,ko-KR,{TIME},"When does work end in South Korea? (e.g., HH:MM)"\n'
        "food-01,es-MX,¿Qué comen?,What do people in Mexico eat in the morning?\n",
        "utf-8",
    )
    monkeypatch.chdir(tmp_path)
    return folder


def form(*rows: list[object]) -> None:
    """A table of answers as Google Forms gives it, as a workbook."""
    book = openpyxl.Workbook()
    book.active.append(["Timestamp", "Email Address", LONG, TIME])
    for row in rows:
        book.active.append([date(2026, 11, 1), *row])
    book.save("form.xlsx")


def bring(table: str = "form.xlsx", *more: str | Path) -> str:
    """Import a table by the map beside it, or draft that map."""
    return run("responses", "import", table, "--out", "collected", *more)


@pytest.mark.slow
def test_a_form_by_a_map_that_is_drafted_first(collected: Path):
    form(
        ["mina@example.org", "밥; 국", "18:00"],
        ["jun@example.org", "빵", "모르겠다"],
        ["ari@example.org", None, "19:00"],
    )
    assert bring() == (
        "map.toml: a draft: 2 questions of ko-KR. Nothing is imported yet.\n"
        "  left out: Timestamp\n"
        "Complete it, then run the same again: "
        "blend responses import form.xlsx --map map.toml --out collected\n"
    )
    assert not (collected / "responses").exists()
    assert read_toml(Path("map.toml"), ImportMap, what="map") == ImportMap(
        locale="ko-KR",
        annotator="Email Address",
        key_file="annotators.key",
        leave_out=["Timestamp"],
        questions={LONG: "food-01", TIME: "work-01"},
        non_answers={"모르겠다": "idk"},
    )
    text = Path("map.toml").read_text("utf-8").replace("\nleave_out", '\nseparator = ";"\nleave_out')
    Path("map.toml").write_text(text, "utf-8")
    assert bring() == (
        "collected/responses/ko-KR.csv: 5 responses of 3 annotators.\n"
        "1 question left blank, which are no responses.\n"
        "Pseudonyms are by annotators.key: keep it for later tables, and give it to nobody.\n"
    )
    table = (collected / "responses" / "ko-KR.csv").read_text("utf-8")
    assert "example.org" not in table
    assert sorted(line.split(",", 2)[2] for line in table.splitlines()[1:]) == [
        ",,,idk,", "18:00,,,,", "19:00,,,,", "밥,국,,,", "빵,,,,",
    ]  # fmt: skip
    assert Path("annotators.key").stat().st_mode & 0o777 == 0o600
    assert wrong(bring) == (
        "collected: holds 'responses/ko-KR.csv' already, so nothing is written there; choose another --out, or "
        "delete it where this is the same table again, or rename it to responses/LOCALE.first.csv, which is "
        "read as well, and import again"
    )
    (collected / "responses" / "ko-KR.csv").rename(collected / "responses" / "ko-KR.first.csv")
    form(["dal@example.org", "죽", "20:00"])
    bring()
    assert read_responses(collected, reviewing=True).responses.height == 5 + 2


@pytest.mark.slow
def test_answers_in_a_locale_of_ones_own(collected: Path, root: Path):
    own = root / "loaders" / "starter" / "locales.toml"
    (collected / "questions.csv").write_text(
        "template_id,locale,question,en_question\n"
        "food-01,en-NZ,What is eaten in New Zealand?,What do people in New Zealand eat in the morning?\n",
        "utf-8",
    )
    Path("answers.csv").write_text(
        "id,annotation_id,annotator,What is eaten in New Zealand?\n1,1,p-0123456789ab,toast\n", "utf-8"
    )
    Path("map.toml").write_text(
        'locale = "en-NZ"\nannotator = "annotator"\nleave_out = ["id", "annotation_id"]\n'
        '[questions]\n"What is eaten in New Zealand?" = "food-01"\n',
        "utf-8",
    )
    with pytest.raises(BlendError, match=r"unknown locale 'en-NZ'.*in a locale file \(--locale-file"):
        bring("answers.csv")
    assert bring("answers.csv", "--locale-file", own) == (
        "collected/responses/en-NZ.csv: 1 response of 1 annotator.\n"
    )
    Path("map.toml").unlink()
    assert bring("answers.csv", "--locale-file", own).endswith(f"--out collected --locale-file {own}\n")


CASES = tomllib.loads(Path(__file__).with_name("importing.toml").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_a_map_and_its_table_must_be(collected: Path, case: dict[str, Any]):
    if "table" in case:
        Path("form.csv").write_text(case["table"], "utf-8")
    else:
        form(*case["rows"])
    if "map" in case:
        Path("map.toml").write_text(case["map"], "utf-8")
    assert wrong(lambda: bring("form.csv" if "table" in case else "form.xlsx")) == case["told"]
    assert not (collected / "responses").exists()


@pytest.mark.slow
def test_a_map_that_names_nobody_is_told_of(collected: Path):
    Path("form.csv").write_text(f"{LONG}\n밥\n빵\n", "utf-8")
    Path("map.toml").write_text(f'locale = "ko-KR"\n[questions]\n"{LONG}" = "food-01"\n', "utf-8")
    assert bring("form.csv") == (
        "collected/responses/ko-KR.csv: 2 responses of 2 annotators.\n"
        "Every row counts as another person (r2, r3, …), since map.toml names no column as annotator; "
        "nobody can be recognised in a later table.\n"
    )
    # The next table may repeat them, as later exports of a form do, or not.
    (collected / "responses/ko-KR.csv").rename(collected / "responses/ko-KR.first.csv")
    assert wrong(lambda: bring("form.csv")) == (
        "map.toml: names no column as annotator, and responses/ko-KR.first.csv holds people of a table without "
        "names (r2), who may be these or others; delete that file and import all rows as one table, or add a "
        "column that says who answered"
    )


@pytest.mark.slow
def test_a_long_table_whose_rows_are_people_by_pseudonym(collected: Path):
    Path("long.csv").write_text(f"participant;item;said\na1;{LONG};밥\na2;{LONG};빵\na1;¿Otra?;no\n", "utf-8")
    assert bring("long.csv").splitlines()[:-1] == [
        "map.toml: a draft: 1 question of ko-KR. Nothing is imported yet.",
        "  to be written into it, unless every row is another person: annotator, who answered",
        "  to be written into it: answers, the columns with answers, in their order",
        *(f"  left out: {name}" for name in ("participant", "said", "¿Otra?")),
    ]
    with pytest.raises(BlendError, match="question and answers belong together"):
        bring("long.csv")
    # What the draft asks for.
    draft = Path("map.toml").read_text("utf-8").replace('    "said",\n', "")
    Path("map.toml").write_text(f'answers = ["said"]\nannotator = "participant"\n{draft}', "utf-8")
    assert bring("long.csv") == "collected/responses/ko-KR.csv: 2 responses of 2 annotators.\n"
    assert (collected / "responses" / "ko-KR.csv").read_text("utf-8") == (
        "\ufefftemplate_id,annotator,answer_1,answer_2,answer_3,non_answer,reason\n"
        "food-01,a1,밥,,,,\nfood-01,a2,빵,,,,\n"
    )


@pytest.mark.slow
def test_columns_called_answers_are_answers(collected: Path):
    head, row = "item,reply 10,answer_2,Answer 1,answered", f"{LONG},d,b,a,x"
    Path("long.csv").write_text(f"{head}\n{row}\n", "utf-8")
    bring("long.csv")
    draft = read_toml(Path("map.toml"), ImportMap, what="map")
    assert draft.answers == ("Answer 1", "answer_2", "reply 10")
    assert draft.leave_out == ("answered",)


@pytest.mark.slow
def test_two_annotations_of_one_person_are_refused(collected: Path):
    results = [
        {"id": n, "completed_by": 1, "result": [{"from_name": "answer", "value": {"text": [text]}}]}
        for n, text in ((7, "밥"), (8, "빵"))
    ]
    Path("base.json").write_text(json.dumps([{"data": {"q": LONG}, "annotations": results}]), "utf-8")
    bring("base.json", "--map", "map.toml")
    told = wrong(lambda: bring("base.json"))
    who = told.partition("'")[2].partition("'")[0]
    assert told == (
        f"base.json:1, annotation 8: {who!r} answers 'food-01' a second time; delete this row or base.json:1, "
        "annotation 7"
    )
    # Nor are several people taken for one where the map does not say who answered.
    text = Path("map.toml").read_text("utf-8")
    Path("map.toml").write_text(text.replace('annotator = "annotator"\n', ""), "utf-8")
    assert wrong(lambda: bring("base.json")) == (
        'map.toml: does not say who answered in base.json; add annotator = "annotator": only in a table with a '
        "column for each question is every row a person"
    )


def test_a_draft_matches_its_table_however_cells_are_spaced(collected: Path):
    typed = LONG.replace(" ", "  ")
    Path("long.csv").write_text(f'who,item,answer\na1,"{typed} ",밥\na1,"¿Otra\ncosa?",no\n', "utf-8")
    assert "1 question of ko-KR" in bring("long.csv")
    draft = Path("map.toml").read_text("utf-8").replace('    "who",\n', "")
    Path("map.toml").write_text(f'annotator = "who"\n{draft}', "utf-8")
    assert bring("long.csv") == "collected/responses/ko-KR.csv: 1 response of 1 annotator.\n"


def test_who_does_not_know_may_say_so_twice(collected: Path):
    questions = '[questions]\none = "food-01"\ntwo = "food-01"\n[non_answers]\n"Weiß nicht" = "idk"\n'
    Path("map.toml").write_text(f'locale = "ko-KR"\nannotator = "who"\n{questions}', "utf-8")
    Path("form.csv").write_text("who,one,two\na2,weiß nicht,Weiß Nicht\n", "utf-8")
    assert bring("form.csv") == "collected/responses/ko-KR.csv: 1 response of 1 annotator.\n"


def test_a_draft_is_written_where_nothing_is_recognised(collected: Path):
    Path("odd.csv").write_text("When,E-Mail,Frage 1,Frage 2\n1,a@b.org,밥,18:00\n", "utf-8")
    assert bring("odd.csv").splitlines() == [
        (
            "map.toml: a draft: nothing in the table is recognised as a question of collected, which are "
            "listed in it. Nothing is imported yet."
        ),
        "  to be written into it: locale, or locale_column",
        *(f"  left out: {name}" for name in ("When", "Frage 1", "Frage 2")),
        "Complete it, then run the same again: blend responses import odd.csv --map map.toml --out collected",
    ]
    text = Path("map.toml").read_text("utf-8")
    draft = read_toml(Path("map.toml"), ImportMap, what="map")
    assert (draft.annotator, draft.leave_out) == ("E-Mail", ("When", "Frage 1", "Frage 2"))
    assert text.endswith(
        '# [questions]\n# "COLUMN" = "food-01"  # What do people in Mexico eat in the morning?\n'
        '# "COLUMN" = "work-01"  # When does work end in South Korea? (e.g., HH:MM)\n'
    )
    # What the comments say makes a map of it.
    text = text.replace('    "Frage 1",\n', "").replace("# [questions]", "[questions]")
    text = text.replace('# "COLUMN" = "food-01"', '"Frage 1" = "food-01"')
    Path("map.toml").write_text(f'locale = "ko-KR"\n{text}', "utf-8")
    assert bring("odd.csv").startswith("collected/responses/ko-KR.csv: 1 response of 1 annotator.\n")


def test_non_answers_of_a_map_that_nobody_typed_are_told(collected: Path):
    Path("form.csv").write_text(f"{LONG}\n모르겠다.\n", "utf-8")
    entries = f'[questions]\n"{LONG}" = "food-01"\n[non_answers]\n"모르겠다" = "idk"\n'
    Path("map.toml").write_text(f'locale = "ko-KR"\n{entries}', "utf-8")
    told = "map.toml, non_answers, '모르겠다': nobody typed that (did you mean '모르겠다.'?)"
    assert told in bring("form.csv").splitlines()


@pytest.mark.parametrize(
    ("row", "told", "locale", "column"),
    [
        # The country in the English text tells, and it is not the first of all locales.
        ("where,What do people in South Korea eat in the morning?\n1,rice", "ko-KR", "ko-KR", None),
        ("where,food-01\nko-KR,밥", "locales in column where", None, "where"),
        ("where,food-01\n1,밥", "a locale that the table does not tell", None, None),
    ],
)
def test_the_locale_of_a_draft(collected: Path, row: str, told: str, locale: str | None, column: str | None):
    Path("wide.csv").write_text(f"{row}\n", "utf-8")
    first, second, *_ = bring("wide.csv").splitlines()
    assert first == f"map.toml: a draft: 1 question of {told}. Nothing is imported yet."
    assert (second == "  to be written into it: locale, or locale_column") == told.startswith("a locale")
    draft = read_toml(Path("map.toml"), ImportMap, what="map")
    assert (draft.locale, draft.locale_column) == (locale, column)
