"""A project of its own for every test of annotation on a real server."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from blend.builders.annotation.project import ProjectFile
from helpers.label_studio.annotation_projects import write_project


@pytest.fixture
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., ProjectFile]:
    """Makes a project of two questions in Korean and Persian, with a name of its own on the server."""
    name = "t" + sha256(f"{tmp_path}{request.node.nodeid}".encode()).hexdigest()[:10]

    def make(url: str, **settings: str) -> ProjectFile:
        return write_project(tmp_path, name, url, **settings)

    return make
