"""Deciding which answers mean the same, on the command line, and what a build then makes of it."""

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from blend.cli import app
from blend.loaders.responses.verdicts import read_verdicts
from blend.schemas.errors import BlendError
from blend.schemas.sheets import PAIR_SHEET
from helpers.in_process import run

pytestmark = [pytest.mark.integration, pytest.mark.landing]

RECIPE = """\
name = "mine"
version = "0.1.0"
license = "cc-by-4.0"

[[sources]]
kind = "responses"
location = "collected"

[mcq]
verdicts = "verdicts.tsv"
"""
ANSWERS = {"en-GB": "ballet", "en-US": "ball", "ko-KR": "chess", "es-ES": "1/2", "id-ID": "tennis"}
TODAY = datetime.now(UTC).date().isoformat()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five regions of three annotators each, who agree within a region; nobody has decided anything."""
    collected = tmp_path / "collected"
    (collected / "responses").mkdir(parents=True)
    (collected / "reviews").mkdir()
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    (tmp_path / "verdicts.tsv").write_text("template_id\toption\tverdict\twith\treader\n", encoding="utf-8")
    (collected / "templates.csv").write_text(
        "template_id,topic,source_locale,text\nsport-01,Sport,,What do people in {country} play?\n",
        encoding="utf-8",
    )
    places = {
        "en-GB": "the UK",
        "en-US": "the US",
        "ko-KR": "South Korea",
        "es-ES": "Spain",
        "id-ID": "Indonesia",
    }
    texts = {tag: f"What do people in {place} play?" for tag, place in places.items()}
    asked = [f"sport-01,{tag},{text if tag.startswith('en-') else tag},{text}" for tag, text in texts.items()]
    questions = "\n".join(["template_id,locale,question,en_question", *asked])
    (collected / "questions.csv").write_text(questions + "\n", encoding="utf-8")
    for tag, text in ANSWERS.items():
        rows = "".join(f"sport-01,a{n},{text}\n" for n in range(4))
        (collected / "responses" / f"{tag}.csv").write_text("template_id,annotator,answer_1\n" + rows, "utf-8")
        review = {"template_id": "sport-01", "reviewer": "r1", "invalid": []}
        groups = [{"answers": [text], "en_answers": [text]}]
        (collected / "reviews" / f"{tag}.jsonl").write_text(
            json.dumps({**review, "groups": groups}) + "\n", "utf-8"
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def put(path: Path, rows: list[dict[str, str]]) -> None:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=";")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text("\ufeff" + out.getvalue(), encoding="utf-8")


def test_a_sheet_goes_through_a_spreadsheet_and_into_a_release(project: Path):
    assert run("reviews", "propose", "recipe.toml", "--pairs", "--out", "pairs.csv") == (
        "pairs.csv: 1 undecided pair.\n"
        "Write same or different into the column verdict, as far as you get, then: "
        "blend reviews accept pairs.csv\n"
    )
    (row,) = rows_of(project / "pairs.csv")
    assert row == {
        "answer_a": "ball", "answer_b": "ballet", "verdict": "", "why": "", "questions": "5",
        "suspected": "ball is part of ballet", "template_id": "sport-01",
        "question": "What do people in Indonesia play?", "check": PAIR_SHEET.mark("ball", "ballet"),
    }  # fmt: skip

    # Of the ten pairs the package has decided one: tennis is played with a ball.
    assert run("reviews", "propose", "recipe.toml", "--pairs", "--all", "--out", "all.csv").startswith(
        "all.csv: 9 undecided pairs.\n"
    )
    rows = rows_of(project / "all.csv")
    by_pair = {(one["answer_a"], one["answer_b"]): one for one in rows}
    by_pair["ball", "ballet"].update(verdict="Same", why="for the test")
    by_pair["'1/2", "chess"]["verdict"] = "d"
    put(project / "back.csv", rows)
    assert run("reviews", "accept", "back.csv", "--reviewer", "r7") == (
        "verdicts.tsv: 2 verdicts added, 1 same, 1 different.\n"
    )
    assert run("reviews", "accept", "back.csv", "--reviewer", "r7") == (
        "verdicts.tsv: 0 verdicts added, 0 same, 0 different; 2 stood there already.\n"
    )
    told = (
        read_verdicts(Path("verdicts.tsv")).select("option", "with", "verdict", "reader", "date", "why").rows()
    )
    assert told == [
        ("1/2", "chess", "differs_from", "r7", TODAY, None),
        ("ball", "ballet", "same_as", "r7", TODAY, "for the test"),
    ]
    run("build", "recipe.toml", "--out", "release")
    notes = json.loads((project / "release" / "release.json").read_text(encoding="utf-8"))["report"][-1][
        "notes"
    ]
    assert notes["decisions:r7, same"] > 0
    assert run("reviews", "propose", "recipe.toml", "--pairs", "--all", "--out", "rest.csv").startswith(
        "rest.csv: 7 undecided pairs.\n"
    )


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert isinstance(result.exception, BlendError), result.output
    return str(result.exception)


def test_a_sheet_is_never_replaced(project: Path):
    run("reviews", "propose", "recipe.toml", "--pairs", "--all", "--out", "all.csv")
    assert refused("reviews", "propose", "recipe.toml", "--pairs", "--out", "all.csv") == (
        "all.csv: exists, and may hold somebody's work; choose another --out or move it away"
    )


def test_when_everything_that_looks_alike_is_decided(project: Path):
    run("reviews", "propose", "recipe.toml", "--pairs", "--out", "pairs.csv")
    rows = rows_of(project / "pairs.csv")
    rows[0]["verdict"] = "same"
    put(project / "back.csv", rows)
    run("reviews", "accept", "back.csv")
    assert refused("reviews", "propose", "recipe.toml", "--pairs", "--out", "next.csv") == (
        "nothing to decide: no undecided pair looks alike; --all shows every pair that can meet"
    )
