"""Check of the files: that they are those of the manifest."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import REBUILD, Problem, error, info
from blend.loaders.files.content import file_sha256
from blend.schemas.manifest import MANIFEST_NAME, FileInfo, is_the_hubs, leads_out

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


def _compare(release: Path, file: FileInfo) -> Iterator[Problem]:
    if leads_out(file.path):
        yield error(MANIFEST_NAME, f"path {file.path!r} leads out of the release", REBUILD)
        return
    path = release / file.path
    if not path.is_file():
        yield error(file.path, "is missing", _COPY_AGAIN)
    elif path.stat().st_size != file.size or file_sha256(path) != file.sha256:
        yield error(file.path, f"changed: its size or sha256 is not what {MANIFEST_NAME} says", _COPY_AGAIN)


def _names(release: Path) -> set[str]:
    return {path.relative_to(release).as_posix() for path in release.rglob("*") if path.is_file()}
