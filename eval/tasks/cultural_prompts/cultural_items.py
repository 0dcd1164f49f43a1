"""Cultural prompts: a text for a reader of every nationality, several samples of each; and texts of anybody.

A table of group, topic, sample and text becomes a run that can be scored. It is read column by column and its
texts are copied by polars in pieces, so that millions of them never stand in memory at once.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import polars as pl

from blend.eval.items import ITEMS, TaskItems, joined_names, text_digest
from blend.eval.runs import AskedRelease, RecordedAnswers, ReleaseItems
from blend.eval.runs.answer_logs import ID_KEYS, LOG_SUFFIXES
from blend.eval.runs.run_directory import RunOutcome, open_run
from blend.eval.tasks.cultural_prompts import CulturalPromptOptions, CulturalPromptsTask
from blend.loaders.files.atomic import atomic_file
from blend.loaders.files.content import check_tables
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import SUFFIXES, Columns, read_rows
from blend.schemas.errors import InputError, RowError, RowErrors, check_names, raise_all
from blend.schemas.rows import CULTURAL_PROMPTS
from blend.schemas.texts import clean, fold

GOLD = pl.Schema(
    {
        **dict.fromkeys(("item_id", "split", "category", "topic", "group"), pl.String()),
        "sample": pl.Int64(),
        "language": pl.String(),
    }
)
"""One row per text: kind, category and topic, the group that it is for, the number of the sample from 0, and
the language that it should be in (null where nobody says)."""


def cultural_items(tables: Mapping[str, pl.DataFrame], options: CulturalPromptOptions) -> TaskItems:
    """The items of cultural prompts.

    Args:
        tables: ``cultural-prompts``, rows of `rows.CulturalPrompt`.
        options: Samples, kinds, nationalities; ``limit`` is the number of topics of a kind, chosen by a digest
            of their names.

    Returns:
        One item per prompt and sample, ``qa/t1/physics/gravity/Brazilian~0``: all texts of a topic one after
        the other. ``template_id`` is the topic with its category, ``region`` the nationality.

    Raises:
        UnknownNameError: If the release has no such kind or nationality; lists those it has.
    """
    rows = _chosen(tables[CULTURAL_PROMPTS], options)
    samples = pl.DataFrame({"sample": range(options.samples)}, schema={"sample": pl.Int64})
    asked = rows.join(samples, how="cross", maintain_order="left_right")
    items, gold = _items_of(
        asked.with_columns(
            item_id=pl.format("{}/{}~{}", "kind", "prompt_id", "sample"),
            prompt_id=pl.concat_str("kind", "template_id", separator="/"),
            split=_in_one_language("kind"),
            group="nationality",
        )
    )
    return TaskItems(items, gold, _templates(rows), "text")


def _in_one_language(kind: str) -> pl.Expr:
    """The kind of text, with its language where that is not English: texts in two cannot be compared."""
    language, of_kind = pl.col("language").fill_null("en"), pl.col(kind)
    is_english = language == "en"
    named = pl.when(of_kind == "").then(language).otherwise(pl.format("{}-{}", kind, language))
    # A blank name is that of all texts, so it stays only where all are English and none has a kind.
    is_plain = is_english & ((of_kind != "") | (is_english & (of_kind == "")).all())
    return pl.when(is_plain).then(kind).otherwise(named)


def _items_of(texts: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Items and gold of rows with the columns of `GOLD`, ``prompt_id`` and ``prompt``."""
    language = pl.col("language").fill_null("en")
    items = texts.select(
        "item_id",
        "prompt_id",
        "prompt",
        locale=language,
        language=language,
        region="group",
        template_id=joined_names("category", "topic"),
        topic="category",
        options=pl.lit(None, pl.List(pl.String)),
    )
    return items.select(list(ITEMS)).cast(ITEMS), texts.select(list(GOLD)).cast(GOLD)


def _chosen(rows: pl.DataFrame, options: CulturalPromptOptions) -> pl.DataFrame:
    held = _unique(rows, "kind")["kind"].to_list()
    check_names("kind of text", options.kinds, held)
    if options.kinds is not None:
        rows = rows.filter(pl.col("kind").is_in(options.kinds))
    if options.nationalities is not None:
        rows = rows.filter(pl.col("nationality").is_in(_demonyms(rows, options.nationalities)))
    if options.limit is None:
        return rows
    key = ("kind", "category", "topic")
    digest = pl.concat_str(key, separator="/").map_elements(text_digest, return_dtype=pl.String)
    topics = _unique(rows, *key).with_columns(rank=digest)
    first = topics.filter(pl.col("rank").rank("ordinal").over("kind") <= options.limit)
    return rows.join(first, on=key, how="semi", maintain_order="left")


def _unique(rows: pl.DataFrame, *columns: str) -> pl.DataFrame:
    return rows.select(columns).unique(maintain_order=True)


