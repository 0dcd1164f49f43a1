"""The manifest of a release, ``release.json``: what is in it, what made it, how to check it; and versions."""

import unicodedata
from collections.abc import Iterable

from pydantic import Field

from blend.schemas.models import FrozenModel
from blend.schemas.recipe import VERSION, Domain, Recipe, Sha256, Version
from blend.schemas.summaries import Summarised, Table

MANIFEST_NAME = "release.json"
"""The manifest: what is in the release, what made it, how to check it."""

RECIPE_NAME = "recipe.toml"
"""The recipe that made it, every source pinned."""

CARD_NAME = "README.md"
"""The dataset card, which the Hub shows."""

CARD_PAGE_NAME = "reports/details.md"
"""What is too long for the card: every column, and the figures behind the first ones."""

DATASHEET_NAME = "DATASHEET.md"
"""The datasheet, for people."""

ANSWERS_NAME = "datasheet.toml"
"""The datasheet's answers, where the release's recipe finds them again; only where there are any."""

LOCALES_NAME = "locales.toml"
"""The release's own locales; only where it has any."""

DOMAINS_NAME = "domains.toml"
"""The domain of the tables from Wikidata; only where the package does not have it."""

PROMPT_TEMPLATES_NAME = "templates.toml"
"""The prompt templates of that domain; only where it has any."""

CHANGELOG_NAME = "CHANGELOG.md"
"""What changed from version to version."""


CROISSANT_NAME = "croissant.json"
"""Metadata for machines."""

BENCHMARK_NAME = "eval.yaml"
"""What the Hub and Inspect need to run the release as a benchmark; only with multiple-choice questions."""

FINDINGS_NAME = "reports/findings.jsonl"
"""Every oddity of the input and every row left out, one JSON object per line."""

AGREEMENT_NAME = "reports/agreement.json"
"""How far annotators agree, by locale; only in a release that was made from their responses."""

ANNOTATOR_GROUPS_NAME = "reports/annotator_groups.json"
"""The same by what annotators tell about themselves; only where enough of them have agreed to that."""

AUDIT_NAME = "reports/audit.json"
"""What simple rules get right in the multiple-choice questions; not in paper mode."""

MODEL_VERDICTS_NAME = "reports/model_verdicts.json"
"""How models' verdicts on options compare with people's; only where the recipe's verdicts hold any."""

_HUB_FOLDERS = (".git", ".cache", ".huggingface")

HUB_FILE = ".gitattributes"
"""The Hub's own file in every repository: which files are stored as large ones. It belongs to no release."""


def is_the_hubs(path: str) -> bool:
    """Whether a file beside a release is one that git or the Hub's own tools put there."""
    return path == HUB_FILE or path.partition("/")[0] in _HUB_FOLDERS


# Windows opens a device instead of a file of such a name, whatever its ending.
_DEVICES = {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)}


def numbers_of(version: str) -> tuple[int, int, int]:
    """The three numbers of a version, by which versions are ordered.

    Raises:
        ValueError: If it is not a version.
    """
    match = VERSION.fullmatch(version)
    if match is None:
        raise ValueError(f"{version!r} is not a version")
    major, minor, patch = map(int, match.groups())
    return major, minor, patch


def tag_of(version: str) -> str:
    """The tag of a version on the Hub."""
    return f"v{version}"


def version_of(tag: str) -> str | None:
    """The version that a tag names; null for a tag that names none, such as ``v1.2`` or ``final``."""
    return tag[1:] if tag.startswith("v") and VERSION.fullmatch(tag[1:]) else None


def newest_version(tags: Iterable[str]) -> str | None:
    """The highest version among the tags; null when none is a version."""
    versions = [version for tag in tags if (version := version_of(tag)) is not None]
    return max(versions, key=numbers_of, default=None)


def leads_out(path: str) -> bool:
    r"""Whether a path of a manifest leads out of the release, or to no file in it, on any system.

    A path in a release is relative, has forward slashes, and names every step: ``../x``, ``/x``, ``C:/x``,
    ``a//b``, ``a\\b``, the empty path, control characters and ``NUL`` are all refused, since a manifest comes
    from whoever published it and is written to disk by whoever pulls it.
    """
    if any(char in ":\\" or unicodedata.category(char) in ("Cc", "Cs") for char in path):
        return True
    steps = path.split("/")
    return any(step in ("", ".", "..") or step.partition(".")[0].lower() in _DEVICES for step in steps)


MULTIPLE_CHOICE = "multiple-choice"
"""All multiple-choice questions."""

SHORT_ANSWER = "short-answer"
"""The questions of all regions, with a written answer."""


def region_task(region: str) -> str:
    """The task of the questions of one region with a written answer; ``KR`` is ``short-answer-KR``."""
    return f"{SHORT_ANSWER}-{region}"


_MANIFEST_FORMAT = 1
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

    manifest_format: int = Field(default=_MANIFEST_FORMAT, le=_MANIFEST_FORMAT)
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

    def as_tables(self) -> list[Table]:
        """Configurations with their splits and rows, and what each step of the build kept and left out."""
        configs: dict[str, list[TableInfo]] = {}
        for table in self.tables:
            configs.setdefault(table.config, []).append(table)
        contents = [
            (config, " ".join(table.split for table in tables), sum(table.rows for table in tables))
            for config, tables in configs.items()
        ]
        steps = [
            (
                stage.stage,
                sum(stage.kept.values()),
                "\n".join(f"{kind} {count:,}" for kind, count in stage.findings.items()) or "none",
            )
            for stage in self.report
        ]
        return [
            Table.of(self.label, ("configuration", "splits", "rows"), contents),
            Table.of(
                "What each step kept and left out",
                ("step", "kept", "oddities and rows left out"),
                steps,
                f"Each is a line of {FINDINGS_NAME}; reports/details.md says what each kind means.",
            ),
        ]

    @property
    def label(self) -> str:
        """What messages call the release."""
        return f"{self.name} {self.version}"


SNAPSHOT_NAME = "snapshot.json"
"""File name of the account, beside the snapshot."""

_SNAPSHOT_FORMAT = 2
"""Number of the account's layout; a reader refuses a larger one."""


class DumpInfo(FrozenModel):
    """The dump that a snapshot was taken from."""

    file: str
    """Name of the file."""
    bytes: int = Field(ge=0)
    """Length of the file, compressed as it is."""
    head_sha256: Sha256
    """SHA-256 of its first MiB, in which Wikidata's dumps say when they were made."""


class SnapshotInfo(FrozenModel):
    """Everything that is needed to check a snapshot and to take it again."""

    snapshot_format: int = Field(default=_SNAPSHOT_FORMAT, le=_SNAPSHOT_FORMAT)
    """Number of this layout."""
    file: str
    """Name of the snapshot."""
    endpoint: str | None
    """Address that was asked; null for a snapshot from a dump."""
    dump: DumpInfo | None = None
    """The dump that was read; null for a snapshot from an endpoint."""
    started: str
    """When the first question was asked, ISO 8601 in UTC."""
    finished: str
    """When the last one was answered; the snapshot holds what an endpoint said in between."""
    domain: Domain
    """What was looked for."""
    languages: tuple[str, ...] | None
    """Languages of the labels; null for all."""
    items: int = Field(ge=0)
    """Items of the domain's class."""
    triples: int = Field(ge=0)
    """Different triples in the snapshot."""
    bytes: int = Field(ge=0)
    """Length of the file."""
    sha256: Sha256
    """SHA-256 of the file."""
    content_sha256: Sha256
    """SHA-256 of the N-Triples, whatever compressed them."""
    sdk_version: str
    """Version of the SDK that took it."""
