"""The key of a project, known again by its fingerprint, or by the pseudonyms that it has made."""

import hmac
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import People, read_key
from blend.builders.annotation.server.accounts import accounts
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.label_studio.history import HISTORY, versions
from blend.schemas.errors import InputError

_FINGERPRINT = "key-fingerprint.txt"
_WHY = (
    "bring back the one that this project began with, since with another key everybody gets another pseudonym, "
    "and whoever was forgotten comes back"
)


def project_key(file: ProjectFile) -> bytes:
    """The key of a project, which is the one with which it was pulled before.

    Raises:
        InputError: As `read_key` and `check_key`.
    """
    key = read_key(file.key_file)
    check_key(file, key)
    return key


def check_key(file: ProjectFile, key: bytes, addresses: Mapping[int, str] | None = None) -> None:
    """Refuse a key with which nothing was pulled, though something was.

    Args:
        file: The project.
        key: Of its key file.
        addresses: Of accounts, by number, where there is no fingerprint; those of earlier pulls when absent.

    Raises:
        InputError: If it is not the key of the fingerprint, or, where there is none, makes nobody's pseudonym.
    """
    kept = file.pulled / _FINGERPRINT
    if kept.is_file():
        if read_content(kept).strip() != _fingerprint(key).encode():
            raise InputError(f"{file.key_file}: is not the key of which {kept} is the fingerprint; {_WHY}")
        return
    known = accounts(file.pulled) if addresses is None else addresses
    rows = [*_authors(file)] if known else []
    people = People(key, known)
    made = {people.of(account) for account in {*known, *(account for _, _, account in rows)}}
    # One of them suffices: a person's address may have changed, and accounts are deleted.
    if rows and made.isdisjoint(author for _, author, _ in rows):
        raise InputError(
            f"{file.key_file}: makes of no account that is known a pseudonym in {rows[0][0]}; {_WHY}; or move "
            "the file away, if it is of other people"
        )


def keep_fingerprint(pulled: Path, key: bytes) -> None:
    """Have `project_key` know the key again by what is in the pull folder, and tells nothing of the key."""
    atomic_write(pulled / _FINGERPRINT, f"{_fingerprint(key)}\n")


def _fingerprint(key: bytes) -> str:
    return hmac.new(key, b"which key this is", sha256).hexdigest()[:16]


def _authors(file: ProjectFile) -> Iterator[tuple[Path, str, int | None]]:
    """Pseudonyms, with the accounts known to be theirs, in the history and in responses that pulls write."""
    for path in sorted((file.pulled / HISTORY).glob("*.jsonl")):
        for line in versions(path):
            if line["annotator"] is not None:
                yield path, str(line["annotator"]), line.get("account")
    for settings in file.project.locales:
        path = file.collected / "responses" / f"{settings.locale}.jsonl"
        for row in read_content(path).splitlines() if path.is_file() else ():
            # What is wrong with a line is told where responses are read.
            with suppress(ValueError, RecursionError, KeyError, TypeError):
                yield path, str(json.loads(row)["annotator"]), None
