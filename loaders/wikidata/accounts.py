"""Accounts of snapshots: ``snapshot.json``, read and compared with the snapshot beside it."""

from pathlib import Path

from pydantic import ValidationError

from blend.schemas.errors import InputError, RowError
from blend.schemas.release.snapshots import SNAPSHOT_NAME, SnapshotInfo


def read_snapshot_info(path: Path) -> SnapshotInfo:
    """The account of a snapshot.

    Raises:
        RowError: If the file is not such an account.
    """
    try:
        return SnapshotInfo.from_json(path.read_text(encoding="utf-8"))
    except (ValidationError, UnicodeDecodeError) as error:
        what, fix = "not the account of a snapshot", "delete it or take the snapshot again"
        raise RowError(what, where=str(path), fix=fix) from error


def check_account(snapshot: Path, sha256: str) -> None:
    """Check that a snapshot is the one that its account tells of, where one lies beside it.

    Args:
        snapshot: The snapshot.
        sha256: Its digest.

    Raises:
        InputError: If it is another; names both digests.
    """
    path = snapshot.with_name(SNAPSHOT_NAME)
    if not path.exists():
        return
    account = read_snapshot_info(path)
    if account.file == snapshot.name and account.sha256 != sha256:
        raise InputError(
            f"{snapshot}: has the sha256 {sha256}, but {SNAPSHOT_NAME} beside it says {account.sha256}, so it "
            f"was changed or damaged; copy or take the snapshot again, or delete {SNAPSHOT_NAME} to build from "
            "it as it is"
        )
