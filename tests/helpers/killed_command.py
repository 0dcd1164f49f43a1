"""A command that is killed at several moments of its writing, one after the other, and then goes on to its end.

``python killed_command.py 4,7 eval run …`` runs it three times, each time in a process of its own, and prints
how each of them ended.
"""

import os
import signal
import sys
from collections.abc import Sequence

import blend.eval.evaluation  # noqa: F401 - imported once for all of the processes
from blend.cli import main
from helpers.kill_points import die_at


def ended(moment: int | None, command: Sequence[str]) -> int:
    """How a command ends that is killed at a moment, or not at all: its exit code, or less the signal."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)
    if moment is not None:
        die_at(moment, signal.SIGKILL)
    sys.argv[1:] = command
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    sys.stdout.flush()
    os._exit(int(code or 0) if isinstance(code, int | None) else 1)


if __name__ == "__main__":
    moments = [int(moment) for moment in sys.argv[1].split(",") if moment]
    if "--server" not in sys.argv:
        from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2LMHeadModel  # noqa: F401
    given = sys.argv[2:]
    print("ended", *(ended(moment, given) for moment in [*moments, None]))
