"""``docs/publishing.md``: its table of steps is the one the code follows."""

from pathlib import Path

from blend.builders.diff.model import STEPS


def test_every_step_has_its_row(root: Path):
    rows = (root / "docs" / "publishing.md").read_text(encoding="utf-8").splitlines()
    assert [
        row.split(" ")[1] for row in rows if row.startswith(tuple(f"| {step} |" for step in STEPS))
    ] == list(reversed(STEPS))
