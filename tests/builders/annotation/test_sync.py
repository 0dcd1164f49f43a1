"""Leads and people on a server in memory: what a sync brings, asks and tells, and its files."""

import json
import re
import tomllib
from pathlib import Path

import polars as pl
import pytest

from blend.builders.annotation.forgetting import forget_person
from blend.builders.annotation.project import ProjectFile, project_in
from blend.builders.annotation.pulling import Pull
from blend.builders.annotation.starting import check_project
from blend.builders.annotation.syncing import sync_project
from blend.cli import app
from blend.loaders.label_studio.events import held
from blend.loaders.responses import read_responses
from blend.schemas.errors import BlendError
from helpers.in_process import run
from helpers.label_studio.annotation_projects import QUESTIONS, write_project, write_questions
from helpers.label_studio.exported import write_lines
from helpers.label_studio.fake_studio import FOOD, WORK, FakeStudio, annotate, review, rows, who
from helpers.label_studio.studio_fixtures import chosen, typed
from helpers.messages import wrong

pytestmark = pytest.mark.slow

FILES = Path(__file__).with_name("damaged_files.toml")
KEPT = "changed or not asked for any more, and kept, since people have worked there"
GONE = "gone from the server, or older there, and still counted"


def pull(file: ProjectFile) -> Pull:
    """What a sync has pulled."""
    found = sync_project(file.path).pull
    assert found is not None
    return found


def asked_of(fake: FakeStudio) -> list[tuple[int, bool]]:
    """Of how many both questions are asked, and whether of nobody any more."""
    tasks = [fake.of_tasks[fake.task(name)][1] for name in (FOOD, WORK)]
    return [(task.overlap, task.closed) for task in tasks]


# What comes, and what is asked.


def test_a_first_sync_brings_everything_and_the_same_again_changes_nothing(tmp_path: Path, fake: FakeStudio):
    file = write_project(tmp_path, "t", "http://fake", stages='["answer", "review"]')
    told = annotate("sync", file.path, "--dry-run").splitlines()
    assert told[:2] == ["t answer ko-KR: new, 2 tasks", "t review ko-KR: new, 0 tasks"]
    assert told[-1] == "Nothing was changed; without --dry-run it would be."
    assert not fake.of_projects
    told = annotate("sync", file.path)
    assert re.search(r"\nt answer ko-KR: http://fake/projects/\d+/data\?labeling=1\n", told)
    annotate("sync", file.path)
    fake.asked.clear()
    assert "Everything is there: 4 projects. Nothing was changed." in annotate("sync", file.path)
    # One request for all projects, and one for the tasks of each.
    assert fake.asked == ["projects", *["tasks"] * 4]
    before = dict(fake.of_tasks)
    write_questions(file.collected, {**QUESTIONS, "food-02": ("Food", "What do people in {country} drink?")})
    assert "t answer ko-KR: 1 task added" in annotate("sync", file.path, "--only", "push")
    assert before.items() < fake.of_tasks.items()
    fake.of_projects[99] = next(iter(fake.of_projects.values()))._replace(id=99)
    assert wrong(lambda: sync_project(file.path)) == (
        f"{fake.where}: projects {min(fake.of_projects)} and 99 are both marked as t/answer/ko-KR; remove the "
        "last line from the description of the one that is not to count"
    )


def test_answers_come_as_they_were_typed_with_a_link(file: ProjectFile, fake: FakeStudio):
    fake.annotate(FOOD, "mina", typed("밥", " 국 "))
    fake.annotate(FOOD, "jun", chosen("other"), typed("안 먹어요", control="reason"))
    number = next(project.id for project in fake.of_projects.values() if "answer" in project.title)
    responses = file.collected / "responses/ko-KR.jsonl"
    assert annotate("sync", file.path, "--only", "pull").splitlines() == [
        f"t answer ko-KR: 2 annotations (2 added); http://fake/projects/{number}/data?labeling=1",
        f"{responses}: 2 rows",
    ]
    assert len(read_responses(file.collected).responses) == 2
    expected = [
        {"template_id": "food-01", "annotator": who(file, "mina"), "answers": ["밥", " 국 "]},
        {"template_id": "food-01", "annotator": who(file, "jun"), "non_answer": "other", "reason": "안 먹어요"},
    ]
    assert rows(file) == sorted(expected, key=lambda row: str(row["annotator"]))
    assert annotate("sync", file.path, "--only", "pull") == "No news: all files are as they were.\n"
    assert "@" not in (file.pulled / "events.jsonl").read_text()
    # Rows of one's own stay beside pulled ones.
    row = {"template_id": "food-01", "annotator": "a01", "answers": ["빵"]}
    write_lines(file.collected / "responses/ko-KR.own.jsonl", [row])
    with held(file.pulled), pytest.raises(BlendError, match="another `blend annotate` is at work with"):
        sync_project(file.path)
    sync_project(file.path)
    assert len(read_responses(file.collected, collecting=True).responses) == 3


