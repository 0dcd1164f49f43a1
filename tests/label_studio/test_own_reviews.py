"""Reviews from a sheet beside pulled ones, on a real server: annotation goes on whatever becomes of them."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.server.pushing import push_project
from blend.builders.annotation.server.syncing import sync_project
from helpers.in_process import run
from helpers.label_studio.studio_fixtures import StudioForTests, typed

pytestmark = pytest.mark.integration  # a real Label Studio

annotate = partial(run, "annotate")
FOOD = "answer/ko-KR/food-01"
RECIPE = 'license = "cc-by-4.0"\n[[sources]]\nkind = "responses"\nlocation = "collected"\n'


@pytest.fixture
def reviewed(label_studio: StudioForTests, project: Callable[..., ProjectFile]) -> tuple[ProjectFile, int]:
    """Two people's answers, reviewed in a sheet; and the annotation of Kim, who alone answered 'huevos'."""
    file = project(label_studio.url, stages='["answer", "review"]', wanted="2")
    (file.base / "recipe.toml").write_text(f'name = "{file.project.name}"\nversion = "0.1.0"\n{RECIPE}')
    push_project(check_project(file.path))
    task = label_studio.tasks(f"{file.project.name} answer ko-KR")[FOOD]
    kims = label_studio.annotate(task, label_studio.person("kim"), typed("밥", "huevos"))
    label_studio.annotate(task, label_studio.person("lee"), typed("밥"))
    sync_project(file.path)
    assert len(label_studio.tasks(f"{file.project.name} review ko-KR")) == 1
    accept(file, "sheet.csv")
    return file, kims


def accept(file: ProjectFile, sheet: str, *options: str) -> None:
    """Propose a sheet, and accept it as it is."""
    run("reviews", "propose", file.base / "recipe.toml", "--out", file.base / sheet)
    run(
        "reviews",
        "accept",
        file.base / sheet,
        "--out",
        file.collected / "reviews",
        "--reviewer",
        "r02",
        *options,
    )


def decided(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_corrected_answer_stops_nobody(label_studio: StudioForTests, reviewed: tuple[ProjectFile, int]):
    file, kims = reviewed
    own = file.collected / "reviews" / "ko-KR.own.jsonl"
    # Nobody is shown what the sheet has decided in full.
    sync_project(file.path)
    assert label_studio.tasks(f"{file.project.name} review ko-KR") == {}
    before = own.read_text(encoding="utf-8")
    label_studio.sdk.annotations.update(kims, result=[typed("밥", "chilaquiles")])
    detail = (
        "decides on 'huevos', which nobody answers any more; passed over, until `blend reviews propose` and "
        "`blend reviews accept --update` review the question again"
    )
    assert f"lost-answer-in-a-file: 1\n  reviews/ko-KR.own.jsonl:1: {detail}\n" in annotate("sync", file.path)
    for command in ("push", "top-up", "reliability", "sync"):
        annotate(command, file.path)
    annotate("status", file.path, "--offline")
    assert f"Note: reviews/ko-KR.own.jsonl:1: {detail}.\n" in annotate("check", file.path)
    assert own.read_text(encoding="utf-8") == before
    # What was decided on the others is prefilled on the page of all.
    (page,) = label_studio.tasks(f"{file.project.name} review ko-KR").values()
    shown = label_studio.sdk.tasks.get(str(page)).data["answers"]
    assert {one["title"] for one in shown} == {"밥", "chilaquiles"}
    accept(file, "again.csv", "--update")
    assert "huevos" not in own.read_text(encoding="utf-8")
    assert "lost-answer" not in annotate("sync", file.path)
    assert label_studio.tasks(f"{file.project.name} review ko-KR") == {}


def test_the_answers_of_whoever_is_forgotten_leave_sheets_too(
    label_studio: StudioForTests, reviewed: tuple[ProjectFile, int]
):
    file, _ = reviewed
    own = file.collected / "reviews" / "ko-KR.own.jsonl"
    told = annotate("forget", file.path, "kim@example.org", "--yes")
    assert f"On {label_studio.url}: 1 annotation and 0 drafts deleted, and 1 page of reviews" in told
    assert f"{own}: their answers removed\n" in told
    assert "  delete sheets of `blend reviews propose` that hold what they answered\n" in told
    (review,) = decided(own)
    assert review["groups"] == [{"answers": ["밥"], "en_answers": []}]
    for path in [*file.pulled.rglob("*"), *file.collected.rglob("*")]:
        assert not path.is_file() or "huevos" not in path.read_text(encoding="utf-8")
    sync_project(file.path)
    # With the last answer the review goes, and with the last review the file.
    annotate("forget", file.path, "lee@example.org", "--yes")
    assert not own.exists()
    sync_project(file.path)


def test_a_review_of_all_answers_on_the_server_takes_the_place_of_one_of_some(
    label_studio: StudioForTests, reviewed: tuple[ProjectFile, int]
):
    file, kims = reviewed
    recipe = file.base / "recipe.toml"
    label_studio.sdk.annotations.update(kims, result=[typed("밥", "chilaquiles")])
    sync_project(file.path)
    (page,) = label_studio.tasks(f"{file.project.name} review ko-KR").values()
    items = {one["title"]: one["id"] for one in label_studio.sdk.tasks.get(str(page)).data["answers"]}
    columns = {"g1": [items["밥"]], "g2": [items["chilaquiles"]]}
    ranked = {"from_name": "groups", "to_name": "answers", "type": "ranker", "value": {"ranker": columns}}
    label_studio.annotate(page, label_studio.person("rim"), ranked, typed("rice", control="english_1"))
    told = annotate("sync", file.path)
    assert "reviewed-in-a-file: 1\n" in told
    assert "lost-answer" not in told
    assert "Note: reviews" not in annotate("check", file.path)
    run("build", recipe, "--out", file.base / "release")
    # The sheet stays as it was, and counts again once it decides on as many.
    run("reviews", "propose", recipe, "--all", "--out", file.base / "again.csv")
    run("reviews", "accept", file.base / "again.csv", "--out", file.collected / "reviews", "--update")
    for command in ("check", "push", "sync"):
        annotate(command, file.path)
    assert not (file.collected / "reviews" / "ko-KR.jsonl").exists()
