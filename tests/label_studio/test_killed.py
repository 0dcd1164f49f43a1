"""Kills and races: whatever stops a push or a pull, the same command completes it, and nothing is doubled."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pulling import pull_project
from helpers.label_studio.annotation_projects import push, write_project
from helpers.label_studio.killed_leads import pulled_state, run_leads
from helpers.label_studio.studio_fixtures import StudioForTests, chosen, typed

pytestmark = pytest.mark.integration  # a real Label Studio, and processes that are killed

MOMENTS = 20
ONE = ("ko-KR",)
"""Locales of a project: nothing turns on their number."""


def spread(total: int) -> list[int]:
    """Moments from the first to the last, evenly."""
    return [round(number * (total - 1) / (MOMENTS - 1)) for number in range(MOMENTS)]


def test_a_push_killed_at_any_of_20_moments_is_completed_by_the_next(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], tmp_path: Path
):
    name = project(label_studio.url).project.name
    files = [write_project(tmp_path / str(n), f"{name}.{n}", label_studio.url, ONE) for n in range(MOMENTS + 1)]
    ((killed, total),) = run_leads("push", files[-1].path)
    assert not killed
    assert total > MOMENTS
    for moment, file in zip(spread(total), files, strict=False):
        assert run_leads("push", file.path, moment=moment) == [(True, moment + 1)]
        push(file.path)
    for file in files:
        # The server may have gone on importing what the killed one has sent: the next sync removes the copies.
        push(file.path)
    titles = [project.title for project in label_studio.sdk.projects.list(page_size=1000)]
    for file in files:
        title = f"{file.project.name} answer ko-KR"
        assert titles.count(title) == 1
        assert set(label_studio.tasks(title)) == {"answer/ko-KR/food-01", "answer/ko-KR/work-01"}


def test_two_leads_pushing_at_once_make_everything_once(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], tmp_path: Path
):
    name = project(label_studio.url).project.name
    for race in range(3):
        files = [
            write_project(tmp_path / f"{race}.{lead}", f"{name}.{race}", label_studio.url, ONE)
            for lead in range(2)
        ]
        assert all(not killed for killed, _ in run_leads("push", *(file.path for file in files)))
        titles = [project.title for project in label_studio.sdk.projects.list(page_size=1000)]
        title = f"{name}.{race} answer ko-KR"
        assert titles.count(title) == 1
        assert len(label_studio.tasks(title)) == 2
        assert not any(plan.changes_anything for plan in push(files[0].path))


def test_a_pull_killed_at_any_of_20_moments_is_completed_by_the_next(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], tmp_path: Path
):
    file = write_project(tmp_path / "base", project(label_studio.url).project.name, label_studio.url, ONE)
    push(file.path)
    tasks = label_studio.tasks(f"{file.project.name} answer ko-KR")
    mina = label_studio.person("mina")
    first = label_studio.annotate(tasks["answer/ko-KR/food-01"], mina, typed("밥", "국"))
    pull_project(file)
    # News of every kind, on top of what was pulled before.
    label_studio.sdk.annotations.update(first, result=[typed("빵")])
    label_studio.annotate(tasks["answer/ko-KR/work-01"], mina, chosen("no-answer"))
    base = file.path.parent
    copies = [base.with_name(f"{base.name}-{number}") for number in range(MOMENTS + 1)]
    for copy in copies:
        shutil.copytree(base, copy)
    ((killed, total),) = run_leads("pull", copies[-1] / "project.toml")
    assert not killed
    expected = pulled_state(copies[-1])
    assert expected["responses"] != pulled_state(base)["responses"]
    for moment, copy in zip(spread(total), copies, strict=False):
        assert run_leads("pull", copy / "project.toml", moment=moment) == [(True, moment + 1)]
        assert run_leads("pull", copy / "project.toml")[0][0] is False
        assert pulled_state(copy) == expected
