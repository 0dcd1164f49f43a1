"""The key of a project, known again by its fingerprint, or by the pseudonyms that it has made."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import FINGERPRINT, WHICH_KEY, People, fingerprinted_key
from blend.builders.annotation.server.accounts import accounts
from blend.loaders.files.content import read_content
from blend.loaders.label_studio.history import HISTORY, versions
from blend.schemas.errors import InputError


def project_key(file: ProjectFile) -> bytes:
    """The key of a project, which is the one with which it was pulled before.

    Raises:
        InputError: As `fingerprinted_key` and `check_key`.
    """
    key = fingerprinted_key(file)
    check_key(file, key)
    return key


def check_key(file: ProjectFile, key: bytes, addresses: Mapping[int, str] | None = None) -> None:
    """Refuse a key with which nothing was pulled, though something was, where no fingerprint tells.

    Args:
        file: The project.
        key: Of its key file.
        addresses: Of accounts, by number; those of earlier pulls when absent.

    Raises:
        InputError: If there is no fingerprint, and it makes nobody's pseudonym.
    """
    if (file.pulled / FINGERPRINT).is_file():
        return
    known = accounts(file.pulled) if addresses is None else addresses
    rows = [*_authors(file)] if known else []
    people = People(key, known)
    made = {people.of(account) for account in {*known, *(account for _, _, account in rows)}}
    # One of them suffices: a person's address may have changed, and accounts are deleted.
    if rows and made.isdisjoint(author for _, author, _ in rows):
        raise InputError(
            f"{file.key_file}: makes of no account that is known a pseudonym in {rows[0][0]}; {WHICH_KEY}; or "
            "move the file away, if it is of other people"
        )


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