def test_a_review_decides_on_answers_in_files_of_ones_own_as_well(file: ProjectFile, fake: FakeStudio):
    row = {"template_id": "food-01", "annotator": "a01", "answers": ["빵"]}
    write_lines(file.collected / "responses/ko-KR.own.jsonl", [row])
    fake.annotate(FOOD, "mina", typed("밥"))
    sync_project(file.path)
    review(fake, "rim", ("밥", "rice"), ("빵", "bread"))
    sync_project(file.path)
    (found,) = rows(file, "reviews")
    assert [group["answers"] for group in found["groups"]] == [["밥"], ["빵"]]
    # Nor does a file that cannot be read take a decision away.
    (file.collected / "responses/ko-KR.own.jsonl").write_text('{"template_id": "food-01", "annotator": "a01"}')
    assert "ko-KR.own.jsonl:1" in wrong(lambda: sync_project(file.path))
    assert rows(file, "reviews") == [found]


def test_more_is_asked_exactly_where_the_rule_says_so(file: ProjectFile, fake: FakeStudio):
    file.path.write_text(file.path.read_text().replace("wanted = 2", "wanted = 3\nmax_idk = 1"))
    sync_project(file.path)
    for name, idk in (("a", FOOD), ("a", WORK), ("b", WORK)):
        fake.annotate(idk, name, chosen("idk"))
    fake.annotate(FOOD, "b", typed("밥"))

    # One that is given to people still costs no request, however many do not know.
    told = annotate("sync", file.path)
    assert "t answer ko-KR: 1 task given to nobody any more\n" in told
    assert (asked_of(fake), fake.asked.count("ask")) == ([(3, False), (2, True)], 1)
    fake.annotate(FOOD, "c", typed("국"))
    assert "t answer ko-KR: 1 task asked of more people\n" in annotate("sync", file.path)
    assert (asked_of(fake), fake.asked.count("ask")) == ([(4, False), (2, True)], 2)
    fake.annotate(FOOD, "d", typed("국"))
    annotate("sync", file.path)
    assert (asked_of(fake), fake.asked.count("ask")) == ([(4, True), (2, True)], 2)


def test_another_number_of_responses_takes_one_sync(file: ProjectFile, fake: FakeStudio):
    fake.annotate(FOOD, "a", chosen("idk"))
    for name in ("a", "b"):
        fake.annotate(WORK, name, typed("18:00"))
    sync_project(file.path)
    file.path.write_text(file.path.read_text().replace("wanted = 2", "wanted = 4"))
    fake.asked.clear()
    told = annotate("sync", file.path)
    assert "t answer ko-KR: 4 annotations per task, 1 task asked of more people\n" in told
    assert asked_of(fake) == [(4, False), (4, False)]
    assert (fake.asked.count("update"), fake.asked.count("ask")) == (1, 0)  # all at once
    assert "Everything is there" in annotate("sync", file.path)


def test_what_is_begun_is_told_and_its_page_stays(file: ProjectFile, fake: FakeStudio):
    fake.draft(WORK, "jun")
    other = ("Work life", "When is lunch in {country}?")
    write_questions(file.collected, {**QUESTIONS, "work-01": other})
    before = fake.task(WORK)
    told = annotate("sync", file.path)
    assert f"t answer ko-KR: 1 task {KEPT}: work-01\n" in told
    assert told.endswith(
        f"Begun and not sent: 1 by {who(file, 'jun')}; `blend annotate status` has a reminder for each "
        "person.\n"
    )
    assert fake.task(WORK) == before
    with pytest.raises(SystemExit) as ended:
        app(["annotate", "sync", str(file.path), "--exit-code"])
    assert ended.value.code == 3
    fake.annotate(WORK, "jun", typed("12:00"))
    fake.delete("drafts", fake.typed[before][0]["id"])
    assert "not sent" not in annotate("sync", file.path)


