"""How long a build takes and how much memory it needs, from 16 to 132 regions.

Prints the table of ``docs/performance.md``. Every build runs in a process of its own, which reports its own
time and peak memory; what counts are the ratios within one run of this script, not the seconds.

    python benchmarks/build_scale.py --blend path/to/BLEnD/data
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from make_regions import base_tables, make_regions, write_regions

from blend.builders.release import build_release
from blend.loaders.files.locales import read_locales
from blend.loaders.recipes.ready import blend_recipe
from blend.schemas.configs import MULTIPLE_CHOICE_QUESTIONS
from blend.schemas.locales import registry
from blend.schemas.recipe import McqOptions

MODES: dict[str, dict[str, Any]] = {
    "default": {},
    "default, all variants": {"variants": "all"},
    "paper (all)": {"mode": "paper"},
}

CASES = [
    (16, "default"),
    (16, "paper (all)"),
    (16, "default, all variants"),
    (33, "default"),
    (66, "default"),
    (132, "default"),
]


def main() -> None:
    """Measure every case and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blend", type=Path, help="BLEnD's files; the sample in the package when absent")
    parser.add_argument("--one", nargs=3, metavar=("FOLDER", "MODE", "OUT"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        folder, mode, out = arguments.one
        print(json.dumps(measured(Path(folder), mode, Path(out))))
        return
    print("| regions | mode | rows written | seconds | of the first | µs per row | peak memory, MB |")
    print("|---:|---|---:|---:|---:|---:|---:|")
    first: float | None = None
    for n_regions, mode in CASES:
        figures = case(arguments.blend, n_regions, mode)
        first = first or figures["seconds"]
        print(
            f"| {n_regions} | {mode} | {figures['rows']:,} | {figures['seconds']:.1f} "
            f"| {figures['seconds'] / first:.1f} | {figures['seconds'] / figures['rows'] * 1e6:.0f} "
            f"| {figures['peak_mb']:.0f} |",
            flush=True,
        )


def case(blend: Path | None, n_regions: int, mode: str) -> dict[str, float]:
    """One build in a process of its own, on files made for it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "regions"
        write_regions(make_regions(*base_tables(blend), n_regions), folder)
        command = [sys.executable, __file__, "--one", str(folder), mode, str(Path(scratch) / "release")]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(run.stdout)


def measured(folder: Path, mode: str, out: Path) -> dict[str, float]:
    """Build a release, and say what it took from reading the JSON to the last file."""
    invented = folder / "locales.toml"
    known = registry().extended(read_locales(invented)) if invented.is_file() else registry()
    recipe = blend_recipe(str(folder)).model_copy(update={"mcq": McqOptions(**MODES[mode])})
    start = time.perf_counter()
    manifest = build_release(recipe, out, places={folder.name: folder}, locales=known)
    seconds = time.perf_counter() - start
    return {
        "rows": sum(table.rows for table in manifest.tables),
        "mcqs": sum(table.rows for table in manifest.tables if table.config == MULTIPLE_CHOICE_QUESTIONS),
        "seconds": seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    main()
