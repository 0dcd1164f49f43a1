"""Real data for tests: the folder ``shared/``, or published data fetched by commit and digest into a cache.

``shared/`` lies beside the checkout, or where ``BLEND_SHARED`` says. Without it, the data that BLEnD's authors
published are fetched from GitHub when ``BLEND_FETCH=1`` asks for it, once, into ``BLEND_TEST_CACHE`` (by
default below the user's cache); an ordinary run of the tests fetches nothing. What else is in ``shared/`` was
published without a commit to fetch it by, or was made for these tests.
"""

import hashlib
import os
import shutil
import tarfile
import zlib
from http.client import HTTPException
from pathlib import Path, PurePosixPath
from urllib.request import urlopen

from filelock import FileLock

TIMEOUT_S = 60.0

REPOSITORY = "nlee0212/BLEnD"
COMMIT = "24e7d732c082c224b3bc9c7dc3b884fe83fb8cc8"
FOLDERS = ("annotations", "prompts", "questions")
"""Within ``data`` of the repository."""
SHA256 = "e01d4dbcc5d8b71da200e1af77cdf65ab7a317be8b8c99e77666e07f54ca5d70"
"""Of what ``sha256sum`` prints for all files, sorted by path, with paths below ``data``."""

NOT_FETCHED = (
    "the folder ../shared (or BLEND_SHARED), with the data of FmLAMA (github.com/lizhou21/FmLAMA, folder data) "
    "and of EECC (github.com/shaily99/eecc, folder data), and with snapshots, expected results and tiny models "
    "that the maintainers made for tests,"
)
"""What tests miss without ``shared/``, where fetching cannot help."""


class Unavailable(Exception):
    """Published data are neither here nor to be had: which, and why."""


def shared_folder() -> Path:
    """Where ``shared/`` lies, if it is there."""
    return Path(os.environ.get("BLEND_SHARED") or Path(__file__).resolve().parents[3] / "shared")


def asked_to_fetch() -> bool:
    """Whether tests may fetch what is published."""
    return os.environ.get("BLEND_FETCH") == "1"


def fetched_blend() -> Path:
    """BLEnD's folder in the cache, filled if it is not there and ``BLEND_FETCH=1``.

    Raises:
        Unavailable: If it is not there, and not to be fetched or not to be had.
        ValueError: If what was fetched, or lies there, is not what it should be.
    """
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cache = Path(os.environ.get("BLEND_TEST_CACHE") or Path(user) / "blend-tests")
    folder = cache / f"BLEnD-{COMMIT}"
    if not folder.is_dir():
        if not asked_to_fetch():
            raise Unavailable(f"BLEnD (github.com/{REPOSITORY}; BLEND_FETCH=1 fetches it)")
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{folder}.lock"):
            if not folder.is_dir():
                _fetch(folder)
    _check(folder)
    return folder


def _fetch(folder: Path) -> None:
    url = f"https://codeload.github.com/{REPOSITORY}/tar.gz/{COMMIT}"
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    for name in FOLDERS:
        (unfinished / name).mkdir(parents=True)
    try:
        with urlopen(url, timeout=TIMEOUT_S) as answer, tarfile.open(fileobj=answer, mode="r|gz") as archive:
            for member in archive:
                parts = PurePosixPath(member.name).parts  # NAME-COMMIT/data/FOLDER/FILE
                content = archive.extractfile(member) if member.isfile() else None
                if content and len(parts) == 4 and parts[1] == "data" and parts[2] in FOLDERS:
                    (unfinished / parts[2] / parts[3]).write_bytes(content.read())
    except (OSError, EOFError, HTTPException, tarfile.TarError, zlib.error) as error:
        raise Unavailable(f"BLEnD ({url}: {error})") from error
    _check(unfinished)
    unfinished.rename(folder)


def _check(folder: Path) -> None:
    paths = sorted(path for name in FOLDERS for path in (folder / name).glob("*"))
    digests = ((hashlib.sha256(path.read_bytes()).hexdigest(), path.relative_to(folder)) for path in paths)
    lines = "".join(f"{sha256}  {path.as_posix()}\n" for sha256, path in digests)
    if (found := hashlib.sha256(lines.encode()).hexdigest()) != SHA256:
        raise ValueError(
            f"{folder}: these are not the files of github.com/{REPOSITORY} at {COMMIT}: their digest is "
            f"{found}, not {SHA256}; remove the folder, and fetch again"
        )
