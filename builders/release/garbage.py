"""Garbage: a build makes millions of small objects and hardly a cycle, so that looking for them can wait."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Let Python look for cycles of dead objects only afterwards; a sixth of a build's time went into it.

    Objects without cycles, nearly all, are freed as ever, as soon as nobody needs them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
