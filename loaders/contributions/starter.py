"""Starting: the files of a new collection, and those of one contributor's folder in it."""

from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

import polars as pl

from blend.loaders.contributions.contributors import CONSENT, CONTRIBUTOR, FOLDER, check_name, shared_files
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.new_files import git_attributes, write_new_files
from blend.loaders.responses.odd_texts import fill_slots
from blend.loaders.responses.response_rows import read_response_rows
from blend.schemas.errors import ArgumentError, InputError
from blend.schemas.locales import Locale, Registry, in_english, registry

WORKFLOW = ".github/workflows/contributions.yml"
"""Where forges look for what they run on a pull request."""

_PACKAGED = {
    "recipe.toml": "recipe.toml",
    WORKFLOW: "workflow.yml",
    f"{FOLDER}/{CONSENT}": CONSENT,
    f"{FOLDER}/templates.csv": "templates.csv",
}
_RESPONSES = ("template_id", "annotator", "answer_1", "answer_2", "answer_3", "non_answer", "reason")
_ANNOTATORS = ("annotator", "native_language", "years_in_region", "age_band", "consent")


def write_collection(folder: Path) -> list[str]:
    """Write a new collection: recipe, consent, templates, and a workflow that checks every pull request.

    Args:
        folder: Made if it is not there, and may hold other files, as a repository does; see
            `files.new_files.write_new_files`, also for errors.

    Returns:
        The paths of the files, relative to the folder, in text order.
    """
    contents = {path: _packaged(name) for path, name in _PACKAGED.items()} | git_attributes(folder)
    return write_new_files(folder, contents, beside_others=True)


def write_contributor(
    folder: Path, contributor: str, tags: Sequence[str], *, locales: Registry | None = None
) -> list[str]:
    """Write one contributor's folder: who contributes, questions to translate, sheets for what is collected.

    Args:
        folder: The collection, or its folder ``contributions``.
        contributor: Name of the contributor's folder.
        tags: Locales that the contributor collects responses in.
        locales: Known locales; the packaged registry when absent.

    Returns:
        The paths of the files, relative to ``folder``, in text order.

    Raises:
        ArgumentError: If no folder can have that name, or no locale is named.
        InputError: If the folder is no collection, or the contributor's folder holds something already.
        UnknownNameError: If a locale is not known.
        RowError, RowErrors: If the templates that all share cannot be read.
    """
    check_name(contributor)
    if not tags:
        raise ArgumentError("a contributor's folder has responses of some locale; name it with `locale`")
    known = registry() if locales is None else locales
    chosen = [known.get(tag) for tag in tags]
    inner = f"{FOLDER}/" if (folder / FOLDER).is_dir() else ""
    if not (folder / inner / CONSENT).is_file():
        raise InputError(f"{folder}: no {CONSENT} in it; start a collection with `blend contribute init`")
    contents = {
        CONTRIBUTOR: _packaged(CONTRIBUTOR),
        "questions.csv": _questions(folder / inner, chosen, known),
        **{f"responses/{locale.tag}.csv": _header(_RESPONSES) for locale in chosen},
        "annotators.csv": _header(_ANNOTATORS),
    }
    written = write_new_files(folder / inner / contributor, contents, parameter="contributor")
    return [f"{inner}{contributor}/{path}" for path in written]


def _packaged(name: str) -> str:
    with as_file(files("blend.loaders.contributions") / "skeleton") as packaged:
        return (packaged / name).read_text(encoding="utf-8")


def _questions(root: Path, locales: Sequence[Locale], known: Registry) -> str:
    """The questions that all share, to be translated: in English, with the region of each locale."""
    diagnostics = Diagnostics()
    rows = read_response_rows(shared_files(root, diagnostics), root, known, diagnostics)
    diagnostics.raise_problems()
    english = [
        (template.template_id, locale, fill_slots(template.text, locale))
        for locale in locales
        for _, template in rows.templates.rows
    ]
    questions = pl.DataFrame(
        [(key, locale.tag, text if in_english(locale) else None, text) for key, locale, text in english],
        schema={name: pl.String() for name in ("template_id", "locale", "question", "en_question")},
        orient="row",
    )
    return questions.write_csv(include_bom=True)


def _header(columns: Sequence[str]) -> str:
    # By the mark spreadsheets know UTF-8, and save it again as they found it.
    return pl.DataFrame(schema={name: pl.String() for name in columns}).write_csv(include_bom=True)
