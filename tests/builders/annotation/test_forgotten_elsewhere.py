"""Another machine: nobody who was forgotten comes back there."""

import shutil
from pathlib import Path

import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import pseudonym, read_key
from blend.builders.annotation.server.forgetting import forget_person
from blend.builders.annotation.server.pulling import pull_project
from blend.schemas.errors import BlendError
from helpers.label_studio.pulled_projects import KIM, LEE, assert_nowhere, rows


@pytest.mark.slow
def test_who_is_forgotten_does_not_come_back_elsewhere(pulled: ProjectFile, tmp_path: Path):
    exports = [pulled.base / f"{stage}.json" for stage in ("answer", "review")]
    clone, other = ProjectFile(tmp_path / "clone/project.toml", pulled.project), tmp_path / "other"
    shutil.copytree(pulled.base, other, ignore=shutil.ignore_patterns("clone"))
    forget_person(pulled, KIM)
    kim, lee = (pseudonym(who, read_key(pulled.key_file)) for who in (KIM, LEE))
    assert kim in (pulled.base / "forgotten.txt").read_text()
    written = rows(pulled.collected / "responses/ko-KR.jsonl")
    # A copy without the pull folder, and one with that of before.
    shutil.copytree(pulled.base, clone.base, ignore=shutil.ignore_patterns("clone", "other", "pulled"))
    shutil.copy(pulled.base / "forgotten.txt", other)
    for file in (clone, ProjectFile(other / "project.toml", pulled.project)):
        shutil.rmtree(file.collected / "responses")
        shutil.rmtree(file.collected / "reviews")
        for _ in range(2):
            pull_project(file, exports=exports)
            assert rows(file.collected / "responses/ko-KR.jsonl") == written
            assert {row["annotator"] for row in written} == {lee}
            assert_nowhere(file, kim)
        assert forget_person(file, KIM).lines == []


@pytest.mark.slow
def test_a_damaged_list_of_the_forgotten_brings_nobody_back(pulled: ProjectFile):
    forget_person(pulled, KIM)
    names = pulled.base / "forgotten.txt"
    listed = names.read_text()
    names.write_text(f"{listed}<<<<<<< HEAD\n")
    with pytest.raises(BlendError) as raised:
        pull_project(pulled, exports=[pulled.base / "answer.json"])
    number = len(listed.splitlines()) + 1
    assert str(raised.value) == (
        f"{names}:{number}: '<<<<<<< HEAD' is not a pseudonym, and whoever is not named here would come back; "
        "write p- and 12 digits and letters, one a line, or bring the file back"
    )
