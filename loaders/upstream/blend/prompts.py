"""BLEnD's published prompts: how the authors ask a model, in English and in every local language."""

from pathlib import Path
from typing import NamedTuple
from unicodedata import is_normalized, normalize

import polars as pl

from blend.loaders.files.diagnostics import Diagnostics, unknown_name
from blend.loaders.files.rows import Columns, read_rows
from blend.loaders.upstream.blend import PROMPT_FILES, data_folder, region_files
from blend.schemas.errors import InputError
from blend.schemas.frames import PROMPT_KEY, PROMPTS
from blend.schemas.locales import Locale, Registry, registry
from blend.schemas.rows import QUESTION_SLOT

# Some files also say whether a translation was edited, or hold a machine translation.
_COLUMNS = Columns(("id", "English", "Translation"), others=True)

_FIELDS = {"Translation": "prompt", "English": "en_prompt"}
"""Column to the field of `rows.ShortAnswerPrompt` that it fills."""


class _PromptTables(NamedTuple):
    """The published prompts as frames."""

    prompts: pl.DataFrame
    """`frames.PROMPTS`, by locale and id."""
    findings: pl.DataFrame
    """`frames.FINDINGS`."""


def has_prompts(folder: Path) -> bool:
    """Whether a folder of BLEnD's files holds any prompts."""
    return bool(region_files(data_folder(folder), *PROMPT_FILES))


def read_prompts(folder: Path, *, locales: Registry | None = None) -> _PromptTables:
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
    return _PromptTables(pl.DataFrame(prompts, schema=PROMPTS).sort(PROMPT_KEY), diagnostics.findings_frame())


def _prompts(path: Path, root: Path, locale: Locale, diagnostics: Diagnostics) -> list[dict[str, str]]:
    kept: dict[str, dict[str, str]] = {}
    names = {"locale": locale.tag, "language": locale.language}
    for location, values in read_rows(path, root, diagnostics, _COLUMNS):
        prompt_id = values["id"]

        def note(kind: str, detail: str, location: str = location) -> None:
            diagnostics.finding(kind, location, detail, locale=locale.tag)

        if not prompt_id.strip():
            diagnostics.problem("the cell is blank", where=f"{location}, column id", fix="fill it in")
        elif lacking := [column for column in _FIELDS if QUESTION_SLOT not in values[column]]:
            detail = f"{' and '.join(lacking)} of {prompt_id!r} has no {QUESTION_SLOT}; left out"
            note("prompt-without-slot", detail)
        elif prompt_id in kept:
            first = kept[prompt_id]["source"]
            note("repeated-prompt", f"prompt {prompt_id!r} is also in {first}, which counts; left out")
        else:
            for column in _FIELDS:
                if not is_normalized("NFC", values[column]):
                    note("not-nfc", f"{column} of {prompt_id!r} is not in Unicode NFC; composed")
            texts = {field: normalize("NFC", values[column]) for column, field in _FIELDS.items()}
            kept[prompt_id] = {**texts, **names, "prompt_id": prompt_id, "source": location}
    return list(kept.values())
