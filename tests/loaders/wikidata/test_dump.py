"""Snapshots from a dump: the same bytes as from an endpoint that holds the dump; damaged and wrong dumps."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.loaders.wikidata import dump as dump_module
from blend.loaders.wikidata.dump import take_snapshots_from_dump
from blend.loaders.wikidata.facts import DIRECT, ENTITY, LABEL
from blend.loaders.wikidata.snapshot import take_snapshot
from blend.schemas.errors import BlendError, InputError
from blend.schemas.manifest import SnapshotInfo
from blend.schemas.recipe import Domain, domains
from helpers.wikidata.wikidata_endpoint import QUICK

DISH, INSTRUMENT = domains()["dish"], domains()["musical-instrument"]
NAMES = "name the dump ….nt, or ….nt.gz where it is compressed by gzip"

FACTS = rf"""
    Q10 P31 Q746549
    Q11 P279 Q10
    Q12 P31 Q11
    Q10 P279 Q12
    Q13 P31 Q5
    Q746549 P279 Q10
    <{ENTITY}L7> <{DIRECT}P31> <{ENTITY}Q10> .
    <{ENTITY}statement/Q10-1> <{DIRECT}P31> <{ENTITY}Q10> .
    <http://www.wikidata.org/wiki/Special:EntityData/Q10> <http://schema.org/about> <{ENTITY}Q10> .
    <http://www.wikidata.org/wiki/Special:EntityData/Q10> <http://schema.org/version> "17" .
    Q10 P495 Q101
    Q10 P527 Q200
    Q10 P18 <http://commons.wikimedia.org/wiki/Special:FilePath/A%20\u0041.jpg>
    Q10 P999 Q300
    Q10 P527 "a text"
    Q10 P527 <http://www.wikidata.org/.well-known/genid/0123456789abcdef>
    Q11 P2012 Q110
    Q11 P361 Q111
    Q11 P527 Q201
    Q11 P186 Q202
    Q12 P495 _:unknown
    Q12 P495 _:other
    Q12 P527 Q200
    Q110 P17 Q100
    Q111 P495 Q102
    Q100 P31 Q6256
    Q100 P30 Q46
    Q100 P30 Q48
    Q100 P1366 Q300
    Q101 P31 Q3024240
    Q101 P31 Q6256
    Q101 P1366 Q103
    Q103 P31 Q3024240
    Q103 P1366 Q101
    Q103 P1366 Q104
    Q104 P31 Q6256
    Q104 P30 Q46
    Q102 P31 Q515
    Q102 P30 Q46
    Q300 P31 Q6256
    Q40 P31 Q34379
    Q40 P495 Q104
    Q40 P186 Q202
    Q40 P527 Q202
    Q40 label en:oud
    Q10 label en:bread \"white\" \\ \t <{DIRECT}P31> \u0431\U0001F35E
    Q10 label en:bread \"white\" \\ \t <{DIRECT}P31> б🍞
    Q10 label zh-Hant:麵包\u2028\u0085 .
    Q10 label mul:
    Q10 label :no language
    Q10 label fr:pain
    Q10 description en:food <{ENTITY}Q10> <{DIRECT}P31> <{ENTITY}Q746549> .
    Q11 label en:rye bread
    Q11 description fr:du pain
    Q12 label en:cyclic
    Q13 label en:no dish
    Q13 description en:not a dish <{LABEL}>
    Q100 label en:France
    Q101 label en:Gaul
    Q103 label en:Francia
    Q104 label en:Lebanon
    Q110 label en:French cuisine
    Q200 label en:flour
    Q200 description en:powder
    Q201 label ko:호밀
    Q202 label en:water
    Q46 label en:Europe
    Q48 label en:Asia
"""


def take_snapshot_from_dump(out: Path, domain: Domain, dump: Path, **options: Any) -> SnapshotInfo:
    [info] = take_snapshots_from_dump({out: domain}, dump, **options)
    return info


def pack(path: Path, text: str) -> Path:
    """The text as a dump, compressed as its name tells."""
    content = text.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump_module, "BLOCK_BYTES", 500)
    monkeypatch.setattr(dump_module, "LINE_BYTES", 500)
    monkeypatch.setattr(dump_module, "PART_BYTES", 1500)


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("languages", [None, ["en", "zh-hant"], ["zh-Hant"]])
@pytest.mark.parametrize("suffix", [".nt", ".nt.gz"])
@pytest.mark.usefixtures("small_blocks")
def test_the_same_bytes_as_from_an_endpoint(
    endpoints: Any, shorthand: Callable[[str], str], tmp_path: Path, suffix: str, languages: list[str] | None
):
    text = shorthand(FACTS)
    dump = pack(tmp_path / f"latest-truthy{suffix}", text)
    asked, read = tmp_path / "asked" / "f.nt.gz", tmp_path / "read" / "f.nt.gz"
    with endpoints.serve(text.encode()) as endpoint:
        by_asking = take_snapshot(asked, DISH, endpoint=endpoint.url, languages=languages, policy=QUICK)
    by_reading = take_snapshot_from_dump(read, DISH, dump, languages=languages)
    assert read.read_bytes() == asked.read_bytes()
    assert by_reading.sha256 == by_asking.sha256
    assert (by_reading.items, by_reading.triples) == (by_asking.items, by_asking.triples)
    assert [stage.stage for stage in by_reading.stages] == [stage.stage for stage in by_asking.stages]
    assert [stage.query for stage in by_reading.stages] == [stage.query for stage in by_asking.stages]
    assert (by_reading.endpoint, by_asking.dump) == (None, None)
    assert by_reading.dump is not None
    assert (by_reading.dump.file, by_reading.dump.bytes) == (dump.name, dump.stat().st_size)
    assert sorted(path.name for path in read.parent.iterdir()) == ["f.nt.gz", "snapshot.json"]


def test_wrong_names(tmp_path: Path):
    out = tmp_path / "f.nt.gz"
    for name in ("latest-all.json.gz", "latest-truthy.nt.bz2", "dump"):
        with pytest.raises(InputError) as error:
            take_snapshot_from_dump(out, DISH, tmp_path / name)
        assert str(error.value) == (
            f"{tmp_path / name}: not named as a dump in N-Triples; {NAMES}, or get latest-truthy.nt.gz"
        )
    with pytest.raises(BlendError) as missing:
        take_snapshot_from_dump(out, DISH, tmp_path / "d.nt.gz")
    assert str(missing.value) == f"{tmp_path / 'd.nt.gz'}: no such dump; correct the path"
    assert list(tmp_path.iterdir()) == []


def test_another_dump_on_resume(shorthand: Callable[[str], str], tmp_path: Path):
    out, dump = tmp_path / "f.nt.gz", pack(tmp_path / "d.nt", shorthand(FACTS))
    folder = tmp_path / "f.nt.gz.partial"

    def stop(step: str, done: int, total: int) -> None:
        if step == "search for routes":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        take_snapshot_from_dump(out, DISH, dump, on_progress=stop)
    assert json.loads((folder / "plan.json").read_text())["dump"]["bytes"] == dump.stat().st_size
    pack(dump, shorthand(FACTS + "\nQ9 P31 Q746549"))
    with pytest.raises(InputError) as error:
        take_snapshot_from_dump(out, INSTRUMENT, dump, languages=["en"])
    assert str(error.value) == (
        f"{folder}: holds an unfinished snapshot with another domains, dump, languages; "
        "finish that one with its own options, or delete the folder to start anew"
    )
