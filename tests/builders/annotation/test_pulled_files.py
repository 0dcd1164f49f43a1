"""From exports without a server: pulled files build, people are relied on, and whoever asks is forgotten."""

import json
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import new_key, pseudonym, read_key
from blend.builders.annotation.server import forgetting
from blend.builders.annotation.server.forgetting import forget_person
from blend.builders.annotation.server.progress import project_status
from blend.builders.annotation.server.pulling import pull_project
from blend.builders.annotation.server.readings import readings
from blend.builders.annotation.server.relying import project_reliability, reliability_page
from blend.builders.annotation.stages import STAGES
from blend.builders.annotation.stages.model import Material
from blend.builders.release import build_release
from blend.cli import app
from blend.loaders.responses import read_responses
from blend.schemas.errors import BlendError
from blend.schemas.recipe.recipe import Recipe
from helpers.label_studio.exported import annotation, typed
from helpers.label_studio.pulled_projects import (
    ANSWERED,
    KIM,
    LEE,
    REVIEWER,
    assert_nowhere,
    export,
    rows,
)


@pytest.mark.slow
def test_what_was_pulled_builds(pulled: ProjectFile, tmp_path: Path):
    source = {"kind": "responses", "location": "collected"}
    recipe = {"name": "trial", "version": "0.1.0", "license": "cc-by-4.0", "sources": [source]}
    build_release(Recipe.model_validate(recipe), tmp_path / "release", base=pulled.base)
    held = pl.read_parquet(tmp_path / "release/data/annotations/*.parquet").filter(ID="food-01")
    (groups,) = held["annotations"].to_list()
    assert [(group["answers"], group["en_answers"], group["count"]) for group in groups] == [
        (["라면"], ["instant noodles"], 2),
        (["김밥"], ["gimbap"], 1),
    ]
    everything = b"".join(path.read_bytes() for path in (tmp_path / "release").rglob("*") if path.is_file())
    assert b"example.org" not in everything


@pytest.mark.slow
def test_who_is_forgotten_is_nowhere_and_does_not_come_back(pulled: ProjectFile):
    kim = pseudonym(KIM, read_key(pulled.key_file))
    done = forget_person(pulled, kim)
    assert [line["stage"] for line in done.lines] == ["answer.ko-KR"] * 2
    assert done.reopened.to_dicts() == [{"template_id": "food-01", "locale": "ko-KR"}]
    assert done.named_in == ["locales[0].annotators"]
    responses = rows(pulled.collected / "responses/ko-KR.jsonl")
    assert {row["annotator"] for row in responses} == {pseudonym(LEE, read_key(pulled.key_file))}
    (review,) = rows(pulled.collected / "reviews/ko-KR.jsonl")
    assert review["groups"] == [{"answers": ["라면"], "en_answers": ["instant noodles"]}]
    assert_nowhere(pulled, kim)
    # The server has it still: neither an export nor a second order brings it back.
    again = pull_project(pulled, exports=[export(pulled, "answer", ANSWERED)])
    assert not any(written.changed for written in again.written)
    assert_nowhere(pulled, kim)
    assert forget_person(pulled, KIM).lines == []
    read_responses(pulled.collected)


@pytest.mark.slow
def test_another_key_is_refused_by_the_events(pulled: ProjectFile):
    forget_person(pulled, KIM)
    written = rows(pulled.collected / "responses/ko-KR.jsonl")
    pulled.key_file.write_text(new_key())
    for read in (readings, lambda file: pull_project(file, exports=[file.base / "answer.json"])):
        with pytest.raises(BlendError) as raised:
            read(pulled)
        assert str(raised.value) == (
            f"{pulled.key_file}: is not the key with which {pulled.pulled}/events.jsonl was written; bring "
            "back the one that this project began with, since with another key everybody gets another "
            "pseudonym, and whoever was forgotten comes back"
        )
    assert rows(pulled.collected / "responses/ko-KR.jsonl") == written


