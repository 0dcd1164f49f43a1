"""JSON files of a release that somebody changed: a finding with its place, and what mlcroissant says of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.builders.validate import CHECKS, validate_release
from blend.loaders.releases import read_manifest
from blend.loaders.releases.agreement import read_agreement
from blend.schemas.errors import InputError, RowError
from blend.schemas.manifest import (
    AGREEMENT_NAME,
    AUDIT_NAME,
    CROISSANT_NAME,
    FINDINGS_NAME,
    MANIFEST_NAME,
)

Metadata = dict[str, Any]

REBUILD = "rebuild the release"
DEEP = "[" * 100_000 + "]" * 100_000
TEXTS = {
    "nested too deeply": (DEEP, "", "not usable as JSON: nested too deeply"),
    "of many digits": (
        '{"stage": ' + "9" * 5_000 + "}",
        "",
        "not usable as JSON: a number of thousands of digits",
    ),
    "cut off": ('{"stage": "a', ", line 1, column 11", "the JSON ends in the middle"),
    "no number": ('{"stage": NaN}', "", "NaN is not JSON"),
    "a key twice": ('{"stage": 1, "stage": 2}', "", "key 'stage' occurs twice"),
    "half a character": ('{"stage": "\\ud800"}', "", "half of a surrogate pair is escaped"),
}


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_json_that_is_none_is_told_with_its_place(name: str, release):
    text, place, message = TEXTS[name]
    for path in (CROISSANT_NAME, AUDIT_NAME, AGREEMENT_NAME):
        (release.path / path).write_text(text)
    (release.path / FINDINGS_NAME).write_text(text + "\n")
    assert release.problems("croissant") == [
        f"error: {CROISSANT_NAME}{place}: cannot be used: {message}; {REBUILD}"
    ]
    assert release.problems("audit") == [f"error: {AUDIT_NAME}: is not an audit ({message}); {REBUILD}"]
    assert f"error: {FINDINGS_NAME}:1: is not a finding: {message}; {REBUILD}" in release.problems("findings")
    assert release.problems("votes") == []
    with pytest.raises(RowError) as caught:
        read_agreement(release.path)
    assert str(caught.value) == f"{release.path / AGREEMENT_NAME}: {message}; copy or build the release again"
    (release.path / MANIFEST_NAME).write_text(text)
    with pytest.raises(InputError) as refused:
        read_manifest(release.path)
    assert str(refused.value) == (
        f"{release.path / MANIFEST_NAME}: not a manifest that this version of blend-sdk reads "
        f"({MANIFEST_NAME}{place}: {message}); rebuild the release, or read it with the version that built it"
    )


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["[]", "1", "null", '"a"', '{"stage": 1, "kind": "a"}', '{"stage": [], "kind": {}}']
)
def test_findings_of_other_types(line: str, release):
    (release.path / FINDINGS_NAME).write_text(line + "\n")
    message = f"error: {FINDINGS_NAME}:1: is not a finding: not a JSON object with stage and kind; {REBUILD}"
    assert message in release.problems("findings")
    assert release.problems("votes") == []


@pytest.mark.slow
def test_a_line_without_end_is_not_read(release):
    path = release.path / FINDINGS_NAME
    with path.open("wb") as file:
        file.write(b'{"stage": "a", "kind": "b"}\n{"stage": "')
        file.truncate(1 << 36)  # 64 GB, of which the disk holds a block
    assert (
        f"error: {FINDINGS_NAME}:2: is not a finding: a line of more than 1,048,576 bytes, behind which "
        f"nothing is read; {REBUILD}"
    ) in release.problems("findings")
    with (release.path / CROISSANT_NAME).open("r+b") as file:
        file.truncate(1 << 36)
    assert release.problems("croissant") == [
        f"error: {CROISSANT_NAME}: cannot be used: more than 67,108,864 bytes of JSON; {REBUILD}"
    ]


def field(metadata: Metadata, number: int = 1) -> Metadata:
    found: Metadata = metadata["recordSet"][0]["field"][number]
    return found


FIELD = f"{CROISSANT_NAME}, recordSet[0].field[1]"
FILE = f"{CROISSANT_NAME}, distribution[0]"

CHANGES: dict[str, tuple[Callable[[Metadata], object], str]] = {
    "another type": (
        lambda m: m.update({"@type": "sc:Thing"}),
        f"{CROISSANT_NAME}, @type: is 'sc:Thing', release.json makes 'sc:Dataset'",
    ),
    "no name": (
        lambda m: m.pop("name"),
        f"{CROISSANT_NAME}, name: is absent, release.json makes 'blend-sample'",
    ),
    "another version": (
        lambda m: m.update(version="9.0.0"),
        f"{CROISSANT_NAME}, version: is '9.0.0', release.json makes '0.1.0'",
    ),
    "no digest": (
        lambda m: m["distribution"][0].pop("sha256"),
        f"{FILE}.sha256: is absent, release.json makes '",
    ),
    "files that are a text": (
        lambda m: m.update(distribution="x"),
        f"{CROISSANT_NAME}, distribution: is 'x', release.json makes a list of 31",
    ),
    "no source": (
        lambda m: field(m).pop("source"),
        f"{FIELD}.source: is absent, release.json makes an object of 2",
    ),
    "a source that is not there": (
        lambda m: field(m)["source"].update(fileObject={"@id": "nowhere"}),
        f"{FIELD}.source.fileObject.@id: is 'nowhere', release.json makes 'data/annotations/US-",
    ),
    "source and value": (
        lambda m: field(m).update(value="x"),
        f"{FIELD}.value: is 'x', release.json makes absent",
    ),
    "another column": (
        lambda m: field(m).update(name="Question"),
        f"{FIELD}.name: is 'Question', release.json makes 'question'",
    ),
    "a table left out": (
        lambda m: m["recordSet"].pop(0),
        f"{CROISSANT_NAME}, recordSet: is a list of 30, release.json makes a list of 31",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changed_metadata_are_found_with_their_place(name: str, release):
    change, message = CHANGES[name]
    path = release.path / CROISSANT_NAME
    metadata = json.loads(path.read_text(encoding="utf-8"))
    change(metadata)
    path.write_text(json.dumps(metadata), encoding="utf-8")
    found = release.problems("croissant")
    assert any(problem.startswith(f"error: {message}") for problem in found), found


@pytest.mark.nightly
@pytest.mark.parametrize("value", [[], {}, 1, None, "x", True, 10**400, [[]], [{}], [None], {"@id": 1}])
def test_any_property_may_be_anything(value: object, sample_release: Path, tmp_path: Path):
    metadata = json.loads((sample_release / CROISSANT_NAME).read_text(encoding="utf-8"))
    (tmp_path / MANIFEST_NAME).write_bytes((sample_release / MANIFEST_NAME).read_bytes())
    nodes: list[Metadata] = [metadata, metadata["distribution"][0], metadata["recordSet"][0], field(metadata)]
    nodes += [field(metadata)["source"], field(metadata, 3)["subField"][0]]
    for node in nodes:
        for key, old in list(node.items()):
            node[key] = value
            (tmp_path / CROISSANT_NAME).write_text(json.dumps(metadata), encoding="utf-8")
            validate_release(tmp_path, checks={"croissant": CHECKS["croissant"]})
            node[key] = old
