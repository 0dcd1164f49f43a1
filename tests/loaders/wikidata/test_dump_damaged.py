"""Dumps that are not whole: cut off between two lines, damaged behind a stream, with lines glued together."""

import bz2
import gzip
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.loaders.wikidata import dump_parts
from blend.loaders.wikidata.dump import take_snapshots_from_dump
from blend.loaders.wikidata.dump_parts import Reading, read_dump
from blend.loaders.wikidata.store import DIRECT, ENTITY, LABEL
from blend.schemas.errors import BlendError
from blend.schemas.recipe.domains import domains
from helpers.wikidata.entity_json import entity_lines

DISH = domains()["dish"]
AGAIN = "download the dump again"
CUT_OFF = f"DUMP: the compressed file is damaged or cut off; {AGAIN}"
NAMES = "name dumps ….nt or ….json, with .gz or .bz2 behind it where they are compressed"
FACTS = """
    Q10 P31 Q746549
    Q10 P495 Q100
    Q10 P527 Q200
    Q100 P31 Q6256
    Q10 label en:bread
    Q100 label en:France
    Q200 label en:flour
"""


@pytest.fixture
def triples(shorthand: Callable[[str], str]) -> bytes:
    return shorthand(FACTS).encode()


def taken(out: Path, *dumps: Path) -> str:
    """The digest of the snapshot from these files."""
    return take_snapshots_from_dump({out / "f.nt.gz": DISH}, dumps)[0].sha256


