"""How long publishing and pulling takes, and how much memory: releases of 16 regions and the Hub of the tests.

    python benchmarks/publish_scale.py --blend path/to/BLEnD/data

Each command runs in a process of its own against a Hub on this machine, so the figures leave the network out: what
remains is reading, hashing, asking and checking. Without BLEnD's files the sample in the package is measured.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "hub"))

from hub_server import Hub

from blend.loaders.releases import read_manifest

REPO = "org/blend"

MEASURED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


class Cost(NamedTuple):
    """What a command took."""

    seconds: float
    """From its start to its end."""
    peak_mb: float
    """Largest resident memory, in megabytes."""


def main() -> None:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blend", type=Path, help="directory of the public BLEnD data")
    blend_data = parser.parse_args().blend
    print("| release | rows | MB | transport | publish | again | pull | compare | peak memory, MB |")
    print("|---|---:|---:|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, options in _cases(blend_data):
            release = Path(folder) / name
            subprocess.run(
                [sys.executable, "-m", "blend", "build", *options, "--out", str(release)],
                check=True,
                capture_output=True,
            )
            for xet in (False, True):
                _report(release, Path(folder) / f"{name} {xet}", xet=xet)


def _cases(blend_data: Path | None) -> Iterator[tuple[str, list[str]]]:
    if blend_data is None:
        yield "sample", []
        return
    source = ["--blend", str(blend_data)]
    yield "16 regions, paper", [*source, "--mcq-mode", "paper"]
    yield "16 regions, default, all variants", [*source, "--variants", "all"]


def _report(release: Path, folder: Path, *, xet: bool) -> None:
    manifest = read_manifest(release)
    rows = sum(table.rows for table in manifest.tables)
    megabytes = sum(file.size for file in manifest.files) / 1e6
    with Hub(folder / "hub", xet=xet).serving() as hub:
        home = folder / "home"
        back = folder / "back"
        costs = [
            _run(hub, home, *command)
            for command in (
                ("publish", release, REPO),
                ("publish", release, REPO),
                ("pull", f"{REPO}@v{manifest.version}", back),
                ("diff", release, back, "--exit-code"),
            )
        ]
    seconds = " | ".join(f"{cost.seconds:.1f}" for cost in costs)
    peak = max(cost.peak_mb for cost in costs)
    transport = "Xet" if xet else "LFS"
    print(f"| {release.name} | {rows:,} | {megabytes:.1f} | {transport} | {seconds} | {peak:.0f} |", flush=True)


def _run(hub: Hub, home: Path, *command: object) -> Cost:
    start = time.perf_counter()
    run = subprocess.run(
        [sys.executable, "-c", MEASURED, sys.executable, "-m", "blend", *map(str, command)],
        env={**os.environ, **hub.environment(home)},
        capture_output=True,
        text=True,
    )
    if run.returncode:
        sys.exit(run.stderr)
    # Linux counts in kibibytes, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(time.perf_counter() - start, int(run.stdout) * unit / 1e6)


if __name__ == "__main__":
    main()
