"""Long work on the terminal: a line of progress per step on standard error, and a clean end on Ctrl-C."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import typer

from blend.loaders.files.content import file_identity
from blend.loaders.files.progress import silent
from blend.schemas.layout import MANIFEST_NAME
from blend.stopping import UNCHANGED, exit_code

if TYPE_CHECKING:
    from rich.progress import TaskID

    from blend.loaders.files.progress import Notify


@contextmanager
def interruptible(message: str | Callable[[], str] = UNCHANGED) -> Iterator[None]:
    """Turn Ctrl-C or SIGTERM inside the block into a message and exit code 130 or 143.

    Args:
        message: What to say, or what finds out, once the block has ended, what there is to say.
    """
    import polars  # noqa: F401 - takes over Ctrl-C when it is imported, so that blocked threads never wake

    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt as stopped:
        typer.echo(message if isinstance(message, str) else message(), err=True)
        raise typer.Exit(exit_code(stopped)) from None


def unless_made(out: Path) -> Callable[[], str]:
    """What to say on Ctrl-C in a block that makes a release: it may come when the release has its name already.

    Args:
        out: The directory to make.
    """
    before = file_identity(out / MANIFEST_NAME)

    def found() -> str:
        if file_identity(out / MANIFEST_NAME) == before:
            return UNCHANGED
        return f"interrupted when the release was made already; {out} holds it whole"

    return found


@contextmanager
def shown_progress(*, unit: str | None = None, transient: bool = False) -> "Iterator[Notify]":
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
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    if unit is not None:
        columns += [TextColumn("{task.fields[rate]}"), TimeRemainingColumn()]
    steps: dict[str, _Step] = {}
    with Progress(*columns, console=Console(stderr=True), transient=transient) as progress:

        def notify(step: str, done: int, total: int) -> None:
            if step not in steps:
                steps[step] = _Step(progress.add_task(step, total=total, rate=""), done, monotonic())
            rate = "" if unit is None else steps[step].rate(done, unit)
            task = steps[step].task
            if done < progress.tasks[task].completed:  # begun again, by the next check
                progress.reset(task, total=total)
            progress.update(task, completed=done, total=total, rate=rate)

        try:
            yield notify
        except BaseException:
            for task in progress.tasks:
                task.visible = task.completed > 0
            progress.live.transient = not any(task.visible for task in progress.tasks)
            raise


@contextmanager
def reading_progress() -> "Iterator[Notify]":
    """Show the rows read as of `shown_progress` while people wait at a terminal; nothing stays of it.

    For commands whose output is what was asked for: figures and differences, with nothing beside them in a log.
    """
    from rich.console import Console

    if Console(stderr=True).is_terminal:
        with shown_progress(transient=True) as notify:
            yield notify
    else:
        yield silent


class _Step(NamedTuple):
    task: "TaskID"
    done_before: int
    """Parts that were done before this time, of work that goes on."""
    started: float

    def rate(self, done: int, unit: str) -> str:
        parts, seconds = done - self.done_before, monotonic() - self.started
        return f"{parts / seconds:.1f} {unit}/s" if parts and seconds else ""
