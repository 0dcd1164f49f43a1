"""What readers of BLEnD's repository on the Hub stumble over: its card, and its multiple-choice table."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from blend.loaders.files.content import location_of, read_json
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Columns, read_rows
from blend.schemas.errors import RowError
from blend.schemas.rows import MULTIPLE_CHOICE_QUESTIONS
from blend.schemas.texts import pluralise

CARD = "README.md"
"""The card of a repository, which names the files of its configurations."""

_CHOICES = Columns(("MCQID", "country", "choices", "answer_idx"), others=True)
_SKEW = 1.25
"""How much more often than by chance a letter may be correct."""

Json = Any


def listed_choices(folder: Path) -> list[str]:
    """List the files of multiple-choice questions that the card of a repository names.

    A card is somebody else's text: what leads out of the repository, or is a pattern, is not looked at.

    Args:
        folder: Folder of the repository.

    Returns:
        Paths in it; none without a card that says so.
    """
    named = {PurePosixPath(path) for _, path in _splits(folder / CARD).get(MULTIPLE_CHOICE_QUESTIONS, ())}
    inside = (path for path in named if not path.is_absolute() and ".." not in path.parts)
    return sorted(str(path) for path in inside if not set("*?[\\") & set(str(path)))


def report_faults(folder: Path, root: Path, annotations: Iterable[str], diagnostics: Diagnostics) -> None:
    """Note what is broken in a repository for those who load it with `datasets`.

    Args:
        folder: Folder of the repository, with its card.
        root: Folder that holds its data.
        annotations: Paths of the annotations files in ``root``.
        diagnostics: Takes a finding per fault, and the problems of a table that cannot be read.
    """
    entries: dict[str, Json] = {}
    for path in annotations:
        with Diagnostics().collected():  # a file that cannot be read is told where it is read for good
            entries[path] = read_json(root / path)
    if mixed := _mixed_types(entries):
        detail = f"many versions of datasets cannot load the annotations: {mixed}; read file by file"
        diagnostics.finding("unloadable-configuration", CARD, detail)
    renamed = {
        f"{split} for {Path(path).name}"
        for config, found in _splits(folder / CARD).items()
        for split, path in found
        if config != MULTIPLE_CHOICE_QUESTIONS and not Path(path).name.startswith(f"{split}_")
    }
    if renamed:
        shown = ", ".join(sorted(renamed)[:3])
        detail = f"{len(renamed)} splits are named by codes and their files by regions: {shown}; read by region"
        diagnostics.finding("region-named-two-ways", CARD, detail)
    for path in listed_choices(folder):
        if (folder / path).is_file():  # a copy need not have it
            with diagnostics.collected():
                _report_choices(folder / path, folder, diagnostics)


def _mixed_types(annotations: Mapping[str, Json]) -> str | None:
    """Say how a file differs from the first: all of a configuration have the same keys, each of one type."""
    shapes = {location: _shape(entries) for location, entries in annotations.items()}
    first, of_first = next(iter(shapes.items()), ("", {}))
    for location, shape in shapes.items():
        for key in sorted(of_first.keys() | shape.keys()):
            here, there = of_first.get(key, "missing"), shape.get(key, "missing")
            if here != there:
                return f"{key} is {here} in {first}, and {there} in {location}"
    return None


def _shape(entries: Json) -> dict[str, str]:
    """The types that matter of what an annotations file holds."""
    types: dict[str, set[str]] = {}
    for entry in (
        entries.values() if isinstance(entries, dict) else entries if isinstance(entries, list) else ()
    ):
        for key, value in _object(_object(entry).get("idks")).items():
            types.setdefault(f"{key!r} of idks", set()).add(_type(value))
    return {"the file": type(entries).__name__} | {
        key: " or ".join(sorted(found)) for key, found in types.items()
    }


def _type(value: Json) -> str:
    """The type of a value as a column would have it."""
    if isinstance(value, list):
        return f"list of {' or '.join(sorted({_type(item) for item in value})) or 'nothing'}"
    return type(value).__name__


def _splits(card: Path) -> dict[str, list[tuple[str, str]]]:
    """Configuration to splits with their file, as the header of a card has them; empty without one."""
    if not card.is_file():
        return {}
    parts = card.read_text("utf-8", errors="replace").split("---\n", 2)
    try:
        header = _object(yaml.safe_load(parts[1])) if len(parts) == 3 else {}
    except yaml.YAMLError:
        return {}
    return {
        str(config.get("config_name")): [
            (str(one["split"]), one["path"])
            for one in _objects(config.get("data_files"))
            if isinstance(one.get("path"), str) and "split" in one
        ]
        for config in _objects(header.get("configs"))
    }


def _report_choices(path: Path, folder: Path, diagnostics: Diagnostics) -> None:
    """Note what is odd about the table of multiple-choice questions; ours are made from the annotations."""
    rows = _rows(path, folder, diagnostics)
    location = location_of(path, folder)
    in_text = sum(isinstance(row["choices"], str) for row in rows)
    if in_text:
        detail = f"choices is JSON in a text in {in_text:,} of {len(rows):,} rows; our options are a list"
        diagnostics.finding("options-in-text", location, detail)
    letters = Counter(str(row["answer_idx"]) for row in rows)
    letter, most = max(letters.items(), key=lambda one: (one[1], one[0]), default=("", 0))
    n_options = max((len(_choices(row["choices"])) for row in rows), default=0)
    if n_options and most > _SKEW * len(rows) / n_options:
        detail = f"{letter} is correct in {most:,} of {len(rows):,} questions; ours are balanced"
        diagnostics.finding("skewed-positions", location, detail)
    repeated = len(rows) - len({str(row["MCQID"]) for row in rows})
    if repeated:
        diagnostics.finding("repeated-id", location, f"{pluralise(repeated, 'row')} with the MCQID of another")
    for row in rows:
        if str(row["answer_idx"]) not in _choices(row["choices"]):
            detail = f"{row['MCQID']}: answer_idx {row['answer_idx']!r} is not an option; ours are made anew"
            diagnostics.finding("answer-without-option", location, detail)


def _rows(path: Path, folder: Path, diagnostics: Diagnostics) -> list[dict[str, Json]]:
    if path.suffix != ".json":
        return [row.values for row in read_rows(path, folder, diagnostics, _CHOICES)]
    location = location_of(path, folder)
    value = read_json(path, where=location)
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise RowError("the file does not hold a list of objects", where=location, fix="write one per question")
    for index, row in enumerate(value):
        _CHOICES.check(row, f"{location}[{index}]")
    return value


def _choices(cell: Json) -> dict[str, Json]:
    """The options by letter, perhaps from JSON in a text."""
    try:
        return _object(json.loads(cell) if isinstance(cell, str) else cell)
    except (ValueError, RecursionError):
        return {}


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _objects(value: Json) -> list[dict[str, Json]]:
    """The objects of a list; none where it is not a list, whatever a card says there."""
    return [_object(one) for one in value] if isinstance(value, list) else []
