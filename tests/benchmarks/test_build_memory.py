"""Memory of builds of ever more locales: it grows with the rows, and not with the square of the locales."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.integration, pytest.mark.nightly]  # three builds, each in a process of its own


def test_memory_grows_in_line_with_rows(root: Path, shared: Path):
    script = root / "benchmarks" / "build_scale.py"
    sizes = ["--cases", "0", "--templates", "25", "--growth", "33", "132", "264"]
    command = [sys.executable, str(script), "--blend", str(shared / "data" / "blend"), *sizes]
    written = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    cells = [[cell.strip().replace(",", "") for cell in line.split("|")[1:-1]] for line in written.splitlines()]
    rows, peaks = zip(*((int(row[1]), int(row[4])) for row in cells[2:]), strict=True)
    few, more = ((peaks[i + 1] - peaks[i]) * 1024 / (rows[i + 1] - rows[i]) for i in range(2))
    assert more < 1.5 * few
    # A row takes a few times of what it has in letters.
    assert max(few, more) < 10
