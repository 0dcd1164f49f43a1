"""``blend show``: a release as its users see it, loaded with plain ``datasets``."""

import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from blend.loaders.releases import read_manifest
from blend.schemas.errors import UnknownNameError
from blend.views.release import contents_table

_SHOWN_CHARACTERS = 400
"""Characters of a value before it is cut: a list of answers can be long."""


def show_release(release: Path, *, config: str | None = None, split: str | None = None) -> None:
    """Print what a release holds, then load every configuration with ``datasets`` and print a row of each.

    Args:
        release: Release directory.
        config: Only this configuration.
        split: Split whose first row is printed; the first split when absent.

    Raises:
        BlendError: If the directory is no release, or has no such configuration or split.
    """
    console = Console()
    manifest = read_manifest(release)
    splits: dict[str, list[str]] = {}
    for table in manifest.tables:
        splits.setdefault(table.config, []).append(table.split)
    if config is not None and config not in splits:
        raise UnknownNameError("configuration", config, splits)
    console.print(contents_table(manifest))
    for name in splits if config is None else [config]:
        chosen = splits[name][0] if split is None else split
        if chosen not in splits[name]:
            raise UnknownNameError(f"split of {name}", chosen, splits[name])
        console.print(_row_panel(release, name, chosen))


def _row_panel(release: Path, config: str, split: str) -> Panel:
    from datasets import load_dataset

    rows = load_dataset(str(release), config, split=split, streaming=True)
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for column, value in next(iter(rows)).items():
        table.add_row(column, _short(value))
    line = f'load_dataset("{release}", "{config}", split="{split}")[0]'
    return Panel(table, title=line, title_align="left")


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + " …"
