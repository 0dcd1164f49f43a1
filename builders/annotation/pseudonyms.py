"""Pseudonyms: people by keyed hash, the same on every server, meaningless without the key file."""

import hmac
import secrets
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from blend.builders.annotation.project import MAIL, ProjectFile
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.schemas.errors import InputError

_BYTES = 32
_DIGITS = 12

FINGERPRINT = "key-fingerprint.txt"
WHICH_KEY = (
    "bring back the one that this project began with, since with another key everybody gets another pseudonym, "
    "and whoever was forgotten comes back"
)
"""What to do about another key, for messages."""


def new_key() -> str:
    """A key of 256 random bits, as the text of a key file."""
    return secrets.token_hex(_BYTES) + "\n"


def read_key(path: Path) -> bytes:
    """The key in a file.

    Raises:
        InputError: If there is no such file, or no key in it.
    """
    if not path.is_file():
        raise InputError(
            f"{path}: there is no key file; bring back the one that this project began with, since with "
            "another key everybody gets another pseudonym, or, if nobody has annotated yet, make one: "
            f"python -c \"import secrets; open('{path.as_posix()}', 'w').write(secrets.token_hex({_BYTES}))\""
        )
    text = read_content(path, what="key file").decode("utf-8-sig", errors="replace").strip()
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != _BYTES:
        raise InputError(f"{path}: is not a key of {2 * _BYTES} hexadecimal digits; bring back the right file")
    return key


def fingerprinted_key(file: ProjectFile) -> bytes:
    """The key of a project, which is that of the fingerprint in the pull folder, where there is one.

    Raises:
        InputError: As `read_key`; or if it is another one.
    """
    key = read_key(file.key_file)
    kept = file.pulled / FINGERPRINT
    if kept.is_file() and read_content(kept).strip() != _fingerprint(key).encode():
        raise InputError(f"{file.key_file}: is not the key of which {kept} is the fingerprint; {WHICH_KEY}")
    return key


def keep_fingerprint(pulled: Path, key: bytes) -> None:
    """Have `fingerprinted_key` know the key again by a file in the pull folder that tells nothing of it."""
    atomic_write(pulled / FINGERPRINT, f"{_fingerprint(key)}\n")


def _fingerprint(key: bytes) -> str:
    return hmac.new(key, b"which key this is", sha256).hexdigest()[:16]


def pseudonym(who: str, key: bytes) -> str:
    """The pseudonym of a person: ``p-`` and 12 hexadecimal digits.

    Args:
        who: E-mail address, in any case; for an account without one ``user:`` and its number.
        key: Of the key file.
    """
    return "p-" + hmac.new(key, who.strip().casefold().encode(), sha256).hexdigest()[:_DIGITS]


class People:
    """People behind annotations, by pseudonym.

    Args:
        key: Of the key file.
        addresses: E-mail addresses of the server's accounts by their number.
    """

    def __init__(self, key: bytes, addresses: Mapping[int, str] | None = None) -> None:
        self._key = key
        self._addresses = dict(addresses or {})

    def named(self, entry: str) -> str:
        """The pseudonym for an entry of the project file: an address is hashed, a pseudonym stays."""
        return pseudonym(entry, self._key) if MAIL.fullmatch(entry.strip()) else entry.strip()

    def of(self, completed_by: Any) -> str | None:
        """The pseudonym for what an annotation says of its author; null where it says nothing.

        Args:
            completed_by: Number of an account, its address, or a table with ``pseudonym``, ``email`` or ``id``.
        """
        if isinstance(completed_by, dict):
            if isinstance(known := completed_by.get("pseudonym"), str):
                return known
            completed_by = completed_by.get("email") or completed_by.get("id")
        if isinstance(completed_by, str) and completed_by.strip():
            return pseudonym(completed_by, self._key)
        if isinstance(completed_by, int) and not isinstance(completed_by, bool):
            return pseudonym(self._addresses.get(completed_by, f"user:{completed_by}"), self._key)
        return None
