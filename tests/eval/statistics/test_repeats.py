"""Repeated answers: by hand, what repeats never change, and how often the intervals hold."""

import numpy as np
import pytest

from blend.eval.statistics.estimates import repeated_score


def test_both_parts_by_hand():
    # Two templates of a question each, asked twice: (1, 0) and (1, 1). The mean is 3/4; the first varies by
    # 1/2, so the repeats by 2 * 1/2 / 4**2 = 1/16. Sums around the mean are -1/2 and 1/2: in all
    # 2 * (1/4 + 1/4) / 4**2.
    found = repeated_score([1, 0, 1, 1], ["a", "a", "b", "b"], ["s", "s", "t", "t"])
    assert found.between_runs.value == 3 / 4
    assert found.repeats_error == pytest.approx(np.sqrt(1 / 16))
    # Nothing is left for the questions, which is no proof that they do not vary.
    assert found.items_error is None
    # Student's t with two degrees of freedom; a share is 1 at most.
    assert (found.between_runs.low, found.between_runs.high) == (0.0, 1.0)


def test_the_mean_over_groups_weighs_groups_alike():
    # One group of one question that is always right, one of two that never are.
    found = repeated_score([1, 1, 0, 0, 0, 0], [1, 1, 2, 2, 3, 3], [1, 1, 2, 2, 3, 3], ["a"] * 2 + ["b"] * 4)
    assert found.between_runs.value == 1 / 2
    # All answers to a question are alike, and so is what the two regions are above and below their means.
    assert (found.items_error, found.repeats_error) == (None, None)


@pytest.mark.parametrize("values", [[1.0], [1.0] * 3, [0.1] * 3])
def test_what_does_not_vary_is_unknown_and_not_certain(values: list[float]):
    found = repeated_score(values, ["a"] * len(values), ["s"] * len(values))
    assert (found.between_runs.low, found.between_runs.high) == (None, None)
    assert (found.items_error, found.repeats_error) == (None, None)
