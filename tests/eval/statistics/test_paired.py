"""Models on the same items: tests of their differences."""

from itertools import product

import numpy as np
import pytest

from blend.eval.statistics import cluster_sums
from blend.eval.statistics.estimates import holm, macro_test, paired_tests


def test_the_p_value_is_that_of_all_exchanges():
    # Six templates: of all 2 ** 6 sets of signs, those with a sum at least as far from 0 as the one found.
    differences = np.array([3.0, 1.0, 2.0, -1.0, 2.0, 1.0])
    sums = [abs(np.dot(signs, differences)) for signs in product([-1, 1], repeat=6)]
    exact = np.mean(np.array(sums) >= abs(differences.sum()))
    (found,) = paired_tests(cluster_sums(differences, np.arange(6)), permutations=100_000)
    assert exact == 0.125
    assert found.p_value == pytest.approx(exact, abs=0.004)
    assert found.estimate.value == differences.mean()


def test_models_that_agree_do_not_differ():
    (found,) = paired_tests(cluster_sums(np.zeros(20), np.arange(20)))
    assert (found.estimate.value, found.estimate.low, found.estimate.high) == (0, 0, 0)
    assert found.p_value == 1.0


def test_templates_are_exchanged_not_items():
    # 100 items in the same direction, but all of two templates: two coins cannot show much (p >= 1/2).
    (found,) = paired_tests(cluster_sums(np.ones(100), np.repeat([0, 1], 50)))
    assert found.p_value == pytest.approx(0.5, abs=0.02)


def test_the_smallest_p_value_is_not_zero():
    (found,) = paired_tests(cluster_sums(np.ones(60), np.arange(60)), permutations=999)
    assert found.p_value == 1 / 1000


def test_every_group_has_a_comparison():
    differences = cluster_sums([1, 1, 0, -1], ["a", "b", "a", "b"], ["KR", "KR", "GB", "GB"])
    assert [c.estimate.value for c in paired_tests(differences)] == [-0.5, 1.0]


def test_in_the_macro_difference_every_group_counts_the_same():
    # KR is 1 ahead in its only item, GB 0.2 behind over ten.
    differences = cluster_sums([1, *[-1] * 2, *[0] * 8], list("aabcdefghij"), ["KR", *["GB"] * 10])
    assert macro_test(differences).estimate.value == pytest.approx((1 - 0.2) / 2)


def test_holm_by_hand():
    # Sorted 0.01, 0.02, 0.03, 0.04 times 4, 3, 2, 1 = 0.04, 0.06, 0.06, 0.04; none below an earlier one.
    assert holm([0.04, 0.01, 0.03, 0.02]).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.9, 0.9]).tolist() == [1.0, 1.0]
    assert holm([]).tolist() == []
