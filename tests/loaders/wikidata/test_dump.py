"""Snapshots from a dump: the same bytes as from an endpoint that holds the dump; damaged and wrong dumps."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.loaders.wikidata import dump as dump_module
from blend.loaders.wikidata.dump import take_snapshots_from_dump
from blend.loaders.wikidata.facts import DIRECT, ENTITY, LABEL
from blend.loaders.wikidata.snapshot import take_snapshots
from blend.schemas.recipe import domains
from helpers.messages import wrong
from helpers.wikidata.wikidata_endpoint import QUICK
from helpers.wikidata.wikidata_fixtures import FACTS, ntriples

DISH, INSTRUMENT = domains()["dish"], domains()["musical-instrument"]
NAMES = "name the dump ….nt, or ….nt.gz where it is compressed by gzip"


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("languages", [None, ["en", "zh-hant"], ["zh-Hant"]])
@pytest.mark.parametrize("suffix", [".nt", ".nt.gz"])
def test_the_same_bytes_as_from_an_endpoint(
    serve: Callable[[str], Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    suffix: str,
    languages: list[str] | None,
):
    for name, size in (("BLOCK_BYTES", 500), ("LINE_BYTES", 500), ("PART_BYTES", 1500)):
        monkeypatch.setattr(dump_module, name, size)
    content = ntriples(FACTS).encode()
    dump, asked, read = (tmp_path / name for name in (f"dump{suffix}", "asked/f.nt.gz", "read/f.nt.gz"))
    dump.write_bytes(gzip.compress(content) if suffix == ".nt.gz" else content)
    [by_asking] = take_snapshots({asked: DISH}, endpoint=serve(FACTS).url, languages=languages, policy=QUICK)
    [by_reading] = take_snapshots_from_dump({read: DISH}, dump, languages=languages)
    assert read.read_bytes() == asked.read_bytes()
    for name in ("sha256", "items", "triples"):
        assert getattr(by_reading, name) == getattr(by_asking, name)
    assert (by_reading.endpoint, by_asking.dump) == (None, None)
    assert (by_reading.dump.file, by_reading.dump.bytes) == (dump.name, dump.stat().st_size)
    assert sorted(path.name for path in read.parent.iterdir()) == ["f.nt.gz", "snapshot.json"]


# Dumps that are not whole: cut off between two lines, damaged behind a stream, with lines glued together

AGAIN = "download the dump again"
CUT_OFF = f"DUMP: the compressed file is damaged or cut off; {AGAIN}"
BREAD = """
    Q10 P31 Q746549
    Q10 P495 Q100
    Q10 P527 Q200
    Q100 P31 Q6256
    Q10 label en:bread
    Q100 label en:France
    Q200 label en:flour
"""


@pytest.fixture
def triples() -> bytes:
    return ntriples(BREAD).encode()


def taken(out: Path, dump: Path) -> str:
    """The digest of the snapshot from this file."""
    return take_snapshots_from_dump({out / "f.nt.gz": DISH}, dump)[0].sha256


def refused(tmp_path: Path, content: bytes, name: str = "d.nt") -> str:
    """What is said of a dump with this content."""
    (tmp_path / name).write_bytes(content)
    told = wrong(lambda: taken(tmp_path / f"{name} out", tmp_path / name))
    assert not (tmp_path / f"{name} out" / "f.nt.gz").exists()
    return told.replace(str(tmp_path / name), "DUMP")


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


@pytest.mark.parametrize("wrong_line", [*WRONG_LINES, *WRONG_TEXTS])
def test_a_wrong_line_among_others(triples: bytes, tmp_path: Path, wrong_line: str):
    said = {
        True: f"DUMP, line at unpacked byte {len(triples)}: not a triple as Wikidata's dumps write them: "
        f"{wrong_line[:200]!r}; {NAMES}, or {AGAIN}",
        False: f"DUMP: a statement is not N-Triples: {wrong_line[:200]!r}; {AGAIN}",
    }
    assert refused(tmp_path, triples + f"{wrong_line}\n".encode()) == said[wrong_line in WRONG_LINES]


def test_a_file_of_another_kind(triples: bytes, tmp_path: Path):
    for name in ("latest-all.json.gz", "latest-truthy.nt.bz2", "dump"):
        assert refused(tmp_path, triples, name) == (
            f"DUMP: not named as a dump in N-Triples; {NAMES}, or get latest-truthy.nt.gz"
        )
    assert refused(tmp_path, gzip.compress(triples)) == f"DUMP: is a gzip file; name it d.nt.gz or {AGAIN}"
    assert refused(tmp_path, triples, "d.nt.gz") == f"DUMP: not a gzip file; name it without .gz or {AGAIN}"
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
