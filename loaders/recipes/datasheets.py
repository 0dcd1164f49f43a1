"""Datasheets: reading the TOML file with a dataset's answers."""

from pathlib import Path

from blend.loaders.files.toml import read_toml
from blend.schemas.reports import Datasheet


def read_datasheet(path: Path) -> Datasheet:
    """The answers in a TOML file; questions that it leaves out are unanswered.

    Raises:
        BlendError: If there is no such file, or if it is not text in UTF-8.
        RowError, RowErrors: If it is not TOML (names the line), or if a key is not a question (names the
            closest one) or an answer is blank or no text; names all of them at once.
    """
    return read_toml(path, Datasheet, what="datasheet")
