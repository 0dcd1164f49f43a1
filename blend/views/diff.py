"""What differs between two releases, for a terminal."""

from collections.abc import Iterator, Sequence

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
from blend.schemas.language.text_comparison import pluralise
from blend.views.frames import frame_table, rows_frame

_STYLES: dict[Step, str] = {"major": "bold red", "minor": "yellow", "patch": "cyan", "none": "green"}
_INDENT = 6
_BETWEEN = 3
"""Columns of the terminal behind the three columns of a table."""


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
    if diff.new.name != diff.old.name:
        renamed = f"Two datasets, unless {diff.new.name} is a new name of {diff.old.name}; then:\n"
        verdict = Text(renamed).append_text(verdict)
    if diff.new.version not in accepted_versions(diff.old.version, step.step):
        verdict.append(f" The new release calls itself {diff.new.version}.", style="bold")
    return Group(names, verdict, Padding(table, (0, 0, 0, 2)))


def _rows(diff: ReleaseDiff) -> Table:
    counts = diff.counts()
    columns = ("configuration, split", "before", "now", *counts)
    blank = ("",) * (len(columns) - 1)
    rows: list[tuple[str, ...]] = []
    for config in diff.configs:
        shown = [split for split in config.splits if not split.is_empty]
        rows.append((config.config, *blank))
        rows += [(f"  {split.split}", *_split_cells(split, counts)) for split in shown]
        if equal := len(config.splits) - len(shown):
            rows.append((f"  {equal} equal", *blank))
    table = frame_table(rows_frame(columns, rows), "Rows")
    # The names of configurations are long: the closer the more counts there are, the table fits 80 columns.
    table.padding = (0, 0 if "replaced" in counts else 1, 0, 0)
    table.columns[0].no_wrap = True
    return table


def _split_cells(split: SplitDiff, counts: Sequence[Count]) -> Iterator[str]:
    for rows in (split.old_rows, split.new_rows):
        yield "–" if rows is None else f"{rows:,}"
    for count in counts:
        n = getattr(split, count)
        yield f"{n:,}" if n else ""


def _schema(diff: ReleaseDiff) -> Table:
    columns = ("configuration", "column", "type before", "type now")
    rows = [
        (config.config, change.path, change.old or None, change.new or None)
        for config in diff.configs
        for change in config.schema_changes
    ]
    return frame_table(rows_frame(columns, rows), "Columns added, removed, or of another type", texts=columns)


def _config(config: ConfigDiff, examples: int, width: int) -> Iterator[RenderableType]:
    lines: list[RenderableType] = []
    for what in ("added", "removed"):
        ids = [(split, id_) for split in config.splits for id_ in getattr(split, f"{what}_ids")]
        total = sum(getattr(split, what) for split in config.splits)
        if ids:
            lines.append(_ids(what, ids[:examples], total))
    found = examples_by_column(config, examples)
    for column, total in column_totals(config).items():
        lines.append(Text.assemble("  ", (column, "bold"), f" changed in {pluralise(total, 'row')}"))
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
    # Names of settings hold no blanks at which they could be broken; what they leave is for the values.
    longest = min(max(len(setting.path) for setting in diff.settings), width // 2)
    width_left = (width - longest - _BETWEEN) // 2
    columns = ("setting", "before", "now")
    rows = [(one.path, *value_pair(one.old, one.new, 2 * width_left)) for one in diff.settings]
    table = frame_table(rows_frame(columns, rows), "Settings", texts=columns)
    table.columns[0].min_width = longest
    for column in table.columns[1:]:
        column.max_width = width_left
    return table
