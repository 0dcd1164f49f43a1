"""A message of the library names parameters, and the command line says options instead, in one place."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from blend.cli import app
from blend.cli.application import options_of, with_options
from blend.cli.eval_options import HERE, THERE, option_names
from helpers.source import MODULES, nodes

COMMAND: Any = typer.main.get_command(app)

# Not parameters: keys of recipes, parts of a release, columns, and packages.
OTHER_NAMES = {
    *("annotations", "datasets", "license", "locale_file", "name", "opencc", "question", "reader", "test"),
    *("thought", "version"),
}

# They write command lines for people: two READMEs, and how Inspect is called.
WITH_COMMANDS = {
    "builders/annotation/starting.py",
    "builders/export/__init__.py",
    "eval/inspect_tasks.py",
}


@pytest.mark.parametrize(
    ("command", "of_the_library", "of_the_command_line"),
    [
        ("build", "choose another `out`", "choose another --out"),
        ("build", "give `replace=True` to replace it", "give --replace to replace it"),
        ("build", "`blend_data` has one source, `mcq_mode=paper`", "--blend has one source, --mcq-mode paper"),
        ("pull", "choose another `out`", "choose another DIR"),
        ("validate", "correct `release`", "correct DIR|REPO@REV"),
        (
            "publish",
            "`version` in the recipe, or `force_version`",
            "`version` in the recipe, or --force-version",
        ),
        ("publish", "see `blend diff a b`", "see `blend diff a b`"),
        (
            "eval run",
            "`style=json`, `shots`, `seed=1`, `lemmas`, `chat`, `dtype=float32`",
            "-T style=json, -T shots, --seed 1, `lemmas`, -M chat, -M dtype=float32",
        ),
        ("eval score", "`lemmas=ko=none` or `rule`", "-T lemmas=ko=none or --rule"),
    ],
)
def test_parameters_are_said_as_they_are_typed(command: str, of_the_library: str, of_the_command_line: str):
    named: Any = COMMAND
    for name in command.split():
        named = named.commands[name]
    with options_of(named.params):
        assert with_options(of_the_library) == of_the_command_line
    assert with_options(of_the_library) == of_the_library


def test_an_option_of_another_command_is_said_with_it():
    commands = COMMAND.commands["eval"].commands
    others = {"blend eval run": commands["run"].params, "blend eval score": commands["score"].params}
    with options_of(commands["judged"].params, others):
        assert with_options("`max_tokens`, `allow_missing`, `seed`, column `thought`") == (
            "--max-tokens of `blend eval run`, --allow-missing of `blend eval score`, --seed, column `thought`"
        )


def texts() -> Iterator[tuple[str, str]]:
    """The strings of the library that are not docstrings, with the files that they stand in."""
    for module in MODULES:
        if module.parts[0] == "blend":
            continue
        docstrings = {node.value for node in nodes(module) if isinstance(node, ast.Expr)}
        parts = {part for node in nodes(module) if isinstance(node, ast.JoinedStr) for part in node.values}
        apart = docstrings | parts
        for node in nodes(module):
            if isinstance(node, ast.JoinedStr):
                values = (part.value if isinstance(part, ast.Constant) else "0" for part in node.values)
                yield module.as_posix(), "".join(map(str, values))
            elif isinstance(node, ast.Constant) and node not in apart:
                yield module.as_posix(), str(node.value)


@pytest.mark.slow
def test_the_library_knows_no_options():
    """But in a whole command between backquotes, which says what to do next."""
    found = {
        f"{file}: {text}"
        for file, text in texts()
        if re.search(r"(^|[\s(`])--[a-z]", re.sub(r"`(blend|pip|inspect) [^`]*`", "", text))
        and file not in WITH_COMMANDS
    }
    assert found == set()


def all_parameters(command: Any) -> set[str]:
    below = getattr(command, "commands", {}).values()
    behind = {name for one in command.params if "-T" in one.opts for name in option_names(one.name)}
    behind.update(HERE, THERE)
    return {one.name for one in command.params}.union(behind, *map(all_parameters, below))


@pytest.mark.nightly
def test_every_parameter_that_a_message_names_is_one_of_a_command():
    known = all_parameters(COMMAND) | OTHER_NAMES
    named = {
        (file, name) for file, text in texts() for name in re.findall(r"`([a-z][a-z0-9_]*)(?:=[^`]*)?`", text)
    }
    assert {(file, name) for file, name in named if name not in known} == set()