def test_what_was_reviewed_goes_with_its_question_and_with_its_answer(reviewed: ProjectFile, fake: FakeStudio):
    file, everything = reviewed, rows(reviewed)
    write_questions(file.collected, {"work-01": QUESTIONS["work-01"]})
    told = "if it is not asked any more, delete the row, or run `blend annotate sync`"
    assert told in wrong(lambda: check_project(file.path))
    assert told in wrong(lambda: annotate("sync", file.path, "--dry-run"))
    detail = "which is not asked in ko-KR any more; left out, and kept in the pull folder until it is"
    assert pull(file).findings.filter(kind="not-asked")["detail"].to_list() == [
        f"2 responses of 'food-01', {detail}",
        f"1 review of 'food-01', {detail}",
    ]
    assert rows(file) == []
    assert fake.of_tasks[fake.task(FOOD)][1].closed
    assert "Nothing was changed" in annotate("sync", file.path, "--dry-run")
    write_questions(file.collected)
    sync_project(file.path)
    assert rows(file) == everything
    assert len(rows(file, "reviews")) == 1
    # An answer that is corrected leaves its review.
    fake.annotate(FOOD, "kim", typed("우동"))
    done = pull(file)
    detail = "the review decides on '김밥', which nobody answers any more; left out of it"
    lost = done.findings.filter(kind="lost-answer").select("source", "template_id", "detail").rows()
    assert lost == [("review of food-01", "food-01", detail)]
    assert [change["event"] for changes in done.changes.values() for change in changes] == ["edited"]
    (left,) = rows(file, "reviews")
    assert left["groups"] == [{"answers": ["라면"], "en_answers": ["instant noodles"]}]


def test_what_is_gone_counts_until_the_lead_accepts_it_and_is_paid(file: ProjectFile, fake: FakeStudio):
    number = fake.annotate(FOOD, "kim", typed("라면"))
    sync_project(file.path)
    fake.delete("annotations", number)
    project, _ = fake.of_tasks[fake.task(FOOD)]
    by = f"1 by {who(file, 'kim')}, on food-01; see http://fake/projects/{project}/data\n"
    assert f"t answer ko-KR: {GONE}: {by}" in annotate("sync", file.path)
    nobody = "Nobody is there to answer, and nothing was changed; leave out --accept-missing"
    assert wrong(lambda: annotate("sync", file.path, "--accept-missing")).endswith(nobody)
    assert len(rows(file)) == 1
    sync_project(file.path, accept=lambda _: True)
    assert rows(file) == []
    # A name that was seen stays, whatever becomes of the account.
    del fake.of_accounts[fake.person("kim")]
    file.path.write_text("rate = 36\n" + file.path.read_text())
    table = file.base / "pay.csv"
    told = annotate("status", file.path, "--payment", table)
    assert "kim@example.org" in told
    assert " let " in told
    assert pl.read_csv(table).rows() == [(who(file, "kim"), 0, 0.0, 1, 30.0, 36.0, 0.3)]


def test_what_is_gone_and_given_again_is_paid_twice_and_counts_once(file: ProjectFile, fake: FakeStudio):
    file.path.write_text("rate = 36\n" + file.path.read_text())
    number = fake.annotate(FOOD, "kim", typed("라면"))
    sync_project(file.path)
    fake.delete("annotations", number)
    assert GONE in annotate("sync", file.path)
    fake.annotate(FOOD, "kim", typed("우동"))
    assert GONE not in annotate("sync", file.path)
    assert [row["answers"] for row in rows(file)] == [["우동"]]
    assert pull(file).findings.is_empty()
    table = file.base / "pay.csv"
    annotate("status", file.path, "--payment", table)
    assert pl.read_csv(table).rows() == [(who(file, "kim"), 1, 30.0, 1, 30.0, 36.0, 0.6)]


def test_work_of_what_the_project_file_names_no_more_stops_a_sync(file: ProjectFile, fake: FakeStudio):
    number, text = fake.annotate(FOOD, "kim", typed("라면")), file.path.read_text()
    sync_project(file.path)
    without = text.replace('["answer", "review"]', '["review"]')
    file.path.write_text(without)
    told = (
        f"{file.path}: does not name answer of ko-KR any more, where people have worked; put it back: what "
        "they gave counts until it is gone from the server and let go of here (docs/annotating.md)"
    )
    for stopped in (
        lambda: sync_project(file.path),
        lambda: forget_person(project_in(file.path), "kim@example.org"),
    ):
        assert wrong(stopped) == told
    file.path.write_text(text)
    fake.delete("annotations", number)
    sync_project(file.path, accept=lambda _: True)
    file.path.write_text(without)
    sync_project(file.path)


def test_what_another_account_has_changed_is_told_until_its_author_agrees(file: ProjectFile, fake: FakeStudio):
    fake.annotate(FOOD, "kim", typed("라면"))
    sync_project(file.path)
    sent = fake.given[fake.task(FOOD)][0]
    fake.annotate(FOOD, "kim", typed("빵"))
    sent["updated_by"] = fake.person("lee")
    ((kind, detail),) = pull(file).findings.select("kind", "detail").rows()
    assert kind == "changed-by-another"
    assert detail.startswith(f"{who(file, 'kim')} gave it, and {who(file, 'lee')} has changed it since; what ")
    fake.annotate(FOOD, "kim", typed("빵"))
    assert pull(file).findings.is_empty()


