"""What differs between two releases, immutable and JSON as it stands, and the version step that follows.

The three numbers of a version promise something to who pins them (https://semver.org, applied to data):

=====  ===================================  ==============================================================
step   a user's code or results             raised when
=====  ===================================  ==============================================================
major  can break                            a configuration, split, column or row is gone, a type changed
                                            (or a field in it), or licence or dataset's name are others
minor  keep working, with more to find      configurations, splits, columns or rows came, or a question is
                                            asked with other options than before, or in another order of
                                            them, and nothing broke
patch  keep working, numbers can change     values, the order of rows, files or the recipe changed
none   are the same                         nothing differs but the version
=====  ===================================  ==============================================================

Before 1.0.0 nothing is promised to stay: a break raises the second number, as an addition does, and a
correction the third. Going from 0.x to 1.0.0 is a decision, which no difference makes; it is always allowed.
"""

import json
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Literal, get_args

from pydantic import Field, JsonValue

from blend.schemas.models import FrozenModel
from blend.schemas.summaries import Summarised, Table

_Presence = Literal["added", "removed", "kept"]
"""Whether something is in the new release only, in the old one only, or in both."""


def presence_of(old: object, new: object) -> _Presence:
    """Whether what stands in the old release, in the new one or in both is new; null stands for absent."""
    return "added" if old is None else "removed" if new is None else "kept"


_Count = Literal["added", "removed", "replaced", "changed", "moved"]
"""What can have become of rows; one that has changed can have moved as well."""


class ReleaseLabel(FrozenModel):
    """A release, by the names it gives itself."""

    name: str
    """Name of the dataset."""
    version: str
    """Version, without ``v``."""


class Setting(FrozenModel):
    """Something the manifest records that is not the same in both releases."""

    path: str
    """What it is, for example ``recipe.mcq.mode``."""
    old: JsonValue
    """Value in the old release; null where it was absent."""
    new: JsonValue
    """Value in the new release; null where it is absent."""


class FileChange(FrozenModel):
    """A file other than a table, for example the verdicts."""

    path: str
    """Path in the release."""
    presence: _Presence
    """``kept`` is a file whose contents changed."""


class ColumnChange(FrozenModel):
    """A column that is not in both releases with one type."""

    path: str
    """Name of the column."""
    old: str | None
    """Type in the old release; null where the column is new."""
    new: str | None
    """Type in the new release; null where the column is gone."""

    @property
    def presence(self) -> _Presence:
        """``kept`` is a column whose type changed."""
        return presence_of(self.old, self.new)


class CellChange(FrozenModel):
    """A value that changed."""

    id: str
    """Id of the row."""
    column: str
    """Column."""
    old: JsonValue
    """Value in the old release."""
    new: JsonValue
    """Value in the new release."""


class SplitDiff(FrozenModel):
    """One split of one configuration. All figures are counts of rows."""

    split: str
    """Name of the split."""
    old_rows: int | None
    """Rows in the old release; null where the split is new."""
    new_rows: int | None
    """Rows in the new release; null where the split is gone."""
    added: int = Field(default=0, ge=0)
    """Rows whose id is new, but for those that replace one."""
    removed: int = Field(default=0, ge=0)
    """Rows whose id is gone, but for those that are replaced."""
    changed: int = Field(default=0, ge=0)
    """Rows in both, with another value in at least one column."""
    replaced: int = Field(default=0, ge=0)
    """Rows in whose place another asks the same question (template and region), otherwise."""
    still_asked: int = Field(default=0, ge=0)
    """Of the removed rows, those whose question other rows still ask."""
    moved: int = Field(default=0, ge=0)
    """Rows in both that stand behind one that they stood before."""
    columns: dict[str, int] = Field(default={})
    """Changed rows by column, for columns with changes; a row counts in each of its changed columns."""
    added_ids: tuple[str, ...] = ()
    """The first ids of added rows, in the order of the new release."""
    removed_ids: tuple[str, ...] = ()
    """The first ids of removed rows, in the order of the old release."""
    examples: tuple[CellChange, ...] = ()
    """The first changes of every column, in the order of the new release."""

    @property
    def presence(self) -> _Presence:
        """Whether the split is in both releases."""
        return presence_of(self.old_rows, self.new_rows)

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        differs = self.added or self.removed or self.replaced or self.changed or self.moved
        return self.presence == "kept" and not differs


class ConfigDiff(FrozenModel):
    """One configuration."""

    config: str
    """Name of the configuration."""
    schema_changes: tuple[ColumnChange, ...]
    """Columns added, removed or of another type in the splits that both releases have."""
    columns_reordered: bool
    """Whether the columns that both releases have stand in another order."""
    splits: tuple[SplitDiff, ...]
    """All splits, also those in which nothing differs: in the order of the new release, then those gone."""

    @property
    def presence(self) -> _Presence:
        """Whether the configuration is in both releases."""
        found = {split.presence for split in self.splits}
        return found.pop() if len(found) == 1 else "kept"

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        same_schema = not (self.schema_changes or self.columns_reordered)
        return same_schema and all(split.is_empty for split in self.splits)

    def total(self, count: _Count | Literal["still_asked"]) -> int:
        """A count over the splits that both releases have."""
        return sum(getattr(split, count) for split in self.splits if split.presence == "kept")


