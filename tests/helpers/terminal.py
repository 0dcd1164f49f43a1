"""Programs whose standard error is a terminal, as when people wait for them."""

import os
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path


def at_a_terminal(
    command: Sequence[str | Path], *, cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """What a program prints on standard output, and what on the terminal, without colours."""
    terminal, end = os.openpty()
    program = subprocess.Popen(
        list(map(str, command)),
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=end,
        env={**os.environ, **(environment or {}), "COLUMNS": "120", "TERM": "xterm"},
    )
    os.close(end)
    printed: list[bytes] = []
    # Whoever reads one of the two alone waits for ever when the other is full.
    reading = threading.Thread(target=lambda: printed.append(program.communicate()[0]))
    reading.start()
    shown = bytearray()
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # how Linux says that the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(terminal)
    reading.join()
    assert program.returncode == 0, shown.decode()
    return printed[0].decode(), re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
