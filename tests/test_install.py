"""Installs: the package works editable and as a wheel, holds every file of the tree, and its types hold."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

LOOK = """
import blend, blend.schemas.rows, blend.loaders.sample
from blend.schemas.locales import registry
print(blend.__version__, len(registry()), blend.__file__)
"""


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    """What pyproject.toml says."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def own_files(root: Path) -> list[str]:
    """The files of the checkout that are ours, committed or not yet."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (root / name).is_file()]


@pytest.fixture(scope="module")
def installed_wheel(root: Path, own_files: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the unpacked wheel, built from a copy of the checkout's own files."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in own_files:
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
@pytest.mark.parametrize("module", ["blend", "benchmarks.make_regions"])
def test_python_started_in_a_checkout_runs_the_checkout_after_a_plain_install(
    installed_wheel: Path, module: str
):
    # Without .pth files, which would bring in the editable install that these tests run in.
    checkout = installed_wheel.parent / "source"
    path = os.pathsep.join([str(installed_wheel), *(entry for entry in sys.path if "site-packages" in entry)])
    run = subprocess.run(
        [sys.executable, "-S", "-m", module, "--help"],
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")
    code = "import blend.schemas.errors, blend.eval.runs, sys; print(sys.modules['blend.eval.runs'].__file__)"
    found = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert found.stdout.strip() == str(checkout / "eval" / "runs" / "__init__.py"), found.stderr


def test_every_package_of_the_tree_is_listed_once(own_files: list[str], project: dict[str, Any]):
    # A package that is not listed works in an editable install and is missing from the wheel.
    homes = {folder: name for name, folder in project["tool"]["setuptools"]["package-dir"].items()}
    packages = {
        ".".join([homes[top], *below])
        for top, *below in (Path(name).parent.parts for name in own_files if name.endswith("/__init__.py"))
        if top in homes
    }
    listed = project["tool"]["setuptools"]["packages"]
    assert set(listed) == packages
    assert len(listed) == len(set(listed))


@pytest.mark.integration
def test_the_wheel_holds_the_tree_and_nothing_else(
    installed_wheel: Path, own_files: list[str], project: dict[str, Any]
):
    # Every module and every data file: what package-data forgets is in no wheel.
    homes = {
        folder: name.replace(".", "/") for name, folder in project["tool"]["setuptools"]["package-dir"].items()
    }
    tops = {name: name.split("/", 1) for name in own_files if "/" in name}
    expected = {f"{homes[top]}/{rest}" for top, rest in tops.values() if top in homes}
    package = installed_wheel / "blend"
    held = {path.relative_to(installed_wheel).as_posix() for path in package.rglob("*") if path.is_file()}
    assert {name for name in held if "__pycache__" not in name} == expected


@pytest.mark.integration
def test_the_types_of_the_wheel_hold(installed_wheel: Path, root: Path):
    command = [sys.executable, "-m", "mypy", "--config-file", str(root / "pyproject.toml")]
    # What mypy knows of the libraries is kept for the next run; its own digests tell what has changed.
    run = subprocess.run(
        [*command, "--cache-dir", str(root / "build" / "mypy"), "-p", "blend"],
        cwd=installed_wheel,
        env=os.environ | {"MYPYPATH": str(installed_wheel)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout
