"""A collection on a real server: what is still asked of whom, and what edits and deletions leave behind."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import pseudonym, read_key
from blend.builders.annotation.server.page import status_page
from blend.builders.annotation.server.progress import project_status
from blend.builders.annotation.server.pulling import accept_missing, pull_project
from blend.builders.annotation.server.pushing import push_project
from blend.builders.annotation.server.syncing import sync_project
from blend.builders.saq import aggregate
from blend.loaders.responses import read_responses
from blend.schemas.recipe.recipe import SaqOptions
from blend.views.annotation import pull_lines, top_up_lines
from helpers.label_studio.annotation_projects import write_questions
from helpers.label_studio.studio_fixtures import StudioForTests, chosen, typed

pytestmark = pytest.mark.integration  # a real Label Studio

GONE = "1 annotation is not on the server any more, or older there, and goes on counting"
FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"


def state_of(studio: StudioForTests, task: int) -> tuple[int, bool]:
    """After how many annotations a task is given to nobody any more, and whether that is now."""
    found = studio.sdk.tasks.get(str(task))
    return found.overlap, found.is_labeled


def test_more_is_asked_exactly_where_the_five_valid_rule_says_so(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    file = project(label_studio.url, wanted="3", max_idk="1")
    push_project(check_project(file.path))
    title = f"{file.project.name} answer ko-KR"
    tasks = label_studio.tasks(title)
    people = [label_studio.person(name) for name in ("mina", "jun", "seo", "han")]
    # food: one valid, one idk of the one allowed; work: two idk, one too many.
    label_studio.annotate(tasks[FOOD], people[0], typed("밥"))
    label_studio.annotate(tasks[FOOD], people[1], chosen("idk"))
    label_studio.annotate(tasks[WORK], people[0], chosen("idk"))
    label_studio.annotate(tasks[WORK], people[1], chosen("idk"))
    done = sync_project(file.path)
    assert top_up_lines(done.top_up, dry_run=False) == [
        f"{title}: more responses asked for 1 question; dropped, since too many do not know: work-01"
    ]
    assert state_of(label_studio, tasks[FOOD]) == (4, False)
    assert state_of(label_studio, tasks[WORK]) == (2, True)
    label_studio.annotate(tasks[FOOD], people[2], typed("국"))
    label_studio.annotate(tasks[FOOD], people[3], chosen("no-answer"))
    again = sync_project(file.path)
    assert state_of(label_studio, tasks[FOOD]) == (4, True)
    assert top_up_lines(again.top_up, dry_run=False) == [
        "No question needs more or fewer responses than are asked for."
    ]
    assert not any(plan.changes_anything for plan in again.push)
    found = project_status(check_project(file.path), today=datetime.now(UTC).date())
    (korean,) = found.locales.filter(locale="ko-KR").to_dicts()
    assert {key: korean[key] for key in ("questions", "complete", "open", "dropped", "valid", "idk")} == {
        "questions": 2, "complete": 1, "open": 0, "dropped": 1, "valid": 3, "idk": 3,
    }  # fmt: skip
    assert korean["per_day"] == 6.0
    assert korean["end"] is None
    mina = pseudonym("mina@example.org", read_key(file.key_file))
    (hers,) = found.people.filter(annotator=mina).to_dicts()
    assert (hers["counted"], hers["skipped"], hers["refused"], hers["seconds"]) == (2, 0, 0, 12.5)
    page = status_page(found)
    assert mina in page
    assert "example.org" not in page


def test_a_question_is_dropped_by_a_sync(label_studio: StudioForTests, project: Callable[..., ProjectFile]):
    file = project(label_studio.url, wanted="1")
    push_project(check_project(file.path))
    tasks = label_studio.tasks(f"{file.project.name} answer ko-KR")
    for name in (FOOD, WORK):
        label_studio.annotate(tasks[name], label_studio.person("mina"), typed("18:00"))
    responses = file.collected / "responses" / "ko-KR.jsonl"
    sync_project(file.path)
    assert len(responses.read_text().splitlines()) == 2
    for path in file.collected.glob("*.csv"):
        rows = path.read_text().splitlines(keepends=True)
        path.write_text("".join(row for row in rows if not row.startswith("food-01")))
    done = sync_project(file.path)
    assert done.pull.findings["kind"].to_list() == ["not-asked"]
    assert len(responses.read_text().splitlines()) == 1


def test_an_edited_and_a_deleted_annotation_are_told_and_kept(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    file = project(label_studio.url)
    push_project(check_project(file.path))
    title = f"{file.project.name} answer ko-KR"
    tasks = label_studio.tasks(title)
    mina, jun = label_studio.person("mina"), label_studio.person("jun")
    edited = label_studio.annotate(tasks[FOOD], mina, typed("밥"))
    deleted = label_studio.annotate(tasks[FOOD], jun, typed("빵"))
    pull_project(file)
    label_studio.sdk.annotations.update(edited, result=[typed("쌀밥")])
    label_studio.sdk.annotations.delete(deleted)
    names = {name: pseudonym(f"{name}@example.org", read_key(file.key_file)) for name in ("mina", "jun")}
    responses = file.collected / "responses" / "ko-KR.jsonl"
    lead = pseudonym(label_studio.email, read_key(file.key_file))
    address = f"{label_studio.url}/projects/{label_studio.project(title)}/data"
    assert pull_lines(pull_project(file)) == [
        f"{title}: 2 annotations (1 edited, 1 missing)",
        f"  edited: annotation {edited} of {names['mina']} on {FOOD}, by {lead}",
        f"  missing: annotation {deleted} of {names['jun']} on {FOOD}",
        f"{title}: {GONE}: 1 by {names['jun']}; see {address}",
        f"`blend annotate sync {file.path} --accept-missing` lets go of them, once you have looked.",
        f"{responses}: 2 rows",
        "changed-by-another: 1",
    ]
    assert [json.loads(line) for line in responses.read_text().splitlines()] == [
        {"template_id": "food-01", "annotator": who, "answers": answers}
        for who, answers in sorted([(names["mina"], ["쌀밥"]), (names["jun"], ["빵"])])
    ]
    assert pull_lines(accept_missing(file))[0] == f"{title}: 1 annotation (1 accepted)"
    assert len(responses.read_text().splitlines()) == 1
    lines = [json.loads(line) for line in (file.pulled / "events.jsonl").read_text().splitlines()][1:]
    assert [(line["event"], line["annotation"]) for line in lines] == [
        ("added", edited), ("added", deleted), ("edited", edited), ("missing", deleted), ("accepted", deleted),
    ]  # fmt: skip


def test_projects_and_tasks_that_were_changed_by_hand(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    file = project(label_studio.url)
    push_project(check_project(file.path))
    korean, persian = (f"{file.project.name} answer {tag}" for tag in ("ko-KR", "fa-IR"))
    tasks = label_studio.tasks(korean)
    label_studio.annotate(tasks[FOOD], label_studio.person("mina"), typed("밥"))
    pull_project(file)
    sdk = label_studio.sdk
    # Renamed, one task deleted; the other project is gone.
    sdk.projects.update(label_studio.project(korean), title="아침과 일")
    sdk.tasks.delete(str(tasks[WORK]))
    sdk.projects.delete(label_studio.project(persian))
    pull_project(file)
    (first, second) = push_project(check_project(file.path))
    assert (first.renamed, [task.blend_id for task in first.missing]) == ("아침과 일", [WORK])
    assert second.remote is None
    assert set(label_studio.tasks("아침과 일")) == {FOOD, WORK}
    assert set(label_studio.tasks(persian)) == {"answer/fa-IR/food-01", "answer/fa-IR/work-01"}
    assert not any(plan.changes_anything for plan in push_project(check_project(file.path)))


def test_aggregating_what_was_pulled_equals_aggregating_the_same_data_as_files(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], tmp_path: Path
):
    file = project(label_studio.url, stages='["answer", "review"]', wanted="2")
    push_project(check_project(file.path))
    tasks = label_studio.tasks(f"{file.project.name} answer ko-KR")
    names = {name: pseudonym(f"{name}@example.org", read_key(file.key_file)) for name in ("mina", "jun")}
    mina, jun = map(label_studio.person, names)
    label_studio.annotate(tasks[FOOD], mina, typed("밥", "국"))
    label_studio.annotate(tasks[FOOD], jun, typed("쌀밥", "모름"))
    sync_project(file.path)
    title = f"{file.project.name} review ko-KR"
    ((_, review),) = label_studio.tasks(title).items()
    listed = {one["title"]: one["id"] for one in label_studio.sdk.tasks.get(str(review)).data["answers"]}
    columns = {"g1": [listed["밥"], listed["쌀밥"]], "g2": [listed["국"]], "invalid": [listed["모름"]]}
    ranked = {"from_name": "groups", "to_name": "answers", "type": "ranker", "value": {"ranker": columns}}
    label_studio.annotate(review, mina, ranked, typed("rice", control="english_1"))
    pull_project(file)
    by_hand = tmp_path / "by-hand"
    write_questions(by_hand)
    (by_hand / "responses").mkdir()
    (by_hand / "responses" / "ko-KR.csv").write_text(
        "template_id,annotator,answer_1,answer_2\n"
        f"food-01,{names['mina']},밥,국\nfood-01,{names['jun']},쌀밥,모름\n"
    )
    (by_hand / "reviews").mkdir()
    groups = [{"answers": ["밥", "쌀밥"], "en_answers": ["rice"]}, {"answers": ["국"]}]
    reviewed = {"template_id": "food-01", "reviewer": names["mina"], "invalid": ["모름"], "groups": groups}
    (by_hand / "reviews" / "ko-KR.jsonl").write_text(json.dumps(reviewed) + "\n")
    pulled, written = (annotations_in(folder) for folder in (file.collected, by_hand))
    assert_frame_equal(pulled, written)
    (food,) = pulled.filter(template_id="food-01", locale="ko-KR")["annotations"].to_list()
    assert [(group["answers"], group["en_answers"], group["count"]) for group in food] == [
        (["밥", "쌀밥"], ["rice"], 2), (["국"], [], 1),
    ]  # fmt: skip


def annotations_in(folder: Path) -> pl.DataFrame:
    """What a directory of raw responses is aggregated to."""
    tables = read_responses(folder)
    return aggregate(
        tables.questions, tables.responses, tables.reviews, options=SaqOptions(wanted=2)
    ).annotations
