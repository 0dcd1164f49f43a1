"""Ranking: places among candidates, ties, what follows from the places, and the word vectors that help.

What a wrong file of vectors in text is told stands in `tests/told.toml`.
"""

import hashlib
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from blend.eval.tasks.probing.ranking import WordVectors, candidate_sets, ranked, read_vectors
from helpers.messages import wrong

NAMES = ("apple", "bread", "egg", "salt", "water")
SETS = candidate_sets(pl.DataFrame({"candidate_set": "en", "candidate": list(NAMES)}))


def rank(
    logprobs: list[float | None], tokens: list[int], gold: list[str], *, shorter_first: bool = False
) -> tuple[list[int | None], list[str], int]:
    rows = pl.DataFrame(
        {"gold": [gold], "candidate_set": ["en"], "logprobs": [logprobs], "option_tokens": [tokens]}
    )
    [found] = ranked(rows, SETS, per_token=True, shorter_first=shorter_first).rows()
    return found[:3]


def test_equal_scores_stand_in_code_point_order():
    assert rank([-1] * 5, [1] * 5, ["salt"])[1] == list(NAMES)


def test_equal_scores_of_masked_models_the_shorter_first():
    # All means are -1.
    found = rank([-3, -1, -2, -1, -2], [3, 1, 2, 1, 2], ["apple"], shorter_first=True)
    assert found == ([4], ["bread", "salt", "egg", "water", "apple"], 5)


def test_a_gold_label_without_a_rank_drops_out_of_the_precision():
    rows = {"gold": [["egg", "none"]], "candidate_set": ["en"], "logprobs": [[-1.0, -2.0, -1.5, -3.0, -4.0]]}
    found = ranked(pl.DataFrame(rows | {"option_tokens": [[1] * 5]}), SETS, per_token=True, shorter_first=False)
    assert found.select("ranks", "precision", "hits_1", "hits_5").row(0) == ([1, None], 1 / 2, 0, 1)


# Word vectors

LABELS = ("egg", "soy sauce", "zero", "absent")
FILE = "4 2\negg 3 4\nsoy_sauce 1 0\nzero 0 0\nother 5 5 \n"


@pytest.fixture
def vectors(tmp_path: Path) -> WordVectors:
    (tmp_path / "words.vec").write_text(FILE, encoding="utf-8")
    return read_vectors(tmp_path / "words.vec", LABELS)


def test_labels_are_looked_up_with_underscores_for_blanks(vectors: WordVectors):
    assert {label: vector.tolist() for label, vector in vectors.vectors.items()} == {
        "egg": [0.6, 0.8],
        "soy sauce": [1.0, 0.0],
    }
    # The zero vector is none.
    assert vectors.covered(LABELS) == 2


def test_similarity_is_the_mean_of_the_highest_cosines(vectors: WordVectors):
    # egg: cosine with soy sauce 0.6, with itself 1.
    assert vectors.similarity(["egg"], ["soy sauce"]) == pytest.approx(0.6)
    assert vectors.similarity(["egg", "soy sauce"], ["soy sauce", "zero"]) == pytest.approx((0.6 + 1) / 2)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model in the format of fastText."""
    from gensim.models.fasttext import FastText, save_facebook_model

    sentences = [["soy", "egg", "noodle"], ["egg", "rice", "soy"], ["rice", "noodle", "beans"]] * 5
    trained = FastText(
        sentences, vector_size=4, min_count=1, min_n=3, max_n=4, bucket=50, epochs=1, workers=1, seed=1
    )
    path = tmp_path_factory.mktemp("fasttext") / "words.bin"
    save_facebook_model(trained, str(path))
    return path


def fnv1a(text: bytes) -> int:
    """The hash of fastText, in which a byte is a signed number."""
    value = 2166136261
    for byte in text:
        value = ((value ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) & 0xFFFFFFFF
    return value


@pytest.mark.nightly
def test_a_label_that_a_model_does_not_know_gets_the_mean_of_its_parts(model: Path):
    from gensim.models.fasttext import load_facebook_vectors

    buckets = load_facebook_vectors(str(model)).vectors_ngrams
    label = "<soy épicé>"
    parts = [label[start : start + n] for n in (3, 4) for start in range(len(label) - n + 1)]
    mean = np.mean([buckets[fnv1a(part.encode()) % 50] for part in parts], axis=0, dtype=np.float64)
    vectors = read_vectors(model, ("soy épicé", "egg"))
    assert vectors.covered(("soy épicé", "egg")) == 2
    np.testing.assert_allclose(vectors.vectors["soy épicé"], mean / np.linalg.norm(mean), atol=1e-6)
    assert vectors.sha256 == hashlib.sha256(model.read_bytes()).hexdigest()


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["text", "truncated", "numbers"])
def test_what_is_not_a_model_is_refused(model: Path, tmp_path: Path, damage: str):
    content = {
        "text": b"4 2\negg 3 4\n",
        "truncated": model.read_bytes()[:-100],
        "numbers": model.read_bytes()[:60] + b"\xff" * 200,
    }[damage]
    path = tmp_path / "other.bin"
    path.write_bytes(content)
    assert wrong(lambda: read_vectors(path, LABELS)) == (
        f"{path}: not a model of fastText, damaged, or quantised; download it again (.bin, not .ftz), or give "
        "word vectors in text (.vec)"
    )
