"""Learning: weights of scores fit as well as any do."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from blend.builders.audit.question_arrays import question_arrays
from blend.builders.audit.solvers import _choice_weights, _wrong_options


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 60), rare=st.floats(0, 1000))
def test_weights_are_the_best_ones_also_where_a_score_is_rare_and_large(seed: int, n: int, rare: float):
    rng = np.random.default_rng(seed)
    asked = question_arrays(
        pl.DataFrame(
            {
                "options": [["a", "b", "c", "d"][: 2 + i % 3] for i in range(n)],
                "answer": rng.integers(0, 2, n),
                "group": ["g"] * n,
                "template": [f"t{i}" for i in range(n)],
            }
        )
    )
    scores = rng.normal(size=(len(asked.text), 3))
    scores[asked.correct, 0] += 1
    scores[:, 2] = np.where(rng.random(len(asked.text)) < 0.05, rare, 0.0)

    def loss(weights: np.ndarray) -> float:
        by_question = np.split(scores @ weights, asked.starts[1:])
        chosen = scores[asked.correct] @ weights
        return float(sum(map(logsumexp, by_question)) - chosen.sum() + weights @ weights / 2)

    wrong = [of_size for _, of_size in _wrong_options(asked, scores)]
    found = _choice_weights(wrong, np.zeros(3))
    # The loss is convex: where no weight around is better, none is anywhere.
    around = [found + sign * 1e-3 * axis for axis in np.eye(3) for sign in (-1, 1)]
    assert min(map(loss, around)) > loss(found)
    np.testing.assert_allclose(_choice_weights(wrong, np.full(3, 0.7)), found, atol=1e-6)
