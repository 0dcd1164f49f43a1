"""How long food triples take from a snapshot, from 3,500 to 35,000 dishes with labels in 40 languages.

Prints the table of ``docs/wikidata.md``. Snapshots are made by a generator (a script with the options
``--dishes`` and ``--out``); labels in 40 further languages are copies of the English ones. Every build runs in
a process of its own, which reports its own time and peak memory. The last line compares with one query per
country, as published with FmLAMA, on the snapshot as the generator makes it without options: both in this run,
and with the same rows.

    python benchmarks/food_build.py --generator path/to/make_wikidata_fixture.py
"""

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from blend.builders.triples import TripleBuild, build_triples
from blend.loaders.wikidata.facts import read_facts
from blend.loaders.wikidata.store import DESCRIPTION, DIRECT, ENTITY, LABEL, load_store
from blend.schemas.recipe.domains import domains
from blend.schemas.recipe.triple_options import TripleOptions

DISH = domains()["dish"]

SIZES = (3_500, 11_000, 35_000)

FURTHER = tuple(
    tag
    for tags in (
        "af az be bg bn bs ca cs cy da de el eo es et eu fa fi fr gl",
        "hi hr hu hy id is it ja ka kk lt lv ms nl pl pt ro sk sl sr",
    )
    for tag in tags.split()
)

PER_COUNTRY = f"""
SELECT ?dish (LANG(?label) AS ?language) (GROUP_CONCAT(DISTINCT ?part; separator=", ") AS ?parts)
       (GROUP_CONCAT(DISTINCT STR(?image); separator=", ") AS ?images)
       (GROUP_CONCAT(DISTINCT ?material; separator=", ") AS ?materials)
WHERE {{
  ?dish (<{DIRECT}P31>|<{DIRECT}P279>)+ <{ENTITY}Q746549> .
  {{ ?dish <{DIRECT}P495> <COUNTRY> }} UNION
  {{ ?dish (<{DIRECT}P2012>|<{DIRECT}P361>)/(<{DIRECT}P17>|<{DIRECT}P495>) <COUNTRY> }}
  FILTER NOT EXISTS {{ ?dish <{DIRECT}P495> ?other FILTER(?other != <COUNTRY>) }}
  ?dish <{LABEL}> ?label .
  <COUNTRY> <{LABEL}> ?country FILTER(LANG(?country) = LANG(?label))
  ?dish <{DIRECT}P527> ?ingredient . ?ingredient <{LABEL}> ?part FILTER(LANG(?part) = LANG(?label))
  OPTIONAL {{ ?dish <{DESCRIPTION}> ?description FILTER(LANG(?description) = LANG(?label)) }}
  OPTIONAL {{
    ?dish <{DIRECT}P18> ?image . ?dish <{DIRECT}P186> ?stuff .
    ?stuff <{LABEL}> ?material FILTER(LANG(?material) = LANG(?label))
  }}
}} GROUP BY ?dish ?label ?country ?description
"""


def main() -> None:
    """Measure every size and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generator", type=Path, help="script that makes snapshots")
    parser.add_argument("--one", type=Path, metavar="SNAPSHOT", help=argparse.SUPPRESS)
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES, help="numbers of dishes")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measured(arguments.one)))
        return
    if arguments.generator is None:
        parser.error("--generator is needed")
    with tempfile.TemporaryDirectory() as scratch:
        print_sizes(arguments.generator, Path(scratch), arguments.sizes)
        print_ratio(arguments.generator, Path(scratch))


def print_sizes(generator: Path, scratch: Path, sizes: Sequence[int]) -> None:
    """The table of sizes."""
    print("| dishes | triples | rows | read, s | build, s | rows, s | all, s | µs per triple | peak, MB |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for n_dishes in sizes:
        plain, large = scratch / f"{n_dishes}.nt.gz", scratch / f"{n_dishes}-40.nt.gz"
        generate(generator, plain, n_dishes)
        n_triples = add_labels(plain, large)
        command = [sys.executable, __file__, "--one", str(large)]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        figures = json.loads(run.stdout)
        seconds = [figures[step] for step in ("read", "build", "write")]
        cells = [f"{n_dishes:,}", f"{n_triples:,}", f"{figures['rows']:,}", *(f"{s:.1f}" for s in seconds)]
        cells += [f"{sum(seconds):.1f}", f"{sum(seconds) / n_triples * 1e6:.1f}", f"{figures['peak_mb']:.0f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


def print_ratio(generator: Path, scratch: Path) -> None:
    """One pass against one query per country, on the small snapshot."""
    path = scratch / "small.nt.gz"
    generate(generator, path, 0)
    started = time.perf_counter()
    build = build_triples(
        read_facts(path, DISH), DISH, TripleOptions.paper(single_origin="off", chinese="keep")
    )
    found = rows_of(build)
    ours = time.perf_counter() - started
    started = time.perf_counter()
    theirs = set(per_country(path))
    published = time.perf_counter() - started
    if found != theirs:
        raise SystemExit(f"the two differ in {len(found ^ theirs)} rows")
    print(f"\n{len(found):,} rows: {ours:.2f} s in one pass, {published:.2f} s with one query per country,")
    print(f"{published / ours:.0f} times as long (reading the snapshot included)")


def generate(generator: Path, out: Path, n_dishes: int) -> None:
    """Make a snapshot."""
    command = [sys.executable, str(generator), "--dishes", str(n_dishes), "--out", str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def add_labels(plain: Path, out: Path) -> int:
    """Copy a snapshot with every English label in 40 further languages; the number of triples."""
    n_triples = 0
    with gzip.open(plain, "rt", encoding="utf-8") as lines, gzip.open(out, "wt", 1, encoding="utf-8") as copy:
        for line in lines:
            copy.write(line)
            n_triples += 1
            if f"<{LABEL}>" in line and line.endswith('"@en .\n'):
                start = line.removesuffix('"@en .\n')
                copy.writelines(f'{start} {tag}"@{tag} .\n' for tag in FURTHER)
                n_triples += len(FURTHER)
    return n_triples


def measured(path: Path) -> dict[str, float]:
    """Build all languages, one after the other, and say what it took."""
    started = time.perf_counter()
    facts = read_facts(path, DISH)
    read = time.perf_counter()
    build = build_triples(facts, DISH)
    built = time.perf_counter()
    n_rows = sum(len(rows) for rows in build.batches())
    finished = time.perf_counter()
    return {
        "read": read - started,
        "build": built - read,
        "write": finished - built,
        "rows": n_rows,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def rows_of(build: TripleBuild) -> set[tuple[str, str, str]]:
    """Dish, language and country of every row."""
    rows = pl.concat(build.batches()).select("qid", "language", "origin_qid")
    return set(rows.iter_rows())


def per_country(path: Path) -> Iterator[tuple[str, str, str]]:
    """Dish, language and country of every row of the published query."""
    store = load_store(path)
    countries = store.query(
        f"SELECT ?c ?name WHERE {{ ?c <{DIRECT}P31> <{ENTITY}Q6256> ; <{LABEL}> ?name "
        "FILTER(LANG(?name) = 'en') }"
    )
    for country, name in countries:
        if name.value == "Taiwan":
            continue
        for row in store.query(PER_COUNTRY.replace("<COUNTRY>", str(country))):
            qids = [term.value.removeprefix(ENTITY) for term in (row["dish"], country)]
            yield qids[0], row["language"].value, qids[1]


if __name__ == "__main__":
    main()