def refused(tmp_path: Path, content: bytes, name: str = "d.nt") -> str:
    """What is said of a dump with this content."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BlendError) as error:
        taken(tmp_path / f"{name} out", tmp_path / name)
    assert not (tmp_path / f"{name} out" / "f.nt.gz").exists()
    return str(error.value).replace(str(tmp_path / name), "DUMP")


def test_a_list_of_entities_without_its_end_or_beginning(triples: bytes, tmp_path: Path):
    lines = "".join(entity_lines(triples)).encode().splitlines(keepends=True)
    for n_lines in range(1, len(lines)):
        cut = b"".join(lines[:n_lines])
        assert refused(tmp_path, cut, f"{n_lines}.json") == (
            f"DUMP: does not end with ], as a whole dump in JSON does; {AGAIN}"
        )
    assert refused(tmp_path, b"".join(lines[1:]), "d.json") == (
        f"DUMP: does not begin with [, as a whole dump in JSON does; {AGAIN}"
    )


@pytest.mark.slow
def test_a_list_of_entities_in_several_files(triples: bytes, tmp_path: Path):
    lines = "".join(entity_lines(triples)).encode().splitlines(keepends=True)
    first, *others = [line.rstrip(b",\n") for line in lines[1:-1]]
    splits = {
        "one after the other": [lines[:2], lines[2:3], lines[3:]],
        "in turn": [lines[0::3], lines[1::3], lines[2::3]],
        "lists of their own": [[b"[\n", first, b"\n]\n"], [b"[\n", b",\n".join(others), b"\n]"]],
    }
    (tmp_path / "d.nt").write_bytes(triples)
    whole = taken(tmp_path / "whole", tmp_path / "d.nt")
    for name, contents in splits.items():
        files = [tmp_path / f"{name} {number}.json" for number in range(len(contents))]
        for file, content in zip(files, contents, strict=True):
            file.write_bytes(b"".join(content))
        assert taken(tmp_path / name, *files) == whole
        with_bracket = next(file for file in files if file.read_bytes().strip().endswith(b"]"))
        with_bracket.write_bytes(with_bracket.read_bytes().rstrip(b"]\n") + b"\n")
        with pytest.raises(BlendError) as error:
            taken(tmp_path / f"{name} cut", *files)
        n_begun = sum(file.read_bytes().startswith(b"[") for file in files)
        assert str(error.value) == (
            f"{files[0]} to {files[-1]}: files that begin with [: {n_begun}, that end with ]: {n_begun - 1}, "
            f"which a whole dump has alike; give all files of the dump, or {AGAIN}"
        )


@pytest.mark.parametrize("is_whole", [True, False])
def test_the_end_of_a_list_is_known_after_a_kill(
    triples: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_whole: bool
):
    monkeypatch.setattr(dump_parts, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(dump_parts, "PART_BYTES", 1)
    lines = "".join(entity_lines(triples)).splitlines(keepends=True)
    dump = tmp_path / "d.json"
    dump.write_text("".join(lines if is_whole else lines[:-1]))
    reading = Reading("statements", frozenset({f"{DIRECT}P31"}), None)
    found: list[Any] = []
    for _ in range(2):
        try:
            found.append(read_dump([dump], tmp_path, reading, lambda *_: None))
        except BlendError as error:
            found.append(str(error))
        (tmp_path / "statements-00000.done").unlink()  # as if killed before it was written
    assert found[0] == found[1]
    assert isinstance(found[0], list) == is_whole


@pytest.mark.slow
def test_streams_of_bzip2(triples: bytes, tmp_path: Path):
    lines = triples.splitlines(keepends=True)
    first, second = (bz2.compress(b"".join(half)) for half in (lines[:3], lines[3:]))
    (tmp_path / "d.nt").write_bytes(triples)
    (tmp_path / "d.nt.bz2").write_bytes(first + second)
    assert taken(tmp_path / "b", tmp_path / "d.nt.bz2") == taken(tmp_path / "a", tmp_path / "d.nt")
    for position in (0, 5, 12, len(second) // 2, -5):
        flipped = bytearray(second)
        flipped[position] ^= 16
        assert refused(tmp_path, first + flipped, "d.nt.bz2") == CUT_OFF, position
    for behind in (
        b"\xff" * 300 + second,
        b"\xff" * 20_000 + second,
        b"x",
        bytes(300),
        b"\n",
        second[:-1],
        b"BZ",
    ):
        assert refused(tmp_path, first + behind, "d.nt.bz2") == CUT_OFF


@pytest.mark.slow
def test_reading_streams_of_bzip2_goes_on_where_it_stopped(
    shorthand: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(dump_parts, "BLOCK_BYTES", 700)
    monkeypatch.setattr(dump_parts, "PART_BYTES", 3000)
    choose = random.Random(0)
    text = shorthand("\n".join(f"Q{choose.randrange(10**9)} P31 Q5" for _ in range(400))).encode()
    streams = [bz2.compress(text[start : start + 9000]) for start in range(0, len(text), 9000)]
    (tmp_path / "d.nt.bz2").write_bytes(b"".join(streams))
    reading = Reading("statements", frozenset({f"{DIRECT}P31"}), None)

    parts = read_dump([tmp_path / "d.nt.bz2"], tmp_path, reading, lambda *_: None)
    expected = [row for part in parts for row in pl.read_parquet(part).rows()]
    assert len(parts) > 5
    assert len(expected) == 400
    for path in [tmp_path / "statements-00000.done", *parts[3:]]:
        path.unlink()
    parts = read_dump([tmp_path / "d.nt.bz2"], tmp_path, reading, lambda *_: None)
    assert [row for part in parts for row in pl.read_parquet(part).rows()] == expected


@pytest.mark.slow
def test_members_of_gzip(triples: bytes, tmp_path: Path):
    lines = triples.splitlines(keepends=True)
    first, second = (gzip.compress(b"".join(half)) for half in (lines[:3], lines[3:]))
    (tmp_path / "d.nt").write_bytes(triples)
    whole = taken(tmp_path / "a", tmp_path / "d.nt")
    for number, padding in enumerate((b"", bytes(300))):  # zero bytes are padding for gzip, and hide no member
        (tmp_path / "d.nt.gz").write_bytes(first + padding + second + padding)
        assert taken(tmp_path / f"b{number}", tmp_path / "d.nt.gz") == whole
    flipped = bytearray(second)
    flipped[len(second) // 2] ^= 1
    for behind in (bytes(flipped), b"\xff" * 300 + second, b"x" * 300, second[:-1]):
        assert refused(tmp_path, first + behind, "d.nt.gz") == CUT_OFF


def test_a_file_that_is_packed_otherwise_than_its_name_says(triples: bytes, tmp_path: Path):
    packed, packed_by_bzip2 = gzip.compress(triples), bz2.compress(triples)
    assert refused(tmp_path, packed, "d.nt.bz2") == f"DUMP: is a gzip file; name it d.nt.gz or {AGAIN}"
    assert (
        refused(tmp_path, packed_by_bzip2, "d.nt.gz") == f"DUMP: is a bzip2 file; name it d.nt.bz2 or {AGAIN}"
    )
    assert refused(tmp_path, packed, "d.nt") == f"DUMP: is a gzip file; name it d.nt.gz or {AGAIN}"
    assert refused(tmp_path, triples, "d.nt.gz") == f"DUMP: not a gzip file; name it without .gz or {AGAIN}"
    assert refused(tmp_path, triples, "d.nt.bz2") == f"DUMP: not a bzip2 file; name it without .bz2 or {AGAIN}"


WRONG_LINES = [
    "this is nonsense",
    f"<{ENTITY}Q10> <{DIRECT}P9",
    # Glued to a whole line, with a property that is wanted.
    f"<{ENTITY}Q10> <{DIRECT}P9> <{ENTITY}Q1> .<{ENTITY}Q11> <{DIRECT}P31> <{ENTITY}Q10> .",
    f"<{ENTITY}Q10> <{DIRECT}P9<{ENTITY}Q11> <{DIRECT}P31> <{ENTITY}Q10> .",
    f"<{ENTITY}Q1<{ENTITY}Q11> <{DIRECT}P31> <{ENTITY}Q10> .",
    f"<{ENTITY}Q10> <{DIRECT}P527> <{ENTITY}Q20<{ENTITY}Q11> <{DIRECT}P9> <{ENTITY}Q10> .",
]
WRONG_TEXTS = [
    f'<{ENTITY}Q10> <{LABEL}> "half a te .',
    f'<{ENTITY}Q10> <{LABEL}> "bre<{ENTITY}Q11> <{DIRECT}P9> <{ENTITY}Q10> .',
    f'<{ENTITY}Q10> <{LABEL}> "bread"@fr .<{ENTITY}Q11> <{LABEL}> "rye"@en .',
]


@pytest.mark.parametrize("wrong", WRONG_LINES)
def test_a_wrong_line_among_others(triples: bytes, tmp_path: Path, wrong: str):
    assert refused(tmp_path, triples + f"{wrong}\n".encode() + triples) == (
        f"DUMP, line at unpacked byte {len(triples)}: not a triple as Wikidata's dumps write them: "
        f"{wrong[:200]!r}; {NAMES}, or {AGAIN}"
    )


@pytest.mark.parametrize("wrong", WRONG_TEXTS)
def test_a_wrong_label_among_others(triples: bytes, tmp_path: Path, wrong: str):
    assert refused(tmp_path, triples + f"{wrong}\n".encode()) == (
        f"DUMP: a statement is not N-Triples: {wrong[:200]!r}; {AGAIN}"
    )


@pytest.mark.slow
def test_lines_as_they_may_be(triples: bytes, tmp_path: Path):
    comment = f"# <{ENTITY}Q10> <{DIRECT}P31> and so on\n\n".encode()
    text = f'<{ENTITY}Q10> <{LABEL}> "a .<{ENTITY}Q1> <{DIRECT}P31> \\"b\\" \\\\ \\u00e9 <"@en-x-a .\n'.encode()
    (tmp_path / "d.nt").write_bytes(text + triples)
    (tmp_path / "e.nt").write_bytes((comment + text + comment + triples + comment).replace(b"\n", b"\r\n"))
    assert taken(tmp_path / "b", tmp_path / "e.nt") == taken(tmp_path / "a", tmp_path / "d.nt")


@pytest.mark.slow
def test_line_ends_of_windows_in_json(triples: bytes, tmp_path: Path):
    entities = "".join(entity_lines(triples))
    (tmp_path / "d.json").write_bytes(entities.encode())
    (tmp_path / "e.json").write_bytes(entities.replace("\n", "\r\n").encode())
    assert taken(tmp_path / "b", tmp_path / "e.json") == taken(tmp_path / "a", tmp_path / "d.json")
