"""Python told to optimise (-OO) drops docstrings and assertions: every command does what it does otherwise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

HELP = """
import typer
from blend.cli import app
def walk(command, path):
    for name, under in sorted(getattr(command, "commands", {}).items()):
        walk(under, [*path, name])
    print(path, command.help)
    for parameter in command.params:
        print("   ", parameter.name, getattr(parameter, "help", None))
walk(typer.main.get_command(app), ["blend"])
"""

EVERY_FIELD = """
import json
from blend.cli.look import schema_models
for name, model in schema_models().items():
    print(name, json.dumps(model.model_json_schema()))
"""


def printed(*command: str | Path, optimised: bool, cwd: Path, code: int = 0) -> str:
    level = {"PYTHONOPTIMIZE": "2"} if optimised else {}
    environment = os.environ | level | {"HF_HUB_OFFLINE": "1", "COLUMNS": "100", "HF_HOME": str(cwd / "home")}
    done = subprocess.run(
        [sys.executable, *map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("program", [HELP, EVERY_FIELD], ids=["help", "models"])
def test_commands_and_models_explain_themselves(program: str, tmp_path: Path):
    dropped = printed("-c", "def f():\n  'x'\nprint(f.__doc__)", optimised=True, cwd=tmp_path)
    assert dropped == "None\n"
    expected = printed("-c", program, optimised=False, cwd=tmp_path)
    assert printed("-c", program, optimised=True, cwd=tmp_path) == expected
    assert "None" not in expected.splitlines()[0]


def test_a_release_has_the_same_bytes(sample_release: Path, tmp_path: Path):
    printed("-m", "blend", "build", "--out", "release", optimised=True, cwd=tmp_path)
    built, expected = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (tmp_path / "release", sample_release)
    )
    assert built == expected


COMMANDS = {
    "show": ["show", "{release}"],
    "stats": ["stats", "{release}"],
    "status": ["status"],
    "schema": ["schema"],
    "locales": ["locales"],
    "diff": ["diff", "{release}", "{release}"],
    "validate": ["validate", "{release}"],
    "init": ["init", "mine"],
    "reviews propose": ["reviews", "propose", "--all", "--out", "sheet.csv"],
    "templates propose": ["templates", "propose", "{root}/loaders/starter/collected/templates.csv"],
    "a recipe that is wrong": ["build", "{root}/pyproject.toml"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_the_same(command: str, sample_release: Path, root: Path, tmp_path: Path):
    words = [word.format(release=sample_release, root=root) for word in COMMANDS[command]]
    code = int(command in ("templates propose", "a recipe that is wrong"))
    outputs = []
    for optimised in (False, True):
        (folder := tmp_path / str(optimised)).mkdir()
        outputs.append(printed("-m", "blend", *words, optimised=optimised, cwd=folder, code=code))
    assert outputs[0] == outputs[1]


def test_a_local_model_says_what_it_cannot_do_without(tmp_path: Path):
    command = [sys.executable, "-m", "blend", "eval", "tiny-model", "model"]
    environment = os.environ | {"PYTHONOPTIMIZE": "2"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == (
        "error: making a model needs transformers, which reads its own docstrings, and Python was told to drop "
        "them; unset PYTHONOPTIMIZE, or leave out -OO\n"
    )
