"""How long a build takes and how much memory it needs, from 16 to 132 regions, next to the published procedure.

Every build runs in a process of its own, which reports its
processor time from its first import to the last byte of the release, and its peak memory; so does the published
procedure in memory (`published_procedure.py`), which writes no file. Python's modules are compiled before
anything is measured, as an installation compiles them. With ``--times N`` what has 16 regions is measured in
turns, one right after the other, and the mean of N counts: machines have fast minutes and slow ones, and the
best or the middle one of each may be of either kind. What matters are the ratios within one run of this script,
not the seconds.

    python benchmarks/build_scale.py --blend path/to/BLEnD/data --times 5

With ``--growth 16 132 1000`` it builds so many locales in default mode as well, of ``--templates`` templates,
and prints what rows cost in time and memory; ``--cases 0`` leaves the first table out.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl
from make_regions import base_tables, make_regions, write_regions

from blend.builders.release import build_release
from blend.loaders.files.toml import registry_with
from blend.loaders.recipes import blend_recipe
from blend.schemas.recipe import McqOptions
from blend.schemas.rows import MULTIPLE_CHOICE_QUESTIONS

MODES: dict[str, dict[str, Any]] = {
    "default": {},
    "paper (all)": {"mode": "paper"},
}

CASES = [
    (16, "default"),
    (16, "paper (all)"),
    (33, "default"),
    (132, "default"),
]


def main() -> None:
    """Measure every case and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blend", type=Path, help="BLEnD's files; the sample in the package when absent")
    parser.add_argument("--times", type=int, default=1, help="rounds, of which the mean counts")
    parser.add_argument("--cases", type=int, help="cases measured, from the first; all when absent")
    parser.add_argument(
        "--growth", type=int, nargs="+", metavar="LOCALES", help="numbers of locales to build as well"
    )
    parser.add_argument("--templates", type=int, default=50, help="templates asked with --growth")
    parser.add_argument("--one", nargs=3, metavar=("FOLDER", "MODE", "OUT"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        folder, mode, out = arguments.one
        print(json.dumps(measured(Path(folder), mode, Path(out))))
        return
    with tempfile.TemporaryDirectory() as compiled:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = compiled
        if arguments.cases != 0:
            print_table(arguments.blend, arguments.times, CASES[: arguments.cases])
        if arguments.growth:
            print_growth(arguments.blend, arguments.growth, arguments.templates)


Figures = dict[str, float]
Measurement = Callable[[], Figures]

PUBLISHED = "published procedure"


def print_table(blend: Path | None, times: int, cases: list[tuple[int, str]]) -> None:
    """Measure everything: 16 regions in turns, after a round that only compiles, then the larger ones."""
    in_turns: dict[str, Measurement] = {}
    if blend is not None:
        in_turns[PUBLISHED] = partial(published_procedure, blend)
    with regions(blend, 16) as folder:
        in_turns |= {mode: partial(case, folder, mode) for n, mode in cases if n == 16}
        rounds = [{name: measure() for name, measure in in_turns.items()} for _ in range(1 + times)][1:]
    print(
        "| regions | mode | rows written | processor seconds | of published | of paper mode | µs per row "
        "| peak memory, MB |"
    )
    print("|---:|---|---:|---:|---:|---:|---:|---:|")
    means = {
        name: {figure: fmean(of[name][figure] for of in rounds) for figure in rounds[0][name]}
        for name in in_turns
    }
    for name, figures in means.items():
        print_row(16, name, figures, means)
    for n_regions, mode in cases:
        if n_regions != 16:
            with regions(blend, n_regions) as folder:
                print_row(n_regions, mode, case(folder, mode), means)


def print_growth(blend: Path | None, sizes: Sequence[int], n_templates: int) -> None:
    """Build ever more locales, and print what each row costs beyond the first build."""
    print("| locales | rows written | processor seconds | µs per row | peak memory, MB | further kB per row |")
    print("|---:|---:|---:|---:|---:|---:|")
    # The first build compiles every module, which takes more memory than the build itself.
    with regions(blend, min(sizes), n_templates) as folder:
        case(folder, "default")
    first: Figures = {}
    for n_locales in sizes:
        with regions(blend, n_locales, n_templates) as folder:
            figures = case(folder, "default")
        first = first or figures
        more = figures["rows"] - first["rows"]
        per_row = f"{(figures['peak_mb'] - first['peak_mb']) * 1024 / more:.2f}" if more else ""
        cells = [f"{n_locales:,}", f"{figures['rows']:,}", f"{figures['cpu_s']:.1f}"]
        cells += [f"{figures['cpu_s'] / figures['rows'] * 1e6:.0f}", f"{figures['peak_mb']:.0f}", per_row]
        print(f"| {' | '.join(cells)} |", flush=True)


def print_row(n_regions: int, mode: str, figures: Figures, of: Mapping[str, Figures]) -> None:
    """A row of the table beside figures ``of`` others; without the memory of the published procedure."""
    ratios = [
        f"{figures['cpu_s'] / of[name]['cpu_s']:.2f}" if name in of else ""
        for name in (PUBLISHED, "paper (all)")
    ]
    more = ["", ""]
    if "peak_mb" in figures:
        more = [f"{figures['cpu_s'] / figures['rows'] * 1e6:.0f}", f"{figures['peak_mb']:.0f}"]
    cells = [str(n_regions), mode, f"{figures['rows']:,.0f}", f"{figures['cpu_s']:.1f}", *ratios, *more]
    print(f"| {' | '.join(cells)} |", flush=True)


def published_procedure(blend: Path) -> Figures:
    """Rows and processor seconds of the published procedure."""
    command = [sys.executable, Path(__file__).with_name("published_procedure.py"), blend]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: Figures = json.loads(run.stdout)
    return figures


@contextmanager
def regions(blend: Path | None, n_regions: int, n_templates: int | None = None) -> Iterator[Path]:
    """Make a folder of so many regions, with all templates or so many of them, and remove it in the end."""
    questions, annotations = base_tables(blend)
    if n_templates is not None:
        templates = questions["template_id"].unique().sort()
        asked = pl.col("template_id").is_in(
            templates.gather_every(max(len(templates) // n_templates, 1)).to_list()
        )
        questions, annotations = questions.filter(asked), annotations.filter(asked)
    with tempfile.TemporaryDirectory() as folder:
        write_regions(make_regions(questions, annotations, n_regions), Path(folder))
        yield Path(folder)


def case(folder: Path, mode: str) -> Figures:
    """One build in a process of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, __file__, "--one", str(folder), mode, str(Path(scratch) / "release")]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(run.stdout)


def measured(folder: Path, mode: str, out: Path) -> Figures:
    """Build a release, and say what that took this process from its start to the last file."""
    invented = folder / "locales.toml"
    known = registry_with(invented if invented.is_file() else None)
    recipe = blend_recipe(str(folder)).model_copy(update={"mcq": McqOptions(**MODES[mode])})
    manifest = build_release(recipe, out, source_paths={recipe.sources[0].location: folder}, locales=known)
    return {
        "rows": sum(table.rows for table in manifest.tables),
        "mcqs": sum(table.rows for table in manifest.tables if table.config == MULTIPLE_CHOICE_QUESTIONS),
        "cpu_s": time.process_time(),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    main()
