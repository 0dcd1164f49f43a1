"""Checks of the files: that they are those of the manifest, and that what they repeat agrees with it."""

import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import REBUILD, Problem, error, info
from blend.loaders.files.content import file_sha256
from blend.loaders.releases.reports import read_findings
from blend.schemas.errors import RowError
from blend.schemas.manifest import (
    FINDINGS_NAME,
    MANIFEST_NAME,
    RECIPE_NAME,
    FileInfo,
    is_the_hubs,
    leads_out,
)
from blend.schemas.models import first_reason
from blend.schemas.recipe import Recipe

_COPY_AGAIN = "copy or download the release again, or rebuild it"


def check_files(release: Release) -> Iterator[Problem]:
    """Files are as release.json says.

    * error: a file of `release.json` is missing, or has another size or sha256; there is a file that it does
      not name; a path leads out of the release
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


def check_recipe(release: Release) -> Iterator[Problem]:
    """Recipe, name and version agree.

    * error: name, version or a part of `recipe.toml` is not that of `release.json`
    """
    manifest = release.manifest
    path = release.path / RECIPE_NAME
    try:
        recipe = Recipe.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        yield error(RECIPE_NAME, "is missing", REBUILD)
        return
    except (ValueError, RecursionError) as broken:
        yield error(RECIPE_NAME, f"is not a recipe ({first_reason(broken)})", REBUILD)
        return
    for key in Recipe.model_fields:
        if getattr(recipe, key) != getattr(manifest.recipe, key):
            yield error(RECIPE_NAME, f"{key} differs from the recipe in {MANIFEST_NAME}", REBUILD)
    if (manifest.name, manifest.version) != (recipe.name, recipe.version):
        what = f"is of {manifest.name} {manifest.version}, its recipe of {recipe.name} {recipe.version}"
        yield error(MANIFEST_NAME, what, REBUILD)


def check_findings(release: Release) -> Iterator[Problem]:
    """Findings are as many as counted.

    * error: `reports/findings.jsonl` does not hold as many findings of each kind as `release.json` counts
    """
    path = release.path / FINDINGS_NAME
    if not path.is_file():
        yield error(FINDINGS_NAME, "is missing", REBUILD)
        return
    found: Counter[tuple[str, str]] = Counter()
    for where, finding in read_findings(path):
        if isinstance(finding, RowError):
            yield error(where, f"is not a finding: {finding.what}", REBUILD)
        else:
            found[finding["stage"], finding["kind"]] += 1
    reported = {
        (stage.stage, kind): count
        for stage in release.manifest.report
        for kind, count in stage.findings.items()
    }
    for stage, kind in sorted(found.keys() | reported.keys()):
        held, stated = found[stage, kind], reported.get((stage, kind), 0)
        if held != stated:
            what = f"holds {held:,} findings {kind!r} of the step {stage!r}, {MANIFEST_NAME} counts {stated:,}"
            yield error(FINDINGS_NAME, what, REBUILD)


def _compare(release: Path, file: FileInfo) -> Iterator[Problem]:
    if leads_out(file.path):
        yield error(MANIFEST_NAME, f"path {file.path!r} leads out of the release", REBUILD)
        return
    path = release / file.path
    if not path.is_file():
        yield error(file.path, "is missing", _COPY_AGAIN)
    elif (size := path.stat().st_size) != file.size:
        yield error(file.path, f"changed: {size:,} bytes, {MANIFEST_NAME} says {file.size:,}", _COPY_AGAIN)
    elif (digest := file_sha256(path)) != file.sha256:
        what = f"changed: its sha256 is {digest[:12]}…, {MANIFEST_NAME} says {file.sha256[:12]}…"
        yield error(file.path, what, _COPY_AGAIN)


def _names(release: Path) -> set[str]:
    return {path.relative_to(release).as_posix() for path in release.rglob("*") if path.is_file()}
