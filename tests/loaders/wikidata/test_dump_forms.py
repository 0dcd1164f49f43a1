"""Other forms of a dump: entities in JSON with ranks, files that it was split into; always the same bytes."""

import bz2
import gzip
import json
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.loaders.wikidata import dump_entities, dump_parts
from blend.loaders.wikidata.dump import take_snapshots_from_dump
from blend.loaders.wikidata.store import DIRECT, ENTITY
from blend.schemas.errors import BlendError, InputError
from blend.schemas.recipe.domains import domains
from blend.schemas.release.snapshots import SnapshotInfo
from helpers.tiers import rest_nightly
from helpers.wikidata.entity_json import entity_lines, value_snak

DISH = domains()["dish"]
WITHOUT = "write it without blanks beside colons and commas"
NAMES = "name dumps ….nt or ….json, with .gz or .bz2 behind it where they are compressed"


def random_facts(seed: int) -> str:
    """Statements about forty items, item by item: classes in cycles, parts, unknown values, texts to escape."""
    choose = random.Random(seed)
    some = [f"Q{number}" for number in range(1, 41)]
    values = [
        *some,
        *["Q746549", "Q6256", "Q3024240", "P17", "_:b1"] * 3,
        '"a \\"text\\" \\\\ \\n"',
        '"été"@fr',
    ]
    values += [
        "<http://example.org/a>",
        "<http://commons.wikimedia.org/wiki/Special:FilePath/A%20%28b%29%2C%C3%A9.jpg>",
        "<http://www.wikidata.org/.well-known/genid/0123456789abcdef>",
    ]
    properties = ["P31", "P279", "P495", "P17", "P2012", "P361", "P527", "P186", "P30", "P1366", "P999", "P18"]
    lines = []
    for item in some:
        lines.append(f"{item} P31 {choose.choice(['Q746549', 'Q5'])}")
        n_others = choose.randint(0, 8)
        lines += [f"{item} {choose.choice(properties)} {choose.choice(values)}" for _ in range(n_others)]
        lines.append(f'{item} label en:name \\\\ \\"{item}\\" \\u2028 \\U0001F35E')
        lines.append(f"{item} label zh-hans:名 {item}")
        lines.append(f"{item} description en:description <{DIRECT}P31>")
    return "\n".join(lines)


def taken(out: Path, dump: Any, **options: Any) -> SnapshotInfo:
    [info] = take_snapshots_from_dump({out / "f.nt.gz": DISH}, dump, **options)
    return info


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump_parts, "BLOCK_BYTES", 3_000)
    monkeypatch.setattr(dump_parts, "PART_BYTES", 50_000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", rest_nightly(range(8), 1, 2))
@pytest.mark.usefixtures("small_blocks")
def test_entities_in_json_give_the_bytes_of_their_truthy_triples(
    shorthand: Callable[[str], str], tmp_path: Path, seed: int
):
    text = shorthand(random_facts(seed))
    triples = tmp_path / "d.nt"
    triples.write_text(text, encoding="utf-8")
    entities = "".join(entity_lines(text.encode(), seed)).encode()
    name, pack = [("d.json", bytes), ("d.json.gz", gzip.compress), ("d.json.bz2", bz2.compress)][seed % 3]
    (tmp_path / name).write_bytes(pack(entities))
    languages = ["en"] if seed % 2 else None
    expected = taken(tmp_path / "a", triples, languages=languages)
    found = taken(tmp_path / "b", tmp_path / name, languages=languages)
    assert found.sha256 == expected.sha256
    assert (found.items, found.triples) == (expected.items, expected.triples)
    assert found.items > 10


def entity_of(**changed: Any) -> dict[str, Any]:
    """An entity that is a dish, with the keys that a test is about."""
    dish = value_snak("P31", "wikibase-item", "wikibase-entityid", {"entity-type": "item", "id": "Q746549"})
    claims = {"P31": [{"mainsnak": dish, "type": "statement", "rank": "normal"}]}
    return {"type": "item", "id": "Q10", "labels": {}, "descriptions": {}, "claims": claims, **changed}


def dump_of(path: Path, *entities: dict[str, Any]) -> Path:
    lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in entities)
    path.write_text(f"[\n{lines}\n]\n")
    return path


def test_tags_of_languages_are_those_of_rdf(tmp_path: Path):
    labels = {tag: {"language": tag, "value": "bread"} for tag in ("en", "simple", "de-formal", "zh-hans")}
    parts = [{"mainsnak": {"snaktype": "somevalue", "property": "P527"}, "type": "statement", "rank": "normal"}]
    claims = {**entity_of()["claims"], "P527": parts}
    taken(tmp_path / "out", dump_of(tmp_path / "d.json", entity_of(labels=labels, claims=claims)))
    lines = gzip.decompress((tmp_path / "out" / "f.nt.gz").read_bytes()).decode().splitlines()
    tags = {line.rpartition("@")[2].removesuffix(" .") for line in lines if "@" in line}
    assert tags == {"en", "en-simple", "de-x-formal", "zh-hans"}


def test_properties_and_things_that_are_called_like_keys():
    about = {"type": "property", "datatype": "wikibase-item", "id": "P9"}
    names = {"en": [{"language": "en", "value": name} for name in ("rank", "mainsnak", "statement", "type")]}
    entity = {**about, "aliases": names, "claims": entity_of()["claims"]}
    line = json.dumps(entity, separators=(",", ":")).encode()
    assert dump_entities.misfit(b"[\n" + line + b"\n]\n") is None
    found = dump_entities.search([f"{DIRECT}P31"], None)(line)
    assert found["subject"].unique().to_list() == [f"<{ENTITY}P9>"]


