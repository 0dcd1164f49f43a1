"""How long a comparison takes and how much memory it needs, from 100,000 to 1,000,000 rows.

Prints the table of ``docs/diff.md``. The rows are multiple-choice questions of the sample in the package,
repeated under new ids; in the new release one row in a hundred has another correct answer, one in a hundred is
new, one is gone. Every comparison runs in a process of its own, which reports its own time and peak memory;
what counts are the ratios within one run of this script, not the seconds.

    python benchmarks/diff_scale.py
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.diff import diff_releases
from blend.builders.parquet import Table, write_table
from blend.builders.release import build_release
from blend.loaders.files.pins import file_sha256
from blend.loaders.recipes.ready import sample_recipe
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import read_config
from blend.schemas.release.manifest import FileInfo
from blend.schemas.release.release_layout import MANIFEST_NAME
from blend.schemas.rows.configs import CONFIGS, MULTIPLE_CHOICE_QUESTIONS

SIZES = (100_000, 300_000, 1_000_000)
CHANGED = 100


def main() -> None:
    """Measure every size, each with rows in the same order and in another one, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", nargs=2, metavar=("OLD", "NEW"), help=argparse.SUPPRESS)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, help="numbers of rows")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measured(*map(Path, arguments.one))))
        return
    print("| rows | order | files, MB | seconds | of the first | µs per row | memory beyond imports, MB |")
    print("|---:|---|---:|---:|---:|---:|---:|")
    first: float | None = None
    with tempfile.TemporaryDirectory() as scratch:
        build_release(sample_recipe(), Path(scratch) / "sample")
        for n_rows in arguments.sizes:
            folder = Path(scratch) / str(n_rows)
            make_release(Path(scratch) / "sample", folder / "old", n_rows)
            for order in ("the same", "shuffled"):
                make_release(
                    Path(scratch) / "sample", folder / order, n_rows, changed=True, shuffled=order == "shuffled"
                )
                figures = compared(folder / "old", folder / order)
                check(figures, n_rows)
                first = first or figures["seconds"]
                print(
                    f"| {n_rows:,} | {order} | {figures['mb']:.0f} | {figures['seconds']:.2f} "
                    f"| {figures['seconds'] / first:.1f} | {figures['seconds'] / n_rows * 1e6:.1f} "
                    f"| {figures['peak_mb']:.0f} |",
                    flush=True,
                )


def make_release(
    sample: Path, out: Path, n_rows: int, *, changed: bool = False, shuffled: bool = False
) -> None:
    """A release of one large table, as a build would write it; with ``changed``, of the version after."""
    rows = read_config(sample, MULTIPLE_CHOICE_QUESTIONS)
    batches = copies(rows, n_rows + n_rows // CHANGED if changed else n_rows)
    if changed:
        batches = map(edited, batches)
    if shuffled:
        batches = iter([pl.concat(batches).sample(fraction=1, shuffle=True, seed=1)])
    out.mkdir(parents=True)
    table = Table(MULTIPLE_CHOICE_QUESTIONS, "test", CONFIGS[MULTIPLE_CHOICE_QUESTIONS], batches)
    written = write_table(table, out)
    files = tuple(
        FileInfo(path=path, size=(out / path).stat().st_size, sha256=file_sha256(out / path))
        for path in written.files
    )
    manifest = read_manifest(sample).model_copy(update={"tables": (written,), "files": files})
    (out / MANIFEST_NAME).write_text(manifest.to_json(), encoding="utf-8")


def copies(rows: pl.DataFrame, n_rows: int) -> Iterator[pl.DataFrame]:
    """The rows again and again, numbered through; no two have the same id or prompt."""
    for start in range(0, n_rows, len(rows)):
        part = rows.head(n_rows - start).with_columns(number=pl.int_range(start, start + pl.len()).head(n_rows))
        yield part.with_columns(
            mcq_id=pl.format("{}-{}", "mcq_id", "number"), prompt=pl.format("{}. {}", "number", "prompt")
        )


def edited(rows: pl.DataFrame) -> pl.DataFrame:
    """One row in a hundred with another correct answer, and another one in a hundred without its row."""
    turn = pl.col("number") % CHANGED
    right = (pl.col("answer") + 1) % 4
    letters = pl.lit("ABCD").str.slice(right, 1)
    return rows.filter(turn != 7).with_columns(
        answer=pl.when(turn == 3).then(right).otherwise("answer"),
        answer_idx=pl.when(turn == 3).then(letters).otherwise("answer_idx"),
    )


def compared(old: Path, new: Path) -> dict[str, Any]:
    """One comparison in a process of its own."""
    command = [sys.executable, __file__, "--one", str(old), str(new)]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(run.stdout)


def measured(old: Path, new: Path) -> dict[str, Any]:
    """Compare two releases, and say what it took."""
    before = peak_kb()
    start = time.perf_counter()
    found = diff_releases(old, new)
    seconds = time.perf_counter() - start
    peak = peak_kb() - before
    (split,) = found.configs[0].splits
    size = sum(path.stat().st_size for release in (old, new) for path in release.rglob("*.parquet"))
    return {
        "seconds": seconds,
        "peak_mb": peak / 1024,
        "mb": size / 1e6,
        "rows": [split.added + split.replaced, split.removed + split.replaced, split.changed],
    }


def peak_kb() -> int:
    """The most memory that this process has held."""
    status = Path("/proc/self/status")
    if status.exists():
        # Linux: getrusage would count the memory of the process that started this one as well.
        return next(
            int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")
        )
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def check(figures: dict[str, Any], n_rows: int) -> None:
    """The comparison found what was changed: a benchmark of a wrong answer would say nothing."""
    share = n_rows // CHANGED
    assert figures["rows"] == [share - share // CHANGED, share, share], figures["rows"]


if __name__ == "__main__":
    main()
