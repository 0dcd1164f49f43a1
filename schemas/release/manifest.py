"""The manifest of a release, ``release.json``: what is in it, what made it, how to check it."""

from typing import Self

from pydantic import Field

from blend.schemas.base.frozen_model import FrozenModel
from blend.schemas.language.text_comparison import pluralise
from blend.schemas.recipe.recipe import Recipe, Sha256, Version
from blend.schemas.release.summaries import Summarised, Summary

MANIFEST_FORMAT = 1
"""Number of the manifest's layout; a reader refuses a larger one."""


class FileInfo(FrozenModel):
    """A file, as it must be."""

    path: str
    """Path relative to the release or source, with forward slashes."""
    size: int = Field(ge=0)
    """Length in bytes."""
    sha256: Sha256
    """SHA-256 of the file's bytes, in hexadecimal."""


class SourceInfo(FrozenModel):
    """An input as it was read."""

    kind: str
    """Kind of the source, as in the recipe."""
    location: str
    """Location as written in the recipe; empty for the embedded sample."""
    revision: str | None
    """Commit or tag of a Hub repository."""
    sha256: Sha256
    """Digest over the source's files; pin a source by copying it into the recipe."""
    files: tuple[FileInfo, ...]
    """The files that were read."""


class TableInfo(FrozenModel):
    """One split of one configuration."""

    config: str
    """Configuration, for example ``annotations``."""
    split: str
    """Split, for example ``KR``."""
    rows: int = Field(ge=0)
    """Number of rows."""
    content_sha256: Sha256
    """Digest of the rows alone, the same whatever version of whatever library wrote the file."""
    schema_sha256: Sha256
    """Digest of column names and types."""
    files: tuple[str, ...]
    """Parquet files that hold the rows, in order."""


class StageReport(FrozenModel):
    """What one step of the build made and left out."""

    stage: str
    """Step, for example ``multiple-choice-questions``."""
    kept: dict[str, int]
    """Rows made, by locale."""
    findings: dict[str, int]
    """Oddities met and rows left out, by kind; each one is a line of ``reports/findings.jsonl``."""
    notes: dict[str, int | str] = Field(default={})
    """Further figures of the step, for example how many pairs each judge decided."""


class ReleaseManifest(Summarised, FrozenModel):
    """Everything that is needed to check a release, to compare it, and to build it again."""

    manifest_format: int = Field(default=MANIFEST_FORMAT, le=MANIFEST_FORMAT)
    """Number of this layout."""
    name: str
    """Name of the dataset."""
    version: Version
    """Version of the release, without ``v``."""
    sdk_version: str
    """Version of the SDK that built it."""
    writers: dict[str, str]
    """Versions of the libraries that decide the files' bytes."""
    recipe: Recipe
    """The recipe, with every default spelled out."""
    sources: tuple[SourceInfo, ...]
    """The inputs."""
    tables: tuple[TableInfo, ...]
    """The configurations and splits, in the order of the card."""
    files: tuple[FileInfo, ...]
    """Every file of the release except the manifest itself, by path."""
    report: tuple[StageReport, ...]
    """What each step read, kept and left out."""

    def _summary(self) -> Summary:
        rows = [(table.config, table.split, table.rows) for table in self.tables]
        n = sum(table.rows for table in self.tables)
        title = f"{self.name} {self.version}, {pluralise(n, 'row')} in {pluralise(len(rows), 'table')}"
        return Summary(title, ("configuration", "split", "rows"), rows)

    def to_json(self) -> str:
        """The manifest as the bytes of ``release.json`` decode to."""
        return self.model_dump_json(indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The manifest in ``text``.

        Raises:
            pydantic.ValidationError: If it is not a manifest this version reads.
        """
        return cls.model_validate_json(text)
