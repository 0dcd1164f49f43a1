"""Projects that are gone from a real server: what people gave is kept, told every time, and brought back."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import ProjectFile, read_project
from blend.builders.annotation.pseudonyms import pseudonym, read_key
from blend.builders.annotation.server.forgetting import forget_person
from blend.builders.annotation.server.pulling import pull_project
from blend.builders.annotation.server.pushing import push_project
from blend.builders.annotation.server.restoring import give_up, restore
from blend.builders.annotation.server.syncing import sync_project
from blend.schemas.errors import InputError
from blend.views.annotation import pull_lines, restore_lines, top_up_lines
from helpers.label_studio import studio_server
from helpers.label_studio.annotator_in_browser import annotator
from helpers.label_studio.studio_fixtures import StudioForTests, typed

pytestmark = pytest.mark.integration  # a real Label Studio

FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"
NO_NEWS = "No news: all files are as they were."


def rows(file: ProjectFile, kind: str = "responses") -> list[tuple[str, str, Any]]:
    """Template, person and answers or groups of all rows; a file without any is not there."""
    path = file.collected / kind / "ko-KR.jsonl"
    lines = (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )
    if kind == "reviews":
        return [(row["template_id"], row["reviewer"], row["groups"]) for row in lines]
    return [(row["template_id"], row["annotator"], row["answers"]) for row in lines]


def who(file: ProjectFile, person: str) -> str:
    return pseudonym(f"{person}@example.org", read_key(file.key_file))


def told(file: ProjectFile, stage: str, kept: str) -> str:
    """The sentence about what is kept."""
    what, them = f"{file.path} {stage}/ko-KR", "it" if kept.endswith("is") else "them"
    return (
        f"{file.project.name} {stage} ko-KR: {kept} kept and counted though not on the server any more; "
        f"`blend annotate restore {what}` brings {them} back there, "
        f"`blend annotate abandon {what}` gives {them} up"
    )


def events(file: ProjectFile, stage: str = "answer") -> list[str]:
    lines = (file.pulled / "history" / f"{stage}.ko-KR.jsonl").read_text().splitlines()
    return [json.loads(line)["event"] for line in lines]


@pytest.fixture
def answered(label_studio: StudioForTests, project: Callable[..., ProjectFile]) -> ProjectFile:
    """A project whose two questions mina and jun have answered, one with times, and mina has reviewed."""
    file = project(label_studio.url, stages='["answer", "review"]', wanted="2")
    push_project(check_project(file.path))
    for name, task in label_studio.tasks(f"{file.project.name} answer ko-KR").items():
        for person, hour in (("mina", "17:00"), ("jun", "18:00")):
            answer = hour if name == WORK else f"food-01 {person}"
            label_studio.annotate(task, label_studio.person(person), typed(answer))
    sync_project(file.path)
    for task in label_studio.tasks(f"{file.project.name} review ko-KR").values():
        (proposed,) = label_studio.sdk.tasks.get(str(task)).predictions
        label_studio.annotate(task, label_studio.person("mina"), *proposed.result)
    sync_project(file.path)
    assert (len(rows(file)), len(rows(file, "reviews"))) == (4, 2)
    return file


def test_a_deleted_project_keeps_its_answers_day_after_day_and_gets_them_back(
    label_studio: StudioForTests, answered: ProjectFile
):
    file, before, reviewed = answered, rows(answered), rows(answered, "reviews")
    title = f"{file.project.name} answer ko-KR"
    number = label_studio.project(title)
    label_studio.sdk.projects.delete(number)
    first = sync_project(file.path)
    kept = told(file, "answer", "4 annotations are")
    assert pull_lines(first.pull)[:3] == [f"{title}: is not on the server any more", kept, NO_NEWS]
    assert label_studio.project(title) != number  # made anew, and empty
    for _ in range(2):
        again = sync_project(file.path)
        assert pull_lines(again.pull)[:2] == [kept, NO_NEWS]
    assert (rows(file), rows(file, "reviews"), events(file)) == (before, reviewed, ["added"] * 4)
    # Its questions are complete: nobody is asked again.
    assert top_up_lines(sync_project(file.path).top_up, dry_run=False) == [
        "No question needs more or fewer responses than are asked for."
    ]
    # Somebody answers all the same, under a number that was given before.
    task = label_studio.tasks(title)[FOOD]
    label_studio.annotate(task, label_studio.person("seo"), typed("국"))
    assert kept in pull_lines(pull_project(file))
    assert sorted(rows(file)) == sorted([*before, ("food-01", who(file, "seo"), ["국"])])
    assert events(file) == ["added"] * 5
    done = restore(file.path, ["answer/ko-KR"])
    assert restore_lines(done) == ["Brought back: 4 annotations."]
    assert pull_lines(done.pull) == [NO_NEWS]
    assert sorted(rows(file)) == sorted([*before, ("food-01", who(file, "seo"), ["국"])])
    assert (rows(file, "reviews"), events(file)) == (reviewed, ["added"] * 5)
    authors = {
        (one.completed_by, one.result[0]["value"]["text"][0])
        for one in label_studio.sdk.annotations.list(label_studio.tasks(title)[FOOD])
    }
    assert authors == {
        (label_studio.person("mina"), "food-01 mina"),
        (label_studio.person("jun"), "food-01 jun"),
        (label_studio.person("seo"), "국"),
    }
    assert not list((file.pulled / "raw").glob("*vanished*"))
    with pytest.raises(InputError) as raised:
        restore(file.path)
    assert str(raised.value) == (
        f"{file.path}: nothing is kept that is not on the server; there is nothing to restore"
    )


def test_a_deleted_project_is_given_up_on_demand(label_studio: StudioForTests, answered: ProjectFile):
    file = answered
    title = f"{file.project.name} answer ko-KR"
    label_studio.sdk.projects.delete(label_studio.project(title))
    sync_project(file.path)
    with pytest.raises(InputError) as raised:
        give_up(file, ["review/ko-KR"])
    assert str(raised.value) == (
        f"{file.path}: nothing is kept of review/ko-KR that is not on the server; it is of answer/ko-KR"
    )
    assert len(rows(file)) == 4
    lines = pull_lines(give_up(file, ["answer/ko-KR"]))
    assert lines[0] == f"{title}: 0 annotations (4 deleted)"
    assert (rows(file), rows(file, "reviews")) == ([], [])
    assert events(file) == ["added"] * 4 + ["deleted"] * 4
    assert not [line for line in pull_lines(pull_project(file)) if "kept" in line]
    assert events(file) == ["added"] * 4 + ["deleted"] * 4


def test_reviews_of_a_deleted_project_stay_and_come_back(label_studio: StudioForTests, answered: ProjectFile):
    file, reviewed = answered, rows(answered, "reviews")
    label_studio.sdk.projects.delete(label_studio.project(f"{file.project.name} review ko-KR"))
    for _ in range(3):
        assert told(file, "review", "2 annotations are") in pull_lines(sync_project(file.path).pull)
    assert rows(file, "reviews") == reviewed
    assert restore_lines(restore(file.path)) == ["Brought back: 2 annotations."]
    assert rows(file, "reviews") == reviewed
    assert pull_lines(sync_project(file.path).pull) == [NO_NEWS]


def test_what_counted_before_its_project_was_deleted_counts_when_it_is_restored(
    label_studio: StudioForTests, answered: ProjectFile
):
    file, edit = answered, label_studio.sdk.annotations.update
    answers, reviews = (f"{file.project.name} {stage} ko-KR" for stage in ("answer", "review"))
    # Mina answers twice and jun reviews after her, and then she sends her first ones again.
    task, jun, mina = label_studio.tasks(answers)[FOOD], *map(label_studio.person, ("jun", "mina"))
    (first,) = [one for one in label_studio.sdk.annotations.list(task) if one.completed_by == mina]
    label_studio.annotate(task, mina, typed("국"))
    edit(first.id, result=first.result)
    for page in label_studio.tasks(reviews).values():
        (hers,) = label_studio.sdk.annotations.list(page)
        (ranked,) = [one for one in hers.result if one["type"] == "ranker"]
        items = [item for column in ranked["value"]["ranker"].values() for item in column]
        label_studio.annotate(page, jun, {**ranked, "value": {"ranker": {"invalid": items}}})
        edit(hers.id, result=hers.result)
    pull_project(file)
    before = rows(file), rows(file, "reviews")
    assert {reviewer for _, reviewer, _ in before[1]} == {who(file, "mina")}
    assert ("food-01", who(file, "mina"), ["food-01 mina"]) in before[0]
    for title in (answers, reviews):
        label_studio.sdk.projects.delete(label_studio.project(title))
    pull_project(file)
    assert restore_lines(restore(file.path)) == ["Brought back: 9 annotations."]
    pull_project(file)
    assert (rows(file), rows(file, "reviews")) == before


def test_what_was_given_after_the_project_was_made_anew_still_counts_when_the_old_one_is_restored(
    label_studio: StudioForTests, answered: ProjectFile
):
    file, mina, jun = answered, *map(label_studio.person, ("mina", "jun"))
    answers, reviews = (f"{file.project.name} {stage} ko-KR" for stage in ("answer", "review"))
    for title in (answers, reviews):
        label_studio.sdk.projects.delete(label_studio.project(title))
    sync_project(file.path)
    label_studio.annotate(label_studio.tasks(answers)[WORK], mina, typed("20:00"))
    for page in label_studio.tasks(reviews).values():
        (proposed,) = label_studio.sdk.tasks.get(str(page)).predictions
        label_studio.annotate(page, jun, *proposed.result)
    done = pull_project(file)
    before = rows(file), rows(file, "reviews")
    assert ("work-01", who(file, "mina"), ["20:00"]) in before[0]
    assert {reviewer for _, reviewer, _ in before[1]} == {who(file, "jun")}
    kinds = Counter(done.findings["kind"])
    assert restore_lines(restore(file.path)) == ["Brought back: 6 annotations."]
    assert (rows(file), rows(file, "reviews")) == before
    assert Counter(pull_project(file).findings["kind"]) == kinds
    with pytest.raises(InputError, match="there is nothing to restore"):
        restore(file.path)
    # Whoever is forgotten leaves what is known of restored annotations, too.
    forget_person(file, who(file, "mina"))
    assert who(file, "mina") not in (file.pulled / "restored.json").read_text()


def test_a_task_that_is_deleted_while_its_project_stays_takes_its_answers_along(
    label_studio: StudioForTests, answered: ProjectFile
):
    file = answered
    title = f"{file.project.name} answer ko-KR"
    label_studio.sdk.tasks.delete(str(label_studio.tasks(title)[WORK]))
    assert pull_lines(sync_project(file.path).pull)[0] == f"{title}: 2 annotations (2 deleted)"
    assert {template for template, _, _ in rows(file)} == {"food-01"}
    assert events(file) == ["added"] * 4 + ["deleted"] * 2


def test_whoever_is_forgotten_leaves_what_is_kept_too(label_studio: StudioForTests, answered: ProjectFile):
    file = answered
    label_studio.sdk.projects.delete(label_studio.project(f"{file.project.name} answer ko-KR"))
    sync_project(file.path)
    mina = who(file, "mina")
    forget_person(file, mina)
    assert {annotator for _, annotator, _ in rows(file)} == {who(file, "jun")}
    held = "".join(path.read_text() for path in (file.pulled / "raw").glob("answer*.json"))
    assert mina not in held
    assert who(file, "jun") in held
    assert not (file.collected / "reviews" / "ko-KR.jsonl").exists()
    assert told(file, "answer", "2 annotations are") in pull_lines(sync_project(file.path).pull)


@pytest.fixture
def another_server(tmp_path: Path) -> Iterator[studio_server.Running]:
    with studio_server.serving(tmp_path / "another") as running:
        yield running


def test_another_server_has_other_people_under_the_same_numbers(
    label_studio: StudioForTests,
    answered: ProjectFile,
    another_server: studio_server.Running,
    monkeypatch: pytest.MonkeyPatch,
):
    from label_studio_sdk import LabelStudio

    before, reviewed = rows(answered), rows(answered, "reviews")
    text = answered.path.read_text().replace(label_studio.url, another_server.url)
    answered.path.write_text(text)
    file = read_project(answered.path)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", another_server.token)
    with httpx.Client(timeout=120) as connections:
        sdk = LabelStudio(
            base_url=another_server.url, api_key=another_server.token, httpx_client=connections, max_retries=0
        )
        there = StudioForTests(another_server.url, another_server.token, sdk)
        # Accounts up to the highest number of before, by others; jun has one of another number.
        last = max(label_studio.person(person) for person in ("mina", "jun"))
        for stranger in range(2, last + 1):
            there.person(f"stranger{stranger}")
        there.person("jun")
        lines = pull_lines(sync_project(file.path).pull)
        assert told(file, "answer", "4 annotations are") in lines
        assert told(file, "review", "2 annotations are") in lines
        sync_project(file.path)
        task = there.tasks(f"{file.project.name} answer ko-KR")[FOOD]
        there.annotate(task, there.person("stranger2"), typed("국"))
        sync_project(file.path)
        assert sorted(rows(file)) == sorted([*before, ("food-01", who(file, "stranger2"), ["국"])])
        assert rows(file, "reviews") == reviewed
        done = restore(file.path)
        mina = who(file, "mina")
        without = (
            "not: no account on the server is theirs; once they have signed up there with the same address"
        )
        assert restore_lines(done) == [
            "Brought back: 2 annotations.",
            f"  4 annotations of {mina} {without}, run the same again",
        ]
        assert sorted(rows(file)) == sorted([*before, ("food-01", who(file, "stranger2"), ["국"])])
        there.person("mina")
        assert restore_lines(restore(file.path)) == ["Brought back: 4 annotations."]
        assert sorted(rows(file)) == sorted([*before, ("food-01", who(file, "stranger2"), ["국"])])
        assert rows(file, "reviews") == reviewed
        assert set(events(file)) | set(events(file, "review")) == {"added"}


def test_an_answer_that_was_typed_in_the_browser_outlives_its_project(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], chromium: str
):
    file = project(label_studio.url)
    push_project(check_project(file.path))
    title = f"{file.project.name} answer ko-KR"
    with annotator(chromium, label_studio.url) as person:
        person.sign_up(f"{file.project.name}@example.org")
        person.begin(label_studio.project(title))
        person.type_answers("밥")
        person.submit()
        sync_project(file.path)
        expected = [("food-01", who(file, file.project.name), ["밥"])]
        label_studio.sdk.projects.delete(label_studio.project(title))
        for _ in range(3):
            lines = pull_lines(sync_project(file.path).pull)
            assert told(file, "answer", "1 annotation is") in lines
            assert rows(file) == expected
        restore(file.path)
        # It is theirs, and they correct it.
        person.reopen(label_studio.project(title), label_studio.tasks(title)[FOOD])
        person.update("국")
    done = sync_project(file.path).pull
    assert rows(file) == [("food-01", who(file, file.project.name), ["밥", "국"])]
    assert done.findings["kind"].to_list() == []
