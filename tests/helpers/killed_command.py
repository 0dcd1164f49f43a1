"""A command that is killed: ``python killed_command.py N eval run …`` dies at its N-th moment of writing."""

import signal
import sys

from blend.cli import main
from helpers.kill_points import die_at

if __name__ == "__main__":
    die_at(int(sys.argv[1]), signal.SIGKILL)
    del sys.argv[1]
    main()