def refused(tmp_path: Path, content: str) -> str:
    dump = tmp_path / "d.json"
    dump.write_text(content)
    with pytest.raises(BlendError) as error:
        taken(tmp_path / "out", dump)
    return str(error.value).replace(str(dump), "DUMP")


@pytest.mark.slow
def test_json_that_is_not_wikidatas(tmp_path: Path):
    spaced = json.dumps(entity_of()) + "\n"
    swapped = json.dumps(
        {"id": "Q1", "claims": {"P31": [{"rank": "normal", "mainsnak": {}}]}}, separators=(",", ":")
    )
    first, last = (json.dumps(entity_of(id=qid), separators=(",", ":")) + ",\n" for qid in ("Q1", "Q2"))
    blanks = (
        spaced,
        spaced.replace(": ", ":"),
        spaced.replace(", ", ","),
        first.replace('":', '" :'),
    )
    for wrong in (
        *blanks,
        f"{swapped}\n",
        '{"type":"item","id":"Q1","claims"\n',
        "<html>\n",
    ):
        # One line among others that are as they should be would be passed over.
        for content in (wrong, f"[\n{first}{wrong}{last}]\n"):
            assert refused(tmp_path, content) == (
                f"DUMP, line at unpacked byte {content.index(wrong)}: "
                f"not an entity as Wikidata's dumps write them: "
                f"{wrong.strip()[:200]!r}; {WITHOUT if wrong in blanks else NAMES}, or download the dump again"
            )
    for wrong in (
        first.replace('"rank":"normal"', '"rank":"best"'),
        first.replace(',"rank":"normal"', ""),
        first.replace(',"type":"statement"', ""),
    ):
        for content in (wrong, wrong + last):
            assert refused(tmp_path, content) == (
                f"DUMP, unpacked bytes 0 to {len(content)}: cannot be read (a statement of Q1 without a rank "
                "behind its value); download the dump again"
            )


def test_a_type_of_value_that_only_triples_have(tmp_path: Path):
    when = value_snak("P31", "time", "time", {"time": "+2001-01-01T00:00:00Z"})
    claims = {"P31": [{"mainsnak": when, "type": "statement", "rank": "preferred"}]}
    dump_of(tmp_path / "d.json", entity_of(claims=claims))
    assert refused(tmp_path, (tmp_path / "d.json").read_text()) == (
        "DUMP: values of P31 are of the type time, which is not read from JSON; give latest-truthy.nt.gz"
    )


def split(text: str, folder: Path, n_files: int) -> list[Path]:
    """The lines of a dump in several files of a folder, compressed in several ways."""
    folder.mkdir()
    lines = text.splitlines(keepends=True)
    files = []
    for number in range(n_files):
        packed, pack = [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress)][number % 3]
        files.append(folder / f"{number}.nt{packed}")
        files[-1].write_bytes(pack("".join(lines[number::n_files]).encode()))
    return files


@pytest.mark.slow
@pytest.mark.usefixtures("small_blocks")
def test_a_split_dump_gives_the_bytes_of_the_whole(shorthand: Callable[[str], str], tmp_path: Path):
    text = shorthand(random_facts(3))
    (tmp_path / "d.nt").write_text(text, encoding="utf-8")
    files = split(text, tmp_path / "parts", 5)
    (tmp_path / "parts" / "README.txt").write_text("not a dump")
    expected = taken(tmp_path / "whole", tmp_path / "d.nt")
    steps: list[tuple[str, int, int]] = []
    infos = [
        taken(tmp_path / "files", files, on_progress=lambda *step: steps.append(step)),
        taken(tmp_path / "folder", tmp_path / "parts"),
    ]
    assert {info.sha256 for info in infos} == {expected.sha256}
    assert [file.file for file in infos[1].dump] == [file.name for file in files]
    assert all(done <= total for step, done, total in steps if step == "read statements")


def test_a_folder_without_a_dump(tmp_path: Path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError) as error:
        taken(tmp_path / "out", tmp_path / "folder")
    assert str(error.value) == f"{tmp_path / 'folder'}: no dump is there; {NAMES}"


@pytest.mark.integration
@pytest.mark.nightly
def test_a_cluster_that_loses_workers_gives_the_same_bytes(shorthand: Callable[[str], str], tmp_path: Path):
    from distributed import LocalCluster

    text = shorthand("\n".join(random_facts(seed) for seed in range(40)))
    files = split(text, tmp_path / "parts", 12)
    expected = taken(tmp_path / "alone", files)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        killed: list[int] = []

        def kill(step: str, done: int, total: int) -> None:
            # Both workers are killed, one in each reading, while files are under way.
            if step.startswith("read") and len(killed) < (1 if step == "read statements" else 2):
                killed.append(cluster.workers[len(killed)].process.pid)
                os.kill(killed[-1], signal.SIGKILL)

        found = taken(tmp_path / "b", files, dask=cluster.scheduler_address, on_progress=kill)
        assert len(killed) == 2
        assert found.sha256 == expected.sha256
        # What a worker finds wrong is told as here.
        files[3].write_text("nonsense\n")
        with pytest.raises(InputError) as here:
            taken(tmp_path / "c", files)
        with pytest.raises(InputError) as there:
            taken(tmp_path / "d", files, dask=cluster.scheduler_address)
    assert str(there.value) == str(here.value)


@pytest.mark.integration
@pytest.mark.nightly
def test_a_cluster_on_this_machine(shorthand: Callable[[str], str], tmp_path: Path):
    files = split(shorthand(random_facts(5)), tmp_path / "parts", 2)
    expected = taken(tmp_path / "alone", files)
    assert taken(tmp_path / "b", files, dask="local").sha256 == expected.sha256
