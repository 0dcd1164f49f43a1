"""The embedding judge with a real, tiny model: verdicts follow the cosine, each text is encoded once."""

import importlib.util
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blend.builders.judges.embedding import EmbeddingJudge
from blend.builders.judges.equivalence import Verdict
from blend.schemas.errors import BlendError

TEXTS = ["soccer", "football", "rice", "rice pudding", "얼음", "ቡና", "New Year's Eve", "a b c d e f g h i j"]
PAIRS = [(a, b) for a in TEXTS for b in TEXTS if a < b]


@pytest.fixture(scope="module")
def library() -> None:
    """The extra ``embed``, which the tests' own extra leaves out for its size."""
    if importlib.util.find_spec("sentence_transformers") is None:
        message = 'sentence-transformers is not here: in the checkout: pip install -e ".[embed]"'
        if os.environ.get("BLEND_REQUIRE_ALL") == "1":
            pytest.fail(message)
        pytest.skip(message)


@pytest.fixture(scope="module")
def model(shared: Path, tmp_path_factory: pytest.TempPathFactory, library: None) -> Path:
    from sentence_transformers import SentenceTransformer

    directory = tmp_path_factory.mktemp("models") / "tiny"
    SentenceTransformer(str(shared / "models" / "tiny-bert")).save_pretrained(str(directory))
    return directory


def cosines(model: Path) -> dict[tuple[str, str], float]:
    """Each pair's cosine, from vectors that are encoded one at a time and not normalised."""
    from sentence_transformers import SentenceTransformer

    encoder = SentenceTransformer(str(model))
    vectors = {text: encoder.encode(text, show_progress_bar=False) for text in TEXTS}
    lengths = {text: np.linalg.norm(vector) for text, vector in vectors.items()}
    return {(a, b): float(vectors[a] @ vectors[b] / (lengths[a] * lengths[b])) for a, b in PAIRS}


@pytest.mark.nightly
@pytest.mark.integration
def test_pairs_from_the_threshold_on_are_the_same_and_no_others_have_a_verdict(model: Path):
    expected = cosines(model)
    between = sorted(expected.values())
    # Between the two in the middle: neither side lies on the threshold.
    threshold = (between[13] + between[14]) / 2
    verdicts = EmbeddingJudge(str(model), threshold=threshold, batch_size=3).verdicts(PAIRS)
    assert verdicts == [
        Verdict(True, "embedding:tiny") if expected[pair] >= threshold else None for pair in PAIRS
    ]
    assert verdicts.count(None) == 14


@pytest.mark.nightly
@pytest.mark.integration
def test_a_text_is_the_same_as_itself_at_any_threshold_below_one(model: Path):
    pairs = [(text, f" {text} ") for text in TEXTS]
    assert None not in EmbeddingJudge(str(model), threshold=0.999999).verdicts(pairs)
    assert EmbeddingJudge(str(model), threshold=-1).verdicts([("soccer", "ቡና")]) != [None]


@pytest.mark.nightly
@pytest.mark.integration
def test_each_text_is_encoded_once(model: Path, monkeypatch: pytest.MonkeyPatch):
    from sentence_transformers import SentenceTransformer

    encoded: list[str] = []
    encode = SentenceTransformer.encode

    def watched(self: SentenceTransformer, texts: list[str], **options: Any) -> Any:
        encoded.extend(texts)
        return encode(self, texts, **options)

    monkeypatch.setattr(SentenceTransformer, "encode", watched)
    judge = EmbeddingJudge(str(model), threshold=0.5)
    assert judge.verdicts([]) == []
    first = judge.verdicts(PAIRS)
    assert judge.verdicts([(b, a) for a, b in PAIRS]) == first
    judge.verdicts([("soccer", "tea")])
    assert encoded == [*sorted(TEXTS), "tea"]


@pytest.mark.nightly
@pytest.mark.integration
def test_a_directory_that_holds_a_broken_model(tmp_path: Path, library: None):
    (tmp_path / "modules.json").write_text("[]")
    (tmp_path / "config_sentence_transformers.json").write_text("{")
    with pytest.raises(BlendError) as caught:
        EmbeddingJudge(str(tmp_path), threshold=0.5).verdicts([("soccer", "football")])
    assert str(caught.value).startswith(f"mcq.judge: model '{tmp_path}' cannot be loaded (")


def test_a_model_of_another_kind(tmp_path: Path):
    with pytest.raises(BlendError) as caught:
        EmbeddingJudge(str(tmp_path), threshold=0.5)
    assert str(caught.value) == (
        f"mcq.judge: {tmp_path} holds no modules.json, so it is not a sentence-transformers model; "
        "load it with SentenceTransformer, which adds mean pooling, and save it with save_pretrained"
    )


def test_names_hold_no_folder_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    directory = tmp_path / "minilm"
    directory.mkdir()
    (directory / "modules.json").write_text("[]")
    assert EmbeddingJudge(str(directory), threshold=0.5).name == "embedding:minilm"
    monkeypatch.chdir(directory)
    assert EmbeddingJudge(".", threshold=0.5).name == "embedding:minilm"
    assert EmbeddingJudge("org/name@v1.0", threshold=0.5).name == "embedding:org/name@v1.0"
