"""BLEnD's published prompts: how the authors ask a model, in English and in every local language."""

from pathlib import Path
from typing import NamedTuple
from unicodedata import is_normalized, normalize

import polars as pl

from blend.loaders.files.diagnostics import Diagnostics, unknown_name
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.loaders.upstream.blend import PROMPT_FILES, data_folder, region_files
from blend.schemas.errors import InputError
from blend.schemas.frames import PROMPT_KEY, PROMPTS
from blend.schemas.locales import Locale, Registry, registry
from blend.schemas.rows import QUESTION_SLOT

# Some files also say whether a translation was edited, or hold a machine translation.
_COLUMNS = Columns(("id", "English", "Translation"), ignored=("Edited Y/N", "Edited", "G-Translation"))

_FIELDS = {"Translation": "prompt", "English": "en_prompt"}
"""Column to the field of `rows.ShortAnswerPrompt` that it fills."""


class PromptTables(NamedTuple):
    """The published prompts as frames."""

    prompts: pl.DataFrame
    """`frames.PROMPTS`, by locale and id."""
    findings: pl.DataFrame
    """`frames.FINDINGS`."""


def has_prompts(folder: Path) -> bool:
    """Whether a folder of BLEnD's files holds any prompts."""
    return bool(region_files(data_folder(folder), *PROMPT_FILES))


def read_prompts(folder: Path, *, locales: Registry | None = None) -> PromptTables:
    """The prompts of all regions in a folder of BLEnD's files, ``prompts/{region}_prompts.csv``.

    A prompt that lacks the slot for the question in either language cannot be asked and is left out. Of several
    rows with one id the first that has both slots counts. Both are findings. The texts are those of the file,
    line feeds and outer white space included, in Unicode NFC.

    Args:
        folder: As for `read_blend`.
        locales: Known locales; the packaged registry when absent.

    Raises:
        InputError: If there are no prompts.
        RowError, RowErrors: If a file cannot be read; names all places at once.
    """
    known = {locale.upstream: locale for locale in (registry() if locales is None else locales)}
    root, diagnostics = data_folder(folder), Diagnostics()
    files = region_files(root, *PROMPT_FILES)
    if not files:
        raise InputError(f"{root}: no prompts; expected {PROMPT_FILES[0]}/*{PROMPT_FILES[1]}")
    prompts: list[dict[str, str]] = []
    for name, location in sorted(files.items()):
        if name in known:
            with diagnostics.collected():
                prompts += _prompts(root / location, root, known[name], diagnostics)
        else:
            diagnostics.problems.append(unknown_name("region", name, known, where=location))
    diagnostics.raise_problems()
    return PromptTables(pl.DataFrame(prompts, schema=PROMPTS).sort(PROMPT_KEY), diagnostics.findings_frame())


def _prompts(path: Path, root: Path, locale: Locale, diagnostics: Diagnostics) -> list[dict[str, str]]:
    kept: dict[str, dict[str, str]] = {}
    for row in read_rows(path, root, diagnostics, _COLUMNS):
        prompt_id = row.values["id"]
        if not prompt_id.strip():
            diagnostics.problem("the cell is blank", where=f"{row.location}, column id", fix="fill it in")
        elif lacking := [column for column in _FIELDS if QUESTION_SLOT not in row.values[column]]:
            detail = f"{' and '.join(lacking)} of {prompt_id!r} has no {QUESTION_SLOT}; left out"
            diagnostics.finding("prompt-without-slot", row.location, detail, locale=locale.tag)
        elif prompt_id in kept:
            detail = f"prompt {prompt_id!r} is also in {kept[prompt_id]['source']}, which counts; left out"
            diagnostics.finding("repeated-prompt", row.location, detail, locale=locale.tag)
        else:
            kept[prompt_id] = _prompt(row, prompt_id, locale, diagnostics)
    return list(kept.values())


def _prompt(row: Cells, prompt_id: str, locale: Locale, diagnostics: Diagnostics) -> dict[str, str]:
    texts = {}
    for column, field in _FIELDS.items():
        text = row.values[column]
        if not is_normalized("NFC", text):
            detail = f"{column} of {prompt_id!r} is not in Unicode NFC; composed"
            diagnostics.finding("not-nfc", row.location, detail, locale=locale.tag)
        texts[field] = normalize("NFC", text)
    names = {"prompt_id": prompt_id, "locale": locale.tag, "language": locale.language}
    return {**texts, **names, "source": row.location}