def test_another_name_loses_nothing_and_the_old_one_brings_everything_back(file: ProjectFile, fake: FakeStudio):
    fake.annotate(FOOD, "kim", typed("라면"))
    sync_project(file.path)
    everything, text = rows(file), file.path.read_text()
    file.path.write_text(text.replace('"t"', '"t2"'))
    told = f", on food-01; if {file.path} has another name than before, write the old one again\n"
    assert told in annotate("sync", file.path)
    assert rows(file) == everything
    sync_project(file.path, accept=lambda _: True)
    assert rows(file) == []
    file.path.write_text(text)
    assert "t answer ko-KR: 1 annotation (1 back)" in annotate("sync", file.path)
    assert rows(file) == everything


# Files.


@pytest.mark.parametrize("case", tomllib.loads(FILES.read_text("utf-8"))["cases"])
def test_files_that_are_damaged_or_of_others_stop_a_sync(
    file: ProjectFile, fake: FakeStudio, case: dict[str, str]
):
    fake.annotate(FOOD, "kim", typed("밥"))
    path = file.base / case["file"]
    path.parent.mkdir(exist_ok=True)
    path.write_text(case["content"])
    told = wrong(lambda: sync_project(file.path)).removeprefix(f"{file.path}, key key_file: ")
    assert told == f"{path}{case['told'].replace('FOLDER', str(file.base))}"
    assert path.read_text() == case["content"]


@pytest.mark.parametrize("is_pulled", [False, True])
def test_a_sync_is_content_with_reviews_accepted_from_a_sheet(
    file: ProjectFile, fake: FakeStudio, monkeypatch: pytest.MonkeyPatch, is_pulled: bool
):
    monkeypatch.chdir(file.base)
    of_responses = '[[sources]]\nkind = "responses"\nlocation = "collected"\n'
    Path("recipe.toml").write_text(f'name = "x"\nversion = "0.1.0"\nlicense = "cc-by-4.0"\n{of_responses}')
    fake.annotate(FOOD, "kim", typed("라면", "김밥"))
    fake.annotate(FOOD, "lee", typed("라면"))
    sync_project(file.path)
    if is_pulled:
        review(fake, "rim", ("라면", "instant noodles"), ("김밥", "gimbap"))
        sync_project(file.path)

    def accept(sheet: str, *more: str) -> None:
        before = rows(file, "reviews")
        run("reviews", "propose", "recipe.toml", "--all", "--out", sheet)
        run("reviews", "accept", sheet, "--out", "collected/reviews", *more)
        sync_project(file.path)
        assert rows(file, "reviews") == before

    accept("first.csv", "--reviewer", "r1")
    # A review in a file is a review.
    (korean,) = json.loads(annotate("status", file.path, "--json"))["locales"]
    assert (korean["reviewed"], korean["to_review"]) == (1, 0)
    assert len(rows(file, "reviews")) == is_pulled
    # An answer goes on which both decide.
    forget_person(file, who(file, "kim"))
    own = (file.collected / "reviews/ko-KR.own.jsonl").read_bytes()
    lost = "reviews/ko-KR.own.jsonl:1: decides on '김밥', which nobody answers any more"
    assert any(told.startswith(lost) for told in sync_project(file.path).passed_over)
    assert (file.collected / "reviews/ko-KR.own.jsonl").read_bytes() == own
    assert wrong(lambda: read_responses(file.collected)).startswith("reviews/ko-KR.own.jsonl:1")
    accept("second.csv", "--reviewer", "r2", "--update")
    assert read_responses(file.collected).reviews["reviewer"].to_list() == ["r2"]


def test_tasks_and_pages_are_written_for_another_server(reviewed: ProjectFile, tmp_path: Path):
    out = tmp_path / "tasks"
    assert annotate("sync", reviewed.path, "--to", out).splitlines() == [
        *(f"{out}/{stage}.ko-KR.{kind}" for stage in ("answer", "review") for kind in ("json", "xml")),
        "Make a project for each: its labelling configuration is the .xml, its tasks are the .json.",
    ]
    tasks = json.loads((out / "answer.ko-KR.json").read_text("utf-8"))
    assert [task["data"]["blend_id"] for task in tasks] == [FOOD, WORK]
    assert wrong(lambda: annotate("sync", reviewed.path, "--to", out, "--dry-run")).startswith("--to asks no")