def _demonyms(rows: pl.DataFrame, names: tuple[str, ...]) -> list[str]:
    """The nationalities of the release that are named, each by its demonym or one of its codes."""
    by_name = {
        name: demonym
        for demonym, codes in _unique(rows, "nationality", "country_codes").iter_rows()
        for name in (*codes, demonym)
    }
    check_names("nationality", names, by_name)
    return [by_name[name] for name in names]


def _templates(rows: pl.DataFrame) -> dict[str, str]:
    """A prompt of every kind and template as it was asked first; what is in the signature."""
    first = rows.group_by("kind", "template_id", maintain_order=True).agg(pl.col("prompt").first())
    return {f"{row['kind']}/{row['template_id']}": row["prompt"] for row in first.iter_rows(named=True)}


_REQUIRED = ("group", "topic", "text")
_OPTIONAL = ("sample", "category", "split", "language")
_COLUMNS = Columns(_REQUIRED, _OPTIONAL, others=True)

_NAMES = ("group", "topic", "category", "split", "language")
"""Columns that hold names, which are cleaned (`texts.clean`)."""

_ASKED = {
    "groups": ("group",),
    "kinds": ("split",),
    "topics": ("split", "category", "topic"),
    "languages": ("language",),
}
"""What was asked for, in place of the tables of a release, and the columns that say it."""

_SHOWN = 10
_ROW = "_row"


def is_table_of_texts(path: Path) -> bool:
    """Whether a file is a table of texts; `keep_texts` says what is wrong with one that cannot be read.

    A file of answers to items names these, and has not all columns of a table of texts; a log is none.
    """
    if not path.is_file():
        return True
    if path.suffix.lower() in {*LOG_SUFFIXES} - {*SUFFIXES}:
        return False
    either = Columns((), (*_REQUIRED, *_OPTIONAL, *ID_KEYS), others=True)
    try:
        held = {*_opened(path, either).collect_schema().names()}
    except (pl.exceptions.PolarsError, RowError, RowErrors):
        return True
    return {*_REQUIRED} <= held or held.isdisjoint(ID_KEYS)


