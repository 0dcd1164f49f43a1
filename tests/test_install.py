"""Installs: the package works editable and as a wheel, and holds every file of the tree."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

LOOK = """
import blend, blend.schemas.rows, blend.loaders
from blend.schemas.locales import registry
print(blend.__version__, len(registry()), blend.__file__)
"""


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def own_files(root: Path) -> list[str]:
    """The files and links of the checkout that are ours, committed or not yet."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and os.path.lexists(root / name)]


@pytest.fixture(scope="module")
def installed_wheel(root: Path, own_files: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the unpacked wheel, built from the archive of a copy of the checkout's own files."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in own_files:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, source / name, follow_symlinks=False)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    archive = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(folder), str(source)]
    subprocess.run(archive, check=True, stdout=subprocess.DEVNULL)
    (sdist,) = folder.glob("*.tar.gz")
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(sdist)]
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


@pytest.mark.slow
def test_the_editable_install_works_from_anywhere(root: Path, tmp_path: Path):
    version, n_locales, file = run_elsewhere(LOOK, tmp_path).split()
    assert (version, n_locales) == ("0.1.0", "34")
    assert Path(file) == root / "blend" / "__init__.py"


@pytest.mark.landing
@pytest.mark.integration
def test_the_wheel_works_and_holds_its_data(installed_wheel: Path, tmp_path: Path):
    version, n_locales, file = run_elsewhere(LOOK, tmp_path, installed_wheel).split()
    assert (version, n_locales) == ("0.1.0", "34")
    assert Path(file) == installed_wheel / "blend" / "__init__.py"
    build = "import sys; sys.argv = ['blend', 'build', '--out', 'release']; from blend.cli import main; main()"
    assert "blend-sample" in run_elsewhere(build, tmp_path, installed_wheel)
    assert (tmp_path / "release" / "release.json").is_file()


@pytest.fixture(scope="module")
def plain_python(installed_wheel: Path) -> Path:
    """Python of a virtual environment with a plain install of the wheel, and the libraries of this one."""
    venv = installed_wheel.parent / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    (site,) = venv.glob("lib/python*/site-packages")
    (wheel,) = installed_wheel.parent.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "install", "--no-deps", "--target", str(site), str(wheel)], check=True)
    # Folders that a .pth file names are searched without their own .pth files: the editable install stays out.
    libraries = [entry for entry in sys.path if "site-packages" in entry]
    (site / "libraries.pth").write_text("\n".join(libraries) + "\n", encoding="utf-8")
    return venv / "bin" / "python"


@pytest.mark.integration
@pytest.mark.nightly
@pytest.mark.parametrize("module", ["blend", "benchmarks.make_regions"])
def test_python_started_in_a_checkout_runs_the_checkout_after_a_plain_install(
    plain_python: Path, installed_wheel: Path, module: str
):
    checkout = installed_wheel.parent / "source"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = {"env": environment, "capture_output": True, "text": True}
    helped = subprocess.run([plain_python, "-m", module, "--help"], cwd=checkout, **run)
    assert (helped.returncode, helped.stderr) == (0, "")
    code = "import pathlib, blend.eval.runs; print(pathlib.Path(blend.eval.runs.__file__).resolve())"
    in_checkout = subprocess.run([plain_python, "-c", code], cwd=checkout, **run)
    assert in_checkout.stdout.strip() == str(checkout / "eval" / "runs" / "__init__.py"), in_checkout.stderr
    elsewhere = subprocess.run([plain_python, "-c", code], cwd=checkout.parent, **run)
    (site,) = plain_python.parents[1].glob("lib/python*/site-packages")
    assert elsewhere.stdout.strip() == str(site / "blend" / "eval" / "runs" / "__init__.py"), elsewhere.stderr


def test_every_mapped_package_is_linked_where_tools_look_for_it(root: Path, project: dict[str, Any]):
    mapped = project["tool"]["setuptools"]["package-dir"]
    links = [path for path in (root / "blend").iterdir() if path.is_symlink()]
    found = {f"blend.{path.name}": path.readlink().as_posix() for path in links}
    assert found == {name: f"../{folder}" for name, folder in mapped.items() if name != "blend"}


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


@pytest.mark.landing
@pytest.mark.integration
def test_the_wheel_holds_the_tree_and_nothing_else(
    root: Path, installed_wheel: Path, own_files: list[str], project: dict[str, Any]
):
    # Every module and every data file: what package-data forgets is in no wheel.
    homes = {
        folder: name.replace(".", "/") for name, folder in project["tool"]["setuptools"]["package-dir"].items()
    }
    files = [name for name in own_files if not (root / name).is_symlink()]
    tops = {name: name.split("/", 1) for name in files if "/" in name}
    expected = {f"{homes[top]}/{rest}" for top, rest in tops.values() if top in homes}
    package = installed_wheel / "blend"
    held = {path.relative_to(installed_wheel).as_posix() for path in package.rglob("*") if path.is_file()}
    assert {name for name in held if "__pycache__" not in name} == expected


@pytest.mark.landing
@pytest.mark.integration
def test_the_wheel_names_the_licence_of_all_that_it_holds(installed_wheel: Path, root: Path):
    (metadata,) = installed_wheel.glob("blend_sdk-*.dist-info")
    licences = metadata / "licenses"
    for name in ("LICENSE", "NOTICE", "decisions/blend/LICENSE", "loaders/sample/LICENSE"):
        assert (licences / name).read_bytes() == (root / name).read_bytes()
    assert "License-Expression: Apache-2.0 AND CC-BY-4.0 AND CC-BY-SA-4.0\n" in (
        metadata / "METADATA"
    ).read_text(encoding="utf-8")


@pytest.mark.integration
@pytest.mark.nightly
def test_an_editor_finds_every_package_in_the_checkout(installed_wheel: Path):
    # Pyright is what VS Code asks; in the copy of the checkout no install can help it.
    checkout = installed_wheel.parent / "source"
    (checkout / "benchmarks" / "probe.py").write_text(
        "import blend.builders.release, blend.dataset_cards, blend.decisions, blend.eval.runs, blend.nowhere\n"
        "from blend.loaders.recipes import read_recipe\n"
        "from blend.schemas.errors import RowError\n"
        "reveal_type(read_recipe)\n"
        "reveal_type(RowError)\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pyright", "--outputjson", "benchmarks/probe.py"]
    environment = os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    run = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
    told = [(one["severity"], one["message"]) for one in json.loads(run.stdout)["generalDiagnostics"]]
    assert sorted(told) == [
        ("information", 'Type of "RowError" is "type[RowError]"'),
        ("information", 'Type of "read_recipe" is "(path: Path | str) -> Recipe"'),
        ("warning", 'Import "blend.nowhere" could not be resolved'),
    ], run.stderr
