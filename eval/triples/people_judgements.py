"""Judgements: filled-in sheets, and tables of judgements as Label Studio's projects give them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from blend.eval.returned_sheets import Judgement, is_unknown, read_returned
from blend.loaders.files.rows import Cells, Columns
from blend.schemas.errors import RowError
from blend.schemas.sheets import parted, unguarded

JUDGEMENTS = pl.Schema(
    {"id": pl.String(), "annotator": pl.String(), "ingredient": pl.String(), "correct": pl.Boolean()}
)
"""One row per row of a sheet, annotator and prediction."""

NONE = "none"
"""What stands in ``correct_ingredients`` where nothing is correct."""

_COLUMNS = Columns(
    ("id",), optional=("ingredients", "correct_ingredients", *list(JUDGEMENTS)[1:]), others=True, returned=True
)
_SHEET, _TABLE = ("ingredients", "correct_ingredients"), tuple(JUDGEMENTS)[1:]
_YES = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_judgements(
    paths: Sequence[Path], asked: Mapping[str, Sequence[str]], *, encoding: str | None = None
) -> pl.DataFrame:
    """The judgements of all files.

    Args:
        paths: Sheets that one annotator each has filled in, who is called as the file is; or tables with the
            columns of `JUDGEMENTS`.
        asked: The predictions of the run by id.
        encoding: Of tables; see `loaders.files.content.read_text`.

    Returns:
        `JUDGEMENTS`, by file and row. Rows of a sheet without anything in ``correct_ingredients`` are left out.

    Raises:
        InputError: If a file is absent or of no kind that can be read, or if nobody judged anything.
        RowError, RowErrors: If a file cannot be read, a row is not of this run, a judgement names what was not
            predicted, or somebody judges a prediction twice; names file and row.
    """

    def read(rows: Sequence[Cells], person: str, problems: list[RowError]) -> Iterator[Judgement]:
        is_table = bool(rows) and "correct" in rows[0].values
        needed = Columns(_TABLE if is_table else _SHEET, others=True, returned=not is_table)
        for cells in rows:
            needed.check(cells.values, cells.location.rpartition(":")[0] + ":1")
        yield from _table(rows, asked, problems) if is_table else _sheet(rows, person, asked, problems)

    fill_in = (
        f"write into the column correct_ingredients what belongs to it, by its text or its number, or {NONE!r}"
    )
    found = read_returned(paths, _COLUMNS, read, encoding=encoding, fill_in=fill_in)
    return pl.DataFrame([one[1:] for one in found], schema=JUDGEMENTS, orient="row")


def _sheet(
    rows: Sequence[Cells], person: str, asked: Mapping[str, Sequence[str]], problems: list[RowError]
) -> Iterator[Judgement]:
    for cells in rows:
        name, ticks = cells.values["id"].strip(), unguarded(cells.values["correct_ingredients"].strip())
        if not ticks or is_unknown(cells, name, asked, problems):
            continue
        try:
            correct = _ticked(ticks, asked[name], cells.location)
        except RowError as error:
            problems.append(error)
            continue
        for text in asked[name]:
            yield Judgement(cells.location, name, person, text, text in correct)


def _ticked(cell: str, predicted: Sequence[str], location: str) -> set[str]:
    """Read what a cell says is correct: texts or numbers, or nothing of it."""
    if cell.casefold() == NONE:
        return set()
    folded = {text.casefold(): text for text in predicted}
    numbered = {str(number): text for number, text in enumerate(predicted, start=1)}
    entries = parted(cell)
    if all(part in numbered for part in cell.replace(",", " ").split()):
        entries = cell.replace(",", " ").split()
    found = set()
    for entry in entries:
        text = folded.get(entry.casefold()) or numbered.get(entry)
        if text is None:
            raise RowError(
                f"{entry!r} is none of the predictions",
                where=f"{location}, column correct_ingredients",
                fix=f"write some of {' | '.join(predicted)}, their numbers, or {NONE!r}",
            )
        found.add(text)
    return found


def _table(
    rows: Sequence[Cells], asked: Mapping[str, Sequence[str]], problems: list[RowError]
) -> Iterator[Judgement]:
    for cells in rows:
        name, annotator, ingredient = (
            str(cells.values[key] or "") for key in ("id", "annotator", "ingredient")
        )
        correct = _YES.get(str(cells.values["correct"]).strip().lower())
        if is_unknown(cells, name, asked, problems):
            continue
        if ingredient not in asked[name]:
            what, fix = f"{ingredient!r} was not predicted for {name}", "judge what the sheet lists"
            problems.append(RowError(what, where=f"{cells.location}, column ingredient", fix=fix))
        elif correct is None:
            what = f"{cells.values['correct']!r} is neither true nor false"
            problems.append(
                RowError(what, where=f"{cells.location}, column correct", fix="write true or false")
            )
        elif not annotator:
            what = "the cell is blank"
            problems.append(RowError(what, where=f"{cells.location}, column annotator", fix="say who judged"))
        else:
            yield Judgement(cells.location, name, annotator, ingredient, correct)
