"""Where ``blend`` and ``python -m blend`` begin."""

import gc
import sys

from blend.stopping import exit_immediately, stopping_at_once


def main() -> None:
    """Run the command line; Ctrl-C while it is still being loaded ends it like any later one."""
    if sys.flags.optimize > 1:
        sys.exit(
            "error: blend reads docstrings, which Python was told to drop; unset PYTHONOPTIMIZE, leave out -OO"
        )
    # While modules are loaded there is no garbage: looking for it every 700 objects is a tenth of a start.
    gc.set_threshold(50_000, 20, 20)
    with exit_immediately():
        with stopping_at_once():
            from blend.cli import main as run
        run()


if __name__ == "__main__":
    main()
