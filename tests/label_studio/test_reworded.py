"""Questions that change after they were answered, on a real server: it is told, and their pages stay."""

from collections.abc import Callable
from functools import partial

import pytest

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.server.pulling import pull_project
from blend.builders.annotation.server.pushing import push_project
from blend.builders.annotation.server.syncing import sync_project
from blend.views.annotation import pull_lines, push_lines
from helpers.in_process import run
from helpers.label_studio.annotation_projects import QUESTIONS, write_questions
from helpers.label_studio.studio_fixtures import StudioForTests, typed

pytestmark = pytest.mark.integration  # a real Label Studio

annotate = partial(run, "annotate")

FOOD = "answer/ko-KR/food-01"
ENGLISH = "What do people in South Korea eat for breakfast?"
NEW = "What do people in South Korea drink for breakfast?"
TOLD = (
    f"2 responses to food-01 answered '{ENGLISH}', and count for '{NEW}', as it asks now; if that asks for "
    "something else, give it an id of its own"
)
FIX = "give what asks for something else now an id of its own, so that it is asked anew"
BROUGHT = [
    "Brought back: 2 annotations.",
    f"  {FOOD} asks in other words there than it was answered in: others have annotated it or begun to",
]


@pytest.fixture
def reworded(label_studio: StudioForTests, project: Callable[..., ProjectFile]) -> ProjectFile:
    """A project of which mina and jun have answered a question, which asks for something else since."""
    file = project(label_studio.url, wanted="2")
    push_project(check_project(file.path))
    task = label_studio.tasks(f"{file.project.name} answer ko-KR")[FOOD]
    for person in ("mina", "jun"):
        label_studio.annotate(task, label_studio.person(person), typed("밥"))
    assert pull_project(file).findings.is_empty()
    food = ("Food", "What do people in {country} drink for breakfast?")
    write_questions(file.collected, {**QUESTIONS, "food-01": food})
    return file


def test_answers_to_other_words_are_told_by_every_command(label_studio: StudioForTests, reworded: ProjectFile):
    file, title = reworded, f"{reworded.project.name} answer ko-KR"
    done = sync_project(file.path)
    assert pull_lines(done.pull)[-2:] == ["reworded-question: 1", f"  {TOLD}"]
    what = f"1 task that people have annotated asks in other words than now, and stays: food-01; {FIX}"
    assert push_lines(done.push, dry_run=False)[0] == f"{title}: {what}"
    for command in (("check", file.path), ("status", file.path, "--offline")):
        assert f"Note: {TOLD}." in annotate(*command)
