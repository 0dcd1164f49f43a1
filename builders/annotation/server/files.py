"""Files that a pull writes into the directory of raw responses: whole, only what changed, nothing of others."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from blend.builders.annotation.server.forgotten import NAMES
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.files.pulled_files import WRITTEN
from blend.loaders.files.storage import storage_errors
from blend.loaders.label_studio.folder import Folder
from blend.schemas.errors import ConflictError
from blend.schemas.language.text_comparison import pluralise


class Written(NamedTuple):
    """A file that a pull has written, or found as it should be."""

    path: Path
    rows: int
    changed: bool


def json_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as JSON Lines."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


Contents = Mapping[Path, tuple[str | None, int]]
"""Content and number of rows by path; a file without content is deleted."""


def write_files(folder: Folder, contents: Contents, earlier: Callable[[], Contents]) -> list[Written]:
    """Write files, each whole, those that are as they should be not at all.

    Args:
        folder: Remembers the digest of what was written, so that somebody else's work is never replaced.
        contents: The files.
        earlier: What an earlier pull, perhaps by another lead, has written; asked where files differ.

    Raises:
        ConflictError: If a file is there that no pull has written, or was edited since; names all of them, and
            nothing is written.
        StorageError: If one cannot be written.
    """
    # By paths from the folder, so that a project may be moved.
    known: dict[str, list[str]] = dict(folder.state.get(WRITTEN, {}))
    names = {path: os.path.relpath(path, folder.path) for path in contents}
    before = {path: _digest(read_content(path)) for path in contents if path.exists()}
    after = {path: _digest((content or "").encode()) for path, (content, _) in contents.items()}
    strange = [
        path for path, digest in before.items() if digest not in (after[path], *known.get(names[path], ()))
    ]
    if strange:
        # In a clone nothing is known of what was written: it is what the events of before make.
        pulled = earlier()
        strange = [p for p in strange if p not in pulled or before[p] != _digest((pulled[p][0] or "").encode())]
    if strange:
        raise ConflictError("\n".join(_conflict(path, contents[path][0] or "") for path in strange))
    # Both digests before the first file is written: a kill in between leaves files of either kind.
    for path, name in names.items():
        known[name] = [*([before[path]] if path in before else []), after[path]]
    folder.write_state({**folder.state, WRITTEN: known})
    written = [_write(path, content, rows) for path, (content, rows) in contents.items()]
    return [one for one in written if one is not None]


def _conflict(path: Path, content: str) -> str:
    """Say what is in the way of a file, and how to keep it."""
    lines = read_content(path).splitlines()
    wanted = content.encode().splitlines()
    if len(lines) < len(wanted) and {*lines} <= {*wanted}:
        lacking = pluralise(len(wanted) - len(lines), "row")
        return (
            f"{path}: lacks {lacking} of those pulled; delete the file, and the next pull writes all of them, "
            "but for those of a question that is not asked any more; if they are of somebody who was forgotten "
            f"by another lead, bring the {NAMES} of that project beside the project file first"
        )
    name = f"{path.stem}.own{path.suffix}"
    return (
        f"{path}: holds rows that no pull has written, and would be replaced; move it out of the folder, or "
        f"rename it there, as to {name}: its reviews then count in place of those on the server, and its "
        "responses beside them, if its people are others"
    )


def _write(path: Path, content: str | None, rows: int) -> Written | None:
    """Write or delete a file unless it is as it should be; none is made for want of rows."""
    before = read_content(path) if path.exists() else None
    if before is None and not content:
        return None
    if content is not None and before == content.encode():
        return Written(path, rows, changed=False)
    with storage_errors(path, fix="change the permissions"):
        if content is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(path, content)
    return Written(path, rows, changed=True)


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
