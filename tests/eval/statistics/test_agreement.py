"""Agreement, against Krippendorff's own example and its bounds."""

import numpy as np
import pytest

from blend.eval.statistics.agreement import alpha, pairwise_agreement


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
