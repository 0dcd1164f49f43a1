"""Sheets and tables that people filled in, and files of reviews that are written from them.

Each is a table, JSONL or Parquet; ``docs/templates.md`` and ``docs/responses.md`` show examples.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.loaders.files.atomic import atomic_write, check_own_folder, check_regular, storage_errors
from blend.loaders.files.content import parse_json, read_text
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import SUFFIXES, Cells, Columns, read_rows, read_table
from blend.loaders.responses.response_rows import OWN
from blend.loaders.responses.verdicts import GivenVerdict
from blend.schemas.errors import ConflictError, InputError, RowError, UnknownNameError
from blend.schemas.frames import NATIVE_QUESTIONS, TRANSLATIONS, text_columns
from blend.schemas.locales import Registry, registry
from blend.schemas.personal_data import ACCOUNT_PSEUDONYM, EVENTS, own_words
from blend.schemas.sheets import (
    ANSWER_SHEET,
    ON_PAIRS,
    PAIR_SHEET,
    PROPOSED_TEMPLATES,
    RETURNED_ANSWERS,
    TEMPLATE_SHEET,
    VERDICTS,
    Sheet,
    unguarded,
)
from blend.schemas.texts import clean


def read_answer_sheet(path: Path, *, diagnostics: Diagnostics | None = None) -> pl.DataFrame:
    """A sheet as it came back from a spreadsheet.

    Args:
        path: The table.
        diagnostics: Takes findings about the file.

    Returns:
        `sheets.RETURNED_ANSWERS`, in file order, for `builders.saq.reviews.reviews_of`.

    Raises:
        RowError, RowErrors: If the file cannot be read.
        InputError: If it has no rows.
    """
    diagnostics = Diagnostics() if diagnostics is None else diagnostics
    rows = _read_sheet(ANSWER_SHEET, path, diagnostics)
    diagnostics.raise_problems()
    if not rows:
        raise RowError("no rows", where=path.name, fix="give the sheet that `blend reviews propose` made")
    return pl.DataFrame([{**row.values, "source": row.location} for row in rows], schema=RETURNED_ANSWERS)


def _read_sheet(sheet: Sheet, path: Path, diagnostics: Diagnostics) -> list[Cells]:
    """The rows of a sheet that came back as they were proposed, each with its place, in file order.

    Args:
        sheet: What it was like.
        path: The table.
        diagnostics: Takes problems of rows that are others, and findings about the file.

    Raises:
        RowError: If nothing of the file can be read.
    """
    columns = Columns(
        sheet.needed,
        optional=sheet.also_read,
        others=True,
        typed=True,
        returned=True,
    )
    rows = []
    for row in read_rows(path, path.parent, diagnostics, columns):
        texts = row.values.items()
        values = {name: unguarded(cell) if isinstance(cell, str) else cell for name, cell in texts}
        if any(values.get(name) for name in sheet.filled) and not _is_as_proposed(sheet, values):
            names = ", ".join(sheet.proposed)
            shown = ", ".join(repr(values[name]) for name in sheet.proposed)
            fix = f"bring back {names} and check as they were proposed (as .xlsx, whose cells are text)"
            what = f"{shown} is not a row that was proposed"
            diagnostics.problem(what, where=row.location, fix=f"{fix}, or delete a row of your own")
        else:
            rows.append(Cells(row.location, values))
    return rows


def _is_as_proposed(sheet: Sheet, values: Mapping[str, Any]) -> bool:
    """Whether a row is one that was proposed, by its mark, if the sheet has any."""
    proposed = (clean(str(values[name] or "")) for name in sheet.proposed)
    return "check" not in sheet.columns or str(values["check"]).strip().endswith(sheet.mark(*proposed))


def is_pair_sheet(path: Path) -> bool:
    """Whether a sheet that came back is one of pairs, by its columns; false for one that cannot be read."""
    with suppress(InputError):
        return any("answer_a" in row.values for row in read_table(path)[:1])
    return False


def read_verdict_sheet(
    sheet: Sheet, path: Path, *, diagnostics: Diagnostics | None = None
) -> tuple[GivenVerdict, ...]:
    """The verdicts in a sheet of options or pairs that came back; rows without a verdict are left out.

    Args:
        sheet: `sheets.OPTION_SHEET` or `sheets.PAIR_SHEET`.
        path: The table.
        diagnostics: Takes findings about the file, such as what its looks say; dropped when absent.

    Raises:
        RowError, RowErrors: If the file cannot be read, a verdict is unknown or not one on such an option, a
            reason has none, a row is not as it was proposed, or an option has two different verdicts.
        InputError: If no row has a verdict.
    """
    diagnostics = Diagnostics() if diagnostics is None else diagnostics
    verdicts: dict[tuple[str, ...], GivenVerdict] = {}
    for cells in _read_sheet(sheet, path, diagnostics):
        with diagnostics.collected():
            if (verdict := _verdict(sheet, cells)) is None:
                continue
            diagnostics.add(own_words(verdict.why, where=f"{verdict.location}, column why", of_answers=True))
            earlier = verdicts.setdefault(verdict.subject, verdict)
            if earlier.verdict != verdict.verdict:
                what = f"{verdict.option!r} is {verdict.verdict!r} here, but {earlier.verdict!r}"
                where = f"{verdict.location}, column verdict"
                raise RowError(f"{what} in {earlier.location}", where=where, fix="remove one of the two rows")
    diagnostics.raise_problems()
    if not verdicts:
        known = ", ".join(sheet.filled["verdict"])
        raise InputError(f"{path}: no row has a verdict; write one of {known} into the column verdict")
    return tuple(verdicts.values())


def _verdict(sheet: Sheet, cells: Cells) -> GivenVerdict | None:
    """The verdict in a row; null where nobody has given one."""
    row = {name: clean(cells.values[name]) for name in (*sheet.proposed, "verdict", "why")}
    where, choices = f"{cells.location}, column verdict", sheet.filled["verdict"]
    written = re.sub(r"[\s-]+", "_", row["verdict"].casefold())
    if not written and row["why"]:
        fix = "choose a verdict, or empty the cell"
        raise RowError("a reason without a verdict", where=f"{cells.location}, column why", fix=fix)
    if not written:
        return None
    # Of a pair the first letter will do, by which both choices differ.
    meant = {short: one for one in choices for short in ((one, one[0]) if sheet is PAIR_SHEET else (one,))}
    if written not in meant:
        fix = f"write one of {', '.join(choices)}, or leave the cell empty"
        raise RowError(f"unknown verdict {cells.values['verdict']!r}", where=where, fix=fix)
    verdict = meant[written]
    if sheet is PAIR_SHEET:
        both = row["answer_a"], ON_PAIRS[verdict], row["why"], cells.location
        return GivenVerdict(*both, other=row["answer_b"])
    role, option = row["role"], row["option"]
    if role and verdict not in VERDICTS[role]:
        fits = ", ".join(f"{one!r} if {meaning}" for one, meaning in VERDICTS[role].items())
        fix = f"look whether the column verdict has moved or was sorted alone; else write {fits}"
        raise RowError(f"{option!r} is a {role}, which cannot be {verdict!r}", where=where, fix=fix)
    about = row["template_id"], row["locale"], row["question"]
    return GivenVerdict(option, verdict, row["why"], cells.location, *about)


def read_suspects(path: Path) -> frozenset[tuple[str, str]]:
    """Read which questions a sheet of options is about, by template and locale, with verdicts or without.

    Raises:
        RowError, RowErrors: If the file cannot be read.
    """
    diagnostics, columns = Diagnostics(), Columns(("template_id", "locale"), others=True, returned=True)
    rows = [row.values for row in read_rows(path, path.parent, diagnostics, columns)]
    diagnostics.raise_problems()
    return frozenset((clean(row["template_id"]), clean(row["locale"])) for row in rows)


def read_native_questions(path: Path, *, locales: Registry | None = None) -> pl.DataFrame:
    """Questions as natives wrote them.

    Args:
        path: Columns ``id``, ``topic``, ``text`` and, optional in file and row, ``locale`` (the author's; any
            name by which `Registry.find` knows it).
        locales: Known locales; the packaged registry when absent.

    Returns:
        `frames.NATIVE_QUESTIONS`, in file order.

    Raises:
        RowError, RowErrors: If the file cannot be read, a cell is blank, an id occurs twice or a locale is
            unknown; names every place.
    """
    columns = Columns(("id", "topic", "text"), optional=("locale",), typed=True)
    rows = _texts_in(path, columns, locales, key=("id",))
    return rows.rename({"id": "template_id", "locale": "source_locale"}).select(NATIVE_QUESTIONS.names())


def read_translations(path: Path, *, locales: Registry | None = None) -> pl.DataFrame:
    """Translated questions.

    Args:
        path: Columns ``template_id``, ``locale`` (any name by which `Registry.find` knows it), ``question``
            (local language, country named) and, optional in file and row, ``en_question`` (of what).
        locales: Known locales; the packaged registry when absent.

    Returns:
        `frames.TRANSLATIONS`, in file order.

    Raises:
        RowError, RowErrors: If the file cannot be read, a cell is blank, a question is translated twice for a
            locale, or a locale is unknown.
    """
    columns = Columns(("template_id", "locale", "question"), optional=("en_question",), typed=True)
    return _texts_in(path, columns, locales, key=("template_id", "locale")).select(TRANSLATIONS.names())


def read_review_sheet(path: Path, *, locales: Registry | None = None) -> pl.DataFrame:
    """A review sheet after review.

    Args:
        path: The sheet, `sheets.TEMPLATE_SHEET`.
        locales: Known locales, of which ``source_locale`` names one; the packaged registry when absent.

    Returns:
        `sheets.PROPOSED_TEMPLATES`, in file order, for `builders.templates.accept_sheet`.

    Raises:
        RowError, RowErrors: If the file cannot be read, or a locale is unknown.
    """
    diagnostics = Diagnostics()
    columns = Columns((), optional=list(TEMPLATE_SHEET.columns))
    sheet = _read_sheet(TEMPLATE_SHEET, path, diagnostics)
    rows = _texts(sheet, columns, locales, diagnostics, locale="source_locale")
    diagnostics.raise_problems()
    return pl.DataFrame(rows, schema=PROPOSED_TEMPLATES)


def _texts_in(path: Path, columns: Columns, locales: Registry | None, *, key: Sequence[str]) -> pl.DataFrame:
    """The rows of a table as `_texts`, in which no two are alike in the columns of a key."""
    diagnostics = Diagnostics()
    rows = _texts(read_rows(path, path.parent, diagnostics, columns), columns, locales, diagnostics)
    first: dict[tuple[str | None, ...], str | None] = {}
    for row in rows:
        about = tuple(row[name] for name in key)
        earlier = first.setdefault(about, row["source"])
        if None not in about and earlier != row["source"]:
            what = f"{' in '.join(map(str, about))} occurs a second time"
            diagnostics.problem(what, where=str(row["source"]), fix=f"delete this row or {earlier}")
    diagnostics.raise_problems()
    return pl.DataFrame(rows, schema=text_columns(*columns.known, "source"))


def _texts(
    table: Iterable[Cells],
    columns: Columns,
    locales: Registry | None,
    diagnostics: Diagnostics,
    *,
    locale: str = "locale",
) -> list[dict[str, str | None]]:
    """Rows with a text in every required column, null for a blank in others, and the tag of their locale."""
    known = registry() if locales is None else locales
    rows = []
    for cells in table:
        given = {name: cells.values.get(name) for name in columns.known}
        row = {
            name: None if value is None or not str(value).strip() else str(value)
            for name, value in given.items()
        }
        for name in columns.required:
            if row[name] is None:
                where, fix = f"{cells.location}, column {name}", "fill it in, or delete the row"
                diagnostics.problem("the cell is blank", where=where, fix=fix)
        if (called := row[locale]) is not None:
            try:
                row[locale] = known.find(called.strip()).tag
            except UnknownNameError:
                diagnostics.unknown_locale(called, known, where=f"{cells.location}, column {locale}")
        rows.append({**row, "source": cells.location})
    return rows


class _WrittenReviews(NamedTuple):
    """A file of reviews as written."""

    path: Path
    """Named for its locale, ``ko-KR.jsonl``; ``ko-KR.own.jsonl`` beside one that pulls write."""
    reviews: Sequence[Mapping[str, Any]]
    """Those that were written."""
    kept: int
    """Questions of the file that were there before and stayed."""
    replaced: Sequence[str]
    """Those that were reviewed in another way or by somebody else, each with that reviewer."""


def write_reviews(reviews: pl.DataFrame, out: Path, *, update: bool = False) -> list[_WrittenReviews]:
    """Write reviews as JSON Lines, one file per locale, which is named for it.

    Where pulls write a file of that name, it is ``ko-KR.own.jsonl`` instead: a pulled file is never changed.

    Either all files are written or, after an error, none is changed that was looked at.

    Args:
        reviews: `frames.REVIEWS`.
        out: Folder of the files, made if it is not there.
        update: Whether files may be there: then their reviews of other questions stay.

    Returns:
        What was written, by locale.

    Raises:
        ConflictError: If a file is there and ``update`` is not asked for.
        InputError: If the place of the folder holds something else; `RowError` if a file to update cannot be
            read.
        StorageError: If it cannot be written.
    """
    check_own_folder(out, what="a folder of reviews", is_ours=_is_review_file)
    parts = reviews.drop("source").sort("locale", "template_id").partition_by("locale", as_dict=True)
    paths = {tag: _path(out, tag) for (tag,) in parts}
    existing = [path for path in paths.values() if path.exists()]
    if existing and not update:
        raise ConflictError(
            f"{existing[0]}: exists, and may hold somebody's work; choose another `out`, or give "
            "`update=True`: its reviews of other questions stay"
        )
    there = {tag: _there(path) for tag, path in paths.items()}
    for path in paths.values():
        check_regular(path)
    written = []
    with storage_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        for tag, path in paths.items():
            rows = {row["template_id"]: _filled(row) for row in parts[(tag,)].drop("locale").to_dicts()}
            kept = [line for line, review in there[tag] if review["template_id"] not in rows]
            lines = [*kept, *(json.dumps(row, ensure_ascii=False) for row in rows.values())]
            atomic_write(path, "".join(f"{line}\n" for line in lines))
            replaced = [
                f"{one['template_id']} by {one.get('reviewer', 'nobody named')}"
                for _, one in there[tag]
                if one["template_id"] in rows and _filled(one) != rows[one["template_id"]]
            ]
            written.append(_WrittenReviews(path, [*rows.values()], len(kept), replaced))
    return written


def _path(out: Path, tag: str) -> Path:
    """The file of a locale's reviews: its own one, if there is one or pulls write the other."""
    path, own = out / f"{tag}.jsonl", out / f"{tag}{OWN}.jsonl"
    if own.exists():
        return own
    if path.exists():
        is_pulled = any(ACCOUNT_PSEUDONYM.fullmatch(str(row.get("reviewer"))) for _, row in _there(path))
    else:
        # Nothing was reviewed on the server so far; project and pull folder lie beside that of raw responses.
        base = out.absolute().parent.parent
        is_pulled = (base / "project.toml").is_file() and any(base.glob(f"*/{EVENTS}"))
    return own if is_pulled else path


def _is_review_file(name: str) -> bool:
    """Whether a file of this name can be one of reviews, which are named for their locale; or is hidden."""
    return name.startswith(".") or (Path(name).suffix in SUFFIXES and "-" in name.partition(".")[0])


def _there(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The lines of a file, as they stand there, with the reviews that they are; none where there is no file."""
    found = []
    lines = read_text(path).split("\n") if path.exists() else []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            where = f"{path.name}:{number}"
            review = parse_json(line, where, is_file=False)
            if not isinstance(review, dict) or not isinstance(review.get("template_id"), str):
                fix = "correct it, as docs/responses.md describes reviews"
                raise RowError("not a review", where=where, fix=fix)
            found.append((line, review))
    return found


def _filled(review: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in review.items() if value or name == "groups"}
