"""A session with an endpoint that can stop at any moment and go on: every answer is kept, whole, as a file.

The folder of a session holds ``plan.json`` (what is asked for, where, since when, what was written),
``server.json`` (how the endpoint is asked, see `probe`), one ``KEY.nt`` per answer and one empty
``KEY.divided`` per question that was too heavy and was asked in parts; ``KEY`` is a digest of the question. A
file appears under its name only when it is complete and on the disk, so what is there can be relied on.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.wikidata.queries import Batch, batches, pattern
from blend.loaders.wikidata.sparql import SparqlClient, TooHeavyError
from blend.schemas.errors import InputError
from blend.schemas.recipe.domains import Domain

PLAN_NAME = "plan.json"

_WRITTEN = "written"
"""Key of the plan with the digests of what was written under the final names."""

NOT_ASKED = {"title", "item", "items", "part", "parts", "config", "templates", "groups"}
"""What a domain holds that makes no difference to the questions."""


@dataclass(slots=True)
class Tally:
    """Counts of what the questions of one stage have brought so far."""

    requests: int = 0
    triples: int = 0
    asked_now: int = 0
    """Questions that the endpoint answered in this run; the others were answered in earlier ones."""


@dataclass(frozen=True, slots=True)
class Session:
    """Asks the questions of a snapshot, or reads the answers that an earlier run left."""

    folder: Path
    client: SparqlClient
    domain: Domain
    languages: tuple[str, ...] | None
    batch_size: int
    on_progress: ProgressCallback
    tallies: dict[str, Tally] = field(default_factory=dict)

    def ask(self, stage: str, ids: Iterable[str]) -> Iterator[tuple[str, str, str]]:
        """The triples about some items, as ``(subject, property, object)`` in N-Triples form.

        Raises:
            EndpointError: If the endpoint does not answer as it must.
        """
        questions = list(batches(stage, ids, self.batch_size))
        for done, batch in enumerate(questions):
            self.on_progress(f"ask for {stage}", done, len(questions))
            for line in self._lines(batch):
                yield terms(line)
        self.on_progress(f"ask for {stage}", len(questions), len(questions))

    def lines(self) -> Iterator[pl.Series]:
        """The lines of all answers, answer by answer, ordered by the names of their files."""
        return (pl.Series("line", read_lines(path)) for path in sorted(self.folder.glob("*.nt")))

    def _lines(self, batch: Batch) -> list[str]:
        key = self._key(batch)
        path = self.folder / f"{key}.nt"
        divided = self.folder / f"{key}.divided"
        if path.exists():
            lines = read_lines(path)
        elif divided.exists():
            return [line for part in batch.divided() for line in self._lines(part)]
        else:
            question = pattern(batch, self.domain, self.languages)
            has_answered = any(tally.asked_now for tally in self.tallies.values())
            try:
                lines = self.client.construct(question, divisible=batch.divisible, has_answered=has_answered)
            except TooHeavyError:
                # Kept, so that a later run does not ask the heavy question again.
                atomic_write(divided, "")
                return self._lines(batch)
            atomic_write(path, "".join(f"{line}\n" for line in lines))
            self._tally(batch).asked_now += 1
        tally = self._tally(batch)
        tally.requests += 1
        tally.triples += len(lines)
        return lines

    def _tally(self, batch: Batch) -> Tally:
        return self.tallies.setdefault(batch.stage, Tally())

    def _key(self, batch: Batch) -> str:
        return sha256(pattern(batch, self.domain, self.languages).encode()).hexdigest()[:32]


def read_lines(path: Path) -> list[str]:
    """The lines of an answer."""
    # Only line feeds part lines: a label may hold U+2028 and others at which str.splitlines would cut it.
    return read_content(path).decode().split("\n")[:-1]


def terms(line: str) -> tuple[str, str, str]:
    """Subject, property and object of a line of N-Triples, as they stand there."""
    subject, predicate, rest = line.split(" ", 2)
    return subject, predicate, rest.removesuffix(" .")


def open_folder(folder: Path, plan: Mapping[str, Any]) -> str:
    """Make the folder of a snapshot that is under way, or check that it belongs to the same one.

    Returns:
        When the first run started, ISO 8601 in UTC.

    Raises:
        InputError: If the folder belongs to another plan; names what differs.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / PLAN_NAME
    earlier = _read_plan(path)
    if earlier is None:
        started = datetime.now(UTC).isoformat(timespec="seconds")
        _write_plan(path, {**plan, "started": started, _WRITTEN: []})
        return started
    different = sorted(key for key in plan if earlier.get(key) != plan[key])
    if different:
        raise InputError(
            f"{folder}: holds an unfinished snapshot with another {', '.join(different)}; "
            "finish that one with its own options, or delete the folder to start anew"
        )
    return str(earlier["started"])


def note_written(folder: Path, sha256: str) -> None:
    """Keep that the snapshot with this digest is about to be written by whoever has this folder."""
    path = folder / PLAN_NAME
    plan = _read_plan(path)
    assert plan is not None
    _write_plan(path, {**plan, _WRITTEN: [*plan[_WRITTEN], sha256]})


def read_written(folder: Path) -> frozenset[str]:
    """The digests of the snapshots that were written by whoever left this folder.

    Raises:
        InputError: If its plan is damaged.
    """
    plan = _read_plan(folder / PLAN_NAME)
    return frozenset() if plan is None else frozenset(plan[_WRITTEN])


def remove_folders(folders: Sequence[Path]) -> None:
    """Remove the folders of finished snapshots; a kill leaves what the next run needs to see that they are."""
    for folder in reversed(folders):
        # The plan last, since it knows what was written. Of a dump's parts the marks of the end go first.
        files = sorted(folder.iterdir(), key=lambda path: (path.name != PLAN_NAME, path.name))
        for path in reversed(files):
            path.unlink()
        folder.rmdir()


def _read_plan(path: Path) -> dict[str, Any] | None:
    """The plan; none where there is no such file."""
    if not path.exists():
        return None
    try:
        plan = json.loads(read_content(path))
        _ = plan["started"]
        [str.isalnum(digest) for digest in plan[_WRITTEN]]  # a list of texts
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise InputError(f"{path}: is damaged; delete the folder to start anew") from None
    return dict(plan)


def _write_plan(path: Path, plan: Mapping[str, Any]) -> None:
    atomic_write(path, json.dumps(plan, indent=2, sort_keys=True) + "\n")
