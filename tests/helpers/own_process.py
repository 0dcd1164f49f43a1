"""Scripts in a process of their own, as a user's."""

END_AT_ONCE = "\nimport os, sys\nsys.stdout.flush()\nos._exit(0)\n"
"""Put behind a script that streams rows: Arrow's threads now and then abort a process while Python is taken
apart, after all that is tested was done (docs/loading.md)."""
