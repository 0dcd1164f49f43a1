"""Where ``blend`` and ``python -m blend`` begin."""

import sys

from blend.ending import ending_at_once


def main() -> None:
    """Run the command line; Ctrl-C while it is still being loaded ends it like any later one."""
    with ending_at_once():
        try:
            from blend.cli import main as run
        except KeyboardInterrupt:
            sys.exit(130)
        run()


if __name__ == "__main__":
    main()
