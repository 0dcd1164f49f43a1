"""Progress: how long work tells whoever waits for it where it stands, and bars that show it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Task, TaskID

ProgressCallback = Callable[[str, int, int], None]
"""Called with the step under way, how many of its parts are done, and how many there are."""


def silent(step: str, done: int, total: int) -> None:
    """Tell nobody."""


@contextmanager
def shown_progress(*, unit: str | None = None, transient: bool = False) -> "Iterator[ProgressCallback]":
    """Show each step with a bar while the block runs.

    Args:
        unit: What the parts of a step are, in the plural; then parts per second and the time left are shown
        too.
        transient: Whether the bars go when the block ends.

    A step that fails before a part of it is done is taken off: the error says what there is to say.

    Yields:
        A function to call with a step's name, the parts done and the parts in all.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: "Task") -> Text:
            return Text(f"{task.speed:.1f} {unit}/s" if task.speed else "")

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    if unit is not None:
        columns += [Rate(), TimeRemainingColumn()]
    steps: dict[str, TaskID] = {}
    progress = Progress(*columns, console=Console(stderr=True), transient=transient)

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
def progress_if_watched(*, unit: str | None = None, transient: bool = False) -> "Iterator[ProgressCallback]":
    """Show progress as `shown_progress` does where somebody sees it: at a terminal, or in a notebook.

    For functions that were given no callback, and for commands whose output is what was asked for: in a log,
    nothing stands beside it.
    """
    if _is_watched():
        with shown_progress(unit=unit, transient=transient) as on_progress:
            yield on_progress
    else:
        yield silent


def _is_watched() -> bool:
    from rich.console import Console

    console = Console(stderr=True)
    # Without ipywidgets a notebook cannot draw a bar anew.
    return find_spec("ipywidgets") is not None if console.is_jupyter else console.is_terminal
