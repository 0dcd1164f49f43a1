"""Word vectors: a file in the text format of word2vec and fastText, of which only the labels at hand are kept.

A blank in a label is written ``_`` there. A label without a vector has the zero vector, whose cosine with any
other is 0; so no figure is ever NaN, and how many labels had none is counted.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blend.schemas.errors import InputError, RowError

_NOT_NUMBERS = (b"nan", b"inf")


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """Vectors of labels, of length 1."""

    vectors: Mapping[str, NDArray[np.float64]]
    """By label; without those of length 0."""
    sha256: str
    """Of the file, or of the files."""

    def covered(self, labels: Collection[str]) -> int:
        """How many of the labels have a vector."""
        return sum(label in self.vectors for label in labels)

    def similarity(self, gold: Sequence[str], best: Sequence[str]) -> float:
        """The mean over gold labels of the highest cosine with one of the best candidates."""
        if not gold or not best:
            return 0.0
        found = [self.vectors.get(label) for label in best]
        others = [vector for vector in found if vector is not None]
        lacking = len(others) < len(found)
        highest = [self._highest(self.vectors.get(label), others, lacking=lacking) for label in gold]
        return float(np.mean(highest))

    @staticmethod
    def _highest(
        vector: NDArray[np.float64] | None, others: Sequence[NDArray[np.float64]], *, lacking: bool
    ) -> float:
        if vector is None or not others:
            return 0.0
        highest = float((np.array(others) @ vector).max())
        return max(highest, 0.0) if lacking else highest


def read_vectors(path: Path, labels: Collection[str]) -> WordVectors:
    """The vectors of some labels; the file is read line by line.

    Args:
        path: A line ``count dimension``, then one line per word: the word and its numbers, with single blanks.
        labels: The labels that are wanted. Of a word that stands there twice the first line counts.

    Raises:
        InputError: If there is no such file.
        RowError: If a line has another dimension, or anything but finite numbers, or if the file ends early.
    """
    wanted = {label.replace(" ", "_").encode(): label for label in labels}
    found: dict[str, NDArray[np.float64]] = {}
    digest = hashlib.sha256()
    try:
        with path.open("rb") as lines:
            first = lines.readline()
            digest.update(first)
            count, dimension = _head(first, path)
            n_words = 0
            for number, line in enumerate(lines, start=2):
                digest.update(line)
                word, _, rest = line.rstrip().partition(b" ")
                n_words += 1
                _check(rest, dimension, f"{path.name}:{number}")
                label = wanted.get(word)
                if label is not None and label not in found:
                    found[label] = _numbers(rest, f"{path.name}:{number}")
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror}); --vectors names a file of word vectors"
        ) from error
    if n_words != count:
        raise RowError(
            f"the first line says {count:,} words, and there are {n_words:,}",
            where=path.name,
            fix="download the file again, or correct its first line",
        )
    lengths = {label: float(np.linalg.norm(vector)) for label, vector in found.items()}
    return WordVectors(
        {label: vector / lengths[label] for label, vector in found.items() if lengths[label] > 0},
        digest.hexdigest(),
    )


def _head(line: bytes, path: Path) -> tuple[int, int]:
    parts = line.split()
    if len(parts) == 2 and all(part.isdigit() for part in parts):
        return int(parts[0]), int(parts[1])
    raise RowError(
        "the first line is not 'count dimension'",
        where=f"{path.name}:1",
        fix="give word vectors in the text format of fastText or word2vec (.vec)",
    )


def _check(numbers: bytes, dimension: int, place: str) -> None:
    n_numbers = numbers.count(b" ") + 1 if numbers else 0
    if n_numbers != dimension:
        raise RowError(
            f"{n_numbers} numbers instead of {dimension}",
            where=place,
            fix="all vectors have the dimension that the first line says; download the file again",
        )
    lower = numbers.lower()
    if any(text in lower for text in _NOT_NUMBERS):
        raise RowError("a number is not finite", where=place, fix="remove the word, or correct its vector")


def _numbers(numbers: bytes, place: str) -> NDArray[np.float64]:
    try:
        return np.array(numbers.split(b" "), dtype=np.float64)
    except ValueError as error:
        raise RowError(f"not a vector ({error})", where=place, fix="download the file again") from error
