"""Checks of what machines read first: the card's header and croissant.json, made anew and compared."""

from collections.abc import Iterator
from typing import Any

import yaml

from blend.builders.cards.croissant import made_from_manifest
from blend.builders.cards.header import configs_of
from blend.builders.validate.checked_release import Release, is_known
from blend.builders.validate.report import REBUILD, Problem, error
from blend.loaders.files.content import read_content, read_json_content, utf8_text
from blend.schemas.errors import RowError
from blend.schemas.manifest import CARD_NAME, CROISSANT_NAME, ReleaseManifest
from blend.schemas.recipe import known_licenses

_SHOWN_CHARACTERS = 60


def check_card(release: Release) -> Iterator[Problem]:
    """The card says what the release holds.

    * error: the header's configurations, splits, files, numbers of rows or licence are not those that
      `release.json` makes; it lacks a language
    """
    try:
        fields = _header(release)
    except RowError as broken:
        yield error(CARD_NAME, broken.what, REBUILD)
        return
    manifest = release.manifest
    made = {"license": manifest.recipe.license, "configs": configs_of(manifest)}
    for key, expected in made.items():
        yield from _differences(expected, fields.get(key), f"{CARD_NAME}, {key}")
    if fields.get("dataset_info") is not None:
        # `datasets` refuses a release with other rows than the header repeats.
        yield from _differences(_rows(manifest), _rows_stated(fields), f"{CARD_NAME}, dataset_info")
    if manifest.recipe.license not in known_licenses():
        fix = "correct `license` in the recipe and rebuild the release"
        yield error(
            CARD_NAME, f"license {manifest.recipe.license!r} is not an identifier that the Hub knows", fix
        )
    listed = fields.get("language")
    used = {
        tag
        for rows in release.tables.values()
        if "language" in rows.columns
        for tag in rows["language"].drop_nulls().unique()
    }
    if lacking := sorted(used.difference(map(str, listed if isinstance(listed, list) else ()))):
        yield error(CARD_NAME, f"language lacks {', '.join(lacking)}", REBUILD)


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


def _rows_stated(fields: dict[str, Any]) -> Any:
    """The same as a header repeats them; what is no such header as it stands."""
    try:
        return {
            info["config_name"]: {split["name"]: split["num_examples"] for split in info["splits"]}
            for info in fields["dataset_info"]
        }
    except (KeyError, TypeError):
        return fields["dataset_info"]


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