class ReleaseDiff(Summarised, FrozenModel):
    """All that differs between two releases."""

    old: ReleaseLabel
    """The release compared with."""
    new: ReleaseLabel
    """The release that is compared."""
    settings: tuple[Setting, ...]
    """Name, licence, recipe, sources, package and writers, where they differ; versions are in the labels."""
    files: tuple[FileChange, ...]
    """Files that differ, other than tables and the documents that follow from all others."""
    configs: tuple[ConfigDiff, ...]
    """All configurations, in the order of the new release, then those gone."""

    @property
    def is_empty(self) -> bool:
        """Whether the releases are the same but for the version."""
        return not (self.settings or self.files or any(self.changed_configs()))

    def as_tables(self) -> list[Table]:
        """What differs, most important first, see `difference_tables`."""
        return difference_tables(self, examples=3)

    def counts(self) -> tuple[_Count, ...]:
        """The counts of rows that a table of them shows: whether rows were replaced only where some were."""
        any_replaced = any(config.total("replaced") for config in self.configs)
        return tuple(count for count in get_args(_Count) if count != "replaced" or any_replaced)

    def changed_configs(self) -> Iterator[ConfigDiff]:
        """The configurations in which something differs."""
        return (config for config in self.configs if not config.is_empty)


# The version step.


Step = Literal["none", "patch", "minor", "major"]

STEPS: tuple[Step, ...] = ("none", "patch", "minor", "major")
"""The steps, smallest first."""

_BREAKING_SETTINGS = {
    "name": "the dataset's name is {new}, was {old}",
    "recipe.license": "the licence is {new}, was {old}",
}
_NAMED = 5
"""Names given before the rest is counted."""


class _Reason(FrozenModel):
    """One thing that differs, and the step it asks for."""

    step: Step
    """Step that this alone would make."""
    text: str
    """What differs, for example ``annotations: 3 rows removed``."""


class VersionStep(FrozenModel):
    """The step from one version to the next."""

    step: Step
    """The largest step that a reason asks for."""
    reasons: tuple[_Reason, ...]
    """All that differs, largest step first; within a step in the order of the comparison."""


def version_step(diff: ReleaseDiff) -> VersionStep:
    """The step that follows from a comparison, with its reasons."""
    reasons = sorted(_reasons(diff), key=lambda reason: -STEPS.index(reason.step))
    return VersionStep(step=reasons[0].step if reasons else "none", reasons=tuple(reasons))


def _reasons(diff: ReleaseDiff) -> Iterator[_Reason]:
    for config in diff.configs:
        if config.presence == "kept":
            yield from _config_reasons(config)
        else:
            step: Step = "major" if config.presence == "removed" else "minor"
            yield _Reason(step=step, text=f"configuration {config.config} {config.presence}")
    others = []
    for setting in diff.settings:
        if setting.path in _BREAKING_SETTINGS:
            text = _BREAKING_SETTINGS[setting.path].format(old=setting.old, new=setting.new)
            yield _Reason(step="major", text=text)
        else:
            others.append(setting.path)
    if others:
        yield _Reason(step="patch", text=f"changed in the manifest: {_some(others)}")
    if diff.files:
        yield _Reason(step="patch", text=f"other files changed: {_some([file.path for file in diff.files])}")


def _config_reasons(diff: ConfigDiff) -> Iterator[_Reason]:
    for change in diff.schema_changes:
        where = f"{diff.config}: column {change.path}"
        if change.presence == "kept":
            yield _Reason(step="major", text=f"{where} is {change.new}, was {change.old}")
        else:
            step: Step = "major" if change.presence == "removed" else "minor"
            yield _Reason(step=step, text=f"{where} {change.presence}")
    if diff.columns_reordered:
        yield _Reason(step="patch", text=f"{diff.config}: columns stand in another order")
    gone, new = ([s.split for s in diff.splits if s.presence == p] for p in ("removed", "added"))
    changed = dict.fromkeys(name for split in diff.splits for name in split.columns)
    still_asked = diff.total("still_asked")
    found: list[tuple[Step, int, str, str]] = [
        ("major", len(gone), "split", f"removed: {_some(gone)}"),
        ("major", diff.total("removed") - still_asked, "row", "removed"),
        ("minor", len(new), "split", f"added: {_some(new)}"),
        (
            "minor",
            diff.total("replaced"),
            "row",
            "replaced by others that ask the same with other options or in another order",
        ),
        ("minor", still_asked, "row", "removed whose questions are still asked by other rows"),
        ("minor", diff.total("added"), "row", "added"),
        ("patch", diff.total("changed"), "row", f"changed in {_some(list(changed))}"),
        ("patch", diff.total("moved"), "row", "moved"),
    ]
    for size, n, thing, what in found:
        if n:
            yield _Reason(step=size, text=f"{diff.config}: {n:,} {thing}{'' if n == 1 else 's'} {what}")


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


