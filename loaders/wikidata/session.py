"""A session with an endpoint that can stop at any moment and go on: every answer is kept, whole, as a file.

In the folder of `partial` lie one ``KEY.nt`` per answer and one empty ``KEY.divided`` per question that was too
heavy and was asked in parts; ``KEY`` is a digest of the question.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import polars as pl

from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.wikidata.queries import Batch, batches, pattern
from blend.loaders.wikidata.sparql import SparqlClient, TooHeavyError
from blend.schemas.recipe import Domain


@dataclass(slots=True)
class Tally:
    """Counts of what the questions of one stage have brought so far."""

    requests: int = 0
    triples: int = 0


@dataclass(slots=True)
class Session:
    """Asks the questions of a snapshot, or reads the answers that an earlier run left."""

    folder: Path
    client: SparqlClient
    domain: Domain
    languages: tuple[str, ...] | None
    batch_size: int
    on_progress: ProgressCallback
    tallies: dict[str, Tally] = field(default_factory=dict)
    _files: set[Path] = field(default_factory=set)
    _has_answered: bool = False

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
        """The lines of all answers."""
        return (pl.Series("line", read_lines(path)) for path in sorted(self._files))

    def _lines(self, batch: Batch) -> list[str]:
        question = pattern(batch, self.domain, self.languages)
        key = sha256(question.encode()).hexdigest()[:32]
        path = self.folder / f"{key}.nt"
        divided = self.folder / f"{key}.divided"
        if path.exists():
            lines = read_lines(path)
        elif divided.exists():
            return [line for part in batch.divided() for line in self._lines(part)]
        else:
            try:
                lines = self.client.construct(
                    question, divisible=batch.divisible, has_answered=self._has_answered
                )
            except TooHeavyError:
                # Kept, so that a later run does not ask the heavy question again.
                atomic_write(divided, "")
                return self._lines(batch)
            atomic_write(path, "".join(f"{line}\n" for line in lines))
            self._has_answered = True
        self._files.add(path)
        tally = self.tallies.setdefault(batch.stage, Tally())
        tally.requests += 1
        tally.triples += len(lines)
        return lines


def read_lines(path: Path) -> list[str]:
    """The lines of an answer."""
    # Only line feeds part lines: a label may hold U+2028 and others at which str.splitlines would cut it.
    return read_content(path).decode().split("\n")[:-1]


def terms(line: str) -> tuple[str, str, str]:
    """Subject, property and object of a line of N-Triples, as they stand there."""
    subject, predicate, rest = line.split(" ", 2)
    return subject, predicate, rest.removesuffix(" .")
