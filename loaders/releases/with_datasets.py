"""Loading with ``datasets``, as users of a release will."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_progress_bars() -> Iterator[None]:
    """Keep the progress bars of ``datasets`` from the terminal inside the block."""
    import datasets

    shown = datasets.is_progress_bar_enabled()
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        if shown:
            datasets.enable_progress_bars()