def keep_texts(path: Path, out: Path, *, model: str | None = None) -> RunOutcome:
    """Make a run of a table of texts.

    Args:
        path: A table, JSON Lines or Parquet with ``group``, ``topic`` and ``text``, and perhaps ``sample`` (a
            whole number; the order of the rows when absent), ``category``, ``split`` (kind of text) and
            ``language`` (BCP 47; English when absent).
        out: Directory of the run.
        model: Who wrote the texts; the name of the file when absent.

    Names are in Unicode NFC, without outer white space and with single blanks inside.

    Raises:
        InputError: If there is no such file.
        RowError, RowErrors: If it cannot be read, if a group or topic is blank, names differ in case or form of
            characters alone, a sample is no number, or if a topic has a sample of a group twice; names file and
            row of each.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file; `answers` names a table of texts ({', '.join(SUFFIXES)})")
    try:
        texts = _opened(path, _COLUMNS)
        keys = _keys(path, texts)
        _check(path, keys)
        items, gold = _items_of(keys.with_columns(prompt_id=pl.lit("texts"), prompt=pl.lit("")))
        options = {"samples": max(keys.group_by("split", "category", "topic", "group").len()["len"])}
        asked = TaskItems(items, gold, {}, "text")
        wanted = ReleaseItems(_asked(keys), CulturalPromptsTask.name, options, asked)
        run = open_run(out, wanted, RecordedAnswers.of(path, model), None)
        _copy(texts, keys, run.answers_folder / "main.jsonl")
    except pl.exceptions.PolarsError as error:
        raise RowError(
            f"cannot be read as a table of texts ({str(error).splitlines()[0]})",
            where=path.name,
            fix="correct the file; every row needs the same columns",
        ) from error
    return RunOutcome(keys.height, 0, 0, None)


def _asked(keys: pl.DataFrame) -> AskedRelease:
    """What was asked for, which is the same for the texts of several models whatever they wrote."""
    named = keys.with_columns(pl.col("language").fill_null("en"))
    # A kind without a name is blank.
    names = {of: named.select(joined_names(*columns)).to_series().unique() for of, columns in _ASKED.items()}
    tables = {of: text_digest("\n".join(held.sort())) for of, held in names.items()}
    return AskedRelease(name="texts", version="0.0.0", tables=tables)


def _opened(path: Path, columns: Columns) -> pl.LazyFrame:
    """A table with ``_row``, the number of each row as the file counts; of large files polars reads pieces."""
    suffix = path.suffix.lower()
    if suffix == ".jsonl":
        return pl.scan_ndjson(path).with_row_index(_ROW, offset=1)
    if suffix == ".parquet":
        check_tables([path], fix="write or copy it again")
        # What pandas writes where there is no value would be a category of that name.
        rows = pl.scan_parquet(path).with_columns(pl.selectors.float().fill_nan(None))
        return rows.with_row_index(_ROW, offset=1)
    diagnostics = Diagnostics()
    cells = read_rows(path, path.parent, diagnostics, columns)
    diagnostics.raise_problems()
    names = dict.fromkeys(cells[0].values if cells else _REQUIRED, pl.String())
    numbers = [int(row.location.rpartition(":")[2]) for row in cells]
    return pl.LazyFrame([row.values for row in cells], schema=names).with_columns(
        pl.Series(_ROW, numbers, pl.UInt32)
    )


def _keys(path: Path, texts: pl.LazyFrame) -> pl.DataFrame:
    """Everything but the texts, with an id for each row: `GOLD` and ``_row``."""
    held = texts.collect_schema().names()
    _COLUMNS.check([name for name in held if name != _ROW], path.name)
    absent = [pl.lit(None, pl.String).alias(name) for name in (*_NAMES, "sample") if name not in held]
    present = [pl.col(name).cast(pl.String).map_batches(_cleaned) for name in _NAMES if name in held]
    sample = [pl.col("sample").cast(pl.String)] if "sample" in held else []
    keys = texts.select(_ROW, *present, *sample, *absent).collect()
    keys = keys.with_columns(
        pl.col("split", "category").fill_null(""), language=pl.when(pl.col("language") != "").then("language")
    )
    keys = keys.with_columns(split=_in_one_language("split"))
    if not sample:
        by_order = pl.int_range(pl.len()).over("split", "category", "topic", "group").cast(pl.String)
        keys = keys.with_columns(sample=by_order)
    group = joined_names("split", "category", "topic", "group")
    return keys.with_columns(item_id=pl.concat_str(group, "sample", separator="~"))


def _cleaned(names: pl.Series) -> pl.Series:
    distinct = names.unique().drop_nulls()
    return names.replace_strict(distinct, [clean(name) for name in distinct], return_dtype=pl.String)


def _check(path: Path, keys: pl.DataFrame) -> None:
    if keys.is_empty():
        raise RowError("no texts", where=path.name, fix="write one row per text")
    raise_all([*islice(_problems(path.name, keys), _SHOWN)])


def _problems(name: str, keys: pl.DataFrame) -> Iterator[RowError]:
    """What is wrong with the keys of a table, check by check."""
    for column in ("group", "topic"):
        for row in keys.filter(pl.col(column).fill_null("") == "")[_ROW]:
            yield RowError(f"the {column} is blank", where=f"{name}:{row}, column {column}", fix="fill it in")
    strange = keys.filter(pl.col("sample").cast(pl.Int64, strict=False).is_null()).select(_ROW, "sample")
    for row, sample in strange.iter_rows():
        number = "number the samples of each group and topic, from 0 or 1"
        where = f"{name}:{row}, column sample"
        yield RowError(f"{sample!r} is not a whole number", where=where, fix=number)
    for column in _NAMES:
        yield from _alike(name, keys, column)
    numbered = keys.select(_ROW, "sample", "group", "topic", before=pl.col(_ROW).first().over("item_id"))
    for row, sample, group, topic, before in numbered.filter(pl.col(_ROW) > pl.col("before")).iter_rows():
        fix = f"delete this row or {name}:{before}, or give each sample a number of its own"
        what = f"sample {sample} of {group!r} about {topic!r} is there twice"
        yield RowError(what, where=f"{name}:{row}", fix=fix)


def _alike(file: str, keys: pl.DataFrame, column: str) -> Iterator[RowError]:
    """Names that a reader takes for an earlier one, which would be two groups or topics."""
    # Topics of two categories may: to polish, and the Polish language.
    within = ["split", "category"] if column == "topic" else []
    names = keys.select(*within, column, _ROW).drop_nulls(column)
    earlier: dict[tuple[str, ...], tuple[str, int]] = {}
    for *of, name, row in names.unique([*within, column], keep="first", maintain_order=True).iter_rows():
        first, before = earlier.setdefault((*of, fold(name, accents=False)), (name, row))
        if first != name:
            same = f"{name!r} differs in case or form of characters alone from {first!r} ({file}:{before})"
            yield RowError(same, where=f"{file}:{row}, column {column}", fix="write one of the two everywhere")


def _copy(rows: pl.LazyFrame, keys: pl.DataFrame, target: Path) -> None:
    """Write the texts as answers, in the order of the table."""
    # Row by row the same as the keys, which were read from the same file in its order.
    texts = rows.select(pl.col("text").cast(pl.String).fill_null(""))
    answers = pl.concat([keys.lazy().select("item_id"), texts], how="horizontal")
    with atomic_file(target) as beside:
        answers.sink_ndjson(beside)
