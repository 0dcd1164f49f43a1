"""Projects on a server in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from blend.builders.annotation import pulling
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.syncing import sync_project
from helpers.label_studio.annotation_projects import write_project
from helpers.label_studio.fake_studio import FOOD, FakeStudio, review
from helpers.label_studio.studio_fixtures import typed


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeStudio:
    """A server that commands of this test find wherever they look."""
    studio = FakeStudio()

    @contextmanager
    def connected(*_: Any, **__: Any) -> Iterator[FakeStudio]:
        yield studio

    monkeypatch.setattr(pulling, "label_studio", connected)
    return studio


@pytest.fixture
def file(tmp_path: Path, fake: FakeStudio) -> ProjectFile:
    """A project that asks two questions in Korean of two people each, and is on the server."""
    file = write_project(tmp_path, "t", "http://fake", ["ko-KR"], stages='["answer", "review"]', wanted="2")
    sync_project(file.path)
    return file


@pytest.fixture
def reviewed(file: ProjectFile, fake: FakeStudio) -> ProjectFile:
    """Two people have answered what is eaten for breakfast, and a third has reviewed it."""
    fake.annotate(FOOD, "kim", typed("라면", "김밥"))
    fake.annotate(FOOD, "lee", typed("라면"))
    sync_project(file.path)
    review(fake, "rim", ("라면", "instant noodles"), ("김밥", "gimbap"))
    sync_project(file.path)
    return file
