"""Files that a pull writes into the directory of raw responses: whole, only what changed, nothing of others."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from blend.builders.annotation.beside import BY_LOCALE
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.server.forgotten import NAMES
from blend.builders.annotation.server.readings import StageReading
from blend.loaders.files.atomic import atomic_write, storage_errors
from blend.loaders.files.content import read_content
from blend.loaders.label_studio.folder import Folder
from blend.loaders.responses.decisions import Decision, decisions_text, pair_key
from blend.schemas.errors import ConflictError
from blend.schemas.texts import pluralise


class Written(NamedTuple):
    """A file that a pull has written, or found as it should be."""

    path: Path
    rows: int
    changed: bool


Contents = Mapping[Path, tuple[str | None, int]]
"""Content and number of rows by path; a file without content is deleted."""


DECIDED = "decided"
"""Folder beside the project file for what the other stages yield, a file per kind."""


def contents_of(file: ProjectFile, found: Sequence[StageReading]) -> Contents:
    """Content and number of rows of every file that readings fill.

    A file of reviews or responses goes with its last row: an empty one would read as if it had lost its rows.
    """
    contents: dict[Path, tuple[str | None, int]] = {}
    others: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        for kind, rows in one.reading.rows.items():
            if kind in BY_LOCALE:
                path = file.collected / kind / f"{one.stage_locale.locale.tag}.jsonl"
                contents[path] = _json_lines(rows) or None, len(rows)
            else:
                others.setdefault(kind, []).extend(rows)
    for kind, rows in sorted(others.items()):
        if kind == "decisions":
            once = {pair_key(row["answer_a"], row["answer_b"]): row for row in reversed(rows)}
            decisions = [Decision.model_validate(row) for _, row in sorted(once.items())]
            contents[file.base / DECIDED / "decisions.tsv"] = decisions_text(decisions), len(decisions)
        else:
            contents[file.base / DECIDED / f"{kind}.jsonl"] = _json_lines(rows), len(rows)
    return contents


def _json_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


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
    known = dict(folder.state.written)
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
    folder.remember(written=known)
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
