"""Long work on the terminal: a line of progress per step on standard error, and a clean end on Ctrl-C."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.progress import TaskID

    from blend.loaders.files.progress import Notify


@contextmanager
def interruptible(message: str = "interrupted; nothing was changed") -> Iterator[None]:
    """Turn Ctrl-C inside the block into a message and exit code 130."""
    import polars  # noqa: F401 - takes over Ctrl-C when it is imported, so that blocked threads never wake

    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(message, err=True)
        raise typer.Exit(130) from None


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
