"""Checks of what machines read first: the card's header and croissant.json, made anew and compared."""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from blend.builders.cards.croissant import made_from_manifest
from blend.builders.cards.header import configs_of
from blend.builders.validate.checked_release import Release, is_known
from blend.builders.validate.report import REBUILD, Problem, error
from blend.loaders.files.content import read_content, read_json, utf8_text
from blend.schemas.errors import RowError
from blend.schemas.manifest import CARD_NAME, CROISSANT_NAME, ReleaseManifest


def check_card(release: Release) -> Iterator[Problem]:
    """The card says what the release holds.

    * error: the header's licence, configurations, splits, files or numbers of rows are not those that
      `release.json` makes
    """
    try:
        fields = _header(release)
    except RowError as broken:
        yield error(CARD_NAME, broken.what, REBUILD)
        return
    manifest = release.manifest
    made = {
        "license": manifest.recipe.license,
        "configs": configs_of(manifest),
        # `datasets` refuses a release with other rows than the header repeats.
        "dataset_info": _rows(manifest),
    }
    yield from _differences(made, {**fields, "dataset_info": _rows_stated(fields)}, CARD_NAME)


def check_croissant(release: Release) -> Iterator[Problem]:
    """Croissant metadata are those of release.json.

    * error: files, digests, tables or columns in `croissant.json` are not those that `release.json` makes
    """
    path = release.path / CROISSANT_NAME
    if not path.is_file():
        yield error(CROISSANT_NAME, "is missing", REBUILD)
        return
    try:
        held = read_json(path, where=CROISSANT_NAME)
    except RowError as broken:
        where = str(broken).partition(f": {broken.what}")[0]
        yield error(where, f"cannot be used: {broken.what}", REBUILD)
        return
    if not isinstance(held, dict):
        yield error(CROISSANT_NAME, "is not an object", REBUILD)
    elif all(is_known(table.config) for table in release.manifest.tables):  # else told by the check of tables
        yield from _differences(made_from_manifest(release.manifest), held, CROISSANT_NAME)


def _differences(made: Mapping[str, Any], held: Mapping[str, Any], where: str) -> Iterator[Problem]:
    """Keys under which a document says something else than `release.json` makes."""
    for key, expected in made.items():
        if _without_prose(held.get(key)) != _without_prose(expected):
            yield error(where, f"{key} is not what release.json makes", REBUILD)


def _without_prose(value: Any) -> Any:
    """A value without sentences for readers, which may be any."""
    if isinstance(value, dict):
        return {key: _without_prose(part) for key, part in value.items() if key != "description"}
    return [_without_prose(part) for part in value] if isinstance(value, list) else value


def _header(release: Release) -> dict[str, Any]:
    """The fields of the card's header.

    Raises:
        RowError: If there are none that can be read.
    """
    text = utf8_text(read_content(release.path / CARD_NAME), CARD_NAME)
    header = text.removeprefix("---\n").partition("\n---\n")[0]
    if not text.startswith("---\n") or header == text:
        what = "does not begin with a YAML header between two lines ---"
        raise RowError(what, where=CARD_NAME, fix=REBUILD)
    try:
        fields = yaml.safe_load(header)
    # Impossible dates, endless numbers and lists nested too deeply are no errors of YAML to its reader.
    except (yaml.YAMLError, ValueError, RecursionError) as broken:
        what = f"the header is not YAML ({' '.join(str(broken).split())})"
        raise RowError(what, where=CARD_NAME, fix=REBUILD) from None
    if not isinstance(fields, dict):
        raise RowError("the header is not a YAML mapping", where=CARD_NAME, fix=REBUILD)
    return fields


def _rows(manifest: ReleaseManifest) -> dict[str, dict[str, int]]:
    """The rows of every split by configuration."""
    found: dict[str, dict[str, int]] = {}
    for table in manifest.tables:
        found.setdefault(table.config, {})[table.split] = table.rows
    return found


def _rows_stated(fields: Mapping[str, Any]) -> Any:
    """The same as a header repeats them; null if it does not."""
    try:
        return {
            info["config_name"]: {split["name"]: split["num_examples"] for split in info["splits"]}
            for info in fields["dataset_info"]
        }
    except (KeyError, TypeError):
        return None
