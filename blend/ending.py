"""How a process of ``blend`` ends: at once, when all its work is done, instead of taking Python apart first.

Arrow's threads hand Python's objects back whenever they come to it. One that does so while Python is taken
apart is ended by Python inside a C++ destructor, and the whole process is then aborted with ``terminate
called without an active exception`` and code 134, after everything was done right
(https://github.com/apache/arrow/issues/45214). Nobody can wait for those threads, so they meet no such
moment.
"""

import atexit
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from blend.stopping import deaf_to_stopping


@contextmanager
def ending_at_once() -> Iterator[None]:
    """End the process with the exit code of what runs inside, as soon as its exit functions have run.

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
        deaf_to_stopping()
        raise
    code = 0
    deaf_to_stopping()


def _number(code: object) -> int | None:
    """What `sys.exit` was given as an exit code; nothing for a text, which Python has yet to print."""
    if code is None:
        return 0
    return code if isinstance(code, int) else None
