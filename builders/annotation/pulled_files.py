"""Pulled files: responses, reviews and all that other stages yield, whole, and nothing of others replaced."""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.builders.annotation.counting import BY_LOCALE, StageReading
from blend.builders.annotation.project import ProjectFile
from blend.builders.saq.answer_sheet import without_lost
from blend.loaders.files.atomic import atomic_write, storage_errors
from blend.loaders.files.content import read_content
from blend.loaders.label_studio.events import Folder
from blend.loaders.responses import IN_A_FILE, NOT_ASKED, ResponseTables, read_responses
from blend.schemas.errors import ConflictError
from blend.schemas.locales import Registry

DECIDED = "decided"
"""Folder beside the project file for what other stages than *answer* and *review* yield, a file per kind."""

_Contents = Mapping[Path, tuple[str, int]]
"""Content and number of rows by path; of nothing no file is made."""


def _contents(file: ProjectFile, found: Sequence[StageReading]) -> _Contents:
    """Content and number of rows of every file that readings fill.

    A file of reviews or responses goes with its last row: an empty one would read as if it had lost its rows.
    """
    contents: dict[Path, tuple[str, int]] = {}
    others: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        for kind, rows in one.reading.rows.items():
            if kind in BY_LOCALE:
                path = file.collected / kind / f"{one.stage_locale.locale.tag}.jsonl"
                contents[path] = _json_lines(rows), len(rows)
            else:
                others.setdefault(kind, []).extend(rows)
    for kind, rows in sorted(others.items()):
        contents[file.base / DECIDED / f"{kind}.jsonl"] = _json_lines(rows), len(rows)
    return contents


def _json_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def write_files(
    folder: Folder,
    file: ProjectFile,
    found: Sequence[StageReading],
    earlier: Callable[[], Sequence[StageReading]],
) -> dict[Path, int]:
    """Write files, each whole, those that are as they should be not at all.

    Args:
        folder: Remembers digests of what was written, so that somebody else's work is never replaced.
        file: The project.
        found: What the files hold.
        earlier: What those of an earlier pull, perhaps by another lead, held; asked where files differ.

    Returns:
        The files that were written, and their rows.

    Raises:
        ConflictError: If a file is there that no pull has written, or was edited since; names all of them, and
            nothing is written.
        StorageError: If one cannot be written.
    """
    contents = _contents(file, found)
    before = {path: _digest(read_content(path)) for path in contents if path.exists()}
    after = {path: _digest(content.encode()) for path, (content, _) in contents.items()}
    nothing = _digest(b"")
    strange = [path for path in before if before[path] not in (after[path], nothing, *folder.state.written)]
    if strange:
        # In a clone nothing is known of what was written: it is what the events of before make.
        pulled = _contents(file, earlier())
        strange = [p for p in strange if p not in pulled or before[p] != _digest(pulled[p][0].encode())]
    if strange:
        raise ConflictError(
            "\n".join(
                f"{path}: is not as the pulls before have written it, and would be replaced; delete it, or "
                "move rows of your own into a file beside it, as "
                f"{path.stem}.own{path.suffix}, and run the same again"
                for path in strange
            )
        )
    # Both digests before the first file is written: a kill in between leaves files of either kind.
    folder.remember(written=sorted({*before.values(), *after.values()}))
    # A file that is not there is as good as an empty one: of nothing no file is made.
    changed = [path for path in contents if before.get(path, nothing) != after[path]]
    for path in changed:
        with storage_errors(path, fix="change the permissions"):
            content, _ = contents[path]
            if content or path.parent.name not in BY_LOCALE:
                path.parent.mkdir(parents=True, exist_ok=True)
                atomic_write(path, content)
            else:
                path.unlink()
    return {path: contents[path][1] for path in changed}


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


# The directory of raw responses, in which reviews that people wrote as files stand beside pulled ones.


class Collected(NamedTuple):
    """A directory of raw responses while responses are being collected."""

    tables: ResponseTables
    """Reviews decide on answers that are given, and on nothing else."""
    passed_over: Sequence[str]
    """What is passed over in reviews, and what to do about it."""


_ALONE = "; delete that review, which decides on nothing else"
_AGAIN = ", until `blend reviews propose` and `blend reviews accept --update` review the question again"


def read_collected(folder: Path, locales: Registry) -> Collected:
    """Read a directory of raw responses, whatever has become of reviewed questions and answers.

    Raises:
        InputError, RowError, RowErrors: As `loaders.responses.read_responses`.
    """
    tables = read_responses(folder, locales=locales, reviewing=True, collecting=True)
    reviews, lost = without_lost(tables.reviews, tables.responses)
    of_reviews = tables.findings.filter(pl.col("kind").is_in([NOT_ASKED, IN_A_FILE]))
    passed_over = [f"{source}: {detail}" for source, detail in of_reviews.select("source", "detail").rows()]
    passed_over += [
        f"{one.source}: decides on {', '.join(map(repr, one.answers))}, which nobody answers any more; passed "
        f"over{_ALONE if one.is_all else _AGAIN}"
        for one in lost
    ]
    return Collected(tables._replace(reviews=reviews), passed_over)
