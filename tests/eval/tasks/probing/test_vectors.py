"""Word vectors: what is read; what a wrong file of text is told stands in `tests/told.toml`."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from blend.eval.tasks.probing.ranking import WordVectors, read_vectors
from helpers.messages import wrong

pytestmark = pytest.mark.slow  # for what its tests share

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
