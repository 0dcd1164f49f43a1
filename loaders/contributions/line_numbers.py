"""Line numbers: where a row or a key stands in its file as text, as forges show changes."""

from pathlib import Path

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.encodings import read_text
from blend.loaders.files.tables import TEXT_SUFFIXES
from blend.loaders.files.toml_lines import line_of, lines_of
from blend.schemas.errors import RowError


class LineNumbers:
    """Lines of rows and keys in the files of a folder, each file looked at once.

    Args:
        root: Folder that files are relative to.
        encoding: Of tables.
    """

    def __init__(self, root: Path, encoding: str | None) -> None:
        self._root = root
        self._encoding = encoding
        self._of_rows: dict[str, list[int]] = {}

    def of(self, file: str, row: int | None, field: str | None) -> int | None:
        """The line of a row, or of a key in a TOML file; null where there is none, as in a workbook."""
        suffix = Path(file).suffix.lower()
        if suffix == ".toml" and field is not None:
            return line_of(field.removeprefix("key "), lines_of(self._text(file)))
        if row is None or suffix == ".jsonl":
            return row
        if suffix not in TEXT_SUFFIXES:
            return None
        if file not in self._of_rows:
            self._of_rows[file] = lines_of_rows(self._text(file))
        lines = self._of_rows[file]
        return lines[row - 1] if row <= len(lines) else None

    def _text(self, file: str) -> str:
        try:
            return read_text(self._root / file, self._root, Diagnostics(), encoding=self._encoding)
        except RowError:  # which is the problem whose line is looked for
            return ""


def lines_of_rows(text: str) -> list[int]:
    """The line in which every row of a table begins, from 1: a cell in double quotes may go over several."""
    starts: list[int] = []
    n_quotes = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if n_quotes % 2 == 0:
            starts.append(number)
        n_quotes += line.count('"')
    # A first line that names the separator is no row of the table.
    return starts[1:] if text.strip('"').startswith("sep=") else starts
