"""Files of an import: the map, proposed or read, and responses beside the questions that they answer."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from blend.builders.annotation.import_guess import Proposed, proposed_map
from blend.builders.annotation.importing import Written, import_responses, key_at, write_beside, write_imported
from blend.builders.annotation.ui_strings import ui_strings_of
from blend.loaders.files.import_maps import map_text, read_map
from blend.loaders.files.rows import Cells
from blend.loaders.responses import read_responses
from blend.schemas.errors import InputError
from blend.schemas.language.locales import Registry, registry
from blend.schemas.rows.frame_columns import KEY

_KINDS = ("idk", "no-answer", "not-applicable")
_KEY_NAME = "annotators.key"


class ImportDone(NamedTuple):
    """Files that an import wrote, and what it left out."""

    written: Sequence[Written]
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
    questions = read_responses(folder, locales=known, reviewing=True, collecting=True).questions
    if not os.path.lexists(map_path):
        asked_texts = questions.select(*KEY, "question", "en_question").to_dicts()
        languages = {known.get(tag).language for tag in questions["locale"]}
        guess = proposed_map(rows, asked_texts, _non_answer_texts(languages))
        if guess.map.annotator is not None:
            guess = guess._replace(map=guess.map.model_copy(update={"key_file": _KEY_NAME}))
        templates = {one["template_id"]: one["en_question"] for one in reversed(asked_texts)}
        listed = None if guess.recognised else dict(sorted(templates.items()))
        write_beside(map_path, map_text(guess.map, name, listed))
        return ImportDone((), 0, guess)
    by = read_map(map_path)
    if has_people and by.annotator is None:
        raise InputError(
            f'{map_path}: does not say who answered in {name}; add annotator = "annotator": '
            "only in a table is every row a person"
        )
    asked: dict[str, list[str]] = {}
    for template_id, locale in questions.select(KEY).iter_rows():
        asked.setdefault(locale, []).append(template_id)
    key = None if by.key_file is None else key_at(map_path.parent / by.key_file)
    imported = import_responses(rows, by, asked=asked, locales=known, name=name, key=key)
    return ImportDone(write_imported(imported.responses, folder), imported.blank, None)


def _non_answer_texts(languages: set[str]) -> dict[str, str]:
    """Texts that our own pages offer in place of an answer, in some languages and in English."""
    ui_strings = [ui_strings_of(language) for language in sorted(languages | {"en"})]
    return {one[kind]: kind for one in ui_strings for kind in _KINDS} | {kind: kind for kind in _KINDS}
