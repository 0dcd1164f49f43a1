"""Progress: how long work tells whoever waits for it where it stands."""

from collections.abc import Callable

Notify = Callable[[str, int, int], None]
"""Called with the step under way, how many of its parts are done, and how many there are."""


def silent(step: str, done: int, total: int) -> None:
    """Tell nobody."""
