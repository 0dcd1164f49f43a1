"""Options on a real server: what natives refuse, a build leaves out; where they disagree, one more reads."""

import json
from collections.abc import Callable

import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pulling import pull_project
from blend.builders.annotation.syncing import sync_project
from blend.builders.release.tables import build_tables
from blend.loaders.recipes import read_recipe
from blend.loaders.responses.verdicts import read_verdicts
from blend.views.annotation import push_lines
from helpers.in_process import run
from helpers.label_studio.annotation_projects import push
from helpers.label_studio.annotator_in_browser import annotator
from helpers.label_studio.studio_fixtures import StudioForTests, ticked, typed

pytestmark = pytest.mark.integration  # a real Label Studio

LUNCH = {
    "en-GB": ("the UK", "sandwich", "crisps"),
    "en-US": ("the US", "pizza", "salad"),
    "en-AU": ("Australia", "meat pie", "homework"),
    "es-MX": ("Mexico", "tacos", "soup"),
}
"""By locale, its country and what three and two of five people there have for lunch."""

SHOWN = ["meat pie", "pizza", "tacos", "homework", "salad", "soup"]
"""What is shown as wrong of the UK, in the order of the page."""

RECIPE = 'name = "lunch"\nversion = "0.1.0"\nlicense = "cc-by-4.0"\n[[sources]]\nkind = "responses"\n'


@pytest.fixture
def lunch(project: Callable[..., ProjectFile], label_studio: StudioForTests) -> ProjectFile:
    """A project in which people of the UK read what questions about their lunch may show."""
    file = project(label_studio.url, locales=["en-GB"], stages='["mcq-review"]', recipe='"recipe.toml"')
    (file.base / "recipe.toml").write_text(f'{RECIPE}location = "collected"\n')
    text = "What do people in {} mostly eat for lunch?"
    (file.collected / "templates.csv").write_text(
        f"template_id,topic,source_locale,text\nfood-01,Food,,{text.format('{country}')}\n"
    )
    asked = [text.format(country) for country, _, _ in LUNCH.values()]
    rows = [f"food-01,{tag},{one},{one}" for tag, one in zip(LUNCH, asked, strict=True)]
    (file.collected / "questions.csv").write_text(
        "\n".join(["template_id,locale,question,en_question", *rows, ""])
    )
    for kind in ("responses", "reviews"):
        (file.collected / kind).mkdir()
    for tag, (_, most, some) in LUNCH.items():
        given = [f"food-01,a{n},{most if n < 4 else some}" for n in range(1, 6)]
        path = file.collected / "responses" / f"{tag}.csv"
        path.write_text("\n".join(["template_id,annotator,answer_1", *given, ""]))
    (file.collected / "reviews" / "es-MX.jsonl").write_text(
        '{"template_id": "food-01", "reviewer": "r02", "groups": ['
        '{"answers": ["tacos"], "en_answers": ["tacos"]}, {"answers": ["soup"], "en_answers": ["soup"]}]}\n'
    )
    return file


def shown_options(file: ProjectFile) -> set[str]:
    """What the questions about the UK show, with the verdicts that were pulled."""
    path = file.base / "recipe.toml"
    path.write_text(f'{RECIPE}location = "collected"\n[mcq]\nverdicts = "decided/verdicts.jsonl"\n')
    built = build_tables(read_recipe(path), base=file.base)
    return {
        option
        for batch in built.mcqs.batches()
        for options in batch.filter(locale="en-GB")["options"]
        for option in options
    }


def test_a_third_native_decides_and_the_build_follows(label_studio: StudioForTests, lunch: ProjectFile):
    push(lunch.path)
    title = f"{lunch.project.name} mcq-review en-GB"
    ((name, task),) = label_studio.tasks(title).items()
    assert name.startswith("mcq-review/en-GB/food-01/")
    shown = label_studio.sdk.tasks.get(str(task)).data
    assert [box["alias"] for box in shown["also_right"]] == SHOWN
    mina, jun, han = (label_studio.person(one) for one in ("mina", "jun", "han"))
    label_studio.annotate(task, mina, ticked("silly", "meat pie"), typed("nobody eats it", control="why"))
    label_studio.annotate(task, jun)
    lines = push_lines(sync_project(lunch.path).plans or (), dry_run=False)
    assert f"{title}: 1 task asked of more people" in lines
    assert label_studio.sdk.tasks.get(str(task)).overlap == 3
    assert label_studio.sdk.tasks.get(str(task)).is_labeled is False
    verdicts = read_verdicts(lunch.base / "decided" / "verdicts.jsonl")
    assert verdicts["verdict"].value_counts(sort=True).rows() == [("ok", 13), ("silly", 1)]
    label_studio.annotate(task, han, ticked("silly", "meat pie"), ticked("also_right", "pizza"))
    sync_project(lunch.path)
    # Two of three refuse meat pie, so that another answer takes its place; two of three accept pizza.
    assert shown_options(lunch) >= {"sandwich", "pizza", "homework"}
    assert "meat pie" not in shown_options(lunch)
    read = json.loads(run("annotate", "status", lunch.path, "--offline", "--json"))["options"][-1]
    assert (read["options"], read["by_natives"], read["read_twice"]) == (7, 7, 7)
    assert read["alike"] == pytest.approx(5 / 7)
    # What natives have read is not asked again, and what they are at stays.
    (line, last) = push_lines(push(lunch.path), dry_run=False)
    assert line.startswith(f"{title}: 1 task changed or not asked for any more, and kept")
    assert last.startswith("Everything is there")


def test_a_page_is_read_by_keyboard_alone(label_studio: StudioForTests, lunch: ProjectFile, chromium: str):
    push(lunch.path)
    with annotator(chromium, label_studio.url) as person:
        person.sign_up(f"{lunch.project.name}@example.org")
        person.begin(label_studio.project(f"{lunch.project.name} mcq-review en-GB"))
        for key in ("b", "Shift+A", "f", "f"):
            person.press(key)
        sent = person.submit(tab=False)
        assert person.complaints == []
    assert [(one["from_name"], one["value"]["choices"]) for one in sent] == [
        ("also_right", ["pizza"]),
        ("silly", ["meat pie"]),
    ]
    pull_project(lunch)
    verdicts = read_verdicts(lunch.base / "decided" / "verdicts.jsonl")
    assert dict(verdicts.select("option", "verdict").iter_rows()) == {
        **dict.fromkeys(["sandwich", *SHOWN], "ok"),
        "pizza": "also_correct",
        "meat pie": "silly",
    }
    # One question, of which the options that were refused are none.
    asked = shown_options(lunch)
    assert len(asked) == 4
    assert {"sandwich"} < asked <= {"sandwich", *SHOWN} - {"pizza", "meat pie"}
