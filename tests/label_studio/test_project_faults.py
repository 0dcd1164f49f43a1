"""Projects that were changed by hand on a real server, and files in the way: the whole message for each."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pulling import pull_project
from blend.builders.annotation.status import project_status, status_page
from blend.schemas.errors import BlendError, ConflictError
from helpers.label_studio.annotation_projects import push
from helpers.label_studio.studio_fixtures import StudioForTests, chosen, typed

FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"


def message(call: Callable[[], object], kind: type[BlendError]) -> str:
    with pytest.raises(kind) as raised:
        call()
    return str(raised.value)


def pushed(studio: StudioForTests, project: Callable[..., ProjectFile]) -> tuple[ProjectFile, str]:
    file = project(studio.url)
    push(file.path)
    return file, f"{file.project.name} answer ko-KR"


@pytest.mark.integration  # a real Label Studio
def test_a_wrong_token(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], monkeypatch: pytest.MonkeyPatch
):
    file = project(label_studio.url)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "f" * 40)
    assert message(lambda: push(file.path), BlendError) == (
        f"Label Studio at {label_studio.url}: does not accept the token; copy it anew (Account & "
        "Settings), and "
        "set LABEL_STUDIO_API_KEY to it"
    )


@pytest.mark.integration
@pytest.mark.filterwarnings("ignore:The `parse_obj` method is deprecated")  # by which the SDK reads its tokens
def test_a_personal_access_token_will_do(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.sdk.tokens.create().token)
    _, title = pushed(label_studio, project)
    assert set(label_studio.tasks(title)) == {FOOD, WORK}


@pytest.mark.integration
def test_a_change_that_would_orphan_annotations(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    file, title = pushed(label_studio, project)
    number = label_studio.project(title)
    config = label_studio.sdk.projects.get(number).label_config
    more = '<Choices name="mood" toName="question"><Choice value="fine"/></Choices></View>'
    label_studio.sdk.projects.update(number, label_config=config.strip().removesuffix("</View>") + more)
    mood = {**chosen("fine", control="mood"), "id": "m"}
    label_studio.annotate(label_studio.tasks(title)[FOOD], label_studio.person("mina"), mood)
    told = message(lambda: push(file.path), ConflictError)
    assert told.startswith(
        f"{title}: the server does not take its new page; give the project file another name, which makes new "
        "projects, or keep the parts that annotations refer to ("
    )
    assert "mood" in told


@pytest.mark.integration
def test_two_projects_of_one_mark_with_annotations_in_both(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    file, title = pushed(label_studio, project)
    number = label_studio.project(title)
    original = label_studio.sdk.projects.get(number)
    copy = label_studio.sdk.projects.create(
        title=f"{title} copy", description=original.description, label_config=original.label_config
    ).id
    label_studio.sdk.projects.import_tasks(
        copy, request=[{"data": {"blend_id": FOOD, "question": "?", "en_question": "?"}}]
    )
    mina = label_studio.person("mina")
    label_studio.annotate(label_studio.tasks(title)[FOOD], mina, typed("밥"))
    label_studio.annotate(label_studio.tasks(f"{title} copy")[FOOD], mina, typed("밥"))
    assert message(lambda: push(file.path), ConflictError) == (
        f"Label Studio at {label_studio.url}: projects {number} and {copy} are both marked as "
        f"{file.project.name}/answer/ko-KR, and both have annotations; remove the last line from "
        "the description of "
        "the one that is not to count"
    )


@pytest.mark.integration
def test_whatever_people_and_programs_enter_is_taken_or_told(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    file, title = pushed(label_studio, project)
    tasks = label_studio.tasks(title)
    people = [label_studio.person(name) for name in ("mina", "jun", "seo", "han", "ryu", "kim")]
    hostile = "<script>alert(1)</script>\x1b[31m \u202e밥"
    enter = label_studio.annotate
    enter(tasks[FOOD], people[0], typed("1", "2", "3", "4"))
    enter(tasks[FOOD], people[1], typed("  "))
    enter(tasks[FOOD], people[2], typed("밥"), chosen("idk"))
    enter(tasks[FOOD], people[3], typed("밥", control="nothing-of-ours"))
    enter(tasks[FOOD], people[4], typed("밥"), skipped=True)
    enter(tasks[FOOD], people[5], typed(hostile))
    enter(tasks[WORK], people[0], typed("x" * 1_000_000))
    enter(tasks[WORK], people[1], typed("18:00"))
    enter(tasks[WORK], people[1], typed("19:00"))
    done = pull_project(file)
    assert sorted(set(done.findings["kind"])) == [
        "annotated-twice", "answer-and-non-answer", "blank-text", "empty-annotation", "overlong-text",
        "skipped-task", "too-many-answers", "unknown-control",
    ]  # fmt: skip
    rows = [
        json.loads(line) for line in (file.collected / "responses" / "ko-KR.jsonl").read_text().splitlines()
    ]
    assert sorted((row["template_id"], row["answers"]) for row in rows) == [
        ("food-01", ["1", "2", "3"]), ("food-01", [hostile]), ("work-01", ["19:00"]),
    ]  # fmt: skip
    page = status_page(project_status(check_project(file.path), today=datetime.now(UTC).date()))
    assert "<script>" not in page
