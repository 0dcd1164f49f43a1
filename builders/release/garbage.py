"""Garbage: when Python looks for it during a build."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Let Python look for cycles of dead objects only afterwards; a sixth of a build's time went into it.

    A build makes millions of small objects and hardly a cycle. Objects without cycles are freed as ever, as
    soon as nobody needs them. As a decorator, so that they are before Python looks again.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
