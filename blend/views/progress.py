"""Long work on the terminal: a clean end on Ctrl-C."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from blend.loaders.files.content import file_identity
from blend.schemas.manifest import MANIFEST_NAME
from blend.stopping import UNCHANGED, exit_code, raise_if_stopped


@contextmanager
def interruptible(message: str | Callable[[], str] = UNCHANGED) -> Iterator[None]:
    """Turn Ctrl-C or SIGTERM inside the block into a message and exit code 130 or 143.

    Args:
        message: What to say, or what finds out, once the block has ended, what there is to say.
    """
    handler = signal.getsignal(signal.SIGINT) or signal.default_int_handler
    import polars  # noqa: F401 - takes over Ctrl-C when it is imported, so that blocked threads never wake

    signal.signal(signal.SIGINT, handler)
    try:
        try:
            yield
        finally:
            raise_if_stopped()  # also instead of an error: a library may have made one of it
    except KeyboardInterrupt as stopped:
        typer.echo(message if isinstance(message, str) else message(), err=True)
        raise typer.Exit(exit_code(stopped)) from None


def unless_made(out: Path) -> Callable[[], str]:
    """Explain Ctrl-C in a block that makes a release: it may come when the release has its name already.

    Args:
        out: The directory to make.
    """
    before = file_identity(out / MANIFEST_NAME)

    def found() -> str:
        if file_identity(out / MANIFEST_NAME) == before:
            return UNCHANGED
        return f"interrupted when the release was made already; {out} holds it whole"

    return found
