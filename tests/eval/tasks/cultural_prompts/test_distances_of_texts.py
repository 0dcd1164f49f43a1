"""WED and BLEU of any texts are those of their definitions, computed pair by pair and gram by gram."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.eval.tasks.cultural_prompts.text_measures import (
    ORDERS,
    bleu,
    code_topic,
    directed_bleu,
    pair_sums,
    wed,
)
from helpers.examples import examples

N_GROUPS = 3
TEXTS = st.lists(
    st.tuples(st.integers(0, N_GROUPS - 1), st.lists(st.sampled_from("abcde"), max_size=9)), max_size=12
)


def plain_wed(a: list[str], b: list[str]) -> float:
    row = list(range(len(b) + 1))
    for i, token in enumerate(a, start=1):
        before, row[0] = row[0], i
        for j, other in enumerate(b, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (token != other))
    return row[-1] / max(len(a), len(b), 1)


def grams(text: list[str], order: int) -> Counter:
    return Counter(tuple(text[start : start + order]) for start in range(len(text) - order + 1))


def plain_bleu(hypotheses: list[list[str]], references: list[list[str]]) -> float:
    hypotheses, references = ([text for text in texts if text] for texts in (hypotheses, references))
    if not (hypotheses and references):
        return float("nan")
    logs = 0.0
    for order in range(1, ORDERS + 1):
        merged: Counter = Counter()
        for reference in references:
            merged |= grams(reference, order)
        matches = sum((grams(text, order) & merged).total() for text in hypotheses)
        if not matches:
            return 0.0
        logs += math.log(matches / sum(max(0, len(text) - order + 1) for text in hypotheses))
    written, shortest = sum(map(len, hypotheses)), len(hypotheses) * min(map(len, references))
    return math.exp(min(0.0, 1 - shortest / written) + logs / ORDERS)


def by_group(texts: list[tuple[int, list[str]]]) -> list[list[list[str]]]:
    return [[text for of, text in texts if of == group] for group in range(N_GROUPS)]


@pytest.mark.nightly
@settings(max_examples=examples(150), deadline=None)
@given(texts=TEXTS)
def test_wed_is_that_of_its_definition(texts):
    found = pair_sums(code_topic([text for _, text in texts], [group for group, _ in texts], N_GROUPS))
    groups = by_group(texts)
    for i, first in enumerate(groups):
        for j, second in enumerate(groups):
            values = [plain_wed(a, b) for a in first for b in second]
            assert found.sums[i, j] == pytest.approx(sum(values), abs=1e-9)
            assert found.squares[i, j] == pytest.approx(sum(value**2 for value in values), abs=1e-9)
    means = wed(found)
    assert np.array_equal(means, means.T, equal_nan=True)
    assert np.isnan(means).any() == any(not texts for texts in groups)


@pytest.mark.nightly
@pytest.mark.slow
@settings(max_examples=examples(150), deadline=None)
@given(texts=TEXTS)
def test_bleu_is_that_of_its_definition(texts):
    topic = code_topic([text for _, text in texts], [group for group, _ in texts], N_GROUPS)
    groups = by_group(texts)
    expected = np.array([[plain_bleu(first, second) for second in groups] for first in groups])
    np.testing.assert_allclose(directed_bleu(topic), expected, rtol=0, atol=1e-9)
    pairwise = bleu(topic, kind="pairwise")
    for i, first in enumerate(groups):
        for j, second in enumerate(groups):
            pairs = [(a, b) for a in first for b in second if a and b]
            values = [(plain_bleu([a], [b]) + plain_bleu([b], [a])) / 2 for a, b in pairs]
            mean = np.mean(values) if values else np.nan
            assert pairwise[i, j] == pytest.approx(mean, abs=1e-9, nan_ok=True)
