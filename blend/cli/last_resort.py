"""The last resort: what nobody foresaw becomes one sentence, and the details go into a file."""

import os
import sys
import tempfile
import traceback

from blend.exit_codes import FAULT, REFUSED
from blend.version import __version__


def last_words(error: Exception) -> tuple[str, int]:
    """What to tell somebody whose command met an error that no code foresaw, and the exit code.

    Returns:
        For an error of the operating system about a file, which the user can mend: the file and the reason.
        For anything else: that it is blend's fault, the version, and the file that holds the details.
    """
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else str(error.filename)
        return f"{name}: {error.strerror}; correct the path, or make it accessible", REFUSED
    if isinstance(error, MemoryError):
        return "not enough memory; use a machine with more, or build fewer locales at a time", REFUSED
    kind = type(error).__name__
    try:
        details = f"the details are in {_written(error)}; please report them"
    except OSError:
        details = "run it again with BLEND_TRACEBACK=1 for the details, and please report them"
    return f"this is a fault of blend {__version__}, not of your input ({kind}); {details}", FAULT


def _written(error: Exception) -> str:
    """The name of a new file with everything that a report needs."""
    command = f"blend {__version__}, Python {sys.version}\n{sys.argv!r}\n\n"
    with tempfile.NamedTemporaryFile(
        "w", prefix="blend-error-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as file:
        file.write(command + "".join(traceback.format_exception(error)))
    return file.name
