"""The account of a snapshot, ``snapshot.json``: when, where and how it was taken, and how to check it."""

from typing import Self

from pydantic import Field

from blend.schemas.base.frozen_model import FrozenModel
from blend.schemas.recipe.domains import Domain
from blend.schemas.recipe.recipe import Sha256

SNAPSHOT_NAME = "snapshot.json"
"""File name of the account, beside the snapshot."""

SNAPSHOT_FORMAT = 2
"""Number of the account's layout; a reader refuses a larger one."""


class StageInfo(FrozenModel):
    """One kind of question."""

    stage: str
    """What was asked for, for example ``labels``."""
    requests: int = Field(ge=0)
    """Questions that were answered; of a dump, the times that its statements were searched."""
    triples: int = Field(ge=0)
    """Triples in their answers."""
    query: str
    """The query; ``…`` stands for the items."""


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

    snapshot_format: int = Field(default=SNAPSHOT_FORMAT, le=SNAPSHOT_FORMAT)
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
    stages: tuple[StageInfo, ...]
    """The questions, in order."""
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

    def to_json(self) -> str:
        """The account as the bytes of ``snapshot.json`` decode to."""
        return self.model_dump_json(indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The account in ``text``.

        Raises:
            pydantic.ValidationError: If it is not an account that this version reads.
        """
        return cls.model_validate_json(text)
