"""Versions of a release: three numbers, ``1.2.3``, and the tag on the Hub that carries them, ``v1.2.3``."""

import re
from collections.abc import Iterable

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
