"""The published analysis, figure by figure: the goldens of ``golden/extrinsic``, both definitions."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from blend.eval.tasks.cultural_prompts.group_statistics import (
    agreement,
    anova,
    distances,
    published_variances,
    tau_c,
    tau_of_names,
)
from blend.eval.tasks.cultural_prompts.text_measures import (
    CodedTopic,
    PairSums,
    code_topic,
    directed_bleu,
    nltk_tokens,
    pair_sums,
    undirected,
    wed,
)
from blend.eval.tasks.cultural_prompts.topic_analysis import counts_as_word, stop_words, top_words, word_counts
from blend.loaders.surveys import read_survey

pytestmark = pytest.mark.slow

TOPICS = ("elections", "honesty")
DEFINITIONS = ("paper", "reference_code")


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "golden" / "extrinsic"


@pytest.fixture(scope="module")
def small(folder: Path) -> dict:
    return json.loads((folder / "metrics_small.json").read_text())


@pytest.fixture(scope="module")
def similarity(folder: Path) -> dict:
    return json.loads((folder / "similarity.json").read_text())


@pytest.fixture(scope="module")
def rows(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "responses.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def groups(similarity: dict) -> list[str]:
    return similarity["nationalities"]


@pytest.fixture(scope="module")
def topics(rows: list[dict], groups: list[str]) -> dict[str, CodedTopic]:
    return {
        topic: code_topic(
            [nltk_tokens(row["text"]) for row in rows if row["topic"] == topic],
            [groups.index(row["nationality"]) for row in rows if row["topic"] == topic],
            len(groups),
        )
        for topic in TOPICS
    }


@pytest.fixture(scope="module")
def pairs(topics: dict[str, CodedTopic]) -> dict[str, PairSums]:
    return {name: pair_sums(topic) for name, topic in topics.items()}


def close(found: object, expected: object) -> None:
    np.testing.assert_allclose(np.asarray(found, float), np.asarray(expected, float), rtol=0, atol=1e-9)


def coded(*groups: list[list[str]]) -> CodedTopic:
    texts = [text for group in groups for text in group]
    return code_topic(texts, [number for number, group in enumerate(groups) for _ in group], len(groups))


def bleu(topic: CodedTopic, kind: str = "multi-reference", definition: str = "paper") -> np.ndarray:
    return undirected(directed_bleu(topic, kind=kind), definition=definition)


def test_tokens(small):
    for case in small["tokenisation_lowercased"]:
        assert nltk_tokens(case["text"]) == case["tokens"]


def test_pairs_of_texts(small):
    for case in small["pairs"]:
        a, b = nltk_tokens(case["a"]), nltk_tokens(case["b"])
        assert (a, b) == (case["tokens_a"], case["tokens_b"])
        topic = coded([a], [b])
        close(wed(pair_sums(topic))[0, 1], case["wed"])
        assert round(wed(pair_sums(topic))[0, 1] * max(len(a), len(b))) == case["edit_distance"]
        close(directed_bleu(topic)[0, 1], case["bleu_a_hypothesis"])
        close(directed_bleu(topic)[1, 0], case["bleu_b_hypothesis"])
        close(bleu(topic)[0, 1], case["bleu_symmetric"])


def test_groups_of_texts(small):
    case = small["groups"]
    topic = coded(case["A"], case["B"])
    sums = pair_sums(topic)
    close(wed(sums)[0, 1], case["wed_mean_over_sample_pairs"])
    close(directed_bleu(topic)[0, 1], case["bleu_multiref_A_hypotheses"])
    close(directed_bleu(topic)[1, 0], case["bleu_multiref_B_hypotheses"])
    close(bleu(topic)[0, 1], case["bleu_symmetric_multiref"])
    close(bleu(topic, kind="pairwise")[0, 1], case["bleu_symmetric_pairwise_mean"])
    for definition in DEFINITIONS:
        alone = pair_sums(coded(case["A"]))
        close(published_variances(alone, definition=definition).within, case[f"variance_within_A_{definition}"])


def test_variance_across_from_distances(small):
    case = small["variance_across"]
    matrix = np.array(case["wed_matrix"])
    one_each = PairSums(matrix, matrix**2, np.ones(3, dtype=np.int64), np.zeros((3, 3), bool))
    for definition in DEFINITIONS:
        close(published_variances(one_each, definition=definition).across, case[definition])


@pytest.mark.parametrize("topic", TOPICS)
def test_similarity(similarity, topics, pairs, topic):
    expected = similarity["topics"][topic]
    close(wed(pairs[topic]), expected["paper"]["wed"])
    diagonal = np.diag(pairs[topic].sums) / np.diag(pairs[topic].n_pairs)
    close(diagonal, expected["paper"]["wed_diagonal_mean_over_sample_pairs"])
    close(bleu(topics[topic]), expected["paper"]["bleu_symmetric_multiref"])
    close(bleu(topics[topic], kind="pairwise"), expected["paper"]["bleu_symmetric_pairwise_mean"])
    close(directed_bleu(topics[topic]), expected["paper"]["bleu_directed_multiref_hyp_row_ref_column"])
    close(wed(pairs[topic], definition="reference_code"), expected["reference_code"]["wer"])
    close(bleu(topics[topic], definition="reference_code"), expected["reference_code"]["bleu"])


def of_group(pairs: PairSums, number: int) -> PairSums:
    one = slice(number, number + 1)
    return PairSums(pairs.sums[one, one], pairs.squares[one, one], pairs.samples[one], pairs.same[one, one])


def test_variance(folder, groups, pairs):
    expected = json.loads((folder / "variance.json").read_text())
    for definition in DEFINITIONS:
        found = [published_variances(pairs[topic], definition=definition) for topic in TOPICS]
        for topic, one in zip(TOPICS, found, strict=True):
            published = expected["topics"][topic][definition]
            close(one.across, published["across"])
            close(one.within, published["within_mean"])
            if definition == "paper":
                for number, group in enumerate(groups):
                    alone = published_variances(of_group(pairs[topic], number))
                    close(alone.within, published["within_per_nationality"][group])
        tested = anova([one.within for one in found], [one.across for one in found])
        close(tested, [expected["anova"][definition][name] for name in ("F", "p")])


def test_words_of_three_documents(small):
    case = small["tfidf"]
    names = list(case["documents"])
    texts = list(case["documents"].values())
    counts = word_counts(coded(*([text] for text in texts)), case["stopwords"])
    words = top_words(counts, len(names), top=25)
    for number, name in enumerate(names):
        of_group = words.filter(pl.col("group") == number)
        assert of_group["word"].to_list() == [word for word, _ in case["scores"][name]]
        close(of_group["score"], [score for _, score in case["scores"][name]])


def test_words(folder, topics, groups):
    expected = json.loads((folder / "tfidf.json").read_text())
    counts = [word_counts(topics[topic], stop_words(), position=n) for n, topic in enumerate(TOPICS)]
    for scope, of in {"politics": counts[:1], "moral_values": counts[1:], "overall": counts}.items():
        words = top_words(pl.concat(of), len(groups), top=25)
        # Under both definitions: they differ in nothing that these texts show.
        for definition in ("paper_top25", "reference_code_top25"):
            for number, group in enumerate(groups):
                of_group = words.filter(pl.col("group") == number)
                published = expected[definition][scope][group]
                close(of_group["score"], [score for _, score in published])
                # The last score of the list can be shared with words that it has no room for.
                last = published[-1][1]
                assert {
                    w for w, s in zip(of_group["word"], of_group["score"], strict=True) if s > last + 1e-9
                } == {word for word, score in published if score > last + 1e-9}


def test_stop_words_are_those_of_nltk(folder):
    listed = (folder / "stopwords_english_179.txt").read_text().split()
    assert stop_words() == set(listed)


def test_what_counts_as_a_word():
    kept = ["n't", "'s", "...", "--", "1,000", "ab", "é1"]
    left_out = ["a", "12", "½½", "''", "``", "3.5", "nan", "inf", "infinity", "1e5", "the", "’"]
    assert [token for token in kept + left_out if counts_as_word(token, {"the"})] == kept


def test_kendall(folder, groups, topics, pairs, surveys):
    expected = json.loads((folder / "kendall.json").read_text())
    for survey, path in surveys.items():
        culture = distances(read_survey(path, survey), groups)
        published = expected[survey]
        assert list(culture.groups) == published["distance_matrix_nationalities"]
        np.testing.assert_allclose(
            culture.matrix, np.array(published["distance_matrix"], dtype=float), rtol=1e-12, atol=1e-9
        )
        for topic in TOPICS:
            for definition in DEFINITIONS:
                alike = {
                    "bleu": bleu(topics[topic], definition=definition),
                    "wer": -wed(pairs[topic], definition=definition),
                }
                for measure, likeness in alike.items():
                    found = agreement(
                        likeness, groups, culture, definition=definition, least_first=measure == "bleu"
                    )
                    case = published[measure][topic][definition]
                    close(found["tau"].mean(), case["mean_over_anchors"])
                    if definition == "paper":
                        of_anchors = [case["per_anchor"][anchor] for anchor in culture.groups]
                        close(found["tau"], [one["tau_c"] for one in of_anchors])
                        close(found["p"], [one["p"] for one in of_anchors])
                        assert found["n"].to_list() == [one["n"] for one in of_anchors]


def test_tau_of_the_paper_s_example(small):
    case = small["tau_c_paper_example"]
    names = sorted(case["by_similarity"])
    similarity = np.array([-case["by_similarity"].index(name) for name in names], dtype=float)
    closeness = np.array([-case["by_cultural_closeness"].index(name) for name in names], dtype=float)
    close(tau_c(similarity, closeness)[0], case["correct"])
    close(tau_of_names(names, similarity, closeness), case["reference_code_after_dropping_the_first"])
