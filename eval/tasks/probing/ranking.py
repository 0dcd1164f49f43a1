"""Ranking: where gold labels stand among candidates, by how likely a model finds these, and how near they come.

How near say word vectors of the labels at hand, from a text file (``.vec``) or from a model of fastText
(``.bin``).
In the text format of word2vec and fastText a blank in a label is written ``_``. A model of fastText is asked
for the label as it is, blanks included, as the published code does: a word that it does not know gets the mean
of the vectors of its sequences of characters (Bojanowski et al. 2017, section 3.2). A label without a vector
has the zero vector, whose cosine with any other is 0; so no figure is ever NaN, and how many labels had none is
counted.
"""

import struct
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.eval.triples.triple_prompts import SHOWN
from blend.loaders.files.content import file_sha256
from blend.schemas.errors import InputError, MissingExtraError, RowError

RANKED = pl.Schema(
    {
        "ranks": pl.List(pl.Int64()),
        "top": pl.List(pl.String()),
        "n_ranked": pl.Int64(),
        "precision": pl.Float64(),
        "hits_1": pl.Int64(),
        "hits_5": pl.Int64(),
    }
)
"""Per item: the rank of every gold label in their order, from 0, null for one that is not ranked; the best
candidates; how many candidates were ranked; average precision, null where no gold label is ranked; and gold
labels among the best 1 and 5."""


