"""Progress on the terminal: one line per step, on standard error, gone from logs when there is no terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID

    from blend.builders.progress import Notify


@contextmanager
def shown_progress() -> "Iterator[Notify]":
    """Show each step with a bar while the block runs.

    Yields:
        A function to call with a step's name, the parts done and the parts in all.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    steps: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=False) as progress:

        def notify(step: str, done: int, total: int) -> None:
            if step not in steps:
                steps[step] = progress.add_task(step, total=total)
            progress.update(steps[step], completed=done, total=total)

        yield notify
