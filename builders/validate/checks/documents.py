"""Checks of what machines read first: the card's header and croissant.json, made anew and compared."""

from collections.abc import Iterator
from typing import Any

import yaml

from blend.builders.cards.croissant import made_from_manifest
from blend.builders.cards.header import configs_of
from blend.builders.validate.checked_release import Release, is_known
from blend.builders.validate.report import REBUILD, Problem, error, warning
from blend.loaders.files.content import read_content, read_json_content
from blend.schemas.arrow_types import arrow_schema
from blend.schemas.errors import RowError
from blend.schemas.languages import is_language
from blend.schemas.manifest import CARD_NAME, CARD_PAGE_NAME, CROISSANT_NAME
from blend.schemas.recipe import known_licenses
from blend.schemas.rows import model_of

_SHOWN_CHARACTERS = 60


def check_card(release: Release) -> Iterator[Problem]:
    """The card says what the release holds.

    * error: the header's configurations, splits, files or numbers of rows are not those that `release.json`
      makes; licence or a language differs; a column is described neither in the card nor beside it
    * warning: no `pretty_name`
    """
    try:
        text = read_content(release.path / CARD_NAME).decode()
    except RowError as broken:
        yield error(CARD_NAME, f"cannot be read: {broken.what}", REBUILD)
        return
    except UnicodeDecodeError:
        yield error(CARD_NAME, "is not in UTF-8", REBUILD)
        return
    header = text.removeprefix("---\n").partition("\n---\n")[0]
    if not text.startswith("---\n") or header == text:
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
    made = {"license": release.manifest.recipe.license, "configs": configs_of(release.manifest)}
    for key, expected in made.items():
        yield from _differences(expected, fields.get(key), f"{CARD_NAME}, {key}")
    yield from _numbers(release, fields.get("dataset_info"))
    yield from _languages(release, fields.get("language"))
    if made["license"] not in known_licenses():
        fix = "correct `license` in the recipe and rebuild the release"
        yield error(CARD_NAME, f"license {made['license']!r} is not an identifier that the Hub knows", fix)
    if not fields.get("pretty_name"):
        yield warning(CARD_NAME, "has no pretty_name", REBUILD)
    yield from _described(release, text)


def check_croissant(release: Release) -> Iterator[Problem]:
    """Croissant metadata are those of release.json.

    * error: files, digests, tables or columns in `croissant.json` are not those that `release.json` makes
    """
    path = release.path / CROISSANT_NAME
    if not path.is_file():
        yield error(CROISSANT_NAME, "is missing", REBUILD)
        return
    try:
        held = read_json_content(path, where=CROISSANT_NAME)
    except RowError as broken:
        where = str(broken).partition(f": {broken.what}")[0]
        yield error(where, f"cannot be used: {broken.what}", REBUILD)
        return
    if not isinstance(held, dict):
        yield error(CROISSANT_NAME, f"is not an object ({_shown(held)})", REBUILD)
        return
    if not all(is_known(table.config) for table in release.manifest.tables):
        return  # told by the check of tables
    for key, expected in made_from_manifest(release.manifest).items():
        yield from _differences(expected, held.get(key), f"{CROISSANT_NAME}, {key}")


def _differences(made: Any, held: Any, where: str) -> Iterator[Problem]:
    """Where a part of a document is another than `release.json` makes; sentences for readers may be any."""
    if isinstance(made, dict) and isinstance(held, dict):
        for key in {**made, **held}:
            if key != "description":
                yield from _differences(made.get(key), held.get(key), f"{where}.{key}")
    elif isinstance(made, list) and isinstance(held, list) and len(made) == len(held):
        for number, (one, other) in enumerate(zip(made, held, strict=True)):
            yield from _differences(one, other, f"{where}[{number}]")
    elif made != held:
        yield error(where, f"is {_shown(held)}, release.json makes {_shown(made)}", REBUILD)


def _numbers(release: Release, infos: Any) -> Iterator[Problem]:
    """Where the header repeats numbers of rows, those of release.json: ``datasets`` refuses others."""
    rows = {(table.config, table.split): table.rows for table in release.manifest.tables}
    for info in (infos if isinstance(infos, list) else [infos]) if infos is not None else ():
        splits = info.get("splits") if isinstance(info, dict) else None
        for split in splits if isinstance(splits, list) else ():
            if isinstance(split, dict) and (number := split.get("num_examples")) is not None:
                config, name = str(info.get("config_name")), str(split.get("name"))
                if number != rows.get((config, name)):
                    stated = rows.get((config, name))
                    what = f"split {name} has num_examples {number}, release.json says {stated}"
                    yield error(f"{CARD_NAME}, dataset_info, {config}", what, REBUILD)


def _languages(release: Release, listed: Any) -> Iterator[Problem]:
    tags = [str(tag) for tag in listed] if isinstance(listed, list) else []
    for tag in tags:
        if not is_language(tag):
            yield error(CARD_NAME, f"language {tag!r} is not a BCP 47 tag", REBUILD)
    found: dict[str, None] = {}
    for batch in release.batches(columns=["language"]):
        if "language" in batch.rows.columns:
            found.update(dict.fromkeys(batch.rows["language"].drop_nulls().unique().sort()))
    if lacking := [tag for tag in found if tag not in tags]:
        yield error(CARD_NAME, f"language lacks {', '.join(lacking)}", REBUILD)


def _described(release: Release, text: str) -> Iterator[Problem]:
    """Every configuration and every column is described, in the card or on the page beside it."""
    page = release.path / CARD_PAGE_NAME
    if page.is_file():
        text += page.read_text(encoding="utf-8", errors="replace")
    for config in dict.fromkeys(table.config for table in release.manifest.tables):
        if f"`{config}`" not in text:
            yield error(CARD_NAME, f"does not describe the configuration {config}", REBUILD)
        if is_known(config):
            lacking = [name for name in arrow_schema(model_of(config)).names if f"`{name}`" not in text]
            if lacking:
                what = f"does not describe the columns {', '.join(lacking)} of {config}"
                yield error(CARD_NAME, what, REBUILD)


def _shown(value: Any) -> str:
    """A value of any size in a few characters."""
    if value is None:
        return "absent"
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value):,}"
    if isinstance(value, int) and value.bit_length() > 64:
        return "a number of many digits"
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
