"""Files of an import: the map, proposed or read, and responses beside the questions that they answer."""

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from blend.builders.annotation.importing import Proposed, import_responses, proposed_map, response_table
from blend.builders.annotation.pseudonyms import new_key, pseudonym, read_key
from blend.builders.annotation.ui_strings import ui_strings_of
from blend.loaders.files.atomic import atomic_write, storage_errors
from blend.loaders.files.rows import Cells
from blend.loaders.files.toml import map_text, read_map
from blend.loaders.responses import read_responses
from blend.schemas.errors import ConflictError, InputError
from blend.schemas.frames import KEY
from blend.schemas.locales import Registry, registry

_KINDS = ("idk", "no-answer", "not-applicable")
_KEY_NAME = "annotators.key"
_OWNER_ALONE = 0o600


class Written(NamedTuple):
    """A file of responses that was written."""

    path: Path
    responses: int
    people: int


class ImportDone(NamedTuple):
    """Files that an import wrote, and what it left out."""

    written: tuple[Written, ...]
    """Files; none where a map was proposed."""
    blank: int
    """Questions that somebody left blank."""
    proposed: Proposed | None
    """The map that was written to be checked."""


def import_file(
    rows: Sequence[Cells],
    name: str,
    map_path: Path,
    folder: Path,
    *,
    locales: Registry | None = None,
    has_people: bool = False,
) -> ImportDone:
    """Import the rows of a table, or propose a map for them where there is none.

    Args:
        rows: Of the table.
        name: Of its file, for messages.
        map_path: The map. Where it does not exist, a guess is written there, and nothing is imported; one that
            recognises no question leaves out every column, and lists the questions that are asked.
        folder: Directory of raw responses whose questions are answered; ``responses/LOCALE.csv`` is written
            there.
        locales: Known locales; the packaged registry when absent.
        has_people: Whether several rows may be one person's, so that the map must say who answered.

    Raises:
        InputError, RowError, RowErrors: As `importing.import_responses`, or if the folder or the key of the
            pseudonyms cannot be read.
        ConflictError: If a file of responses is there already.
        StorageError: If a file cannot be written.
    """
    known = registry() if locales is None else locales
    tables = read_responses(folder, locales=known, reviewing=True, collecting=True)
    if not os.path.lexists(map_path):
        questions = tables.questions.select(*KEY, "question", "en_question").to_dicts()
        guess = proposed_map(
            rows, questions, _non_answer_texts({known.get(one["locale"]).language for one in questions})
        )
        if guess.map.annotator is not None:
            guess = guess._replace(map=guess.map.model_copy(update={"key_file": _KEY_NAME}))
        templates = {one["template_id"]: one["en_question"] for one in reversed(questions)}
        _write(
            map_path, map_text(guess.map, name, None if guess.recognised else dict(sorted(templates.items())))
        )
        return ImportDone((), 0, guess)
    by = read_map(map_path)
    if has_people and by.annotator is None:
        raise InputError(
            f'{map_path}: does not say who answered in {name}; add annotator = "annotator": '
            "only in a table is every row a person"
        )
    asked: dict[str, list[str]] = {}
    for template_id, locale in tables.questions.select(KEY).iter_rows():
        asked.setdefault(locale, []).append(template_id)
    key = None if by.key_file is None else _key(map_path.parent / by.key_file)
    imported = import_responses(
        rows,
        by,
        asked=asked,
        locales=known,
        named=lambda who: who if key is None else pseudonym(who, key),
        name=name,
    )
    paths = {locale: folder / "responses" / f"{locale}.csv" for locale in imported.responses}
    there = [path for path in paths.values() if os.path.lexists(path)]
    if there:
        raise ConflictError(
            f"{there[0]}: exists, and nothing is replaced; move it away, or give another folder with the "
            "questions"
        )
    written = []
    for locale, path in paths.items():
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows(response_table(imported.responses[locale]))
        _write(path, f"\ufeff{text.getvalue()}")  # by which spreadsheets know UTF-8
        responses = imported.responses[locale]
        written.append(Written(path, len(responses), len({one.annotator for one in responses})))
    return ImportDone(tuple(written), imported.blank, None)


def _non_answer_texts(languages: set[str]) -> dict[str, str]:
    """Texts that our own pages offer in place of an answer, in some languages and in English."""
    ui_strings = [ui_strings_of(language) for language in sorted(languages | {"en"})]
    return {one[kind]: kind for one in ui_strings for kind in _KINDS} | {kind: kind for kind in _KINDS}


def _key(path: Path) -> bytes:
    """The key of the pseudonyms, made where there is none."""
    if not os.path.lexists(path):
        _write(path, new_key(), mode=_OWNER_ALONE)
    return read_key(path)


def _write(path: Path, text: str, *, mode: int | None = None) -> None:
    with storage_errors(path, fix="choose another place or change the permissions"):
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, text, mode=mode)
