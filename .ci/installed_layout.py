"""Lays the packages out as an install does, for tools that read folders: ``installed_layout.py FOLDER``.

In the checkout ``blend.schemas`` is the folder ``schemas/`` beside ``blend/``; pyproject.toml maps it. Python
knows the mapping from the install, but tools that look for ``blend/schemas/`` (mypy, griffe) do not. This makes
a folder of links in which they find it. The links stay right as files change, so caches by path stay warm.
"""

import shutil
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def lay_out(target: Path) -> None:
    """Make ``target`` a folder that could stand on ``sys.path``; what was there before is replaced."""
    shutil.rmtree(target, ignore_errors=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    homes: dict[str, str] = project["tool"]["setuptools"]["package-dir"]
    for name, folder in sorted(homes.items()):
        home = target.joinpath(*name.split("."))
        if any(other.startswith(f"{name}.") for other in homes):
            # Other folders are linked into this one, so it cannot be a link itself.
            home.mkdir(parents=True)
            for entry in sorted((ROOT / folder).iterdir()):
                (home / entry.name).symlink_to(entry)
        else:
            home.symlink_to(ROOT / folder)


if __name__ == "__main__":
    lay_out(Path(sys.argv[1]))
