"""What it takes to publish releases and to get them back, beside plain ``huggingface_hub``.

Every step is a process of its own; its time is its own, the server's is not counted. Seconds say nothing about
a real network; what counts are the ratios within one run: between ``blend`` and the same transfer with the
Hub's client alone, which neither looks before it commits nor checks anything. The server can answer late, as a
Hub far away does. Releases are validated before they are published, as people do; once, a publish has to check
by itself.

    python benchmarks/publish_scale.py --blend path/to/BLEnD/data --runs 5
    python benchmarks/publish_scale.py --runs 1 --answers-after-ms 0
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from blend.loaders.releases import read_manifest
from helpers.hub import hub_api
from helpers.hub.hub_server import Hub

LATENCIES_MS = (0.0, 100.0)
REPO = "alice/blend"

hub_api.PAGE_ENTRIES = 1000  # as the Hub itself; the tests' pages are small, so that they have to be turned

PUBLISH = """
import sys
from huggingface_hub import HfApi

api, (folder, repo, version) = HfApi(), sys.argv[1:]
api.create_repo(repo, repo_type="dataset", exist_ok=True)
api.upload_folder(repo_id=repo, repo_type="dataset", folder_path=folder, delete_patterns="*")
api.create_tag(repo, tag=f"v{version}", repo_type="dataset", exist_ok=True)
"""

PULL = """
import sys
from huggingface_hub import snapshot_download

repo, version, folder = sys.argv[1:]
snapshot_download(repo, repo_type="dataset", revision=f"v{version}", local_dir=folder)
"""


def main() -> None:
    """Publish and pull with both, and print what each step took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blend", type=Path, help="BLEnD's files; the sample in the package when absent")
    parser.add_argument("--runs", type=int, default=5, help="runs of which the median is taken")
    parser.add_argument(
        "--answers-after-ms", type=float, nargs="+", default=LATENCIES_MS, help="how late the server answers"
    )
    asked = parser.parse_args()
    given = [] if asked.blend is None else ["--blend", str(asked.blend)]
    beside(given, asked.runs, asked.answers_after_ms)


class Measured(NamedTuple):
    """What a step took."""

    seconds: float
    processor_s: float
    requests: int


def beside(given: list[str], runs: int, latencies_ms: list[float]) -> None:
    """Publish and pull two versions with ``blend`` and with the Hub's client alone, near and far away."""
    columns = "plain, s | blend, s | ratio | plain, processor s | blend, processor s | ratio"
    print(f"| answers after, ms | step | {columns} | plain, requests | blend, requests |")
    print(f"|---:|---|{'---:|' * 8}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first, second = folder / "first", folder / "second"
        build = [sys.executable, "-m", "blend", "build"]
        measured([*build, *given, "--out", str(first)], os.environ)
        measured([*build, str(next_recipe(first)), "--out", str(second)], os.environ)
        for latency_ms in latencies_ms:
            taken: dict[str, list[tuple[Measured, Measured]]] = {}
            for _ in range(runs):
                for step, both in one_round(first, second, latency_ms / 1000).items():
                    taken.setdefault(step, []).append(both)
            for step, pairs in taken.items():
                sides = [
                    Measured(*map(statistics.median, zip(*side, strict=True)))
                    for side in zip(*pairs, strict=True)
                ]
                plain, ours = sides
                print(
                    f"| {latency_ms:.0f} | {step} | {plain.seconds:.2f} | {ours.seconds:.2f} "
                    f"| {ours.seconds / plain.seconds:.2f} | {plain.processor_s:.2f} | {ours.processor_s:.2f} "
                    f"| {ours.processor_s / plain.processor_s:.2f} "
                    f"| {plain.requests:.0f} | {ours.requests:.0f} |",
                    flush=True,
                )


def next_recipe(release: Path) -> Path:
    """A recipe for the version after a release, with another title, beside the files that it names."""
    version, text = read_manifest(release).version, (release / "recipe.toml").read_text(encoding="utf-8")
    major, minor, patch = map(int, version.split("."))
    text = text.replace(f'version = "{version}"', f'version = "{major}.{minor}.{patch + 1}"')
    recipe = release.parent / "recipe.toml"
    text = text.replace('title = "', 'title = "Again: ')
    recipe.write_text(f'previous = "{release.name}"\n{text}', encoding="utf-8")
    (release.parent / "datasheet.toml").write_bytes((release / "datasheet.toml").read_bytes())
    return recipe


def one_round(first: Path, second: Path, latency_s: float) -> dict[str, tuple[Measured, Measured]]:
    """What every step takes, with the Hub's client alone and with ``blend``."""
    before, after = read_manifest(first).version, read_manifest(second).version
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = Side(folder / "plain", latency_s)
        ours = Side(folder / "blend", latency_s)
        unchecked = Side(folder / "unchecked", latency_s)
        copies = {side: str(side.folder / "copy") for side in (plain, ours)}
        # A Hub for each: one that has a file already does not take it again.
        with plain.hub.serving(), ours.hub.serving(), unchecked.hub.serving():
            for release in (first, second):
                ours.blend("validate", str(release), "--skip", "loading")
            published = plain.python(PUBLISH, str(first), REPO, before)
            return {
                "publish": (published, ours.blend("publish", str(first), REPO)),
                "publish, and check": (published, unchecked.blend("publish", str(first), REPO)),
                "pull": (
                    plain.python(PULL, REPO, before, copies[plain]),
                    ours.blend("pull", f"{REPO}@v{before}", copies[ours]),
                ),
                "next version": (
                    plain.python(PUBLISH, str(second), REPO, after),
                    ours.blend("publish", str(second), REPO),
                ),
                "the same again": (
                    plain.python(PUBLISH, str(second), REPO, after),
                    ours.blend("publish", str(second), REPO),
                ),
            }


class Side:
    """A Hub, and a user of it."""

    def __init__(self, folder: Path, latency_s: float) -> None:
        self.folder = folder
        self.hub = Hub(folder / "hub", latency_s=latency_s)

    def python(self, code: str, *arguments: str) -> Measured:
        """What a program with the Hub's client alone takes."""
        return self._measured([sys.executable, "-c", code, *arguments])

    def blend(self, *arguments: str) -> Measured:
        """What a ``blend`` command takes."""
        return self._measured([sys.executable, "-m", "blend", *arguments])

    def _measured(self, command: list[str]) -> Measured:
        before = len(self.hub.requests)
        environment = os.environ | self.hub.environment(self.folder / "home")
        seconds, processor_s = measured(command, environment)
        return Measured(seconds, processor_s, len(self.hub.requests) - before)


def measured(command: list[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Seconds and processor seconds that a command takes that must succeed."""
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    errors = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{errors}")
    return seconds, usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
