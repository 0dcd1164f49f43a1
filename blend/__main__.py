"""``python -m blend`` is ``blend``."""

from blend.cli import main

main()
