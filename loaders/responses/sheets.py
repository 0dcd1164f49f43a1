"""Files on the way to reviews: the answer sheet, out and in, and the reviews that it becomes."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.encodings import read_text
from blend.loaders.files.new_files import write_new_sheet
from blend.loaders.files.own_folders import check_own_folder
from blend.loaders.files.pulled_files import is_pulled
from blend.loaders.files.rows import SUFFIXES, Columns, read_rows
from blend.loaders.files.storage import storage_errors
from blend.loaders.responses.own_reviews import OWN
from blend.schemas.errors import ConflictError, RowError
from blend.schemas.sheets.answer_sheets import ANSWER_SHEET, INVALID, READ_AGAIN

_NAMES = tuple(name for name in ANSWER_SHEET if name != "source")
_COLUMNS = Columns(
    READ_AGAIN,
    optional=[name for name in _NAMES if name not in READ_AGAIN],
    others=True,
    returned=True,
)


def write_answer_sheet(sheet: pl.DataFrame, path: Path) -> None:
    """Write a sheet for people to fill in; see `files.new_files.write_new_sheet`.

    Raises:
        InputError: As `files.new_files.write_new_sheet`.
    """
    cells = sheet.select(_NAMES).with_columns(pl.all().replace("", None))
    write_new_sheet(path, cells, choices={"invalid": (INVALID,)})


def read_answer_sheet(
    path: Path, *, encoding: str | None = None, diagnostics: Diagnostics | None = None
) -> pl.DataFrame:
    """A sheet as it came back from a spreadsheet.

    Args:
        path: The table.
        encoding: Of the table; see `loaders.files.encodings.read_text`.
        diagnostics: Takes findings about the file, such as colours, which nobody reads.

    Returns:
        `answer_sheets.ANSWER_SHEET`, in file order, for `builders.saq.reviews.reviews_of`.

    Raises:
        RowError, RowErrors: If the file cannot be read.
        InputError: If it has no rows.
    """
    diagnostics = Diagnostics() if diagnostics is None else diagnostics
    rows = read_rows(path, path.parent, diagnostics, _COLUMNS, encoding=encoding)
    diagnostics.raise_problems()
    if not rows:
        raise RowError("no rows", where=path.name, fix="give the sheet that `blend reviews propose` made")
    empty = dict.fromkeys(_NAMES, "")
    return pl.DataFrame(
        [{**empty, **cells.values, "source": cells.location} for cells in rows], schema=ANSWER_SHEET
    )


class WrittenReviews(NamedTuple):
    """Contents of a file of reviews as written."""

    path: Path
    """Named for its locale, ``ko-KR.jsonl``; ``ko-KR.own.jsonl`` beside one that pulls write."""
    questions: int
    """Questions that were written."""
    groups: int
    """Groups in them."""
    without_english: int
    """Those of the groups that have no English."""
    invalid: int
    """Answers in them that are none."""
    kept: int
    """Questions of the file that were there before and stayed."""
    replaced: Mapping[str, int]
    """Questions of the file that were reviewed in another way or by somebody else, by that reviewer."""

    @property
    def is_beside_pulled(self) -> bool:
        """Whether pulls write the locale's other file."""
        return self.path.stem.endswith(OWN)


def write_reviews(reviews: pl.DataFrame, out: Path, *, update: bool = False) -> list[WrittenReviews]:
    """Write reviews as JSON Lines, one file per locale, which is named for it.

    Where pulls write a file of that name (`pulled_files.is_pulled`), it is ``ko-KR.own.jsonl`` instead.

    Either all files are written or, after an error, none is changed that was looked at.

    Args:
        reviews: `frame_columns.REVIEWS`.
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
    written = []
    with storage_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        for tag, path in paths.items():
            rows = {row["template_id"]: row for row in parts[(tag,)].drop("locale").to_dicts()}
            kept = [line for line, review in there[tag] if review["template_id"] not in rows]
            atomic_write(path, "".join(f"{line}\n" for line in [*kept, *map(_line, rows.values())]))
            written.append(_account(path, rows, [review for _, review in there[tag]]))
    return written


def rewrite_reviews(path: Path, change: Callable[[Mapping[str, Any], str], Mapping[str, Any] | None]) -> bool:
    """Change the reviews of a file, which goes with its last one; returns whether anything was changed.

    Args:
        path: A file of JSON Lines.
        change: From a review and its locale to the review as it is to be, null for none.

    Raises:
        RowError: If it cannot be read.
        StorageError: If it cannot be written.
    """
    there = _there(path)
    kept = [
        line if after == review else _line(after)
        for line, review in there
        if (after := change(review, review.get("locale") or path.name.partition(".")[0])) is not None
    ]
    if kept == [line for line, _ in there]:
        return False
    with storage_errors(path):
        if kept:
            atomic_write(path, "".join(f"{line}\n" for line in kept))
        else:
            path.unlink()
    return True


def _path(out: Path, tag: str) -> Path:
    path = out / f"{tag}.jsonl"
    return path.with_name(f"{tag}{OWN}.jsonl") if is_pulled(path) else path


def _is_review_file(name: str) -> bool:
    """Whether a file of this name can be one of reviews, which are named for their locale; or is hidden."""
    return name.startswith(".") or (Path(name).suffix in SUFFIXES and "-" in name.partition(".")[0])


def _there(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The lines of a file, as they stand there, with the reviews that they are; none where there is no file."""
    if not path.exists():
        return []
    lines = read_text(path, path.parent, Diagnostics()).split("\n")
    numbered = ((row, line) for row, line in enumerate(lines, start=1) if line.strip())
    return [(line, _review(line, path, row)) for row, line in numbered]


def _review(line: str, path: Path, row: int) -> dict[str, Any]:
    """The review in a line, at least with the template that it is about."""
    try:
        review = json.loads(line)
        template_id = review["template_id"]
    except (ValueError, TypeError, KeyError, RecursionError):
        template_id = None
    if not isinstance(template_id, str):
        raise RowError(
            "not a review", where=f"{path.name}:{row}", fix="correct it, as docs/responses.md describes reviews"
        )
    return dict(review)


def _line(review: Mapping[str, Any]) -> str:
    return json.dumps(_filled(review), ensure_ascii=False)


def _filled(review: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in review.items() if value or name == "groups"}


def _account(
    path: Path, rows: Mapping[str, Mapping[str, Any]], there: Sequence[Mapping[str, Any]]
) -> WrittenReviews:
    groups = [group for row in rows.values() for group in row["groups"]]
    invalid = sum(len(row["invalid"]) for row in rows.values())
    without_english = sum(not group["en_answers"] for group in groups)
    about = [(review, rows.get(review["template_id"])) for review in there]
    other = (review for review, row in about if row is not None and _filled(review) != _filled(row))
    replaced = Counter(str(review.get("reviewer") or "nobody named") for review in other)
    kept = sum(row is None for _, row in about)
    return WrittenReviews(
        path, len(rows), len(groups), without_english, invalid, kept, dict(sorted(replaced.items()))
    )
