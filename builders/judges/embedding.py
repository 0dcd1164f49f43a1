"""The embedding judge: answers whose sentence vectors point the same way mean the same."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from blend.builders.judges.equivalence import Pair, Verdict
from blend.schemas.errors import InputError, MissingExtraError
from blend.schemas.language.text_comparison import clean

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer

_MODULES = "modules.json"
_MOVING = ("main", "master", "HEAD")


class EmbeddingJudge:
    """Same from a cosine similarity on, no opinion below it: unlike vectors do not prove unlike meanings.

    Each distinct text is encoded once in the judge's life, in batches, in single precision, on a GPU if there
    is one. Another machine may differ in the last digits of a similarity, and so on a pair that lies on the
    threshold to six digits; write such a pair into the decisions.
    """

    def __init__(self, model: str, *, threshold: float, batch_size: int = 256) -> None:
        """Prepare, without loading anything yet.

        Args:
            model: Directory of a sentence-transformers model, or ``org/name@revision`` on the Hub.
            threshold: Cosine similarity in [-1, 1] from which two answers are the same.
            batch_size: Texts encoded at a time.

        Raises:
            InputError: If the model is neither such a directory nor a Hub id with a pinned revision.
        """
        self._source, self._revision = _located(model)
        self.name = f"embedding:{_shown(self._source, self._revision)}"
        self._threshold = threshold
        self._batch_size = batch_size
        self._model: SentenceTransformer | None = None
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        """See `Judge.verdicts`.

        Raises:
            MissingExtraError: If sentence-transformers is not installed.
            InputError: If the model cannot be loaded.
        """
        cleaned = [(clean(a), clean(b)) for a, b in pairs]
        self._encode(text for pair in cleaned for text in pair)
        similar = (float(self._vectors[a] @ self._vectors[b]) >= self._threshold for a, b in cleaned)
        return [Verdict(True, self.name) if same else None for same in similar]

    def _encode(self, texts: Iterable[str]) -> None:
        # Sorted, so that batches, and with them the last digits, do not depend on the order of the pairs.
        new = sorted(set(texts) - self._vectors.keys())
        if not new:
            return
        if self._model is None:
            self._model = _loaded(self._source, self._revision)
        vectors = self._model.encode(
            new,
            batch_size=self._batch_size,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        self._vectors.update(zip(new, np.asarray(vectors, dtype=np.float32), strict=True))


def _located(model: str) -> tuple[str, str | None]:
    if Path(model).is_dir():
        if not (Path(model) / _MODULES).is_file():
            raise InputError(
                f"mcq.judge: {model} holds no {_MODULES}, so it is not a sentence-transformers model; "
                "load it with SentenceTransformer, which adds mean pooling, and save it with save_pretrained"
            )
        return model, None
    name, _, revision = model.partition("@")
    if name.count("/") != 1 or name.startswith((".", "/")):
        raise InputError(
            f"mcq.judge: model {model!r} is neither a directory nor a Hub id; "
            "give the directory of a sentence-transformers model, or 'org/name@commit'"
        )
    if not revision or revision in _MOVING:
        raise InputError(
            f"mcq.judge: model {model!r} is not pinned, so a rebuild may decide otherwise; "
            f"write '{name}@' and a commit or tag"
        )
    return name, revision


def _shown(source: str, revision: str | None) -> str:
    """The model as a release names it: a directory without the folders of this machine."""
    return f"{source}@{revision}" if revision else Path(source).resolve().name


def _loaded(source: str, revision: str | None) -> "SentenceTransformer":
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingExtraError("the embedding judge", extra="embed") from error
    try:
        return SentenceTransformer(source, revision=revision, local_files_only=revision is None)
    except (OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(
            f"mcq.judge: model {source!r} cannot be loaded ({reason}); "
            "give the directory of a sentence-transformers model, or 'org/name@commit'"
        ) from error
