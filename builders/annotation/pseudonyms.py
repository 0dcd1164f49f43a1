"""Pseudonyms: people by keyed hash, the same on every server, meaningless without the key file."""

import hmac
import json
import secrets
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from blend.builders.annotation.project import MAIL, ProjectFile
from blend.loaders.files.content import read_content
from blend.loaders.files.new_files import EVENTS, KEY
from blend.schemas.errors import InputError

_BYTES = 32
_DIGITS = 12


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


def project_key(file: ProjectFile) -> bytes:
    """The key of a project, which is the one with which its events were written.

    Raises:
        InputError: As `read_key`; or if it is another one.
    """
    key, path = read_key(file.key_file), file.pulled / EVENTS
    first = read_content(path).partition(b"\n")[0] if path.is_file() else b""
    kept = None
    # What is wrong with a line is told where events are read.
    with suppress(ValueError, RecursionError, AttributeError):
        kept = json.loads(first).get("fingerprint")
    if kept not in (None, _fingerprint(key)):
        raise InputError(
            f"{file.key_file}: is not the key with which {path} was written; bring back the one that this "
            "project began with, since with another key everybody gets another pseudonym, and whoever was "
            "forgotten comes back"
        )
    return key


def key_line(key: bytes) -> dict[str, str]:
    """The first line of the events, by which the key is known again, and which tells nothing of it."""
    return {"stage": "", "id": "", "event": KEY, "fingerprint": _fingerprint(key)}


def _fingerprint(key: bytes) -> str:
    return hmac.new(key, b"which key this is", sha256).hexdigest()[:16]


def pseudonym(who: str, key: bytes) -> str:
    """The pseudonym of a person: ``p-`` and 12 hexadecimal digits.

    Args:
        who: E-mail address, in any case; for an account without one ``user:`` and its number.
        key: Of the key file.
    """
    return "p-" + hmac.new(key, who.strip().casefold().encode(), sha256).hexdigest()[:_DIGITS]


class Account(NamedTuple):
    """An account of the server."""

    address: str | None
    joined: str = ""
    """When it was made, by which it is told from one of the same number on another server."""


class People:
    """People behind annotations, by pseudonym: fixed when first seen, whatever becomes of their accounts.

    Args:
        key: Of the key file.
        accounts: The server's accounts by their number.
        events: Lines of the events, which say whose accounts were seen before.
    """

    def __init__(
        self,
        key: bytes,
        accounts: Mapping[int, Account] | None = None,
        events: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self._key = key
        self._accounts = dict(accounts or {})
        self._known: dict[str, str] = {}
        self._by_number: dict[int, str] = {}
        for line in events:
            if (account := line.get("account")) and (who := line.get("annotator")):
                self._by_number[int(account.split()[0])] = self._known.setdefault(account, who)

    def named(self, entry: str) -> str:
        """The pseudonym for an entry of the project file: an address is hashed, a pseudonym stays."""
        return pseudonym(entry, self._key) if MAIL.fullmatch(entry.strip()) else entry.strip()

    def account(self, completed_by: Any) -> str | None:
        """What an account is known by, whatever its address; null where an annotation names none."""
        if not isinstance(completed_by, int) or isinstance(completed_by, bool):
            return None
        found = self._accounts.get(completed_by)
        return f"{completed_by} {found.joined if found is not None else ''}".strip()

    def of(self, completed_by: Any) -> str | None:
        """The pseudonym for what an annotation says of its author; null where it says nothing.

        Args:
            completed_by: Number of an account, its address, or a table with ``email`` or ``id``.
        """
        if isinstance(completed_by, dict):
            completed_by = completed_by.get("email") or completed_by.get("id")
        if isinstance(completed_by, str) and completed_by.strip():
            return pseudonym(completed_by, self._key)
        account = self.account(completed_by)
        if account is None:
            return None
        if account in self._known:
            return self._known[account]
        if completed_by not in self._accounts and completed_by in self._by_number:
            return self._by_number[completed_by]
        return pseudonym(self._address(completed_by) or f"user:{completed_by}", self._key)

    def names_of(self, annotator: str) -> frozenset[str]:
        """All pseudonyms by which somebody is known again, also when the account has another address."""
        accounts = {account for account, who in self._known.items() if who == annotator}
        accounts |= {str(self.account(number)) for number in self._accounts if self.of(number) == annotator}
        numbered = {f"user:{account.split()[0]}" for account in accounts}
        return frozenset({annotator, *(pseudonym(one, self._key) for one in accounts | numbered)})

    def aliases(self, completed_by: Any) -> frozenset[str]:
        """The pseudonyms under which the author of an annotation may have been forgotten."""
        account = self.account(completed_by)
        own = () if account is None else (pseudonym(account, self._key),)
        return frozenset(filter(None, (self.of(completed_by), *own)))

    def addresses(self, besides: Collection[str] = ()) -> dict[str, str]:
        """Addresses of the server's accounts by pseudonym, but for some people, under whatever name."""
        numbers = [number for number in self._accounts if self.aliases(number).isdisjoint(besides)]
        return {str(self.of(number)): found for number in numbers if (found := self._address(number))}

    def _address(self, number: int) -> str | None:
        found = self._accounts.get(number)
        # Removed members are all called by one word in place of an address.
        return found.address if found is not None and MAIL.fullmatch(found.address or "") else None
