"""Stopping: Ctrl-C and SIGTERM end a command with one sentence, from its first moment to its last."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

UNCHANGED = "interrupted; nothing was changed"
"""What a command says that was stopped before it did anything, or undid what it had done."""

_HEARD = (signal.SIGINT, signal.SIGTERM)


class Terminated(KeyboardInterrupt):
    """SIGTERM, which a command takes for Ctrl-C; only its exit code is another."""


def exit_code(stopped: KeyboardInterrupt) -> int:
    """The exit code of a command that was stopped so."""
    return _code(signal.SIGTERM if isinstance(stopped, Terminated) else signal.SIGINT)


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
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else _terminate)


def deaf_to_stopping() -> None:
    """Ignore both signals from now on: all work is done, and the exit code is known."""
    for number in _HEARD:
        signal.signal(number, signal.SIG_IGN)


def open_closed_streams() -> None:
    """Let what the shell has closed (``>&-``) lead nowhere.

    Otherwise Python has no such stream, and the next file that is opened gets its number: whatever a library
    prints would land in it.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)


def _code(number: int) -> int:
    """What a shell says of a process that a signal has ended; `blend.exit_codes` has both by name."""
    return 128 + number


def _end(number: int, _: FrameType | None) -> NoReturn:
    os.write(2, f"{UNCHANGED}\n".encode())
    os._exit(_code(number))


def _terminate(_: int, __: FrameType | None) -> NoReturn:
    raise Terminated
