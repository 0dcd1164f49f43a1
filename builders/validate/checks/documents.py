"""Checks of what machines read first: the card's header and croissant.json, made anew and compared."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from blend.builders.cards.metadata import configs_of, made_from_manifest
from blend.builders.validate.checked_release import Release, is_known
from blend.builders.validate.report import REBUILD, Problem, error, info, warning
from blend.loaders.files.content import file_sha256, read_content, read_json, utf8_text
from blend.loaders.releases.reports import read_audit
from blend.schemas.errors import RowError
from blend.schemas.manifest import (
    AUDIT_NAME,
    CARD_NAME,
    CROISSANT_NAME,
    MANIFEST_NAME,
    FileInfo,
    ReleaseManifest,
    is_the_hubs,
    leads_out,
)
from blend.schemas.reports import AuditReport
from blend.schemas.texts import pluralise


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


# Check of the files: that they are those of the manifest.


_COPY_AGAIN = "copy or download the release again, or rebuild it"


def check_files(release: Release) -> Iterator[Problem]:
    """Files are as release.json says.

    * error: a file of `release.json` is missing, is a link, or has another size or sha256; there is a file that
      it does not name; a path leads out of the release
    * info: what the Hub and git put there (`.gitattributes`, `.git/`, `.cache/`)
    """
    listed = Counter(file.path for file in release.manifest.files)
    for name, times in listed.items():
        if times > 1:
            yield error(MANIFEST_NAME, f"file {name} is listed {times} times", REBUILD)
    for file in release.manifest.files:
        yield from _compare(release.path, file)
    for name in sorted(_names(release.path) - set(listed) - {MANIFEST_NAME}):
        if is_the_hubs(name):
            yield info(name, "is not part of the release; the Hub and git put it there")
        else:
            yield error(name, f"is not in {MANIFEST_NAME}", "remove the file, or rebuild the release with it")
    for table in release.manifest.tables:
        for name in table.files:
            if name not in listed:
                what = f"{table.config}/{table.split} names the file {name}, which is not among the files"
                yield error(MANIFEST_NAME, what, REBUILD)


def _compare(release: Path, file: FileInfo) -> Iterator[Problem]:
    if leads_out(file.path):
        yield error(MANIFEST_NAME, f"path {file.path!r} leads out of the release", REBUILD)
        return
    path = release / file.path
    if not path.is_file():
        yield error(file.path, "is missing", _COPY_AGAIN)
    elif path.is_symlink() and path.resolve().parent.name != "blobs":  # the Hub's cache is made of links
        yield error(file.path, f"is a link to {path.resolve()}, which others do not have", "put the file there")
    elif path.stat().st_size != file.size or file_sha256(path) != file.sha256:
        yield error(file.path, f"changed: its size or sha256 is not what {MANIFEST_NAME} says", _COPY_AGAIN)


def _names(release: Path) -> set[str]:
    return {path.relative_to(release).as_posix() for path in release.rglob("*") if path.is_file()}


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
    if audit is None:
        # A source's own questions are not audited.
        return
    # What is typical of a region is what true or false asks about, and no way round it.
    yield from _guessed(audit)


def _guessed(audit: AuditReport) -> Iterator[Problem]:
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
