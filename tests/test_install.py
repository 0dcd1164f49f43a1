"""Installs: the package works editable and as a wheel, and its types hold as an installed package."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

LOOK = """
import blend, blend.schemas.rows, blend.loaders.sample
from blend.schemas.locales import registry
print(blend.__version__, len(registry()), blend.__file__)
"""


@pytest.fixture(scope="module")
def installed_wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the unpacked wheel, built from a copy of the checkout's own files."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    files = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    for name in filter(None, files):
        if (root / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((root / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    subprocess.run(build, check=True)
    (wheel,) = folder.glob("*.whl")
    site = folder / "site"
    subprocess.run([*pip, "install", "--no-deps", "--target", str(site), str(wheel)], check=True)
    return site


def run_elsewhere(code: str, folder: Path, path: Path | None = None) -> str:
    environment = os.environ | ({"PYTHONPATH": str(path)} if path else {})
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return run.stdout


def test_the_editable_install_works_from_anywhere(root: Path, tmp_path: Path):
    version, n_locales, file = run_elsewhere(LOOK, tmp_path).split()
    assert (version, n_locales) == ("0.1.0", "33")
    assert Path(file) == root / "blend" / "__init__.py"


@pytest.mark.integration
def test_the_wheel_works_and_holds_its_data(installed_wheel: Path, tmp_path: Path):
    version, n_locales, file = run_elsewhere(LOOK, tmp_path, installed_wheel).split()
    assert (version, n_locales) == ("0.1.0", "33")
    assert Path(file) == installed_wheel / "blend" / "__init__.py"
    build = "import sys; sys.argv = ['blend', 'build', '--out', 'release']; from blend.cli import main; main()"
    assert "blend-sample" in run_elsewhere(build, tmp_path, installed_wheel)
    assert (tmp_path / "release" / "release.json").is_file()


@pytest.mark.integration
def test_the_types_of_the_wheel_hold(installed_wheel: Path, root: Path, tmp_path: Path):
    command = [sys.executable, "-m", "mypy", "--config-file", str(root / "pyproject.toml")]
    run = subprocess.run(
        [*command, "--cache-dir", str(tmp_path / "cache"), "-p", "blend"],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(installed_wheel)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout
