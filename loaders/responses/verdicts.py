"""The table of verdicts on options, questions and pairs: read, and added to by one reader at a time."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import cache, partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.loaders.files.atomic import append_rows, atomic_write, one_at_a_time, storage_errors
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Columns, read_rows
from blend.schemas.errors import InputError, RowError, raise_all
from blend.schemas.frames import VERDICTS
from blend.schemas.personal_data import is_model, own_words, pseudonym
from blend.schemas.sheets import ALL_VERDICTS, DIFFERS_FROM, MEANINGS, PROPOSED, SAME_AS
from blend.schemas.texts import answer_key, clean, pair_key

NATIVE, OTHER, MODEL_KIND = "native", "other", "model"
"""Kinds of readers."""

_COLUMNS = tuple(VERDICTS)[:-1]
_NEEDED = ("option", "verdict", "reader")
_SEPARATORS = {".tsv": "\t", ".txt": "\t", ".csv": ","}
"""By name of a file to which verdicts can be added, what stands between its cells."""
_ON_PAIRS = (SAME_AS, DIFFERS_FROM)

_Row = Mapping[str, Any]
"""A row of `VERDICTS` by column."""


class GivenVerdict(NamedTuple):
    """A verdict on an option of a question, or on a pair of answers to any question."""

    option: str
    """Option, or the first answer of the pair."""
    verdict: str
    """One of `sheets.ALL_VERDICTS`; of a pair `sheets.SAME_AS` or `sheets.DIFFERS_FROM`."""
    why: str
    """Reason; may be empty."""
    location: str
    """Where it stands; empty for one that a model has just given."""
    template_id: str | None = None
    locale: str | None = None
    """The locale asked about."""
    question: str | None = None
    """In English."""
    other: str | None = None
    """The second answer of the pair."""
    confidence: float | None = None
    """How sure a model is of it, a fraction; null for a person's."""

    @property
    def subject(self) -> tuple[str, ...]:
        """What it is about, as compared: one option of one question, or one pair."""
        if self.other is not None:
            return pair_key(self.option, self.other)
        return self.template_id or "", self.locale or "", clean(self.question or ""), answer_key(self.option)


class Decision(NamedTuple):
    """Whether two answers mean the same, and who decided it."""

    answer_a: str
    answer_b: str
    same: bool
    who: str
    """Pseudonym of a person, or name of a model."""
    location: str
    """Where it stands."""


def decisions_in(verdicts: pl.DataFrame | None) -> tuple[Decision, ...]:
    """The verdicts on pairs of answers that a table holds, in its order; none where there is no table.

    Args:
        verdicts: `frames.VERDICTS`.
    """
    if verdicts is None:
        return ()
    rows = verdicts.filter(pl.col("verdict").is_in(_ON_PAIRS))
    same = pl.col("verdict") == SAME_AS
    return tuple(map(Decision._make, rows.select("option", "with", same, "reader", "source").iter_rows()))


def read_verdicts(path: Path) -> pl.DataFrame:
    """The verdicts in a table, JSON Lines or Parquet file.

    Returns:
        `frames.VERDICTS`, in the file's order, ``kind`` always filled; whether there is what a verdict
        is about is looked at where it is used.

    Raises:
        InputError: If there is no such file, or none of a kind that can be read.
        RowError, RowErrors: If it cannot be read or lacks a column; if a verdict is unknown or lacks what it
            needs, a reader is named as no reader may be or said to be what he is not, or a confidence is no
            fraction.
    """
    if not path.is_file():
        raise InputError(
            f"{path}: there is no such file of verdicts; make it with `blend questions accept`, or correct its "
            "name (mcq.verdicts in a recipe)"
        )
    diagnostics = Diagnostics()
    rows = []
    columns = Columns(_NEEDED, [name for name in _COLUMNS if name not in _NEEDED])
    for cells in read_rows(path, path.parent, diagnostics, columns):
        typed = {name: str(value).strip() for name, value in cells.values.items() if value is not None}
        row = {name: typed.get(name) or None for name in _COLUMNS}
        with diagnostics.collected():
            rows.append(_checked({**row, "source": cells.location}))
        diagnostics.add(own_words(row["why"] or "", where=f"{cells.location}, column why", of_answers=True))
    diagnostics.raise_problems()
    return pl.DataFrame(rows, VERDICTS, orient="row")


def _checked(row: _Row) -> _Row:
    """Check one row, and fill in what kind of reader gave the verdict."""
    verdict, reader, confidence = row["verdict"], row["reader"] or "", row["confidence"]
    kind = row["kind"] or (MODEL_KIND if is_model(reader) else OTHER)

    def wrong(column: str, what: str, fix: str) -> RowError:
        return RowError(what, where=f"{row['source']}, column {column}", fix=fix)

    if verdict not in MEANINGS:
        raise wrong("verdict", f"unknown verdict {verdict!r}", f"the verdicts are {', '.join(MEANINGS)}")
    if missing := [name for name in (*MEANINGS[verdict], "reader") if row[name] is None]:
        what = f"a verdict {verdict!r} without {', '.join(missing)}"
        raise RowError(what, where=row["source"], fix="fill it in or delete the row")
    if row["with"] is not None and row["with"] in (row["option"], row["question"]):
        raise wrong("with", f"{row['with']!r} stands for itself", "write what it is now, or delete the row")
    try:
        pseudonym(reader)
    except ValueError as error:
        what, _, fix = str(error).partition("; ")
        raise wrong("reader", what, fix) from None
    if kind not in (NATIVE, OTHER, MODEL_KIND) or is_model(reader) != (kind == MODEL_KIND):
        called = f"{MODEL_KIND} for a model (by its name)"
        fix = f"write {NATIVE} or {OTHER} for a person, {called}, or leave the cell empty"
        raise wrong("kind", f"{reader!r} is not {kind!r}", fix)
    try:
        sure = None if confidence is None else float(confidence)
    except ValueError:
        sure = -1
    if sure is not None and not 0 <= sure <= 1:
        fix = "write a number from 0 to 1, such as 0.9, or leave the cell empty"
        raise wrong("confidence", f"unknown value {confidence!r}", fix)
    return {**row, "kind": kind, "confidence": sure}


def proposes_options(path: Path) -> bool:
    """Whether there is such a table, and it proposes options for questions that are short of them."""
    return path.is_file() and not read_verdicts(path).filter(verdict=PROPOSED).is_empty()


# One reader's verdicts, added to the file


class _AddedVerdicts(NamedTuple):
    """What became of verdicts that were to be added to a file."""

    by_verdict: Counter[str]
    """Added ones."""
    known: int
    """Those that this reader had given before."""


def add_verdicts(
    path: Path, verdicts: Sequence[GivenVerdict], *, reader: str, native: bool, when: date
) -> _AddedVerdicts:
    """Add a person's verdicts to a file, which is made where there is none; others' rows stay as they are.

    Args:
        path: The file, .tsv or .csv.
        verdicts: From one sheet.
        reader: Pseudonym of whoever gave them.
        native: Whether this is a native of the region that the verdicts are about.
        when: Day of the verdicts.

    Raises:
        InputError: If the file is of another kind, the reader has no name or that of a model, or a native's
            verdicts are about several locales.
        RowError, RowErrors: If the file cannot be read, or says of this reader something else: another verdict
            on an option, or another relation to the region.
        StorageError: If the file cannot be written; then it is as before.
    """
    if not reader.strip() or is_model(reader):
        raise InputError(f"`reader` {reader!r} is empty or a model's name; give the pseudonym of a person")
    locales = sorted({verdict.locale for verdict in verdicts if verdict.locale is not None})
    if native and len(locales) > 1:
        raise InputError(
            f"`native`: the verdicts are about {', '.join(locales)}, and nobody is taken for a native of "
            "several regions; bring back a sheet for each locale"
        )
    kind = NATIVE if native else OTHER
    with _locked(path):
        rows = read_verdicts(path).to_dicts() if path.exists() else []
        # Of a pair nobody may say the opposite of another: it is in every question, or in none.
        there = map(_verdict, (row for row in rows if row["reader"] == reader or row["verdict"] in _ON_PAIRS))
        known = {one.subject: one for one in there if one.verdict in (*ALL_VERDICTS, *_ON_PAIRS)}
        raise_all([*_contradicted(verdicts, known, rows, reader, kind)])
        new = [verdict for verdict in verdicts if verdict.subject not in known]
        if new:
            _write(path, [_row(one, reader, kind, when) for one in new])
    return _AddedVerdicts(Counter(one.verdict for one in new), len(verdicts) - len(new))


def append_verdicts(path: Path, verdicts: Sequence[GivenVerdict], *, reader: str, when: date) -> None:
    """Add a model's verdicts to the end of a file, which is made where there is none.

    They are on the disk when the function returns; a row that a killed process cut off is taken away, also
    where there are none to add.

    Args:
        path: The file, .tsv or .csv.
        verdicts: On options or pairs on which this model has given none.
        reader: The model.
        when: Day of the verdicts.

    Raises:
        InputError: If the file is of another kind.
        RowError, RowErrors: If the file cannot be read.
        StorageError: If it cannot be written; then it is as before.
    """
    with _locked(path):
        _write(path, [_row(one, reader, MODEL_KIND, when) for one in verdicts])


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let nobody else write the file meanwhile."""
    if path.suffix.lower() not in _SEPARATORS:
        raise InputError(f"{path}: verdicts are added to .tsv or .csv; save it as one of these and name that")
    with storage_errors(path, kept="the file is as before; ", fix="choose another `out`"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with one_at_a_time(path):
            yield


def _verdict(row: _Row) -> GivenVerdict:
    """The verdict in a row."""
    about = row["template_id"], row["locale"], row["question"]
    other = row["with"] if row["verdict"] in _ON_PAIRS else None
    return GivenVerdict(row["option"], row["verdict"], "", row["source"], *about, other=other)


def _contradicted(
    verdicts: Iterable[GivenVerdict],
    known: Mapping[tuple[str, ...], GivenVerdict],
    rows: Iterable[_Row],
    reader: str,
    kind: str,
) -> Iterator[RowError]:
    """Verdicts of which the file says the opposite, or of whose reader that it is a native there, or none."""
    relations = {row["locale"]: row for row in rows if row["reader"] == reader and row["locale"] is not None}
    for verdict in verdicts:
        row = relations.get(verdict.locale)
        if row is not None and row["kind"] != kind:
            now, then = ("a native", "none") if kind == NATIVE else ("no native", "one")
            yield RowError(
                f"{reader!r} is {now} of the region of {verdict.locale} here, but {then} in {row['source']}",
                where=verdict.location,
                fix="give `native` as before, or correct the column kind there",
            )
            return
        earlier = known.get(verdict.subject, verdict)
        if earlier.verdict != verdict.verdict:
            beside = "" if verdict.other is None else f" beside {verdict.other!r}"
            what = f"{verdict.option!r}{beside} is {verdict.verdict!r} here, but {earlier.verdict!r} in"
            where = f"{verdict.location}, column verdict"
            yield RowError(f"{what} {earlier.location}", where=where, fix="correct one of the two")


def _row(verdict: GivenVerdict, reader: str, kind: str, when: date) -> _Row:
    about = verdict.template_id, verdict.locale, verdict.question, verdict.option
    confidence = "" if verdict.confidence is None else f"{verdict.confidence:g}"
    cells = *about, verdict.verdict, verdict.other, reader, kind, confidence, when.isoformat(), verdict.why
    return dict(zip(_COLUMNS, cells, strict=True))


def _write(path: Path, new: Sequence[_Row]) -> None:
    """Add rows behind those of a file that we wrote; any other file is written anew with them."""
    separator = _SEPARATORS[path.suffix.lower()]
    header = separator.join(_COLUMNS) + "\n"
    is_ours = False
    with suppress(FileNotFoundError), path.open("rb") as file:
        is_ours = file.readline() == header.encode()
    if is_ours:
        append_rows(path, _lines(new, separator).encode(), partial(_is_complete, separator))
    elif new:
        there = read_verdicts(path).to_dicts() if path.exists() else []
        atomic_write(path, header + _lines([*there, *new], separator))


def _is_complete(separator: str, line: bytes) -> bool:
    try:
        [cells] = csv.reader([line.decode()], delimiter=separator, strict=True)
    except (UnicodeDecodeError, csv.Error):
        return False
    return len(cells) >= len(_COLUMNS)


def _lines(rows: Iterable[_Row], separator: str) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, _COLUMNS, extrasaction="ignore", delimiter=separator, lineterminator="\n")
    writer.writerows(rows)
    return text.getvalue()


# What a language model decided about the answers of BLEnD's 16 regions; nobody checked it. It lies in the
# package ``blend.decisions``, under the licence of the dataset.


@cache
def shipped_verdicts() -> pl.DataFrame:
    """The shipped verdicts, `frames.VERDICTS`, in the order of the file.

    Five annotators do not say everything: who eats cod likes crab as well. The model read every option that
    may be shown about the 16 regions, and said which are correct all the same, no answer at all, or the same as
    another; and where the English of a question or an option has a slip.
    """
    # Without the checks of a reader of strangers' files, which take half a second: a test holds that
    # `read_verdicts` finds the same rows.
    with as_file(files("blend.decisions") / "blend" / "verdicts.tsv") as path:
        rows = pl.read_csv(path, separator="\t", infer_schema=False).with_row_index("row", offset=2)
    return rows.with_columns(source=pl.format("verdicts.tsv:{}", "row")).select(
        pl.col(name).cast(of) for name, of in VERDICTS.items()
    )


def shipped_decisions() -> tuple[Decision, ...]:
    """The shipped verdicts on pairs of answers.

    They concern pairs of an option and an acceptable answer, or of two options, that can meet in the published
    16 regions and that share no word. The model read them in English.
    """
    return decisions_in(shipped_verdicts())


@cache
def shipped_collections() -> pl.DataFrame:
    """What collecting brought in the 16 regions, `builders.stats.planning.REGION_FIGURES`.

    ``benchmarks/collection_regions.py`` counts it in the published answers and a build of them with default
    options.
    """
    with as_file(files("blend.decisions") / "blend" / "collection_regions.tsv") as path:
        return pl.read_csv(path, separator="\t")
