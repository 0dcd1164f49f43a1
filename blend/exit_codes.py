"""Exit codes: one rule for all commands."""

from collections.abc import Iterable, Mapping

from blend.schemas.errors import ArgumentError, UnknownNameError

DONE = 0
REFUSED = 1
USAGE = 2
ATTENTION = 3
FAULT = 70
INTERRUPTED = 130
TERMINATED = 143

EXIT_CODES: Mapping[int, str] = {
    DONE: "done",
    REFUSED: "what the command was given, or what it runs on, is not as it must be; the message says why",
    USAGE: "the command line is wrong, whatever the files hold",
    ATTENTION: (
        "with `--exit-code` only: the releases differ (`blend diff`), or something is gone from the server or "
        "was not sent (`blend annotate sync`)"
    ),
    FAULT: "a fault of blend itself; the message names a file with the details",
    INTERRUPTED: "interrupted; the message says what is there",
    TERMINATED: "terminated (SIGTERM), which otherwise is the same as interrupted",
}
"""Every exit code and what it means, as the site's page of commands prints it.

70 is ``EX_SOFTWARE`` of ``sysexits.h``, 130 and 143 what a shell says of a process that Ctrl-C or SIGTERM has
ended.
"""


class UsageError(ArgumentError):
    """A command line that no input could make right: an impossible value, options that exclude each other."""


def check_known(kind: str, name: str, valid: Iterable[str]) -> None:
    """Refuse a name on the command line that is not one of a fixed list.

    Raises:
        UsageError: With the words of `UnknownNameError`.
    """
    choices = list(valid)
    if name not in choices:
        raise UsageError(str(UnknownNameError(kind, name, choices)))
