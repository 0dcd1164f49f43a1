"""Recorded answers: a file of what another tool's model answered, to be scored like a run of our own."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.eval.runs.answers import ANSWERS
from blend.eval.runs.description import RecordedAnswers
from blend.loaders.files.notes import Notes
from blend.loaders.files.pins import file_sha256
from blend.loaders.files.rows import SUFFIXES, Cells, Columns, read_rows
from blend.schemas.errors import InputError, RowError, raise_all

ID_COLUMNS = ("item_id", "MCQID", "ID")
"""Columns that can name an item; the first one that the file has counts."""

_MISSING_VALUES = frozenset({"NA", "N/A", "NaN", "nan", "None", "null", "NULL", "none"})
_SHOWN = 10


class Recorded(NamedTuple):
    """The answers of a file."""

    answers: pl.DataFrame
    """`answers.ANSWERS`, in the order of the file."""
    description: RecordedAnswers
    """What stands in ``run.json`` in place of a model."""
    remarks: tuple[str, ...]
    """What the reader noticed and did not refuse, in words for a user."""


def read_recorded(path: Path, items: pl.DataFrame, *, model: str | None = None) -> Recorded:
    """The answers in a CSV, JSON Lines or Parquet file.

    Args:
        path: File with an id (see `ID_COLUMNS`; ``ID`` names a question's template and so needs one item per
            template), ``response``, and perhaps ``prompt``, the exact text that was asked. Further columns are
            left out.
        items: What could be asked, `tasks.items.ITEMS`.
        model: Name of the model; the name of the file when absent.

    Returns:
        The answers. An empty or absent response is an empty answer, which is wrong, and is remarked; so is text
        like ``NA``, which stays the text that it is. Items without a row are missing and remarked.

    Raises:
        InputError: If there is no such file, or if it has no column that names items.
        RowError, RowErrors: If the file cannot be read, or if ids are unknown, twice there or blank, or a
            response is not text; names file and row of each.
    """
    rows = _rows(path)
    id_column = _id_column(path, rows)
    ids = _ids(path, items, id_column)
    _check(path, rows, id_column, ids)
    answers = pl.DataFrame(
        {
            "item_id": [ids[row.values[id_column]] for row in rows],
            "text": [row.values["response"] or "" for row in rows],
            "asked": [row.values.get("prompt") or None for row in rows],
        },
        schema={"item_id": pl.String, "text": pl.String, "asked": pl.String},
    )
    joined = answers.join(
        items.select("item_id", "locale", "prompt_id"), on="item_id", how="left", maintain_order="left"
    )
    absent = [pl.lit(None, dtype).alias(name) for name, dtype in ANSWERS.items() if name not in joined.columns]
    return Recorded(
        joined.with_columns(absent).select(list(ANSWERS)),
        RecordedAnswers(id=model or path.name, file=path.name, sha256=file_sha256(path)),
        tuple(_remarks(rows, items, answers)),
    )


def _rows(path: Path) -> list[Cells]:
    if not path.is_file():
        raise InputError(f"{path}: no such file; --answers names a file of answers ({', '.join(SUFFIXES)})")
    if path.suffix not in SUFFIXES:
        raise InputError(f"{path}: cannot tell what it holds; name it {', '.join(SUFFIXES)}")
    notes = Notes()
    columns = Columns(("response",), (*ID_COLUMNS, "prompt"), others=True)
    rows = read_rows(path, path.parent, notes, columns)
    notes.raise_problems()
    if not rows:
        raise InputError(f"{path}: no answers; write one row per item")
    return rows


def _id_column(path: Path, rows: list[Cells]) -> str:
    present = set(rows[0].values)
    named = next((name for name in ID_COLUMNS if name in present), None)
    if named is None:
        raise RowError("no column names the items", where=path.name, fix=f"add one of {', '.join(ID_COLUMNS)}")
    return named


def _ids(path: Path, items: pl.DataFrame, id_column: str) -> Mapping[str, str]:
    """The item that each value of the id column names."""
    if id_column != "ID":
        return {item_id: item_id for item_id in items["item_id"]}
    if items["template_id"].n_unique() < items.height:
        locales = items["locale"].n_unique()
        fix = (
            "name one locale with --locales"
            if locales > 1
            else "name the items by item_id, as items.parquet in a run directory lists them"
        )
        raise RowError(
            f"column ID names {items['template_id'].n_unique()} templates, but {items.height} items are asked",
            where=path.name,
            fix=fix,
        )
    return dict(zip(items["template_id"], items["item_id"], strict=True))


def _check(path: Path, rows: list[Cells], id_column: str, ids: Mapping[str, str]) -> None:
    problems: list[RowError] = []
    seen: dict[object, str] = {}
    for row in rows:
        name, response = row.values.get(id_column), row.values.get("response")
        where = f"{row.place}, column {id_column}"
        if not isinstance(name, str) or not name:
            problems.append(RowError("the id is blank", where=where, fix="fill it in"))
        elif name in seen:
            fix = f"delete this row or {seen[name]}"
            problems.append(RowError(f"a second answer to {name!r}", where=where, fix=fix))
        elif name not in ids:
            fix = f"the ids are like {next(iter(ids))!r}; check that release, task and options are those asked"
            problems.append(RowError(f"nothing is asked under {name!r}", where=where, fix=fix))
        elif response is not None and not isinstance(response, str):
            where = f"{row.place}, column response"
            problems.append(RowError(f"{response!r} is not text", where=where, fix="write text in quotes"))
        seen.setdefault(name, row.place)
    if len(problems) > _SHOWN:
        more = f"{len(problems) - _SHOWN} further rows are wrong"
        problems = [*problems[:_SHOWN], RowError(more, where=path.name, fix="mend the first ones and see")]
    raise_all(problems)


def _remarks(rows: list[Cells], items: pl.DataFrame, answers: pl.DataFrame) -> list[str]:
    remarks: list[str] = []
    empty = [row.place for row in rows if not (row.values["response"] or "").strip()]
    if empty:
        remarks.append(f"{_counted(empty, 'response is', 'responses are')} empty and will count as wrong")
    like_na = [row.place for row in rows if (row.values["response"] or "").strip() in _MISSING_VALUES]
    if like_na:
        texts = Counter((row.values["response"] or "").strip() for row in rows)
        shown = ", ".join(repr(text) for text in sorted(_MISSING_VALUES & set(texts)))
        remarks.append(
            f"{_counted(like_na, 'response is', 'responses are')} {shown}: taken as the text it is; "
            "leave such rows out if the model was not asked"
        )
    n_missing = items.height - answers.height
    if n_missing:
        first = items.join(answers, on="item_id", how="anti")["item_id"][0]
        remarks.append(f"{n_missing} of {items.height} items have no answer in the file (first: {first})")
    return remarks


def _counted(places: list[str], one: str, several: str) -> str:
    return f"1 {one} ({places[0]})" if len(places) == 1 else f"{len(places)} {several} (first: {places[0]})"
