"""Options on a real server: natives read them by keyboard alone, and one more where they disagree."""

import json
from collections.abc import Callable

import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pulling import pull_project
from blend.builders.annotation.syncing import sync_project
from blend.cli.annotation_lines import push_lines
from blend.loaders.responses.verdicts import read_verdicts
from helpers.in_process import run
from helpers.label_studio.annotation_projects import push
from helpers.label_studio.annotator_in_browser import annotator
from helpers.label_studio.studio_fixtures import StudioForTests, ticked, typed
from helpers.questions.lunch import lunch

pytestmark = pytest.mark.integration  # a real Label Studio

SHOWN = ["meat pie", "pizza", "tacos", "homework", "salad", "soup"]
"""What is shown as wrong of the UK, in the order of the page."""


@pytest.fixture
def file(project: Callable[..., ProjectFile], label_studio: StudioForTests) -> ProjectFile:
    """A project in which people of the UK read what questions about their lunch may show."""
    made = project(
        label_studio.url, locales=["en-GB"], stages='["mcq-review"]', recipe='"collected/recipe.toml"'
    )
    lunch(made.collected)
    return made


def test_a_third_native_is_asked_where_two_differ(label_studio: StudioForTests, file: ProjectFile):
    push(file.path)
    title = f"{file.project.name} mcq-review en-GB"
    ((name, task),) = label_studio.tasks(title).items()
    assert name.startswith("mcq-review/en-GB/food-00/")
    shown = label_studio.sdk.tasks.get(str(task)).data
    assert [box["alias"] for box in shown["also_right"]] == SHOWN
    mina, jun, han = (label_studio.person(one) for one in ("mina", "jun", "han"))
    label_studio.annotate(task, mina, ticked("silly", "meat pie"), typed("nobody eats it", control="why"))
    label_studio.annotate(task, jun)
    lines = push_lines(sync_project(file.path).plans or (), dry_run=False)
    assert f"{title}: 1 task asked of more people" in lines
    assert label_studio.sdk.tasks.get(str(task)).overlap == 3
    assert label_studio.sdk.tasks.get(str(task)).is_labeled is False
    verdicts = read_verdicts(file.base / "decided" / "verdicts.jsonl")
    assert verdicts["verdict"].value_counts(sort=True).rows() == [("ok", 13), ("silly", 1)]
    label_studio.annotate(task, han, ticked("silly", "meat pie"), ticked("also_right", "pizza"))
    sync_project(file.path)
    read = json.loads(run("annotate", "status", file.path, "--offline", "--json"))["options"][-1]
    assert (read["options"], read["by_natives"], read["read_twice"]) == (7, 7, 7)
    assert read["alike"] == pytest.approx(5 / 7)
    recipe = file.collected / "recipe.toml"
    text = recipe.read_text().partition("[mcq]")[0]
    recipe.write_text(f'{text}[mcq]\nverdicts = "../decided/verdicts.jsonl"\n')
    # What natives have read is not asked again, and what they are at stays.
    (line, last) = push_lines(push(file.path), dry_run=False)
    assert line.startswith(f"{title}: 1 task changed or not asked for any more, and kept")
    assert last.startswith("Everything is there")


def test_a_page_is_read_by_keyboard_alone(label_studio: StudioForTests, file: ProjectFile, chromium: str):
    push(file.path)
    with annotator(chromium, label_studio.url) as person:
        person.sign_up(f"{file.project.name}@example.org")
        person.begin(label_studio.project(f"{file.project.name} mcq-review en-GB"))
        for key in ("b", "Shift+A", "f", "f"):
            person.press(key)
        sent = person.submit(tab=False)
        assert person.complaints == []
    assert [(one["from_name"], one["value"]["choices"]) for one in sent] == [
        ("also_right", ["pizza"]),
        ("silly", ["meat pie"]),
    ]
    pull_project(file)
    verdicts = read_verdicts(file.base / "decided" / "verdicts.jsonl")
    assert dict(verdicts.select("option", "verdict").iter_rows()) == {
        **dict.fromkeys(["sandwich", *SHOWN], "ok"),
        "pizza": "also_correct",
        "meat pie": "silly",
    }
