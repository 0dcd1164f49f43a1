"""What tests of exports share: a release, a tiny model with its own answers, environments for harnesses."""

import hashlib
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from blend.builders.release import build_release
from blend.loaders.recipes import sample_recipe

FOUR = ("ko-KR", "en-US", "fa-IR", "es-MX")


@pytest.fixture(scope="session")
def release(once: Any) -> Path:
    """Four locales of the sample; not to be changed."""
    recipe = sample_recipe().model_copy(update={"locales": FOUR})
    return once.path("four-locales", lambda out: build_release(recipe, out))


@pytest.fixture(scope="session")
def tiny_model(once: Any) -> Path:
    """The model that ``blend eval tiny-model`` makes."""
    from blend.eval.models.tiny_model import make_tiny_model

    return once.path("tiny", make_tiny_model)


@pytest.fixture(scope="session")
def environment(root: Path, missing: Callable[[str], None]) -> Callable[..., Path]:
    """Makes an environment for a harness that has no place among our requirements, and gives its Python.

    It sees our packages and holds what else the harness needs. It is kept in ``build/``, so that only the first
    run on a machine waits for it; ``make clean`` removes it.
    """
    ours = [path for path in sys.path if Path(path).name == "site-packages"]

    def environment(name: str, *requirements: str) -> Path:
        digest = hashlib.sha256(repr((sys.version, ours, requirements)).encode()).hexdigest()[:12]
        folder = root / "build" / "environments" / f"{name}-{digest}"
        python, ready = folder / "bin" / "python", folder / "ready"
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{folder}.lock"):
            if not ready.exists():
                shutil.rmtree(folder, ignore_errors=True)
                venv.create(folder, with_pip=True)
                (site,) = folder.glob("lib/*/site-packages")
                # So that editable installs among them are found as well, as this package is, and entry points.
                lines = (f"import site; site.addsitedir({path!r})\n" for path in ours)
                (site / "ours.pth").write_text("".join(lines))
                pip = [python, "-m", "pip", "install", "--quiet", "-c", root / "constraints.txt"]
                made = subprocess.run([*pip, *requirements], capture_output=True, text=True)
                if made.returncode != 0:
                    missing(f"{name} ({made.stderr.strip().splitlines()[-1]})")
                ready.touch()
        return python

    return environment
