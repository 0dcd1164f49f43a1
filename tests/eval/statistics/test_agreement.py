"""Agreement and calibration: by hand, against others' figures, and what holds for all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.statistics.agreement import (
    alpha,
    auroc,
    expected_calibration_error,
    pairwise_agreement,
)


def test_krippendorffs_example():
    # Krippendorff (2011), section A: two observers, 10 articles, binary; alpha = 0.095.
    meg = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    owen = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    yes = np.array(meg) + np.array(owen)
    found = alpha(yes, [2] * 10, range(10))
    assert found.value == pytest.approx(0.095, abs=5e-4)
    assert found.n == 10
    assert pairwise_agreement(yes, [2] * 10, range(10)).value == pytest.approx(0.6)


def test_full_agreement_and_none():
    assert alpha([2, 0, 2], [2, 2, 2], list("abc")).value == 1
    # Everybody says the same of everything: chance would give that as well.
    assert alpha([2, 2], [2, 2], list("ab")).value is None


ANSWERS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]), st.booleans()), min_size=1, max_size=30
)


def test_calibration_error_by_hand():
    # Bins (0, 1/2] and (1/2, 1]: |0.5 - (0.2 + 0.5) / 2| of two answers, |1 - 0.9| of one.
    found = expected_calibration_error([0.2, 0.5, 0.9], [1, 0, 1], bins=2)
    assert found == pytest.approx((2 * 0.15 + 1 * 0.1) / 3)
    assert expected_calibration_error([0.0, 1.0], [0, 1]) == 0
    assert expected_calibration_error([1.0, 1.0], [0, 1]) == 0.5
    assert expected_calibration_error([], []) is None


def test_area_by_hand():
    # Pairs of a correct and a wrong one: 0.9 over 0.8, 0.9 over 0.3, 0.3 under 0.8, a tie.
    assert auroc([0.9, 0.3, 0.8, 0.3], [1, 1, 0, 0]) == (1 + 1 + 0 + 0.5) / 4
    assert auroc([0.9, 0.3], [1, 1]) is None
    assert auroc([], []) is None


@given(ANSWERS)
def test_bounds(answers):
    sure, right = zip(*answers, strict=True)
    assert 0 <= expected_calibration_error(sure, right) <= 1
    area = auroc(sure, right)
    assert area is None or 0 <= area <= 1
    turned = auroc(sure, [not one for one in right])
    assert area is None or area == pytest.approx(1 - turned)
