"""Projects that were changed by hand on a real server, and files in the way: the whole message for each."""

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.server.page import status_page
from blend.builders.annotation.server.progress import project_status
from blend.builders.annotation.server.pulling import pull_project
from blend.builders.annotation.server.pushing import push_project
from blend.loaders.label_studio.folder import held
from blend.loaders.responses import read_responses
from blend.schemas.errors import BlendError, ConflictError, InputError
from helpers.label_studio.annotation_projects import QUESTIONS, write_questions
from helpers.label_studio.studio_fixtures import StudioForTests, chosen, typed

FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"


def message(call: Callable[[], object], kind: type[BlendError]) -> str:
    with pytest.raises(kind) as raised:
        call()
    return str(raised.value)


def pushed(studio: StudioForTests, project: Callable[..., ProjectFile]) -> tuple[ProjectFile, str]:
    file = project(studio.url)
    push_project(check_project(file.path))
    return file, f"{file.project.name} answer ko-KR"


@pytest.mark.integration  # a real Label Studio
def test_a_wrong_token(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], monkeypatch: pytest.MonkeyPatch
):
    file = project(label_studio.url)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "f" * 40)
    assert message(lambda: push_project(check_project(file.path)), BlendError) == (
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
def test_a_configuration_edited_by_hand(label_studio: StudioForTests, project: Callable[..., ProjectFile]):
    file, title = pushed(label_studio, project)
    number = label_studio.project(title)
    config = label_studio.sdk.projects.get(number).label_config
    by_hand = '<Header value="by hand"/></View>'
    label_studio.sdk.projects.update(number, label_config=config.strip().removesuffix("</View>") + by_hand)
    assert message(lambda: push_project(check_project(file.path)), ConflictError) == (
        f"Label Studio at {label_studio.url}: project {title!r}: its labelling configuration was "
        "edited by hand; put "
        "it back as it was, or replace it with `blend annotate push --replace-edited`, which keeps "
        "all annotations"
    )
    (plan, _) = push_project(check_project(file.path), replace_edited=True)
    assert plan.sets_config
    assert label_studio.sdk.projects.get(number).label_config.strip() == config.strip()


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
    assert message(lambda: push_project(check_project(file.path), replace_edited=True), ConflictError) == (
        f"Label Studio at {label_studio.url}: project {title!r}: the new labelling configuration lacks Choices "
        "'mood', so that 1 annotation would lose what it refers to; give the project file another name, which "
        "makes new projects, or keep these parts"
    )


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
    assert message(lambda: push_project(check_project(file.path)), ConflictError) == (
        f"Label Studio at {label_studio.url}: projects {number} and {copy} are both marked as "
        f"{file.project.name}/answer/ko-KR, and both have annotations; remove the last line from "
        "the description of "
        "the one that is not to count"
    )


@pytest.mark.integration
def test_pulling_what_was_never_pushed(label_studio: StudioForTests, project: Callable[..., ProjectFile]):
    file = project(label_studio.url)
    assert message(lambda: pull_project(file), ConflictError) == (
        f"Label Studio at {label_studio.url}: holds nothing of project {file.project.name!r}; bring "
        "it there with "
        f"`blend annotate push {file.path}`"
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


@pytest.mark.integration
def test_an_export_file_in_place_of_the_server(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], tmp_path: Path
):
    file, title = pushed(label_studio, project)
    label_studio.annotate(label_studio.tasks(title)[FOOD], label_studio.person("mina"), typed("밥"))
    pull_project(file)
    responses = file.collected / "responses" / "ko-KR.jsonl"
    before = responses.read_text()
    export = tmp_path / "export.json"
    of_project = label_studio.sdk.projects.exports.download_sync(
        label_studio.project(title), export_type="JSON"
    )
    export.write_bytes(b"".join(of_project))
    responses.unlink()
    done = pull_project(file, exports=[export])
    assert responses.read_text() == before
    assert not any(project.changes for project in done.projects)
    # Nor does anybody get another name where nothing was pulled before.
    shutil.rmtree(file.pulled)
    responses.unlink()
    pull_project(file, exports=[export])
    assert responses.read_text() == before
    # The server is asked again afterwards, and has nothing else to say.
    assert [one.fetched for one in pull_project(file).projects] == [True, True]
    assert responses.read_text() == before


def test_export_files_that_cannot_be_taken(project: Callable[..., ProjectFile], tmp_path: Path):
    file = project("http://127.0.0.1:1")
    path = tmp_path / "export.json"
    task = {"id": 1, "data": {"blend_id": FOOD}, "annotations": []}
    as_json = "export the project as JSON, not as JSON-MIN or in another format"
    named = "the project file names only answer/ko-KR, answer/fa-IR"
    elsewhere = {**task, "data": {"blend_id": "answer/ja-JP/food-01"}}
    broken = {
        json.dumps([task])[:30]: (
            "is cut off after 30 bytes; nothing was taken from it; export the project again, and look that the "
            "download ends"
        ),
        '[{"id": 1} {"id": 2}]': "not JSON (Expecting ',' delimiter); export the project again as JSON",
        '{"id": 1}': "not a list of tasks; export the project as JSON, not in another format",
        '[{"id": 1, "blend_id": "x"}]': f"not a task with id and data; {as_json}",
        '[{"id": 1, "data": {}, "annotations": [{"id": "x"}]}]': (
            f"not an annotation with id and result; {as_json}"
        ),
        '[{"id": 1, "data": {}, "annotations": []}]': (
            "holds 1 task, none of which was made by blend; give the export of a project that `blend annotate "
            "push` has made"
        ),
        json.dumps([elsewhere]): f"is about answer/ja-JP, and {named}",
    }
    for content, expected in broken.items():
        path.write_text(content)
        place, _, told = message(lambda: pull_project(file, exports=[path]), InputError).partition(": ")
        assert place.partition(",")[0] in (str(path), f"{path}:1")
        assert told == expected
    path.write_text(json.dumps([task]))
    again = tmp_path / "again.json"
    again.write_text(json.dumps([task]))
    assert message(lambda: pull_project(file, exports=[path, again]), InputError) == (
        f"{again}: is about {file.project.name + ' answer ko-KR'!r}, as {path} is; give one of the two"
    )


def test_rows_of_others_are_never_replaced(project: Callable[..., ProjectFile], tmp_path: Path):
    file = project("http://127.0.0.1:1")
    export = tmp_path / "export.json"
    made = {
        "id": 5,
        "completed_by": {"email": "mina@example.org"},
        "result": [typed("밥")],
        "created_at": "2026-11-20T10:00:00Z",
    }
    export.write_text(
        json.dumps(
            [
                {
                    "id": 1,
                    "data": {"blend_id": FOOD, "template_id": "food-01", "locale": "ko-KR"},
                    "annotations": [made],
                }
            ]
        )
    )
    theirs = file.collected / "responses" / "ko-KR.jsonl"
    theirs.parent.mkdir()
    theirs.write_text('{"template_id": "food-01", "annotator": "a01", "answers": ["국"]}\n')
    assert message(lambda: pull_project(file, exports=[export]), ConflictError) == (
        f"{theirs}: holds rows that no pull has written, and would be replaced; move it out of the "
        "folder, or rename it there, as to ko-KR.own.jsonl: its reviews then count in place of those on the "
        "server, and its responses beside them, if its people are others"
    )
    assert theirs.read_text().count("\n") == 1
    theirs = theirs.rename(theirs.with_name("ko-KR.own.jsonl"))
    pull_project(file, exports=[export])
    answers = read_responses(file.collected, collecting=True).responses["answers"].to_list()
    assert sorted(answers) == [["국"], ["밥"]]
    theirs = theirs.with_name("ko-KR.jsonl")
    theirs.write_text(theirs.read_text().replace("밥", "쌀밥"))
    made["result"] = [typed("빵")]
    with pytest.raises(ConflictError, match="holds rows that no pull has written"):
        pull_project(file, exports=[export])


def test_two_processes_with_one_pull_folder(project: Callable[..., ProjectFile]):
    file = project("http://127.0.0.1:1")
    with held(file.pulled):
        assert message(lambda: pull_project(file), ConflictError) == (
            f"{file.pulled}: another `blend annotate` is at work with this folder; wait until it has ended"
        )


def test_damaged_files_of_the_pull_folder(project: Callable[..., ProjectFile], tmp_path: Path):
    file = project("http://127.0.0.1:1")
    export = tmp_path / "export.json"
    export.write_text(json.dumps([{"id": 1, "data": {"blend_id": FOOD}, "annotations": []}]))
    pull_project(file, exports=[export])
    events = file.pulled / "events.jsonl"
    events.write_text("nothing\n")
    assert message(lambda: pull_project(file, exports=[export]), InputError) == (
        f"{events}:1: is not a line of the events; bring the file back from git or a backup: what people gave "
        "counts by this file"
    )
    events.write_text("")
    state = file.pulled / "state.json"
    for damaged in ("{", '{"projects": "x"}', '{"projects": {"a": {"project": "b"}}}', '{"written": {"a": 1}}'):
        state.write_text(damaged)
        assert message(lambda: pull_project(file, exports=[export]), InputError) == (
            f"{state}: is damaged; delete it, and everything is asked anew"
        )


def test_questions_are_read_before_a_server_is_asked(project: Callable[..., ProjectFile]):
    file = project("http://127.0.0.1:1")
    write_questions(file.collected, {**QUESTIONS, "food-01": ("Food", "")})
    with pytest.raises(BlendError, match="column text"):
        push_project(check_project(file.path))
