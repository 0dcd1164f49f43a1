"""What differs between two releases: immutable, and JSON as it stands."""

from collections.abc import Iterator
from typing import Literal, get_args

from pydantic import Field, JsonValue

from blend.schemas.models import FrozenModel
from blend.schemas.summaries import Summarised, Table

Presence = Literal["added", "removed", "kept"]
"""Whether something is in the new release only, in the old one only, or in both."""


Count = Literal["added", "removed", "replaced", "changed", "moved"]
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
    """A file other than a table, for example the card."""

    path: str
    """Path in the release."""
    presence: Presence
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
    def presence(self) -> Presence:
        """``kept`` is a column whose type changed."""
        return "added" if self.old is None else "removed" if self.new is None else "kept"


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
    added: int = Field(ge=0)
    """Rows whose id is new, but for those that replace one."""
    removed: int = Field(ge=0)
    """Rows whose id is gone, but for those that are replaced."""
    changed: int = Field(ge=0)
    """Rows in both, with another value in at least one column."""
    replaced: int = Field(default=0, ge=0)
    """Rows in whose place another asks the same question (template and region) with other options."""
    still_asked: int = Field(default=0, ge=0)
    """Of the removed rows, those whose question other rows still ask."""
    moved: int = Field(ge=0)
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
    def presence(self) -> Presence:
        """Whether the split is in both releases."""
        return "added" if self.old_rows is None else "removed" if self.new_rows is None else "kept"

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
    def presence(self) -> Presence:
        """Whether the configuration is in both releases."""
        found = {split.presence for split in self.splits}
        if len(found) == 1:
            return found.pop()
        return "kept"

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        same_schema = not (self.schema_changes or self.columns_reordered)
        return same_schema and all(split.is_empty for split in self.splits)

    def total(self, count: Count | Literal["still_asked"]) -> int:
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
    """Files other than tables that differ in more than the release's version."""
    configs: tuple[ConfigDiff, ...]
    """All configurations, in the order of the new release, then those gone."""

    @property
    def is_empty(self) -> bool:
        """Whether the releases are the same but for the version."""
        return not (self.settings or self.files or any(self.changed_configs()))

    def as_tables(self) -> list[Table]:
        """What differs, most important first, see `builders.diff.text.difference_tables`."""
        from blend.builders.diff.text import difference_tables

        return difference_tables(self, examples=3)

    def counts(self) -> tuple[Count, ...]:
        """The counts of rows that a table of them shows: whether rows were replaced only where some were."""
        any_replaced = any(config.total("replaced") for config in self.configs)
        return tuple(count for count in get_args(Count) if count != "replaced" or any_replaced)

    def changed_configs(self) -> Iterator[ConfigDiff]:
        """The configurations in which something differs."""
        return (config for config in self.configs if not config.is_empty)
