"""From typed answers to reviews on the command line, pairs of the same meaning, and a build of both."""

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from blend.cli.options import evenly
from blend.loaders.releases.tables import read_config
from blend.loaders.responses.verdicts import read_verdicts
from blend.schemas.sheets import PAIR_SHEET
from helpers.in_process import both, run
from helpers.label_studio.annotation_projects import QUESTIONS, write_questions
from helpers.messages import wrong
from helpers.questions.lunch import lunch

RECIPE = """\
name = "mine"
version = "0.1.0"
license = "cc-by-4.0"

[[sources]]
kind = "responses"
location = "collected"
"""

RESPONSES = """\
template_id,annotator,answer_1,answer_2
food-01,a1,밥,국
food-01,a2,쌀밥 ,
food-01,a3,모름,
work-01,a1,18:00,
work-01,a2,6 pm,
work-01,a3,noon,
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    collected = tmp_path / "collected"
    (collected / "responses").mkdir(parents=True)
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    write_questions(collected, locales=["ko-KR"])
    (collected / "responses" / "ko-KR.csv").write_text(RESPONSES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def written(rows: list[dict[str, str]], separator: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def groups(release: Path, template_id: str) -> list[tuple[list[str], list[str], int]]:
    (row,) = read_config(release, "annotations").filter(template_id=template_id).to_dicts()
    return [(group["answers"], group["en_answers"], group["count"]) for group in row["annotations"]]


@pytest.mark.integration
def test_a_sheet_goes_through_a_spreadsheet_and_into_a_release(project: Path):
    assert run("reviews", "propose", "recipe.toml", "--out", "sheet.csv") == (
        "sheet.csv: 7 answers to 2 questions; 5 groups without English.\n"
        "Correct the columns group, english, invalid and reason, then: blend reviews accept sheet.csv\n"
    )
    rows = rows_of(project / "sheet.csv")
    place = {row["answer"]: row for row in rows}
    place["쌀밥"]["group"] = place["밥"]["group"]
    place["밥"]["english"], place["국"]["english"] = "rice", "soup"
    place["모름"].update(invalid="X", reason="don't know")
    place["noon"].update(invalid="x", reason="no time")
    # As Excel with German settings saves it: semicolons, a mark, no apostrophes, rows sorted by answer.
    place["'18:00"]["answer"] = "18:00"
    place["'6 pm"]["answer"] = "6 pm"
    rows.sort(key=lambda row: row["answer"])
    (project / "back.csv").write_text("\ufeff" + written(rows, ";"), encoding="utf-8")

    assert run("reviews", "accept", "back.csv", "--out", "collected/reviews", "--reviewer", "r7") == (
        "collected/reviews/ko-KR.jsonl: 2 questions reviewed; 3 groups, 2 invalid answers.\n"
        "Look whether the English fits its answers, or one column was sorted alone: 국 = soup; 밥 = rice.\n"
        "Look whether none of these is an answer, since they count no more: 모름 (food-01); noon (work-01).\n"
    )
    stored = (project / "collected" / "reviews" / "ko-KR.jsonl").read_text(encoding="utf-8")
    assert [json.loads(line)["reviewer"] for line in stored.splitlines()] == ["r7", "r7"]

    run("build", "recipe.toml", "--out", "release")
    assert groups(project / "release", "food-01") == [(["밥", "쌀밥"], ["rice"], 2), (["국"], ["soup"], 1)]
    assert groups(project / "release", "work-01") == [(["18:00", "6 pm"], ["18:00"], 2)]
    assert set(read_config(project / "release", "annotations")["grouping"]) == {"reviewed"}
    findings = (project / "release" / "reports" / "findings.jsonl").read_text(encoding="utf-8")
    assert "the review removes 'noon' (no time)" in findings

    told = wrong(lambda: run("reviews", "propose", "recipe.toml", "--out", "again.csv"))
    assert told == "nothing to review: every answer is reviewed; --all shows what was decided"


@pytest.mark.integration
def test_answers_that_come_later_are_reviewed_beside_what_was_decided(project: Path):
    run("reviews", "propose", "recipe.toml", "--out", "sheet.csv")
    rows = [row for row in rows_of(project / "sheet.csv") if row["template_id"] == "food-01"]
    (project / "food.csv").write_text(written(rows), encoding="utf-8")
    run("reviews", "accept", "food.csv", "--out", "collected/reviews")

    assert run("reviews", "propose", "recipe.toml", "--out", "later.csv").startswith(
        "later.csv: 3 answers to 1 question; "
    )
    rows = rows_of(project / "later.csv")
    rows[-1].update(invalid="x")
    (project / "later.csv").write_text(written(rows), encoding="utf-8")
    struck = "Look whether none of these is an answer, since they count no more: noon (work-01).\n"
    again = ("reviews", "accept", "later.csv", "--out", "collected/reviews", "--update")
    assert run(*again) == (
        f"collected/reviews/ko-KR.jsonl: 1 question reviewed, 1 kept; 1 group, 1 invalid answer.\n{struck}"
    )
    assert run(*again, "--reviewer", "r7") == (
        "collected/reviews/ko-KR.jsonl: 1 question reviewed, 1 kept; 1 group, 1 invalid answer.\n"
        f"collected/reviews/ko-KR.jsonl: replaced the reviews of work-01 by reviewer.\n{struck}"
    )
    run("build", "recipe.toml", "--out", "release")


@pytest.mark.integration
def test_a_review_of_an_answer_that_was_corrected_since_is_taken_up_again(project: Path):
    run("reviews", "propose", "recipe.toml", "--out", "sheet.csv")
    rows = rows_of(project / "sheet.csv")
    for row in rows:
        row["english"] = "soup" if row["answer"] == "국" else row["english"]
        row["invalid"] = "x" if row["answer"] in ("noon", "모름") else ""
    (project / "sheet.csv").write_text(written(rows), encoding="utf-8")
    run("reviews", "accept", "sheet.csv", "--out", "collected/reviews")
    responses = project / "collected/responses/ko-KR.csv"
    kept = [line for line in RESPONSES.splitlines() if not line.startswith(("food-01,a3", "work-01,a3"))]
    responses.write_text("\n".join(kept).replace("쌀밥", "빵") + "\n", encoding="utf-8")
    assert "corrected or withdrawn, have `blend reviews propose` take up its question again" in wrong(
        lambda: run("build", "recipe.toml", "--out", "release")
    )

    _, err = both("reviews", "propose", "recipe.toml", "--out", "again.csv")
    lost = "which nobody answers any more; accept the sheet with --update, which replaces that review."
    assert err.splitlines() == [
        f"reviews/ko-KR.jsonl:1: decides on '모름', '쌀밥', {lost}",
        f"reviews/ko-KR.jsonl:2: decides on 'noon', {lost}",
    ]
    again = rows_of(project / "again.csv")
    assert [(row["answer"], row["english"]) for row in again[:3]] == [("국", "soup"), ("밥", ""), ("빵", "")]
    assert again[0]["notes"] == "reviewed before, with '모름', '쌀밥', which nobody answers any more"
    run("reviews", "accept", "again.csv", "--out", "collected/reviews", "--update")
    run("build", "recipe.toml", "--out", "release")


@pytest.mark.integration
def test_reviews_beside_pulled_ones_are_updated_by_a_second_sheet(project: Path):
    (project / "collected/reviews").mkdir()
    sheet, pulled = project / "sheet.csv", project / "collected/reviews/ko-KR.jsonl"
    own = "collected/reviews/ko-KR.own.jsonl"

    def pull(*of_rice: str) -> bytes:
        decided = [{"answers": of_rice, "en_answers": ["rice"]}, {"answers": ["국"], "en_answers": ["soup"]}]
        row = {"template_id": "food-01", "reviewer": "p-1a2b3c4d5e6f", "invalid": ["모름"], "groups": decided}
        pulled.write_text(json.dumps(row) + "\n", encoding="utf-8")
        return pulled.read_bytes()

    def accept(*more: str) -> list[str]:
        sheet.unlink(missing_ok=True)
        run("reviews", "propose", "recipe.toml", "--all", "--out", "sheet.csv")
        rows = [row | {"invalid": "x" if row["answer"] in ("noon", "모름") else ""} for row in rows_of(sheet)]
        sheet.write_text(written(rows), encoding="utf-8")
        accepted = ("reviews", "accept", "sheet.csv", "--out", "collected/reviews", "--reviewer", "r1")
        return run(*accepted, *more).splitlines()

    before = pull("밥", "쌀밥")
    beside = (
        f"{own}: stands beside what `blend annotate sync` writes; of two reviews of a question the one counts "
        "that decides on more of the answers given now, else the one here."
    )
    assert accept()[:2] == [f"{own}: 2 questions reviewed; 3 groups, 2 invalid answers.", beside]
    assert pulled.read_bytes() == before

    # Somebody corrects an answer, which the next pull takes out of the review on the server alone.
    corrected = RESPONSES.replace("쌀밥 ", "빵")
    (project / "collected/responses/ko-KR.csv").write_text(corrected, encoding="utf-8")
    before = pull("밥")
    told = wrong(lambda: run("build", "recipe.toml", "--out", "release"))
    assert "reviews/ko-KR.own.jsonl:1" in told
    exists = f"{own}: exists, and may hold somebody's work; choose another --out, or give --update"
    assert wrong(accept).startswith(exists)
    assert accept("--update")[1:3] == [f"{own}: replaced the reviews of food-01 by r1.", beside]
    assert pulled.read_bytes() == before
    run("build", "recipe.toml", "--out", "release")
    assert groups(project / "release", "food-01") == [
        (["밥"], ["rice"], 1),
        (["국"], ["soup"], 1),
        (["빵"], [], 1),
    ]


def test_english_that_stands_beside_other_answers_is_told(project: Path):
    collected = project / "collected"
    texts = {name: (topic, text.removesuffix(" (e.g., HH:MM)")) for name, (topic, text) in QUESTIONS.items()}
    write_questions(collected, texts, ["ko-KR"])
    answers = "a1,피자,국수\n{0},a2,초밥,"
    rows = "\n".join(f"{name},{answers.format(name)}" for name in ("food-01", "work-01"))
    responses = f"template_id,annotator,answer_1,answer_2\n{rows}\n"
    (collected / "responses" / "ko-KR.csv").write_text(responses, encoding="utf-8")
    run("reviews", "propose", "recipe.toml", "--out", "sheet.csv")
    rows = rows_of(project / "sheet.csv")
    assert [row["answer"] for row in rows] == ["국수", "초밥", "피자"] * 2
    for row, english in zip(rows, ("sushi", "pizza", "noodles", "noodles", "sushi", "pizza"), strict=True):
        row["english"] = english
    (project / "back.csv").write_text(written(rows), encoding="utf-8")
    _, told = both("reviews", "accept", "back.csv", "--out", "collected/reviews")
    assert "and so are 3 of 3 answers that come again; was the column sorted or moved alone?" in told


@pytest.mark.slow
def test_reviews_that_lie_elsewhere_say_where_they_are_read(project: Path):
    run("reviews", "propose", "recipe.toml", "--out", "sheet.csv")
    assert run("reviews", "accept", "sheet.csv") == (
        "reviews/ko-KR.jsonl: 2 questions reviewed; 6 groups (5 without English), 0 invalid answers.\n"
        "`blend build` reads them as the folder `reviews` beside `responses`: move reviews there.\n"
    )
    assert not (project / "collected" / "reviews").exists()
    assert run("reviews", "accept", "sheet.csv", "--out", "collected/reveiws").endswith(
        "as the folder `reviews` beside `responses`: move collected/reveiws there.\n"
    )


@pytest.mark.integration
def test_a_reason_that_tells_who_somebody_is_is_refused(project: Path):
    run("reviews", "propose", "recipe.toml", "--out", "sheet.csv")
    rows = rows_of(project / "sheet.csv")
    place = {row["answer"]: row for row in rows}
    place["모름"].update(invalid="x", reason="ask mina@example.org")
    place["noon"].update(invalid="x", reason="ask Mina Kim, 22 33 44")
    (project / "sheet.csv").write_text(written(rows), encoding="utf-8")
    told = wrong(lambda: run("reviews", "accept", "sheet.csv", "--out", "collected/reviews"))
    why = "say why in other words: a release repeats them"
    numbers = {row["answer"]: number for number, row in enumerate(rows, start=2)}
    assert set(told.splitlines()[1:]) == {
        f"sheet.csv:{numbers['모름']}, column reason: holds an e-mail address (not shown); {why}",
        f"sheet.csv:{numbers['noon']}, column reason: holds a name with a number (not shown); {why}",
    }


@pytest.mark.slow
def test_a_group_without_the_format_of_its_question_is_told_and_proposed_again(project: Path):
    run("reviews", "propose", "recipe.toml", "--out", "sheet.csv")
    _, told = both("reviews", "accept", "sheet.csv", "--out", "collected/reviews")
    assert told == (
        "sheet.csv:8, column group: 'noon' is not HH:MM, for which the question asks, nor is anything in its "
        "group; nothing is built before it is marked invalid, moved to a group with HH:MM, or has that as its "
        "English\n"
    )
    run("reviews", "propose", "recipe.toml", "--out", "again.csv")
    sheet = pl.read_csv(project / "again.csv", infer_schema=False)
    assert sheet["template_id"].unique().to_list() == ["work-01"]
    noon = pl.col("answer") == "noon"
    sheet.with_columns(english=pl.when(noon).then(pl.lit("'12:00")).otherwise("english")).write_csv("again.csv")
    _, told = both("reviews", "accept", "again.csv", "--out", "collected/reviews", "--update")
    assert told == ""
    run("build", "recipe.toml", "--out", "release")


def test_of_many_rows_some_from_all_of_them_are_shown():
    assert evenly(range(100), 4) == [0, 25, 50, 75]
    assert evenly(range(3), 4) == [0, 1, 2]
    assert evenly([], 4) == []


# Pairs of answers, which mean the same or not.


@pytest.fixture
def five_regions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five regions that agree within a region; nobody has decided anything."""
    given = {"en-GB": "ballet", "en-US": "ball", "ko-KR": "chess", "es-ES": "1/2", "id-ID": "tennis"}
    lunch(tmp_path, answers={tag: (text, text) for tag, text in given.items()}, verdicts="verdicts.tsv")
    (tmp_path / "verdicts.tsv").write_text("template_id\toption\tverdict\twith\treader\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.integration
@pytest.mark.landing
def test_a_sheet_of_pairs_goes_through_a_spreadsheet_and_into_a_release(five_regions: Path):
    assert run("reviews", "propose", "recipe.toml", "--pairs", "--out", "pairs.csv") == (
        "pairs.csv: 1 undecided pair.\n"
        "Write same or different into the column verdict, as far as you get, then: "
        "blend reviews accept pairs.csv\n"
    )
    (row,) = rows_of(five_regions / "pairs.csv")
    assert row == {
        "answer_a": "ball", "answer_b": "ballet", "verdict": "", "why": "", "questions": "5",
        "suspected": "ball is part of ballet", "template_id": "food-00",
        "question": "What is meal 0 in Indonesia?", "check": PAIR_SHEET.mark("ball", "ballet"),
    }  # fmt: skip

    # Of the ten pairs the package has decided one: tennis is played with a ball.
    assert run("reviews", "propose", "recipe.toml", "--pairs", "--all", "--out", "all.csv").startswith(
        "all.csv: 9 undecided pairs.\n"
    )
    rows = rows_of(five_regions / "all.csv")
    by_pair = {(one["answer_a"], one["answer_b"]): one for one in rows}
    by_pair["ball", "ballet"].update(verdict="Same", why="for the test")
    by_pair["'1/2", "chess"]["verdict"] = "d"
    Path("back.csv").write_text("\ufeff" + written(rows, ";"), encoding="utf-8")
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
        ("1/2", "chess", "differs_from", "r7", datetime.now(UTC).date().isoformat(), None),
        ("ball", "ballet", "same_as", "r7", datetime.now(UTC).date().isoformat(), "for the test"),
    ]
    run("build", "recipe.toml", "--out", "release")
    notes = json.loads((five_regions / "release" / "release.json").read_text(encoding="utf-8"))["report"][-1][
        "notes"
    ]
    assert notes["decisions:r7, same"] > 0
    assert run("reviews", "propose", "recipe.toml", "--pairs", "--all", "--out", "rest.csv").startswith(
        "rest.csv: 7 undecided pairs.\n"
    )


@pytest.mark.integration
@pytest.mark.landing
def test_when_everything_that_looks_alike_is_decided(five_regions: Path):
    run("reviews", "propose", "recipe.toml", "--pairs", "--out", "pairs.csv")
    rows = rows_of(five_regions / "pairs.csv")
    rows[0]["verdict"] = "same"
    Path("back.csv").write_text("\ufeff" + written(rows, ";"), encoding="utf-8")
    run("reviews", "accept", "back.csv")
    assert wrong(lambda: run("reviews", "propose", "recipe.toml", "--pairs", "--out", "next.csv")) == (
        "nothing to decide: no undecided pair looks alike; --all shows every pair that can meet"
    )
