"""Another machine: a key is known again there, and nobody who was forgotten comes back."""

import shutil
from pathlib import Path

import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import new_key, pseudonym, read_key
from blend.builders.annotation.server.forgetting import forget_person
from blend.builders.annotation.server.pulling import pull_project
from blend.schemas.errors import BlendError
from helpers.label_studio.pulled_projects import KIM, LEE, assert_nowhere, rows


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["fingerprint", "pull folder"])
def test_another_key_is_refused_by_pseudonyms_without_a_fingerprint(pulled: ProjectFile, lost: str):
    key, written = pulled.key_file.read_text(), rows(pulled.collected / "responses/ko-KR.jsonl")
    where = pulled.pulled / "history/answer.ko-KR.jsonl"
    fingerprint = pulled.pulled / "key-fingerprint.txt"
    fingerprint.unlink()
    if lost == "pull folder":  # as in a copy of what lies beside it
        shutil.rmtree(pulled.pulled)
        where = pulled.collected / "responses/ko-KR.jsonl"
    pulled.key_file.write_text(new_key())
    accounts = pulled.base / "accounts.csv"
    accounts.write_text(f"id,email\n1,{KIM}\n2,{LEE}\n")
    with pytest.raises(BlendError) as raised:
        pull_project(pulled, exports=[pulled.base / "answer.json"], accounts_file=accounts)
    assert str(raised.value) == (
        f"{pulled.key_file}: makes of no account that is known a pseudonym in {where}; bring back the one that "
        "this project began with, since with another key everybody gets another pseudonym, and whoever was "
        "forgotten comes back; or move the file away, if it is of other people"
    )
    assert not fingerprint.exists()
    pulled.key_file.write_text(key)
    pull_project(pulled, exports=[pulled.base / "answer.json"], accounts_file=accounts)
    assert rows(pulled.collected / "responses/ko-KR.jsonl") == written


@pytest.mark.slow
def test_who_is_forgotten_does_not_come_back_elsewhere(pulled: ProjectFile, tmp_path: Path):
    exports = [pulled.base / f"{stage}.json" for stage in ("answer", "review")]
    clone, other = ProjectFile(tmp_path / "clone/project.toml", pulled.project), tmp_path / "other"
    shutil.copytree(pulled.base, other, ignore=shutil.ignore_patterns("clone"))
    forget_person(pulled, KIM)
    kim, lee = (pseudonym(who, read_key(pulled.key_file)) for who in (KIM, LEE))
    assert kim in (pulled.base / "forgotten.txt").read_text()
    written = rows(pulled.collected / "responses/ko-KR.jsonl")
    # A copy without the pull folder, as git has it, and one with that of before.
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
        assert forget_person(file, KIM).history == 0


@pytest.mark.slow
def test_who_was_forgotten_before_there_was_a_list_is_put_on_it(pulled: ProjectFile):
    forget_person(pulled, KIM)
    names = pulled.base / "forgotten.txt"
    listed = names.read_text()
    names.unlink()
    pull_project(pulled, exports=[pulled.base / "answer.json"])
    assert names.read_text() == listed
    names.write_text(f"{listed}<<<<<<< HEAD\n")
    with pytest.raises(BlendError) as raised:
        pull_project(pulled, exports=[pulled.base / "answer.json"])
    number = len(listed.splitlines()) + 1
    assert str(raised.value) == (
        f"{names}:{number}: '<<<<<<< HEAD' is no pseudonym, and whoever is not named here would come back; "
        "write p- and 12 digits and letters, one a line, or bring the file back"
    )
