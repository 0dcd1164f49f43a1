"""Progress: how long work tells whoever waits for it where it stands, and bars that show it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID

ProgressCallback = Callable[[str, int, int], None]
"""Called with the step under way, how many of its parts are done, and how many there are."""


def silent(step: str, done: int, total: int) -> None:
    """Tell nobody."""


class Bars:
    """A bar for each step, with the time that is left: to be called with a step, the parts done and in all."""

    def __init__(self, *, transient: bool) -> None:
        from rich.console import Console
        from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

        columns = (*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn())
        self.shown = Progress(*columns, console=Console(stderr=True), transient=transient)
        self._steps: dict[str, TaskID] = {}

    def __call__(self, step: str, done: int, total: int) -> None:
        """Tell how far a step is."""
        self.shown.start()
        if step not in self._steps:
            # Parts that were done before, of work that goes on, say nothing of its speed.
            self._steps[step] = self.shown.add_task(step, total=total, completed=done)
        self.shown.update(self._steps[step], completed=done, total=total)

    def pause(self) -> None:
        """Draw nothing until the next call: a question would be drawn over."""
        # In a log, stopping ends a line: an empty one where nothing was begun.
        if self.shown.live.is_started:
            self.shown.stop()


@contextmanager
def shown_progress(*, transient: bool = False) -> Iterator[Bars]:
    """Show each step with a bar, and the time that is left, while the block runs.

    Args:
        transient: Whether the bars go when the block ends.

    Yields:
        What to call with a step's name, the parts done and the parts in all.
    """
    bars = Bars(transient=transient)
    try:
        yield bars
    finally:
        bars.pause()


@contextmanager
def progress_if_watched() -> "Iterator[ProgressCallback]":
    """Show progress where somebody sees it, at a terminal or in a notebook, and only while the block runs.

    For functions that were given no callback, and for commands whose output is what was asked for: in a log,
    nothing stands beside it.
    """
    from rich.console import Console

    console = Console(stderr=True)
    # Without ipywidgets a notebook cannot draw a bar anew.
    if find_spec("ipywidgets") is not None if console.is_jupyter else console.is_terminal:
        with shown_progress(transient=True) as on_progress:
            yield on_progress
    else:
        yield silent
