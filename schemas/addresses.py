"""Addresses of servers, as users give them, and versions of releases."""

import ipaddress
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

_USER = re.compile(r"(?<=:)//[^/@\s]*@")


def without_passwords(text: str) -> str:
    """A text as a message can hold it: of each address in it, name and password of a user are left out."""
    return _USER.sub("//…@", text)


def is_server_address(text: str) -> bool:
    """Whether a text is the complete address of a web server, with nothing in it that cannot be printed."""
    try:
        parts = urlsplit(text)
        # Reading the port checks it: urlsplit itself takes any.
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return named and parts.scheme in ("http", "https") and text.isprintable() and " " not in text


def is_on_this_machine(address: str) -> bool:
    """Whether the address of a server leads to the machine itself, and so to nobody else's."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_same_origin(one: str, other: str) -> bool:
    """Whether two addresses have one scheme, host and port."""
    first, second = urlsplit(one), urlsplit(other)
    return (first.scheme, first.hostname, first.port) == (second.scheme, second.hostname, second.port)


_NUMBER = r"(0|[1-9]\d*)"

VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}", re.ASCII)
"""A version: three numbers without leading zeros."""


def numbers_of(version: str) -> tuple[int, int, int]:
    """The three numbers of a version, by which versions are ordered.

    Raises:
        ValueError: If it is not a version.
    """
    match = VERSION.fullmatch(version)
    if match is None:
        raise ValueError(f"{version!r} is not a version")
    major, minor, patch = map(int, match.groups())
    return major, minor, patch


def tag_of(version: str) -> str:
    """The tag of a version on the Hub."""
    return f"v{version}"


def version_of(tag: str) -> str | None:
    """The version that a tag names; null for a tag that names none, such as ``v1.2`` or ``final``."""
    return tag[1:] if tag.startswith("v") and VERSION.fullmatch(tag[1:]) else None


def newest_version(tags: Iterable[str]) -> str | None:
    """The highest version among the tags; null when none is a version."""
    versions = [version for tag in tags if (version := version_of(tag)) is not None]
    return max(versions, key=numbers_of, default=None)
