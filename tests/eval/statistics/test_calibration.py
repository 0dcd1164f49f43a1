"""Calibration: by hand, against scikit-learn where it is installed, and what always holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.statistics.agreement import auroc, coverage_weights, expected_calibration_error

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


def test_coverage_by_hand():
    assert coverage_weights([0.1, 0.9, 0.5, 0.7], 0.5).tolist() == [0, 1, 0, 1]
    # Of three that are equally sure one may be given: a third of each. Who says nothing comes last.
    assert coverage_weights([0.5, 0.9, 0.5, 0.5], 0.5).tolist() == pytest.approx([1 / 3, 1, 1 / 3, 1 / 3])
    assert coverage_weights([np.nan, 0.0], 0.5).tolist() == [0, 1]


@given(ANSWERS, st.sampled_from([0.5, 0.8, 0.9, 1.0]))
def test_bounds(answers, coverage):
    sure, right = zip(*answers, strict=True)
    assert 0 <= expected_calibration_error(sure, right) <= 1
    area = auroc(sure, right)
    assert area is None or 0 <= area <= 1
    turned = auroc(sure, [not one for one in right])
    assert area is None or area == pytest.approx(1 - turned)
    weights = coverage_weights(sure, coverage)
    assert weights.sum() == pytest.approx(coverage * len(sure))
    assert np.all((weights >= 0) & (weights <= 1))
