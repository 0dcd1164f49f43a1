"""What it takes to publish releases and to get them back, on a Hub of the tests' own on this machine.

Prints the table of ``docs/performance.md``. Every step is a ``blend`` command in a process of its own; its time
and peak memory are its own, the server's are not counted. Seconds say nothing about a real network; what counts
are the ratios between releases within one run.

    python benchmarks/publish_scale.py --blend path/to/BLEnD/data
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "hub"))

from hub_server import Hub

from blend.loaders.releases import read_manifest

RELEASES = {"5 variants": [], "all variants": ["--variants", "all"]}


def main() -> None:
    """Build, publish, pull and compare every release, and print what each step took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blend", type=Path, help="BLEnD's files; the sample in the package when absent")
    source = parser.parse_args().blend
    given = [] if source is None else ["--blend", str(source)]
    print("| release | rows | MB | step | seconds | peak memory, MB |")
    print("|---|---:|---:|---|---:|---:|")
    for name, options in RELEASES.items():
        with tempfile.TemporaryDirectory() as folder, Hub(Path(folder) / "hub").serving() as hub:
            steps(name, [*given, *options], Path(folder), hub)


def steps(name: str, options: list[str], folder: Path, hub: Hub) -> None:
    """Measure one release from build to comparison."""
    environment = os.environ | hub.environment(folder / "home")
    release, copy = folder / "release", folder / "copy"
    commands = {
        "build": ["build", *options, "--out", str(release)],
        "publish": ["publish", str(release), "alice/blend"],
        "publish again": ["publish", str(release), "alice/blend"],
        "pull": ["pull", "alice/blend@v1.0.0", str(copy)],
        "diff": ["diff", str(release), str(copy), "--exit-code"],
        "validate": ["validate", str(copy)],
    }
    for step, command in commands.items():
        seconds, peak_mb = measured(command, environment)
        manifest = read_manifest(release)
        rows = sum(table.rows for table in manifest.tables)
        size_mb = sum(file.size for file in manifest.files) / 1e6
        print(f"| {name} | {rows:,} | {size_mb:.1f} | {step} | {seconds:.1f} | {peak_mb:.0f} |", flush=True)


def measured(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds and peak memory in megabytes of a ``blend`` command that must succeed."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "blend", *command],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    errors = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"blend {' '.join(command)} failed:\n{errors}")
    return seconds, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
