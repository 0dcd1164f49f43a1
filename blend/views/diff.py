"""What differs between two releases, for a terminal."""

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from blend.builders.diff.model import CellChange, ConfigDiff, Count, ReleaseDiff, SplitDiff
from blend.builders.diff.text import column_totals, examples_by_column
from blend.builders.diff.values import value_pair
from blend.builders.diff.version_step import (
    Step,
    VersionStep,
    accepted_versions,
    expected_version,
    version_step,
)
from blend.schemas.text import counted

_STYLES: dict[Step, str] = {"major": "bold red", "minor": "yellow", "patch": "cyan", "none": "green"}
_INDENT = 6
_FRAMES = 10
"""Columns of the terminal between and around three columns of a table."""


def diff_views(diff: ReleaseDiff, *, examples: int, width: int) -> Iterator[RenderableType]:
    """The parts of the comparison, most important first: the verdict, rows, columns, examples, settings.

    Args:
        diff: The comparison.
        examples: Quoted changes per column, and ids per configuration, at most.
        width: Columns of the terminal, to which quoted values are cut.
    """
    step = version_step(diff)
    yield _verdict(diff, step)
    if diff.is_empty:
        return
    if any(diff.changed_configs()):
        yield _rows(diff)
    if any(config.schema_changes for config in diff.configs):
        yield _schema(diff)
    for config in diff.changed_configs():
        yield from _config(config, examples, width - _INDENT)
    if diff.settings:
        yield _settings(diff, width)


def _verdict(diff: ReleaseDiff, step: VersionStep) -> RenderableType:
    names = Text.assemble((diff.old.name, "bold"), f" {diff.old.version} → ", (diff.new.name, "bold"))
    names.append(f" {diff.new.version}")
    if diff.is_empty:
        return Group(names, Text("Nothing differs.", style=_STYLES["none"]))
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for reason in step.reasons:
        table.add_row(Text(reason.step, style=_STYLES[reason.step]), escape(reason.text))
    expected = expected_version(diff.old.version, step.step)
    verdict = Text.assemble("Version step: ", (step.step, _STYLES[step.step]), f", so {expected} follows.")
    if diff.new.version not in accepted_versions(diff.old.version, step.step):
        verdict.append(f" The new release calls itself {diff.new.version}.", style="bold")
    return Group(names, verdict, Padding(table, (0, 0, 0, 2)))


def _rows(diff: ReleaseDiff) -> Table:
    counts = diff.counts()
    # The names of configurations are long: without frames, and the closer the more counts there are, the table
    # still fits 80 columns.
    padding = (0, 0 if "replaced" in counts else 1, 0, 0)
    table = Table(title="Rows", title_justify="left", box=SIMPLE_HEAD, padding=padding, show_edge=False)
    table.add_column("configuration, split", no_wrap=True)
    for name in ("before", "now", *counts):
        table.add_column(name, justify="right")
    for config in diff.configs:
        shown = [split for split in config.splits if not split.is_empty]
        table.add_row(Text(config.config, style="bold"))
        for split in shown:
            table.add_row(f"  {split.split}", *_split_cells(split, counts))
        equal = len(config.splits) - len(shown)
        if equal:
            table.add_row(f"  {equal} equal", style="dim")
    return table


def _split_cells(split: SplitDiff, counts: Sequence[Count]) -> Iterator[str]:
    for rows in (split.old_rows, split.new_rows):
        yield "–" if rows is None else f"{rows:,}"
    for count in counts:
        n = getattr(split, count)
        yield f"{n:,}" if n else ""


def _schema(diff: ReleaseDiff) -> Table:
    table = Table(title="Columns added, removed, or of another type", title_justify="left")
    for name in ("configuration", "column", "type before", "type now"):
        table.add_column(name, overflow="fold")
    for config in diff.configs:
        for change in config.schema_changes:
            table.add_row(
                config.config, *(escape(text or "–") for text in (change.path, change.old, change.new))
            )
    return table


def _config(config: ConfigDiff, examples: int, width: int) -> Iterator[RenderableType]:
    lines: list[RenderableType] = []
    for what in ("added", "removed"):
        ids = [(split, id_) for split in config.splits for id_ in getattr(split, f"{what}_ids")]
        total = sum(getattr(split, what) for split in config.splits)
        if ids:
            lines.append(_ids(what, ids[:examples], total))
    found = examples_by_column(config, examples)
    for column, total in column_totals(config).items():
        lines.append(Text.assemble("  ", (column, "bold"), f" changed in {counted(total, 'row')}"))
        lines += [_example(split, change, width) for split, change in found.get(column, [])]
    if lines:
        yield Group(Text(config.config, style="italic"), *lines)


def _ids(what: str, ids: list[tuple[SplitDiff, str]], total: int) -> Text:
    named = ", ".join(f"{split.split} {id_}" for split, id_ in ids)
    more = f" and {total - len(ids):,} more" if total > len(ids) else ""
    return Text.assemble("  ", (what, "bold"), f" {named}{more}")


def _example(split: str, change: CellChange, width: int) -> RenderableType:
    old, new = value_pair(change.old, change.new, width)
    return Group(
        Text(f"    {split} {change.id}", style="dim"),
        Padding(Text(f"- {old}", style="red"), (0, 0, 0, 4)),
        Padding(Text(f"+ {new}", style="green"), (0, 0, 0, 4)),
    )


def _settings(diff: ReleaseDiff, width: int) -> Table:
    table = Table(title="Settings", title_justify="left")
    # Names of settings hold no blanks at which they could be broken; what they leave is for the values.
    longest = min(max(len(setting.path) for setting in diff.settings), width // 2)
    table.add_column("setting", overflow="fold", min_width=longest)
    room = (width - longest - _FRAMES) // 2
    for name in ("before", "now"):
        table.add_column(name, overflow="fold", max_width=room)
    for setting in diff.settings:
        pair = value_pair(setting.old, setting.new, 2 * room)
        table.add_row(*(escape(text) for text in (setting.path, *pair)))
    return table