def candidate_sets(candidates: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Candidates by the name of their set, in code-point order, each with its place.

    Args:
        candidates: ``candidate_set`` and ``candidate``.
    """
    sets: dict[str, dict[str, int]] = {}
    for name, candidate in candidates.select("candidate_set", "candidate").iter_rows():
        of_name = sets.setdefault(name, {})
        of_name[candidate] = len(of_name)
    return sets


def ranked(
    rows: pl.DataFrame, sets: Mapping[str, Mapping[str, int]], *, per_token: bool, shorter_first: bool
) -> pl.DataFrame:
    """Ranks of all items.

    Args:
        rows: ``gold``, ``candidate_set``, ``logprobs`` and ``option_tokens``, the last two null where there is
            no answer.
        sets: The candidates, as of `candidate_sets`.
        per_token: Whether the score is the mean of a token's log-probability, or else their sum.
        shorter_first: Whether of equal scores that of fewer tokens comes first.

    Returns:
        `RANKED`, row by row; all null where there is no answer.
    """
    names = {name: list(of_name) for name, of_name in sets.items()}
    found: list[tuple[Any, ...]] = []
    for gold, which, logprobs, option_tokens in rows.select(
        "gold", "candidate_set", "logprobs", "option_tokens"
    ).iter_rows():
        if logprobs is None:
            found.append((None,) * len(RANKED))
            continue
        tokens = np.array(option_tokens)
        scores = np.array(logprobs, dtype=np.float64)
        if per_token:
            scores = scores / np.maximum(tokens, 1)
        order = _best_first(scores, tokens if shorter_first else None)
        # Inverse of the order: by candidate its rank, -1 for one that is not ranked.
        rank_of = np.full(len(scores), -1)
        rank_of[order] = np.arange(len(order))
        places = (sets[which].get(label) for label in gold)
        ranks = [None if i is None or rank_of[i] < 0 else int(rank_of[i]) for i in places]
        top = [names[which][i] for i in order[: max(SHOWN, len(gold))].tolist()]
        known = sorted(rank for rank in ranks if rank is not None)
        hits = (sum(rank < k for rank in known) for k in (1, 5))
        found.append((ranks, top, len(order), _average_precision(known), *hits))
    return pl.DataFrame(found, schema=RANKED, orient="row")


def _best_first(scores: NDArray[np.float64], tokens: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Positions of the ranked candidates, which stand in code-point order, the best first.

    Args:
        scores: Larger is better; NaN for what is not ranked.
        tokens: By which equal scores are told apart first, if at all.
    """
    order: NDArray[np.int64] = np.lexsort((-scores,) if tokens is None else (tokens, -scores))
    return order[: int((~np.isnan(scores)).sum())]


def _average_precision(ranks: Sequence[int]) -> float | None:
    """Average precision of the gold labels that are ranked, from their ranks in order; null where none is."""
    if not ranks:
        return None
    return sum(k / (rank + 1) for k, rank in enumerate(ranks, start=1)) / len(ranks)


# Word vectors.

_NOT_A_MODEL = (
    *(AssertionError, EOFError, MemoryError, NotImplementedError, OverflowError, ValueError),
    *(IndexError, KeyError, struct.error),
)
"""What gensim raises for a file that it cannot read as a model; a damaged one claims any size."""


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """Vectors of labels, of length 1."""

    vectors: Mapping[str, NDArray[np.float64]]
    """By label; without those of length 0."""
    sha256: str
    """Of the file, or of the files."""

    def covered(self, labels: Collection[str]) -> int:
        """Count the labels that have a vector."""
        return sum(label in self.vectors for label in labels)

    def similarity(self, gold: Sequence[str], best: Sequence[str]) -> float:
        """The mean over gold labels of the highest cosine with one of the best candidates."""
        if not (gold and best and self.vectors):
            return 0.0
        none = np.zeros_like(next(iter(self.vectors.values())))
        # All vectors have length 1, so products are cosines.
        of_gold, of_best = (
            np.array([self.vectors.get(label, none) for label in labels]) for labels in (gold, best)
        )
        return float((of_gold @ of_best.T).max(axis=1).mean())


def read_vectors(path: Path, labels: Collection[str]) -> WordVectors:
    """The vectors of some labels.

    Args:
        path: Text, read line by line: a line ``count dimension``, then one line per word, the word and its
            numbers with single blanks. Or, with the ending ``.bin``, a model of fastText, which is held in
            memory while it is asked.
        labels: The labels that are wanted. Of a word that stands in a text twice the first line counts.

    Raises:
        InputError: If it is not a model of fastText.
        MissingExtraError: If a model of fastText is to be read and gensim is not installed.
        RowError: If the file cannot be read or ends early, or if a line that is wanted, or the first
            word's, has another dimension, or anything but finite numbers.
    """
    sha256 = file_sha256(path)
    found = _from_model(path, labels) if path.suffix == ".bin" else _from_text(path, labels)
    lengths = {label: float(np.linalg.norm(vector)) for label, vector in found.items()}
    return WordVectors(
        {label: vector / lengths[label] for label, vector in found.items() if lengths[label] > 0}, sha256
    )


def _from_model(path: Path, labels: Collection[str]) -> dict[str, NDArray[np.float64]]:
    """Vectors of a model of fastText."""
    try:
        from gensim.models.fasttext import load_facebook_vectors
    except ImportError:
        raise MissingExtraError("word vectors of a fastText model (.bin)", extra="vectors") from None
    try:
        model = load_facebook_vectors(str(path))
    except _NOT_A_MODEL as error:
        raise InputError(
            f"{path}: not a model of fastText, damaged, or quantised; download it again (.bin, not .ftz), or "
            "give word vectors in text (.vec)"
        ) from error
    return {label: np.asarray(model.get_vector(label), dtype=np.float64) for label in labels}


def _from_text(path: Path, labels: Collection[str]) -> dict[str, NDArray[np.float64]]:
    """Vectors of a text file."""
    # Compared as bytes: of millions of words few are wanted, and the others need not even be valid UTF-8.
    wanted = {label.replace(" ", "_").encode(): label for label in labels}
    found: dict[str, NDArray[np.float64]] = {}
    n_words = 0
    with path.open("rb") as lines:
        count, dimension = _head(lines.readline(), path)
        for n_words, line in enumerate(lines, start=1):
            word, _, rest = line.rstrip().partition(b" ")
            label = wanted.pop(word, None)
            # The first line always: a file with tabs, or of another dimension, may match no word at all.
            if label is not None or n_words == 1:
                numbers = _numbers(rest, dimension, f"{path.name}:{n_words + 1}")
            if label is not None:
                found[label] = numbers
    if n_words != count:
        raise RowError(
            f"the first line says {count:,} words, and there are {n_words:,}",
            where=path.name,
            fix="download the file again, or correct its first line",
        )
    return found


def _head(line: bytes, path: Path) -> tuple[int, int]:
    parts = line.split()
    if len(parts) == 2 and all(part.isdigit() for part in parts):
        return int(parts[0]), int(parts[1])
    raise RowError(
        "the first line is not 'count dimension'",
        where=f"{path.name}:1",
        fix="give word vectors in the text format of fastText or word2vec (.vec)",
    )


def _numbers(text: bytes, dimension: int, location: str) -> NDArray[np.float64]:
    try:
        vector = np.array(text.split(b" "), dtype=np.float64)
    except ValueError:
        vector = np.empty(0)
    if len(vector) != dimension or not np.isfinite(vector).all():
        raise RowError(
            f"not {dimension} finite numbers behind the word",
            where=location,
            fix="download the file again, or remove the word",
        )
    return vector
