"""Exports of another project than before, without a server: what was pulled is kept beside them."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import pseudonym, read_key
from blend.builders.annotation.server.pulling import pull_project
from blend.schemas.errors import InputError
from helpers.in_process import run
from helpers.label_studio.studio_fixtures import typed

annotate = partial(run, "annotate")


def exported(path: Path, made: str, *answers: tuple[str, str, str]) -> Path:
    """An export of a project whose tasks were made on a day: identity, address and text of the answers."""
    annotations = [
        {
            "id": number,
            "unique_id": identity,
            "completed_by": {"id": number, "email": address},
            "result": [typed(text)],
            "created_at": f"{made}T10:00:00Z",
        }
        for number, (identity, address, text) in enumerate(answers, start=1)
    ]
    data = {"blend_id": "answer/ko-KR/food-01", "template_id": "food-01", "locale": "ko-KR"}
    task = {"id": 1, "created_at": f"{made}T09:00:00Z", "data": data, "annotations": annotations}
    path.write_text(json.dumps([task]), encoding="utf-8")
    return path


def answers(file: ProjectFile) -> dict[str, Any]:
    lines = (file.collected / "responses" / "ko-KR.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["annotator"]: row["answers"] for row in map(json.loads, lines)}


@pytest.mark.slow
def test_exports_of_two_projects_count_together_until_one_is_back_or_given_up(
    project: Callable[..., ProjectFile], tmp_path: Path
):
    file = project("http://127.0.0.1:1")
    key = read_key(file.key_file)
    mina, jun = (pseudonym(f"{name}@example.org", key) for name in ("mina", "jun"))
    first = exported(tmp_path / "1.json", "2026-11-20", ("u1", "mina@example.org", "밥"))
    second = exported(tmp_path / "2.json", "2026-11-21", ("u2", "jun@example.org", "국"))
    annotate("pull", file.path, "--export", first)
    told = annotate("pull", file.path, "--export", second).splitlines()
    assert answers(file) == {mina: ["밥"], jun: ["국"]}
    what = f"{file.path} answer/ko-KR"
    title = f"{file.project.name} answer ko-KR"
    kept = (
        f"{title}: 1 annotation is kept and counted though not on the server any more; "
        f"`blend annotate restore {what}` brings it back there, `blend annotate abandon {what}` gives it up"
    )
    assert kept in told
    assert kept in annotate("pull", file.path, "--export", second).splitlines()
    assert kept in annotate("status", file.path, "--offline").splitlines()
    # It is there again, and shows by itself that the answer was corrected.
    third = exported(tmp_path / "3.json", "2026-11-20", ("u1", "mina@example.org", "쌀밥"))
    told = annotate("pull", file.path, "--export", third).splitlines()
    assert answers(file) == {mina: ["쌀밥"], jun: ["국"]}
    assert kept in told
    told = annotate("abandon", file.path, "answer/ko-KR").splitlines()
    assert told[0] == f"{file.project.name} answer ko-KR: 1 annotation (1 deleted)"
    assert answers(file) == {mina: ["쌀밥"]}
    assert kept not in annotate("pull", file.path, "--export", third).splitlines()


def test_an_annotation_that_was_brought_back_counts_once(project: Callable[..., ProjectFile], tmp_path: Path):
    file = project("http://127.0.0.1:1")
    both = [("u1", "mina@example.org", "밥"), ("u2", "jun@example.org", "국")]
    pull_project(file, exports=[exported(tmp_path / "1.json", "2026-11-20", *both)])
    pull_project(file, exports=[exported(tmp_path / "2.json", "2026-11-21", both[1])])
    assert sorted(answers(file).values()) == [["국"], ["밥"]]
    (kept,) = (file.pulled / "raw").glob("answer.ko-KR.vanished-*.json")
    assert [one["unique_id"] for task in json.loads(kept.read_text()) for one in task["annotations"]] == ["u1"]
    pull_project(file, exports=[exported(tmp_path / "3.json", "2026-11-21", *reversed(both))])
    assert sorted(answers(file).values()) == [["국"], ["밥"]]
    assert not list((file.pulled / "raw").glob("*vanished*"))


def test_a_damaged_export_is_replaced_by_nothing_that_it_cannot_be_compared_with(
    project: Callable[..., ProjectFile], tmp_path: Path
):
    file = project("http://127.0.0.1:1")
    export = exported(tmp_path / "1.json", "2026-11-20", ("u1", "mina@example.org", "밥"))
    pull_project(file, exports=[export])
    raw = file.pulled / "raw" / "answer.ko-KR.json"
    raw.write_bytes(raw.read_bytes()[:50])
    with pytest.raises(InputError) as raised:
        pull_project(file, exports=[export])
    assert str(raised.value) == (
        f"{raw}: is damaged; bring it back from a backup, or delete it: what the server has is asked anew, and "
        "what it has no more stands in the history alone"
    )
    raw.unlink()
    pull_project(file, exports=[export])
    assert list(answers(file).values()) == [["밥"]]
