"""How fast a snapshot is taken from a dump of Wikidata, beside ``zcat FILE | grep -F`` in the same run.

Writes a dump of made-up statements in the form of Wikidata's truthy dump (labels and descriptions in many
languages with escapes, values of other kinds, classes in cycles, unknown values), takes snapshots of the
packaged domains from it in a process of its own, and prints what each reading takes. The last line projects the
time for a dump of another size, given as its unpacked length in gigabytes.

    python benchmarks/wikidata_dump.py --triples 20000000 --projected-gb 1000
"""

import argparse
import gzip
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast

from blend.loaders.wikidata.dump import BLOCK_BYTES, take_snapshots_from_dump
from blend.loaders.wikidata.facts import DESCRIPTION, DIRECT, ENTITY, LABEL
from blend.schemas.recipe import Domain, domains

LANGUAGES = (
    "ar", "de", "en", "es", "fr", "he", "it", "ja", "ko", "nl", "pl", "pt", "ru", "sv", "zh", "zh-hans", "mul",
)  # fmt: skip
WORDS = (
    *("bread", "rice", "soup", "scientific article", "human", "Wikimedia category", "gene", "street", "river"),
    *(r"\u0445\u043B\u0435\u0431", r"\u30D1\u30F3", r"\uBE75", r"\"quoted\"", r"\\", r"line\u2028break"),
    r"\U0001F35E",
)
CLASSES = ("Q5", "Q13442814", "Q4167836", "Q11173", "Q7187", "Q79007", "Q4022")
COUNTRIES = tuple(range(900, 960))
OTHERS = ("P106", "P50", "P356", "P1433", "P577", "P304", "P921", "P2860", "P698", "P214")
XSD = "http://www.w3.org/2001/XMLSchema#"


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--triples", type=int, default=500_000, help="statements of the dump")
    parser.add_argument("--projected-gb", type=float, default=1000, help="unpacked gigabytes to project for")
    parser.add_argument("--one", nargs=2, type=Path, metavar=("DUMP", "OUT"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measured(*arguments.one)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        dump = Path(scratch) / "latest-truthy.nt.gz"
        n_bytes = write_dump(dump, arguments.triples)
        print_table(dump, n_bytes, Path(scratch) / "out", arguments.projected_gb)


def write_dump(path: Path, n_triples: int, *, seed: int = 0) -> int:
    """Write a dump with at least this many statements; returns its unpacked length in bytes."""
    n_bytes = 0
    with gzip.open(path, "wb", compresslevel=6) as file:
        for entity in entities(n_triples, seed):
            n_bytes += file.write(entity)
    return n_bytes


def outs_in(folder: Path) -> dict[Path, Domain]:
    """A file for each packaged domain."""
    return {folder / domain.name / "snapshot.nt.gz": domain for domain in domains().values()}


def entities(n_triples: int, seed: int) -> Iterator[bytes]:
    """The statements about entities, one after the other, some 27 each; one in 250 is a dish or instrument."""
    choose = random.Random(seed)
    n_made, number = 0, 900
    while n_made < n_triples:
        lines = list(statements(number, choose))
        n_made += len(lines)
        yield "".join(f"{line} .\n" for line in lines).encode()
        number += 1 if number < COUNTRIES[-1] else choose.randint(1, 40)


def statements(number: int, choose: random.Random) -> Iterator[str]:
    """Everything that the dump says about one entity, without the full stops."""
    item, page = f"<{ENTITY}Q{number}>", f"<https://www.wikidata.org/wiki/Special:EntityData/Q{number}>"
    yield f"{page} <http://schema.org/about> {item}"
    yield f"{page} <http://creativecommons.org/ns#license> <http://creativecommons.org/publicdomain/zero/1.0/>"
    yield f'{page} <http://schema.org/version> "{choose.randrange(1 << 31)}"^^<{XSD}integer>'
    for tag in choose.sample(LANGUAGES, choose.randint(1, 8)):
        label = f'"{" ".join(choose.choices(WORDS, k=choose.randint(1, 4)))} {number % 977}"@{tag}'
        for name in (LABEL, "http://www.w3.org/2004/02/skos/core#prefLabel", "http://schema.org/name"):
            yield f"{item} <{name}> {label}"
    for tag in choose.sample(LANGUAGES, choose.randint(1, 12)):
        yield f'{item} <{DESCRIPTION}> "{" ".join(choose.choices(WORDS, k=3))}"@{tag}'
    for name, value in claims(number, choose):
        yield f"{item} <{DIRECT}{name}> {value}"
    for name in choose.sample(OTHERS, choose.randint(2, 8)):
        text = (
            f'"{choose.randint(1900, 2020)}-01-01T00:00:00Z"^^<{XSD}dateTime>'
            if name == "P577"
            else '"10.1000/1"'
        )
        is_item = name in ("P106", "P50", "P1433", "P921", "P2860")
        yield f"{item} <{DIRECT}{name}> " + (f"<{ENTITY}Q{choose.randint(1, number)}>" if is_item else text)


def claims(number: int, choose: random.Random) -> Iterator[tuple[str, str]]:
    """Property and value of the statements that the domains ask about."""

    def known() -> str:
        return f"<{ENTITY}Q{choose.randint(900, number)}>"

    if number in COUNTRIES:
        yield "P31", f"<{ENTITY}{choose.choice(('Q6256', 'Q3024240'))}>"
        yield "P30", f"<{ENTITY}Q46>"
        yield "P1366", known()
    elif choose.random() < 0.004:
        yield choose.choice(("P31", "P279")), f"<{ENTITY}{choose.choice(('Q746549', 'Q34379'))}>"
        unknown = choose.choice(
            (f"_:genid{number}", f"<http://www.wikidata.org/.well-known/genid/{number:032x}>")
        )
        yield "P495", unknown if choose.random() < 0.1 else f"<{ENTITY}Q{choose.choice(COUNTRIES)}>"
        yield from (("P527", known()) for _ in range(choose.randint(1, 5)))
        yield "P18", f"<http://commons.wikimedia.org/wiki/Special:FilePath/Item%20{number}.jpg>"
    elif choose.random() < 0.01:
        yield from (("P279", known()) for _ in range(2))  # towards dishes as well, and back
        yield "P361", known()
    else:
        yield "P31", f"<{ENTITY}{choose.choice(CLASSES)}>"
        yield "P17", f"<{ENTITY}Q{choose.choice(COUNTRIES)}>"


READINGS = {"read statements": "first reading", "read texts": "second reading"}
"""Steps of progress, with what the table calls them."""


def measured(dump: Path, out: Path) -> dict[str, list[float]]:
    """Seconds and processor seconds of each reading and of everything; peak memory in MB."""
    moments = [("", *_now())]
    take_snapshots_from_dump(outs_in(out), dump, on_progress=lambda step, *_: moments.append((step, *_now())))
    moments.append(("", *_now()))
    figures = {"peak": [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]}
    for step, name in READINGS.items():
        at = [number for number, moment in enumerate(moments) if moment[0] == step]
        figures[name] = _between(moments[at[0] - 1], moments[at[-1]])
    figures["two snapshots, all in all"] = _between(moments[0], moments[-1])
    return figures


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _between(start: tuple[str, float, float], end: tuple[str, float, float]) -> list[float]:
    return [end[1] - start[1], end[2] - start[2]]


def searched(dump: Path) -> list[float]:
    """Seconds and processor seconds of ``zcat | grep -F`` for one property."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(f"zcat {dump} | grep -F -c 'prop/direct/P31> '", shell=True, check=True, capture_output=True)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return [seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime]


def by_isal(file: IO[bytes]) -> IO[bytes]:
    """The content of a file as the reading of dumps unpacks it."""
    from isal import igzip

    return cast("IO[bytes]", igzip.GzipFile(fileobj=file))


def unpacked(dump: Path, unpacker: Callable[[IO[bytes]], IO[bytes]]) -> list[float]:
    """Seconds and processor seconds of unpacking alone."""
    start = ("", *_now())
    with dump.open("rb") as packed, unpacker(packed) as file:
        while file.read(BLOCK_BYTES):
            pass
    return _between(start, ("", *_now()))


def print_table(dump: Path, n_bytes: int, out: Path, projected_gb: float) -> None:
    """Measure in turns, and print seconds, speed and the ratio to ``zcat | grep -F``."""
    grep = searched(dump)
    command = [sys.executable, __file__, "--one", str(dump), str(out)]
    figures = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    grep = min(grep, searched(dump))
    with_zlib = unpacked(dump, lambda file: cast("IO[bytes]", gzip.GzipFile(fileobj=file)))
    alone = {"unpacking alone, zlib": with_zlib, "unpacking alone, ISA-L": unpacked(dump, by_isal)}
    print(f"{n_bytes / 1e6:,.0f} MB unpacked, {dump.stat().st_size / 1e6:,.0f} MB packed\n")
    print("| | s | MB/s | MB/s per core | speed, `zcat \\| grep -F` = 1 | by processor time |")
    print("|---|---:|---:|---:|---:|---:|")
    peak = figures.pop("peak")[0]
    for name, (seconds, cpu) in {"`zcat \\| grep -F`": grep, **alone, **figures}.items():
        print(
            f"| {name} | {seconds:.1f} | {n_bytes / 1e6 / seconds:.0f} | {n_bytes / 1e6 / cpu:.0f} "
            f"| {grep[0] / seconds:.2f} | {grep[1] / cpu:.2f} |"
        )
    hours = sum(figures[name][0] for name in READINGS.values()) / n_bytes * projected_gb * 1e9 / 3600
    print(f"\npeak memory {peak:,.0f} MB; both readings of {projected_gb:,.0f} GB: {hours:.1f} h")


if __name__ == "__main__":
    main()
