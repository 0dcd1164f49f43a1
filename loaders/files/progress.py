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


@contextmanager
def shown_progress(*, transient: bool = False) -> "Iterator[ProgressCallback]":
    """Show each step with a bar, and the time that is left, while the block runs.

    A step that fails before a part of it is done is taken off: the error says what there is to say.

    Args:
        transient: Whether the bars go when the block ends.

    Yields:
        A function to call with a step's name, the parts done and the parts in all.
    """
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=transient)
    steps: dict[str, TaskID] = {}

    def on_progress(step: str, done: int, total: int) -> None:
        progress.start()
        if step not in steps:
            # Parts that were done before, of work that goes on, say nothing of its speed.
            steps[step] = progress.add_task(step, total=total, completed=done)
        task = steps[step]
        if done < progress.tasks[task].completed:  # begun again, by the next check
            progress.reset(task, total=total)
        progress.update(task, completed=done, total=total)

    try:
        yield on_progress
    except BaseException:
        for task in progress.tasks:
            task.visible = task.completed > 0
        progress.live.transient = not any(task.visible for task in progress.tasks)
        raise
    finally:
        # In a log, stopping ends a line: an empty one where nothing was begun.
        if progress.live.is_started:
            progress.stop()


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