@pytest.mark.slow
def test_forgetting_that_is_stopped_anywhere_goes_on(pulled: ProjectFile, monkeypatch: pytest.MonkeyPatch):
    kim = pseudonym(KIM, read_key(pulled.key_file))
    for step in ("remember", "only_theirs", "rewritten", "_open_questions"):
        with monkeypatch.context() as stopped, pytest.raises(KeyboardInterrupt):
            stopped.setattr(forgetting, step, interrupted)
            forget_person(pulled, kim)
        # Nor does a pull in between bring anything back.
        pull_project(pulled, exports=[export(pulled, "answer", ANSWERED)])
    forget_person(pulled, kim)
    assert_nowhere(pulled, kim)


def interrupted(*_arguments: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.slow
def test_an_answer_that_is_gone_leaves_its_review(pulled: ProjectFile):
    corrected = {**ANSWERED, "food-01": [(KIM, [typed("우동")]), (LEE, [typed("라면")])]}
    done = pull_project(pulled, exports=[export(pulled, "answer", corrected)])
    detail = "the review decides on '김밥', which nobody answers any more; left out of it"
    lost = done.findings.filter(kind="lost-answer").select("source", "template_id", "detail").rows()
    assert lost == [("review of food-01", "food-01", detail)]
    assert [change["event"] for project in done.projects for change in project.changes] == ["edited"]
    (review,) = rows(pulled.collected / "reviews/ko-KR.jsonl")
    assert review["groups"] == [{"answers": ["라면"], "en_answers": ["instant noodles"]}]


@pytest.mark.slow
def test_a_question_that_is_dropped_takes_its_answers_along_until_it_is_back(pulled: ProjectFile):
    asked = {path: path.read_text(encoding="utf-8") for path in pulled.collected.glob("*.csv")}
    for path, text in asked.items():
        kept = [line for line in text.splitlines(keepends=True) if not line.startswith("food-01,")]
        path.write_text("".join(kept), encoding="utf-8")
    with pytest.raises(BlendError, match="if it is not asked any more, delete the row, or run"):
        check_project(pulled.path)
    responses = pulled.collected / "responses/ko-KR.jsonl"
    everything = responses.read_text(encoding="utf-8")
    done = pull_project(pulled, exports=[pulled.base / "answer.json"])
    detail = "which is not asked in ko-KR any more; left out, and kept in the pull folder until it is"
    assert done.findings.filter(kind="not-asked")["detail"].to_list() == [
        f"2 responses of 'food-01', {detail}",
        f"1 review of 'food-01', {detail}",
    ]
    # What does not count is nobody's counted work, either.
    people = project_status(check_project(pulled.path), today=date(2026, 11, 21)).people
    assert people.select("stage", "counted", "refused").sort("stage", "counted", "refused").rows() == [
        ("answer", 1, 1), ("answer", 1, 1), ("review", 0, 1),
    ]  # fmt: skip
    assert {row["template_id"] for row in rows(responses)} == {"food-02"}
    for path, text in asked.items():
        path.write_text(text, encoding="utf-8")
    assert pull_project(pulled, exports=[pulled.base / "answer.json"]).findings.is_empty()
    assert responses.read_text(encoding="utf-8") == everything
    assert len(rows(pulled.collected / "reviews/ko-KR.jsonl")) == 1
    # Questions of which nothing can be read say nothing about what is asked.
    (pulled.collected / "questions.csv").write_text("", encoding="utf-8")
    assert pull_project(pulled, exports=[pulled.base / "answer.json"]).findings.is_empty()
    # Rows that somebody deleted are named as such.
    responses.write_text(everything.splitlines(keepends=True)[0], encoding="utf-8")
    with pytest.raises(BlendError) as raised:
        pull_project(pulled, exports=[pulled.base / "answer.json"])
    assert str(raised.value) == (
        f"{responses}: lacks 3 rows of those pulled; delete the file, and the next pull writes all of them, "
        "but for those of a question that is not asked any more; if they are of somebody who was forgotten "
        "by another lead, bring the forgotten.txt of that project beside the project file first"
    )


@pytest.mark.slow
def test_a_review_in_a_file_of_its_own_counts_in_place_of_the_pulled_one(pulled: ProjectFile):
    reviews = pulled.collected / "reviews/ko-KR.jsonl"
    (review,) = rows(reviews)
    own = {"template_id": "food-02", "reviewer": "r02", "invalid": ["고추"]}
    also = {**review, "reviewer": "r02", "invalid": ["김밥"], "groups": review["groups"][:1]}
    for others, told in (([own], 0), ([own, also], 1)):
        # As `blend reviews accept --update` leaves the file.
        reviews.write_text("".join(json.dumps(row) + "\n" for row in [*others, review][:2]))
        with pytest.raises(BlendError, match=r"rename it there, as to ko-KR\.own\.jsonl: its reviews then"):
            pull_project(pulled, exports=[pulled.base / "review.json"])
        reviews.rename(reviews.with_name("ko-KR.own.jsonl"))
        done = pull_project(pulled, exports=[pulled.base / "review.json"])
        assert done.findings["kind"].to_list() == ["reviewed-in-a-file"] * told
        assert not reviews.exists()
        check_project(pulled.path)
    assert done.findings["detail"].item() == (
        f"{review['reviewer']} reviewed the question on the server, r02 in reviews/ko-KR.own.jsonl:2, "
        "which counts; left out"
    )
    people = project_status(check_project(pulled.path), today=date(2026, 11, 21)).people
    assert people.filter(stage="review").select("counted", "refused").rows() == [(0, 1)]


@pytest.mark.slow
def test_reviews_from_a_sheet_stand_beside_pulled_ones(pulled: ProjectFile, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: object) -> str:
        app(["reviews", *map(str, arguments)], standalone_mode=False)
        return capsys.readouterr().out

    recipe, sheet, out = (pulled.base / name for name in ("recipe.toml", "sheet.csv", "collected/reviews"))
    recipe.write_text(
        'name = "x"\nversion = "1.0.0"\n[[sources]]\nkind = "responses"\nlocation = "collected"\n'
    )
    run("propose", recipe, "--all", "--out", sheet)
    told = run("accept", sheet, "--out", out, "--reviewer", "r02").splitlines()
    own = out / "ko-KR.own.jsonl"
    alone = "or one column was sorted alone"
    again = "pull again, so that the same question is not reviewed in both."
    assert told == [
        f"{own}: 2 questions reviewed; 3 groups (1 without English), 0 invalid answers.",
        f"{own}: counts in place of what `blend annotate pull` writes; {again}",
        f"Look whether the English fits its answers, {alone}: 라면 = instant noodles; 김밥 = gimbap.",
    ]
    done = pull_project(pulled, exports=[pulled.base / "review.json"])
    assert done.findings["kind"].to_list() == ["reviewed-in-a-file"]
    reviews = read_responses(pulled.collected).reviews
    assert reviews.select("template_id", "reviewer").rows() == [("food-01", "r02"), ("food-02", "r02")]
    run("accept", sheet, "--out", out, "--update")
    own.unlink()
    assert pull_project(pulled, exports=[pulled.base / "review.json"]).findings.is_empty()
    assert read_responses(pulled.collected).reviews["template_id"].to_list() == ["food-01"]


@pytest.mark.slow
def test_a_group_without_the_format_of_its_question_is_told_at_once(
    pulled: ProjectFile, capsys: pytest.CaptureFixture[str]
):
    questions = pl.read_csv(pulled.collected / "questions.csv")
    (number, *_) = questions.filter(pl.col("en_question").str.contains("Arabic numerals"))["template_id"]
    answered = {
        **ANSWERED,
        number: [
            (KIM, [typed("여섯쯤")]),
            (
                LEE,
                [
                    typed("7"),
                ],
            ),
        ],
    }
    pull_project(pulled, exports=[export(pulled, "answer", answered)])
    agreed = export(pulled, "review", {})
    tasks = json.loads(agreed.read_text(encoding="utf-8"))
    (task,) = [task for task in tasks if task["data"]["template_id"] == number]
    material = read_responses(pulled.collected, reviewing=True, collecting=True)
    made = STAGES["review"].tasks(
        pulled.project,
        pulled.locale("ko-KR"),
        Material(material.questions, material.responses, material.reviews),
    )
    (proposed,) = [one.proposal for one in made if one.data["template_id"] == number]
    task["annotations"] = [annotation(1, {"id": 9, "email": REVIEWER}, *(proposed or ()))]
    agreed.write_text(json.dumps(tasks), encoding="utf-8")
    app(["annotate", "pull", str(pulled.path), "--export", str(agreed)], standalone_mode=False)
    rim = pseudonym(REVIEWER, read_key(pulled.key_file))
    detail = (
        f"{rim}: '여섯쯤' is not a whole number, for which the question asks, nor is anything in its group; "
        "nothing is built before it is called invalid, moved to a group with a whole number, or has that as "
        "its English"
    )
    assert f"group-out-of-format: 1\n  {detail}\n" in capsys.readouterr().out
    # What is told is what a build refuses, and nothing else of the review.
    with pytest.raises(BlendError) as raised:
        read_responses(pulled.collected)
    (place, what) = str(raised.value).split(": ", maxsplit=1)
    assert place.startswith("responses/ko-KR.jsonl:")
    assert what.startswith(f"'여섯쯤' is not a whole number, for which {number!r} asks; ")
    assert "\n" not in what


@pytest.mark.slow
def test_nobody_else_can_be_forgotten(pulled: ProjectFile):
    with pytest.raises(BlendError) as raised:
        forget_person(pulled, "p-000000000000")
    assert str(raised.value) == (
        "p-000000000000 has done nothing in this project, as far as it was pulled; `blend annotate status` "
        "lists who has"
    )


@pytest.mark.slow
def test_reliability_of_what_was_pulled(pulled: ProjectFile):
    checked = check_project(pulled.path)
    found = project_reliability(checked)
    assert found.questions.select("template_id", "answers").rows() == [("food-01", 2)]
    assert set(found.annotators["verdict"]) == {"too few"}
    assert found.annotators["seconds"].null_count() == 0
    page = reliability_page(found, "<b>trial</b>")
    assert "&lt;b&gt;trial&lt;/b&gt;" in page
    assert "<b>" not in page
    assert "example.org" not in page


@pytest.mark.slow
def test_whose_work_is_worth_a_look_is_marked(pulled: ProjectFile):
    found = project_reliability(check_project(pulled.path))
    assert 'class="look"' not in reliability_page(found, "trial")
    told = pl.col("flags").map_elements(lambda _: ["<i>slow\x1b"], return_dtype=pl.List(pl.String))
    marked = found.annotators.with_columns(told, verdict=pl.lit("look"))
    page = reliability_page(found._replace(annotators=marked), "trial")
    assert page.count('<tr class="look">') == 2
    assert page.count("<li>&lt;i&gt;slow\\x1b") == 2


@pytest.mark.slow
def test_commands_say_what_they_found(pulled: ProjectFile, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    def said(*arguments: object) -> str:
        app(["annotate", *map(str, arguments)], standalone_mode=False)
        return capsys.readouterr().out

    told = said("reliability", pulled.path, "--html", tmp_path / "page.html")
    assert "Nothing is said of 2 annotators with too few questions." in told
    assert "Krippendorff" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert {*json.loads(said("reliability", pulled.path, "--json"))} == {"locales", "annotators", "questions"}
    with pytest.raises(BlendError) as raised:
        said("forget", pulled.path, KIM)
    assert str(raised.value) == (
        f"Delete everything that {KIM} did in trial, here and on http://localhost:8080? Nobody is there to "
        "answer, and nothing was changed; say --yes"
    )
    told = said("init", tmp_path / "wolof", "--locale", "wo-SN")
    assert f"{tmp_path}/wolof/README.md says what to do next.\n" in told
