"""Commands that read the inputs of `damage_inputs`, and what each reads and may change."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_FAST, _SLOW = (
    (Path(__file__).parent / "commands.txt").read_text(encoding="utf-8").split("\n# Those that take seconds")
)
_LINE = re.compile(r"^(! )?(\w.*?)(?:  ->  (.+))?$", re.MULTILINE)

MAY_CHANGE = {command: patterns.split() for _, command, patterns in _LINE.findall(_FAST + _SLOW)}
"""Every command to patterns of inputs that it may change when it succeeds, or, behind ``+``, in any case."""
REFUSED = {command for refused, command, _ in _LINE.findall(_FAST) if refused}
"""Those that end with an error on undamaged inputs."""
FAST = [command for _, command, _ in _LINE.findall(_FAST)]

_BESIDE = {
    "recipe.toml": "locales.toml datasheet.toml verdicts.jsonl domains.toml forms.tsv dishes.nt topics "
    "collected before",
    "project.toml": "project locales.toml",
    "form.toml": "annotators.key",
    "foreign.toml": "annotators.key",
}
"""What is read beside a file of a name."""


def named_inputs(command: str, here: Path) -> set[Path]:
    """Files and folders of the inputs that a command names, or that are read beside them."""
    words = [part for word in command.split() for part in word.split("=")]
    beside = [name for word in words for name in _BESIDE.get(Path(word).name, "").split()]
    return {here / name for name in (*words, *beside) if (here / name).exists()}


def typed_options(words: Sequence[str]) -> list[str]:
    """Options of a command with a value that names no place."""
    import typer

    from blend.cli import app

    command: Any = typer.main.get_command(app)
    for word in words:
        command = getattr(command, "commands", {}).get(word, command)
    return [
        option.opts[0]
        for option in getattr(command, "params", ())
        if not getattr(option, "is_flag", True) and "Path" not in str(option.type_descriptor.annotation)
    ] or ["--no-such-option"]
