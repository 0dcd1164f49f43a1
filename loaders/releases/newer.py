"""Newer versions: a word to who loads a release on the Hub that has been followed by another."""

import sys
import warnings
from functools import lru_cache

from blend.loaders.hub.client import hub_client, hub_name
from blend.schemas.addresses import newest_version, numbers_of
from blend.schemas.errors import BlendError

TIMEOUT_S = 5.0
"""Seconds without an answer after which nothing is said: nobody waits for this."""


class NewerVersionWarning(UserWarning):
    """The release that is loaded has been followed by a newer version."""


@lru_cache
def tell_if_newer(repo_id: str, version: str) -> None:
    """Warn if the Hub has a newer version; once for each version in a process, and silent without a connection.

    Args:
        repo_id: ``org/name``.
        version: Version that is loaded, without ``v``.

    Warns:
        NewerVersionWarning: If a higher version is tagged.
    """
    newest = newest_version(_tags(repo_id))
    if newest is not None and numbers_of(newest) > numbers_of(version):
        warnings.warn(
            f"{hub_name(repo_id)}: v{newest} is out, and this is v{version}; read its CHANGELOG.md before you "
            "change the revision, since results of different versions are not comparable",
            NewerVersionWarning,
            stacklevel=_level_of_the_caller(),
        )


def _level_of_the_caller() -> int:
    """Count how far up the stack the user's own line is, as `warnings.warn` does where this is called."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("blend."):
        level, frame = level + 1, frame.f_back
    return level


def _tags(repo_id: str) -> list[str]:
    from huggingface_hub import is_offline_mode

    if is_offline_mode():
        return []
    try:
        with hub_client(repo_id, timeout_s=TIMEOUT_S) as hub:
            return list(hub.refs(attempts=1).tags)
    except BlendError:
        return []
