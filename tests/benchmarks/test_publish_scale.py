"""The benchmark of publishing runs, in small, and its requests are those that it is about."""

import subprocess
import sys
from pathlib import Path

import pytest

STEPS = ["publish", "publish, and check", "pull", "next version", "the same again"]


@pytest.mark.integration
@pytest.mark.nightly
def test_it_compares_with_the_plain_client(root: Path):
    script = root / "benchmarks" / "publish_scale.py"
    options = ["--runs", "1", "--answers-after-ms", "1"]
    run = subprocess.run([sys.executable, script, *options], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    header, _, *lines = (line.strip("| ").split(" | ") for line in run.stdout.splitlines())
    assert [line[1] for line in lines] == STEPS
    assert all(len(line) == len(header) == 10 for line in lines)
    rows = {line[1]: dict(zip(header, line, strict=True)) for line in lines}
    assert all(float(row["plain, s"]) > 0 and float(row["ratio"]) > 0 for row in rows.values())
    # What was validated before is published without the checks, which take longer than all the rest.
    checked, unchecked = (float(rows[step]["blend, processor s"]) for step in STEPS[:2])
    assert checked < unchecked
    assert int(rows["next version"]["blend, requests"]) <= int(rows["next version"]["plain, requests"])
    assert int(rows["the same again"]["blend, requests"]) == 3
