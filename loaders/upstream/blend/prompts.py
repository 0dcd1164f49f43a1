"""BLEnD's published prompts: how the authors ask a model, in English and in every local language."""

from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.loaders.files.notes import Notes, unknown_name
from blend.loaders.files.rows import Columns, read_rows
from blend.loaders.upstream.blend import data_folder, region_files
from blend.schemas.errors import InputError
from blend.schemas.locales import Registry, registry

PROMPTS = pl.Schema(
    {
        "locale": pl.String(),
        "prompt_id": pl.String(),
        "english": pl.String(),
        "translation": pl.String(),
        "source": pl.String(),
    }
)
"""One row per prompt: its English and local text, with the slot ``{q}`` for the question."""

SLOT = "{q}"
"""Where a prompt takes the question."""

# Some files also say whether a translation was edited, or hold a machine translation.
_COLUMNS = Columns(("id", "English", "Translation"), ignored=("Edited Y/N", "Edited", "G-Translation"))


class PromptTables(NamedTuple):
    """The published prompts as frames."""

    prompts: pl.DataFrame
    """`PROMPTS`, by locale, in file order. An id may occur twice with different translations."""
    findings: pl.DataFrame
    """`frames.FINDINGS`."""


def read_prompts(folder: Path, *, locales: Registry | None = None) -> PromptTables:
    """The prompts of all regions in a folder of BLEnD's files, ``prompts/{region}_prompts.csv``.

    Args:
        folder: As for `blend_files.read_blend`.
        locales: Known locales; the packaged registry when absent.

    Returns:
        The prompts, texts as published. A prompt without slot and an id that occurs twice are findings.

    Raises:
        InputError: If there are no prompts.
        RowError, RowErrors: If a file cannot be read; names all places at once.
    """
    known = {locale.upstream: locale.tag for locale in (registry() if locales is None else locales)}
    root, notes = data_folder(folder), Notes()
    files = region_files(root, "prompts", "_prompts.csv")
    if not files:
        raise InputError(f"{root}: no prompts; expected prompts/*_prompts.csv")
    prompts: list[tuple[str, ...]] = []
    for name, place in sorted(files.items()):
        if name in known:
            with notes.collected():
                prompts += _prompts(root / place, root, known[name], notes)
        else:
            notes.problems.append(unknown_name("region", name, known, where=place))
    notes.raise_problems()
    frame = pl.DataFrame(prompts, schema=PROMPTS, orient="row").sort("locale", maintain_order=True)
    return PromptTables(frame, notes.findings_frame())


def _prompts(path: Path, root: Path, tag: str, notes: Notes) -> list[tuple[str, ...]]:
    prompts: list[tuple[str, ...]] = []
    first: dict[str, str] = {}
    for row in read_rows(path, root, notes, _COLUMNS):
        prompt_id, english, translation = (row.values[column] for column in _COLUMNS.required)
        for column, text in (("English", english), ("Translation", translation)):
            if SLOT not in text:
                detail = f"{column} of {prompt_id!r} has no {SLOT}; kept"
                notes.finding("prompt-without-slot", row.place, detail, locale=tag)
        if first.setdefault(prompt_id, row.place) != row.place:
            detail = f"prompt {prompt_id!r} is also in {first[prompt_id]}; both kept"
            notes.finding("repeated-prompt", row.place, detail, locale=tag)
        prompts.append((tag, prompt_id, english, translation, row.place))
    return prompts
