"""How much time and memory a validation takes, from 16 regions to 132 and to all variants.

Prints the table of ``docs/validate.md``. Every validation runs in a process of its own, which reports its own
processor time and peak memory; what counts are the ratios within one run of this script, not the seconds.

    python benchmarks/validate_scale.py --blend path/to/BLEnD/data
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from make_regions import base_tables, make_regions, write_regions

from blend.builders.release import build_release
from blend.builders.validate import CHECKS, validate_release
from blend.loaders.files.locales import read_locales
from blend.loaders.recipes.ready import blend_recipe
from blend.schemas.language.locales import Registry, registry
from blend.schemas.recipe.recipe import McqOptions

CASES = [(16, "5"), (16, "all"), (20, "all"), (132, "5")]
"""Regions, and variants per question."""


def main() -> None:
    """Measure every case and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blend", type=Path, help="BLEnD's files; the sample in the package when absent")
    parser.add_argument("--cases", type=int, help="cases measured, from the first; all when absent")
    parser.add_argument("--build", nargs=3, metavar=("FOLDER", "VARIANTS", "OUT"), help=argparse.SUPPRESS)
    parser.add_argument("--validate", nargs=2, metavar=("FOLDER", "RELEASE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.build:
        build(Path(arguments.build[0]), arguments.build[1], Path(arguments.build[2]))
    elif arguments.validate:
        print(json.dumps(measured(*map(Path, arguments.validate))))
    else:
        print(
            "| regions | variants | rows | errors | processor seconds | µs per row | peak memory, MB "
            "| loading, processor seconds |"
        )
        print("|---:|---|---:|---:|---:|---:|---:|---:|")
        for n_regions, variants in CASES[: arguments.cases]:
            print(case(arguments.blend, n_regions, variants), flush=True)


def case(blend: Path | None, n_regions: int, variants: str) -> str:
    """One line of the table: a release made for it, built and validated in processes of their own."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, release = Path(scratch) / "regions", Path(scratch) / "release"
        write_regions(make_regions(*base_tables(blend), n_regions), folder)
        child("--build", folder, variants, release)
        figures = json.loads(child("--validate", folder, release))
    seconds = figures["seconds"]
    return (
        f"| {n_regions} | {variants} | {figures['rows']:,} | {figures['errors']} | {seconds:.1f} "
        f"| {seconds / figures['rows'] * 1e6:.0f} | {figures['peak_mb']:.0f} | {figures['loading']:.1f} |"
    )


def child(*arguments: str | Path) -> str:
    """What this script prints in a process of its own."""
    command = [sys.executable, __file__, *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def build(folder: Path, variants: str, release: Path) -> None:
    """Build the release to be validated."""
    options = McqOptions(variants="all" if variants == "all" else int(variants))
    recipe = blend_recipe(str(folder)).model_copy(update={"mcq": options})
    build_release(
        recipe, release, source_paths={recipe.sources[0].location: folder}, locales=known_locales(folder)
    )


def measured(folder: Path, release: Path) -> dict[str, float]:
    """Time and peak memory of all checks but loading, then the time of loading, which is another library's."""
    locales = known_locales(folder)
    checks = {name: check for name, check in CHECKS.items() if name != "loading"}
    start = time.process_time()
    report = validate_release(release, checks=checks, locales=locales)
    seconds = time.process_time() - start
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.process_time()
    loaded = validate_release(release, checks={"loading": CHECKS["loading"]}, locales=locales)
    return {
        "rows": report.rows,
        "errors": report.errors + loaded.errors,
        "seconds": seconds,
        "peak_mb": peak_mb,
        "loading": time.process_time() - start,
    }


def known_locales(folder: Path) -> Registry:
    """The packaged locales and those that were invented for a folder."""
    invented = folder / "locales.toml"
    return registry().extended(read_locales(invented)) if invented.is_file() else registry()


if __name__ == "__main__":
    main()
