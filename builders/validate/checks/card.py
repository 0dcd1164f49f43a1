"""Checks of the dataset card: its header makes the release load, its text says what every column is."""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import yaml

from blend.builders.validate.checked_release import Release, is_known
from blend.builders.validate.report import REBUILD, Problem, error, warning
from blend.loaders.files.content import read_content
from blend.schemas.base.arrow_types import arrow_schema
from blend.schemas.errors import RowError
from blend.schemas.language.languages import is_language
from blend.schemas.recipe.licenses import known_licenses
from blend.schemas.release.manifest import TableInfo
from blend.schemas.release.release_layout import CARD_NAME
from blend.schemas.rows.configs import model_of


def check_card(release: Release) -> Iterator[Problem]:
    """The card says what the release holds.

    Its header names the configurations, splits and files of release.json, the licence and the languages; its
    text describes every column.

    * error: the header's configurations, splits or file patterns are not those of `release.json`; licence, a
      language or a row count differs; a column is not described
    * warning: no `pretty_name`
    """
    path = release.path / CARD_NAME
    try:
        text = read_content(path).decode()
    except RowError as broken:
        yield error(CARD_NAME, f"cannot be read: {broken.what}", REBUILD)
        return
    except UnicodeDecodeError:
        yield error(CARD_NAME, "is not in UTF-8", REBUILD)
        return
    header, body = _parts(text)
    if header is None:
        yield error(CARD_NAME, "does not begin with a YAML header between two lines ---", REBUILD)
        return
    try:
        fields = yaml.safe_load(header)
    # Impossible dates, endless numbers and lists nested too deeply are no errors of YAML to its reader.
    except (yaml.YAMLError, ValueError, RecursionError) as broken:
        yield error(CARD_NAME, f"the header is not YAML ({' '.join(str(broken).split())})", REBUILD)
        return
    if not isinstance(fields, dict):
        yield error(CARD_NAME, "the header is not a YAML mapping", REBUILD)
        return
    yield from _configs(release, fields.get("configs"))
    yield from _info(release, fields.get("dataset_info"))
    yield from _licence_and_languages(release, fields)
    yield from _described(release, body)


def _parts(text: str) -> tuple[str | None, str]:
    """The header, if there is one, and the text below it."""
    opening, _, rest = text.partition("\n")
    header, closing, body = rest.partition("\n---\n")
    return (header, body) if opening == "---" and closing else (None, text)


def _configs(release: Release, configs: Any) -> Iterator[Problem]:
    """The configurations, each with its splits and their files."""
    where = f"{CARD_NAME}, configs"
    if not isinstance(configs, list) or not all(isinstance(config, dict) for config in configs):
        yield error(where, "is not a list of configurations", REBUILD)
        return
    tables: dict[str, list[TableInfo]] = {}
    for table in release.manifest.tables:
        tables.setdefault(table.config, []).append(table)
    named = [str(config.get("config_name")) for config in configs]
    if named != list(tables):
        what = f"names the configurations {_listed(named)}, release.json {_listed(list(tables))}"
        yield error(where, what, REBUILD)
    for name, config in zip(named, configs, strict=True):
        if name in tables:
            yield from _splits(release, f"{where}, {name}", config.get("data_files"), tables[name])


def _splits(release: Release, where: str, entries: Any, tables: Sequence[TableInfo]) -> Iterator[Problem]:
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and {"split", "path"} <= entry.keys() for entry in entries
    ):
        yield error(where, "data_files is not a list of splits, each with its path", REBUILD)
        return
    named = [str(entry["split"]) for entry in entries]
    splits = [table.split for table in tables]
    if named != splits:
        yield error(where, f"names the splits {_listed(named)}, release.json {_listed(splits)}", REBUILD)
    files = sorted(path.relative_to(release.path).as_posix() for path in release.path.rglob("*.parquet"))
    held = {table.split: sorted(table.files) for table in tables}
    for split, entry in zip(named, entries, strict=True):
        patterns = entry["path"] if isinstance(entry["path"], list) else [entry["path"]]
        matched = [file for file in files if any(fnmatchcase(file, str(pattern)) for pattern in patterns)]
        if split in held and matched != held[split]:
            what = (
                f"split {split} matches the files {_listed(matched)}, release.json names {_listed(held[split])}"
            )
            yield error(where, what, REBUILD)


def _info(release: Release, infos: Any) -> Iterator[Problem]:
    """Where the header repeats numbers of rows, those of release.json: ``datasets`` refuses others."""
    rows: dict[tuple[Any, Any], int] = {
        (table.config, table.split): table.rows for table in release.manifest.tables
    }
    entries = infos if isinstance(infos, list) else [infos]
    for entry in (entry for entry in entries if isinstance(entry, dict)):
        config = entry.get("config_name")
        splits = entry.get("splits")
        for split in splits if isinstance(splits, list) else ():
            if not isinstance(split, dict):
                continue
            name, number = split.get("name"), split.get("num_examples")
            if number is not None and number != rows.get((config, name)):
                stated = rows.get((config, name))
                what = f"split {name} has num_examples {number}, release.json says {stated}"
                yield error(f"{CARD_NAME}, dataset_info, {config}", what, REBUILD)


def _licence_and_languages(release: Release, fields: Mapping[str, Any]) -> Iterator[Problem]:
    wanted = release.manifest.recipe.license
    if fields.get("license") != wanted:
        yield error(CARD_NAME, f"license is {fields.get('license')!r}, the recipe's is {wanted!r}", REBUILD)
    if wanted not in known_licenses():
        fix = "correct `license` in the recipe and rebuild the release"
        yield error(CARD_NAME, f"license {wanted!r} is not an identifier that the Hub knows", fix)
    if not fields.get("pretty_name"):
        yield warning(CARD_NAME, "has no pretty_name", REBUILD)
    listed = fields.get("language")
    listed = [str(tag) for tag in listed] if isinstance(listed, list) else []
    for tag in listed:
        if not is_language(tag):
            yield error(CARD_NAME, f"language {tag!r} is not a BCP 47 tag", REBUILD)
    found: dict[str, None] = {}
    for batch in release.batches(columns=["language"]):
        if "language" in batch.rows.columns:
            found.update(dict.fromkeys(batch.rows["language"].drop_nulls().unique().sort()))
    lacking = [tag for tag in found if tag not in listed]
    if lacking:
        yield error(CARD_NAME, f"language lacks {_listed(lacking)}", REBUILD)


def _described(release: Release, body: str) -> Iterator[Problem]:
    """Every configuration has its own text, and every column is in it."""
    for config in dict.fromkeys(table.config for table in release.manifest.tables):
        if f"`{config}`" not in body and f'"{config}"' not in body:
            yield error(CARD_NAME, f"does not describe the configuration {config}", REBUILD)
        if is_known(config):
            lacking = [name for name in arrow_schema(model_of(config)).names if f"`{name}`" not in body]
            if lacking:
                yield error(CARD_NAME, f"does not describe the columns {_listed(lacking)} of {config}", REBUILD)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