# As tables for readers.


def difference_tables(diff: ReleaseDiff, *, examples: int, unquoted: Sequence[str] = ()) -> list[Table]:
    """What differs, most important first: reasons of the step, rows, columns, values, settings.

    Args:
        diff: The comparison.
        examples: Quoted changes per column, and ids per configuration, at most.
        unquoted: Columns whose values are only counted.
    """
    counts = diff.counts()
    rows, columns, values, ids, quoted = (list[tuple[object, ...]]() for _ in range(5))
    for config in diff.changed_configs():
        name, changed = config.config, dict[str, int]()
        for split in config.splits:
            if not split.is_empty:
                figures = (getattr(split, count) for count in counts)
                rows.append((f"{name} {split.split}", split.old_rows, split.new_rows, *figures))
            for column, n in split.columns.items():
                changed[column] = changed.get(column, 0) + n
        columns += [(name, of.path, of.old, of.new) for of in config.schema_changes]
        values += [(name, *total) for total in changed.items()]
        for what in ("added", "removed"):
            found_ids = [(split.split, one) for split in config.splits for one in getattr(split, f"{what}_ids")]
            ids += [(name, *one, what) for one in found_ids[:examples]]
        cells = [(split.split, cell) for split in config.splits for cell in split.examples]
        for column in dict.fromkeys(cell.column for _, cell in cells if cell.column not in unquoted):
            of_column = [(split, cell) for split, cell in cells if cell.column == column]
            quoted += [
                (f"{name} {split} {cell.id} {column}", " → ".join(_value_pair(cell.old, cell.new)))
                for split, cell in of_column[:examples]
            ]
    of_splits = [split for config in diff.configs for split in config.splits]
    n_ids = sum(split.added + split.removed for split in of_splits)
    n_values = sum(sum(split.columns.values()) for split in of_splits)
    reasons = [(reason.step, reason.text) for reason in version_step(diff).reasons]
    settings = [(of.path, *_value_pair(of.old, of.new)) for of in diff.settings]
    found: dict[str, tuple[tuple[str, ...], Sequence[tuple[object, ...]]]] = {
        "Reasons": (("step", "why"), reasons),
        "Rows": (("table", "was", "now", *counts), rows),
        "Columns added, removed, or of another type": (("configuration", "column", "before", "now"), columns),
        "Changed values": (("configuration", "column", "changed rows"), values),
        "Rows added and removed": (("configuration", "split", "row", "became"), ids),
        "Examples": (("where", "change"), quoted),
        "Settings": (("setting", "before", "now"), settings),
    }
    first_of = "The first {:,} of {:,}; `blend diff OLD NEW --json` counts and quotes more."
    captions = {
        title: first_of.format(len(shown), total)
        for title, shown, total in (("Rows added and removed", ids, n_ids), ("Examples", quoted, n_values))
        if len(shown) < total
    }
    # The reasons are always the first table.
    return [
        Table.of(title, heads, of, captions.get(title, ""))
        for title, (heads, of) in found.items()
        if of or title == "Reasons"
    ]


# Two values side by side: short enough to read, cut where they differ.


_WIDTH = 100
"""Characters of a quoted value at most."""

_LEAD = 20
"""Characters of what stands before the first difference; a third of the width if that is less."""


def _value_pair(old: JsonValue, new: JsonValue, width: int = _WIDTH) -> tuple[str, str]:
    """Both values in at most ``width`` characters each: text as it is, everything else as JSON.

    Long texts are cut to the part around their first difference. Characters that nobody sees, or that
    change the direction of writing, are spelled in ASCII escapes, and all but ASCII is where texts look alike.
    """
    first, second = _spelled(old), _spelled(new)
    if first != second and _looks(first) == _looks(second):
        first, second = _escaped(first), _escaped(second)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
    start = max(0, same - min(_LEAD, width // 3))
    return _window(first, start, width), _window(second, start, width)


def _spelled(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    # Quotes only where a text would not be seen for what it is.
    if isinstance(value, str) and value == value.strip() and value not in ("", "null"):
        text = text[1:-1].replace('\\"', '"')
    # Cf: characters that nobody sees.
    return "".join(_escaped(char) if unicodedata.category(char) == "Cf" else char for char in text)


def _looks(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _escaped(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode("ascii")


def _window(text: str, start: int, width: int) -> str:
    if len(text) <= width:
        return text
    # What is left may be short: there is room for more of what stands before.
    start = min(start, len(text) - width + 1)
    cut = text[start:] if start <= 0 else f"…{text[start:]}"
    return cut if len(cut) <= width else f"{cut[: width - 1]}…"
