"""Stopping: how the process of a command ends, by itself or by Ctrl-C and SIGTERM, with one sentence."""

import atexit
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

UNCHANGED = "interrupted; nothing was changed"
"""What a command says that was stopped before it did anything, or undid what it had done."""
ALL_OR_NOTHING = "interrupted; {out} is whole: as it was, or as this command has made it"
"""The same of a command that makes a directory, which may have its name already."""

_HEARD = (signal.SIGINT, signal.SIGTERM)

_arrived: list[type[KeyboardInterrupt]] = []
"""What was raised for signals, in the order in which they came."""


class _Terminated(KeyboardInterrupt):
    """SIGTERM, which a command takes for Ctrl-C; only its exit code is another."""


def exit_code(stopped: KeyboardInterrupt) -> int:
    """The exit code of a command that was stopped so."""
    return _code(signal.SIGTERM if isinstance(stopped, _Terminated) else signal.SIGINT)


@contextmanager
def stopping_at_once() -> Iterator[None]:
    """End the process at once on Ctrl-C or SIGTERM while the block runs, which does nothing but load modules.

    Some modules would swallow an exception, or print a traceback of their own. Behind the block, both signals
    arrive as exceptions. A signal that whoever started the process has it ignore stays ignored.
    """
    heard = [number for number in _HEARD if signal.getsignal(number) is not signal.SIG_IGN]
    for number in heard:
        signal.signal(number, _end)
    yield
    for number in heard:
        signal.signal(number, _raise)


def raise_if_stopped() -> None:
    """Raise once more what a signal raised before: native code may have swallowed it.

    Some libraries drop whatever is raised while they call back into Python, or load a module of it.
    """
    if _arrived:
        raise _arrived[0]


def _deaf_to_stopping() -> None:
    """Ignore both signals from now on: all work is done, and the exit code is known."""
    for number in _HEARD:
        signal.signal(number, signal.SIG_IGN)


def _code(number: int) -> int:
    """Return what a shell says of a process that a signal has ended; `cli.application` has both by name."""
    return 128 + number


def _end(number: int, _: FrameType | None) -> NoReturn:
    # By the descriptor: a signal can come in the middle of a write to the stream.
    os.write(2, f"{UNCHANGED}\n".encode())
    os._exit(_code(number))


def _raise(number: int, _: FrameType | None) -> NoReturn:
    _arrived.append(KeyboardInterrupt if number == signal.SIGINT else _Terminated)
    raise _arrived[-1]


@contextmanager
def exit_immediately() -> Iterator[None]:
    """End the process with the exit code of what runs inside, as soon as its exit functions have run.

    Python is not taken apart first: Arrow's threads hand its objects back whenever they come to it, and one
    that does so meanwhile aborts the process with code 134, after everything was done right
    (https://github.com/apache/arrow/issues/45214). Nobody can wait for those threads.

    Threads are joined, temporary folders removed and logs closed as usual: the functions of `atexit` run in the
    reverse order of their registration, so enter this before anything else registers one. An error that leaves
    as an exception ends the process in Python's own way, with its traceback.
    """
    code: int | None = None

    def end() -> None:
        if code is not None:
            for stream in (sys.stdout, sys.stderr):
                if stream and not stream.closed:  # None where the shell closed it
                    stream.flush()
            os._exit(code)

    atexit.register(end)
    try:
        yield
    except SystemExit as exit_:
        code = _number(exit_.code)
        _deaf_to_stopping()
        raise
    code = 0
    _deaf_to_stopping()


def _number(code: object) -> int | None:
    """Return what `sys.exit` was given as an exit code; nothing for a text, which Python has yet to print."""
    if code is None:
        return 0
    return code if isinstance(code, int) else None


# Long work on the terminal: a clean end on Ctrl-C.


@contextmanager
def interruptible(message: str = UNCHANGED) -> Iterator[None]:
    """Turn Ctrl-C or SIGTERM inside the block into a message and exit code 130 or 143."""
    handler = signal.getsignal(signal.SIGINT) or signal.default_int_handler
    import polars  # noqa: F401 - takes over Ctrl-C when it is imported, so that blocked threads never wake
    import typer

    signal.signal(signal.SIGINT, handler)
    try:
        try:
            yield
        finally:
            raise_if_stopped()  # also instead of an error: a library may have made one of it
    except KeyboardInterrupt as stopped:
        typer.echo(message, err=True)
        raise typer.Exit(exit_code(stopped)) from None
