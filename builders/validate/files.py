"""Checks of files: digests and audit, and of tables: columns, rows, ids, that they load."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from blend.builders.validate.checked_release import (
    CORRECT_AND_REBUILD,
    REBUILD,
    Problem,
    Release,
    error,
    id_column,
    is_known,
    warning,
)
from blend.loaders.files.content import check_tables as check_memory
from blend.loaders.files.content import file_sha256
from blend.loaders.files.toml import read_toml
from blend.loaders.releases.tables import read_audit
from blend.schemas.arrow_types import published_columns
from blend.schemas.errors import DISTRIBUTION, BlendError, InputError, RowError
from blend.schemas.manifest import (
    AUDIT_NAME,
    MANIFEST_NAME,
    RECIPE_NAME,
    FileInfo,
    TableInfo,
    is_the_hubs,
)
from blend.schemas.models import field_errors
from blend.schemas.recipe import Recipe
from blend.schemas.rows import CONFIGS, model_of
from blend.schemas.texts import pluralise

# Check of the files: that they are those of the manifest.


_COPY_AGAIN = "copy or download the release again, or rebuild it"


def check_files(release: Release) -> Iterator[Problem]:
    """Files are as release.json says.

    * error: a file of `release.json` is missing, is a link, or has another size or sha256; there is a file that
      it does not name, but for those of the Hub and git (`.gitattributes`, `.git/`, `.cache/`); `recipe.toml`
      says otherwise, or pins other sources
    """
    manifest = release.manifest
    pinned = {(str(one.kind), one.location): one.sha256 for one in manifest.recipe.sources}
    for source in manifest.sources:
        if pinned.get((source.kind, source.location), source.sha256) != source.sha256:
            name = f"source {source.kind} {source.location}".rstrip()
            what = f"{name}: its sha256 is not the one that the recipe pins"
            yield error(MANIFEST_NAME, what, REBUILD)
    with suppress(BlendError):  # a recipe that cannot be read is not the one that was written
        said = read_toml(release.path / RECIPE_NAME, Recipe, what="recipe").model_dump()
        for key in (key for key, value in manifest.recipe.model_dump().items() if said[key] != value):
            yield error(MANIFEST_NAME, f"key recipe.{key}: {RECIPE_NAME} says otherwise", REBUILD)
    for file in manifest.files:
        yield from _compare(release.path, file)
    paths = (path for path in release.path.rglob("*") if path.is_file())
    there = {path.relative_to(release.path).as_posix() for path in paths}
    for name in sorted(there - {file.path for file in manifest.files} - {MANIFEST_NAME}):
        if not is_the_hubs(name):
            yield error(
                name, f"is not in {MANIFEST_NAME}", "move it out of the release, which its recipe makes"
            )


def _compare(release: Path, file: FileInfo) -> Iterator[Problem]:
    path = release / file.path
    if not path.is_file():
        yield error(file.path, "is missing", _COPY_AGAIN)
    elif path.is_symlink() and path.resolve().parent.name != "blobs":  # the Hub's cache is made of links
        yield error(file.path, f"is a link to {path.resolve()}, which others do not have", "put the file there")
    elif path.stat().st_size != file.size or file_sha256(path) != file.sha256:
        yield error(file.path, f"changed: its size or sha256 is not what {MANIFEST_NAME} says", _COPY_AGAIN)


# Check of a release's audit: how much simple rules guess.


_MOST = {"typical": 0.65, "recurring": 0.45, "largest": 0.29, "smallest": 0.29, "nearest-mean": 0.29}
"""Shares of their questions from which on baselines know more than they should."""
_MOST_NAMED = 0.02
"""Share of all questions from which on names of regions give too many away."""
_LOOK = "see docs/stats.md"


def check_audit(release: Release) -> Iterator[Problem]:
    """Simple rules find no more than they should.

    By the audit that the release brings along; a figure counts once its whole interval lies beyond the limit.

    * error: `reports/audit.json` is not an audit
    * warning: a rule gets more right than docs/stats.md allows
    """
    if release.manifest.recipe.mcq.mode == "paper":
        # The published procedure makes what it makes, and nobody rebuilds it to be harder to guess.
        return
    try:
        audit = read_audit(release.path)
    except RowError as broken:
        yield error(AUDIT_NAME, broken.what, REBUILD)
        return
    if audit is None:  # a source's own questions are not audited
        return
    # What is typical of a region is what true or false asks about, and no way round it.
    for name, most in _MOST.items():
        found = audit.overall.get(name)
        if found is not None and found.low is not None and found.low > most:
            what = (
                f"the rule {name!r} gets {found.accuracy:.1%} of "
                f"{pluralise(found.questions, 'question')} right (95 % interval from {found.low:.1%})"
            )
            yield warning(AUDIT_NAME, what, _LOOK)
    for leak in audit.leaks:
        if (leak.name, leak.group) == ("names-region", "all") and (leak.share or 0) > _MOST_NAMED:
            what = f"in {leak.share:.1%} of the questions an option names the region asked about"
            yield warning(AUDIT_NAME, what, _LOOK)


# Checks of the tables.


_SHOWN_CHARACTERS = 60


def check_tables(release: Release) -> Iterator[Problem]:
    """Tables have their rows and columns.

    As many rows as release.json says, and the columns of the model; the rest is proved by the files' digests.

    * error: a table cannot be read, or has other rows or columns; text is not UTF-8
    """
    names = Counter((table.config, table.split) for table in release.manifest.tables)
    for (config, split), times in names.items():
        if times > 1:
            yield error(MANIFEST_NAME, f"table {config}/{split} is listed {times} times", REBUILD)
    for table in release.manifest.tables:
        content = release.contents[table.config, table.split]
        location = f"{table.config}/{table.split}"
        if isinstance(content, str):
            yield error(location, f"{content}, its rows are not checked", "copy or build the release again")
            continue
        if len(content) != table.rows:
            what = f"{pluralise(len(content), 'row')}, {MANIFEST_NAME} says {table.rows:,}"
            yield error(location, what, REBUILD)
        yield from _other_columns(table, content.drop("location").schema, location)


def check_rows(release: Release) -> Iterator[Problem]:
    """Rows are what their model says.

    Only rows that are go on to the checks below that compare columns and tables.

    * error: a row is not what its model says (`blend schema`)
    """
    for invalid in release.invalid_rows.values():
        for location, row_id, broken in invalid:
            for one in field_errors(broken):
                value = repr(one.value)
                shown = value if len(value) <= _SHOWN_CHARACTERS else f"{value[:_SHOWN_CHARACTERS]}…"
                # The models' own sentences name the row again.
                what = (
                    one.message.removeprefix(f"{row_id}: ")
                    if one.is_ours
                    else f"column {one.location}: {one.given(shown)}"
                )
                yield error(location, what, CORRECT_AND_REBUILD)


def check_ids(release: Release) -> Iterator[Problem]:
    """Ids are unique in their split.

    * error: an id occurs twice in a split
    """
    for table, rows in release.tables.items():
        again = rows.filter(~pl.col(id_column(table.config)).is_first_distinct())
        for location in again["location"]:
            yield error(location, "an earlier row of the split has the same id", CORRECT_AND_REBUILD)


def _other_columns(table: TableInfo, held: pl.Schema, location: str) -> Iterator[Problem]:
    if not is_known(table.config):
        known = ", ".join(CONFIGS)
        what = f"unknown configuration {table.config!r}, its rows are not checked; known are {known}"
        yield error(location, what, f"validate with the version of {DISTRIBUTION} that built the release")
        return
    expected = published_columns(model_of(table.config))
    if held == expected:
        return
    wrong = [f"{name} is missing" for name in expected if name not in held]
    wrong += [f"{name} is unknown" for name in held if name not in expected]
    wrong += [
        f"{name} is {held[name]}, not {dtype}"
        for name, dtype in expected.items()
        if name in held and held[name] != dtype
    ]
    what = f"columns are not those of the model, rows are not checked: {', '.join(wrong) or 'other order'}"
    yield error(location, what, REBUILD)


# Check of loading: what users do first, with the library they do it with.


_FIX = "compare the card's header with release.json, and rebuild the release"
_SHOWN_OF_ERRORS = 300


def check_loading(release: Release) -> Iterator[Problem]:
    """Splits load with datasets.

    Whole and in streams.

    * error: `datasets.load_dataset` fails, whole or streaming, or gives other splits or numbers of rows; with a
      cache of its own, and without a connection
    """
    configs: dict[str, list[TableInfo]] = {}
    for table in release.manifest.tables:
        configs.setdefault(table.config, []).append(table)
    # A cache of its own: another copy of the same release may have been loaded before.
    with _plain_datasets(), TemporaryDirectory(prefix="blend-validate-") as cache:
        for config, tables in configs.items():
            if not all(table in release.tables for table in tables):  # told by the check of tables
                continue
            try:
                check_memory(release.path / file for table in tables for file in table.files)
            except InputError as refused:
                yield error(f"load_dataset(…, {config!r})", f"is not tried ({refused})", _FIX)
                continue
            for streaming in (False, True):
                yield from _loaded(release.path, config, tables, cache, streaming=streaming)


def _loaded(
    release: Path, config: str, tables: Sequence[TableInfo], cache: str, *, streaming: bool
) -> Iterator[Problem]:
    from datasets import load_dataset

    where = f"load_dataset(…, {config!r}{', streaming=True' if streaming else ''})"
    # Whatever goes wrong in there, and much can, is what users would meet.
    try:
        splits = load_dataset(str(release), config, cache_dir=cache, streaming=streaming)
        for rows in splits.values():
            next(iter(rows), None)
    except Exception as broken:
        stated = " ".join(str(broken).split())
        yield error(where, f"fails with {type(broken).__name__}: {stated[:_SHOWN_OF_ERRORS]}", _FIX)
        return
    expected = [table.split for table in tables]
    if list(splits) != expected:
        yield error(where, f"has the splits {', '.join(splits)}, not {', '.join(expected)}", _FIX)
    for table in tables:
        # A stream does not know how long it is.
        if not streaming and table.split in splits and len(splits[table.split]) != table.rows:
            what = f"has {len(splits[table.split]):,} rows, not {table.rows:,}"
            yield error(f"{where}[{table.split!r}]", what, _FIX)


@contextmanager
def _plain_datasets() -> Iterator[None]:
    """Keep the progress bars of ``datasets`` from the terminal inside the block, and torch from its streams."""
    import datasets

    shown, has_torch = datasets.is_progress_bar_enabled(), datasets.config.TORCH_AVAILABLE
    datasets.disable_progress_bars()
    # Streams import it to share their position with its workers, and that takes long.
    datasets.config.TORCH_AVAILABLE = False
    try:
        yield
    finally:
        datasets.config.TORCH_AVAILABLE = has_torch
        if shown:
            datasets.enable_progress_bars()
