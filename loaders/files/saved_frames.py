"""Saved frames: figures kept as files, one frame each as parquet and all of them as JSON."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from blend.loaders.files.atomic import atomic_file, atomic_write
from blend.loaders.files.own_folders import check_own_folder
from blend.loaders.files.storage import storage_errors


def write_frames(
    frames: Mapping[str, pl.DataFrame],
    figures: Mapping[str, Any],
    out: Path,
    *,
    name: str = "stats.json",
    what: str = "statistics",
) -> None:
    """Write every frame as ``{name}.parquet``, and all figures with their definitions as one file of JSON.

    Args:
        frames: Figures by name.
        figures: The same as plain JSON.
        out: Directory, made if need be; one that holds something must hold an earlier file ``name``. Files of
            these names are replaced, each at once; others stay.
        name: Name of the file with all figures.
        what: What the error calls them.

    Raises:
        InputError: If the directory holds something else.
        StorageError: If it cannot be written.
    """
    is_known = (out / name).is_file()
    check_own_folder(out, what=f"a folder of {what}", is_ours=lambda _: is_known)
    text = json.dumps(figures, ensure_ascii=False, indent=2) + "\n"
    with storage_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        for table, frame in frames.items():
            with atomic_file(out / f"{table}.parquet") as part:
                frame.write_parquet(part)
        atomic_write(out / name, text)
