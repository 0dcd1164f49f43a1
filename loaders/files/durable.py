"""Durable: what is written stays written, whatever stops the process or the machine."""

import os
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file that appears complete under its name or not at all."""
    beside = path.with_name(f"{path.name}.tmp")
    with beside.open("wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """Make the names in a directory as durable as the files under them."""
    if os.name != "posix":  # Windows has no way to sync a directory
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
