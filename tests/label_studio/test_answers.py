"""Push and pull on a real server: what people enter is what comes out, nothing twice, nothing lost."""

from collections.abc import Callable

import pytest

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import pseudonym, read_key
from blend.builders.annotation.server.pulling import pull_project
from blend.builders.annotation.server.pushing import push_project
from blend.loaders.responses import read_responses
from helpers.label_studio.annotation_projects import QUESTIONS, write_questions
from helpers.label_studio.studio_fixtures import StudioForTests, chosen, typed

pytestmark = pytest.mark.integration  # a real Label Studio


def who(file: ProjectFile, name: str) -> str:
    return pseudonym(f"{name}@example.org", read_key(file.key_file))


@pytest.mark.landing
def test_responses_pulled_equal_those_entered(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    file = project(label_studio.url)
    push_project(check_project(file.path))
    title = f"{file.project.name} answer ko-KR"
    tasks = label_studio.tasks(title)
    assert list(tasks) == ["answer/ko-KR/food-01", "answer/ko-KR/work-01"]
    mina, jun = label_studio.person("mina"), label_studio.person("jun")
    label_studio.annotate(tasks["answer/ko-KR/food-01"], mina, typed("밥", " 국 ", "김치"))
    label_studio.annotate(
        tasks["answer/ko-KR/food-01"], jun, chosen("other"), typed("아침을 안 먹어요", control="reason")
    )
    label_studio.annotate(tasks["answer/ko-KR/work-01"], mina, chosen("idk"))
    done = pull_project(file)
    assert [(p.stage_locale.title, p.annotations, len(p.changes)) for p in done.projects] == [
        (title, 3, 3), (f"{file.project.name} answer fa-IR", 0, 0),
    ]  # fmt: skip
    responses = read_responses(file.collected, collecting=True).responses
    rows = {(row["template_id"], row["annotator"]): row for row in responses.iter_rows(named=True)}
    assert set(rows) == {
        ("food-01", who(file, "mina")), ("food-01", who(file, "jun")), ("work-01", who(file, "mina")),
    }  # fmt: skip
    assert rows["food-01", who(file, "mina")]["answers"] == ["밥", " 국 ", "김치"]
    assert rows["food-01", who(file, "jun")]["non_answer"] == "other"
    assert rows["food-01", who(file, "jun")]["reason"] == "아침을 안 먹어요"
    assert rows["work-01", who(file, "mina")]["non_answer"] == "idk"
    again = pull_project(file)
    assert [p.fetched for p in again.projects] == [False, False]
    assert not any(written.changed for written in again.written)


def test_push_twice_changes_nothing_and_a_new_template_adds_its_tasks(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    file = project(label_studio.url)
    title = f"{file.project.name} answer ko-KR"
    assert [len(plan.missing) for plan in push_project(check_project(file.path), dry_run=True)] == [2, 2]
    assert title not in {p.title for p in label_studio.sdk.projects.list(page_size=1000)}
    push_project(check_project(file.path))
    before = label_studio.tasks(title)
    assert not any(plan.changes_anything for plan in push_project(check_project(file.path)))
    assert label_studio.tasks(title) == before
    write_questions(file.collected, {**QUESTIONS, "food-02": ("Food", "What do people in {country} drink?")})
    plans = push_project(check_project(file.path))
    assert [[task.blend_id for task in plan.missing] for plan in plans] == [
        ["answer/ko-KR/food-02"], ["answer/fa-IR/food-02"],
    ]  # fmt: skip
    after = label_studio.tasks(title)
    assert set(after) - set(before) == {"answer/ko-KR/food-02"}
    assert before.items() <= after.items()
