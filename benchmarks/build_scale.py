"""How long a build takes and how much memory it needs, from 16 to 132 regions, next to the published procedure.

Prints the table of ``docs/performance.md``. Every build runs in a process of its own, which reports its
processor time from its first import to the last byte of the release, and its peak memory; so does the published
procedure in memory (`published_procedure.py`), which writes no file. What counts are the ratios within one run
of this script, not the seconds.

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
    print("| regions | mode | rows written | processor seconds | of published | µs per row | peak memory, MB |")
    print("|---:|---|---:|---:|---:|---:|---:|")
    published = published_procedure(arguments.blend)
    if published is not None:
        print(f"| 16 | published procedure | {published['rows']:,} | {published['cpu_s']:.1f} | 1.00 | | |")
    for n_regions, mode in CASES:
        figures = case(arguments.blend, n_regions, mode)
        ratio = "" if published is None else f"{figures['cpu_s'] / published['cpu_s']:.2f}"
        print(
            f"| {n_regions} | {mode} | {figures['rows']:,} | {figures['cpu_s']:.1f} | {ratio} "
            f"| {figures['cpu_s'] / figures['rows'] * 1e6:.0f} | {figures['peak_mb']:.0f} |",
            flush=True,
        )


def published_procedure(blend: Path | None) -> dict[str, float] | None:
    """Rows and processor seconds of the published procedure; null without the files that it was written for."""
    if blend is None:
        return None
    script = Path(__file__).with_name("published_procedure.py")
    run = subprocess.run([sys.executable, script, blend], stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(run.stdout)
    return figures


def case(blend: Path | None, n_regions: int, mode: str) -> dict[str, float]:
    """One build in a process of its own, on files made for it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "regions"
        write_regions(make_regions(*base_tables(blend), n_regions), folder)
        command = [sys.executable, __file__, "--one", str(folder), mode, str(Path(scratch) / "release")]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(run.stdout)


def measured(folder: Path, mode: str, out: Path) -> dict[str, float]:
    """Build a release, and say what that took this process from its start to the last file."""
    invented = folder / "locales.toml"
    known = registry().extended(read_locales(invented)) if invented.is_file() else registry()
    recipe = blend_recipe(str(folder)).model_copy(update={"mcq": McqOptions(**MODES[mode])})
    manifest = build_release(recipe, out, places={recipe.sources[0].location: folder}, locales=known)
    return {
        "rows": sum(table.rows for table in manifest.tables),
        "mcqs": sum(table.rows for table in manifest.tables if table.config == MULTIPLE_CHOICE_QUESTIONS),
        "cpu_s": time.process_time(),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    main()
