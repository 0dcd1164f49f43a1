"""Dumps that are not whole: cut off between two lines, damaged behind a stream, with lines glued together."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from blend.loaders.wikidata.dump import take_snapshots_from_dump
from blend.loaders.wikidata.facts import DIRECT, ENTITY, LABEL
from blend.schemas.errors import BlendError
from blend.schemas.recipe import domains

DISH = domains()["dish"]
AGAIN = "download the dump again"
CUT_OFF = f"DUMP: the compressed file is damaged or cut off; {AGAIN}"
NAMES = "name the dump ….nt, or ….nt.gz where it is compressed by gzip"
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


def taken(out: Path, dump: Path) -> str:
    """The digest of the snapshot from this file."""
    return take_snapshots_from_dump({out / "f.nt.gz": DISH}, dump)[0].sha256


def refused(tmp_path: Path, content: bytes, name: str = "d.nt") -> str:
    """What is said of a dump with this content."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BlendError) as error:
        taken(tmp_path / f"{name} out", tmp_path / name)
    assert not (tmp_path / f"{name} out" / "f.nt.gz").exists()
    return str(error.value).replace(str(tmp_path / name), "DUMP")


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
    assert refused(tmp_path, gzip.compress(triples), "d.nt") == (
        f"DUMP: is a gzip file; name it d.nt.gz or {AGAIN}"
    )
    assert refused(tmp_path, triples, "d.nt.gz") == f"DUMP: not a gzip file; name it without .gz or {AGAIN}"


WRONG_LINES = [
    "this is nonsense",
    '[{"id": "Q1"},',
    f"<{ENTITY}Q10> <{DIRECT}P9",
    # Glued to a whole line, with a property that is wanted.
    f"<{ENTITY}Q10> <{DIRECT}P9> <{ENTITY}Q1> .<{ENTITY}Q11> <{DIRECT}P31> <{ENTITY}Q10> .",
    f"<{ENTITY}Q10> <{DIRECT}P527> <{ENTITY}Q20<{ENTITY}Q11> <{DIRECT}P9> <{ENTITY}Q10> .",
]
WRONG_TEXTS = [
    f'<{ENTITY}Q10> <{LABEL}> "half a te .',
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


def test_bytes_that_are_no_text(triples: bytes, tmp_path: Path):
    assert refused(tmp_path, b"") == f"DUMP: is empty; {AGAIN}"
    latin = f'<{ENTITY}Q1> <{LABEL}> "caf'.encode() + b'\xe9"@fr .\n'
    assert refused(tmp_path, latin) == (
        f"DUMP, unpacked bytes 0 to {len(latin)}: cannot be read (invalid utf8); {AGAIN}"
    )
    holes = latin[:-20] + bytes(20)
    assert refused(tmp_path, holes) == (
        f"DUMP, unpacked bytes 0 to {len(holes)}: holds zero bytes, which no dump has; {AGAIN}"
    )


@pytest.mark.slow
def test_lines_as_they_may_be(triples: bytes, tmp_path: Path):
    comment = f"# <{ENTITY}Q10> <{DIRECT}P31> and so on\n\n".encode()
    text = f'<{ENTITY}Q10> <{LABEL}> "a .<{ENTITY}Q1> <{DIRECT}P31> \\"b\\" \\\\ \\u00e9 <"@en-x-a .\n'.encode()
    (tmp_path / "d.nt").write_bytes(text + triples)
    (tmp_path / "e.nt").write_bytes((comment + text + comment + triples + comment).replace(b"\n", b"\r\n"))
    assert taken(tmp_path / "b", tmp_path / "e.nt") == taken(tmp_path / "a", tmp_path / "d.nt")
