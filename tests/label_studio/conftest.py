"""A project of its own for every test of annotation on a real server."""

import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from annotation_projects import write_project

from blend.builders.annotation.project import ProjectFile


@pytest.fixture
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., ProjectFile]:
    """Makes a project of two questions in Korean and Persian, with a name of its own on the server."""
    name = "t" + sha256(f"{tmp_path}{request.node.nodeid}".encode()).hexdigest()[:10]

    def make(url: str, **settings: str) -> ProjectFile:
        return write_project(tmp_path, name, url, **settings)

    return make


@pytest.fixture
def chromium(missing: Callable[[str], None]) -> str:
    """The real browser."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        missing("the browser chromium")
    return str(found)
