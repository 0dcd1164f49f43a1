"""Repeated answers: by hand, what repeats never change, and how often the intervals hold."""

import numpy as np
import pytest

from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import estimates
from blend.eval.statistics.repeats import repeated_score


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


def drawn(rng, n_templates, samples):
    """Templates of three questions; each question has a chance of its own around that of its template."""
    template = rng.beta(2, 1, size=n_templates)
    chance = rng.beta(8 * np.repeat(template, 3) + 0.05, 8 * (1 - np.repeat(template, 3)) + 0.05)
    values = rng.binomial(1, np.repeat(chance, samples))
    questions = np.repeat(np.arange(3 * n_templates), samples)
    return values, questions, questions // 3, chance


@pytest.mark.integration
@pytest.mark.nightly
@pytest.mark.parametrize(("n_templates", "samples"), [(20, 5), (60, 2), (60, 5), (200, 3)])
def test_intervals_of_repeated_answers_hold(n_templates, samples):
    rng = np.random.default_rng(n_templates + samples)
    of_the_kind = drawn(np.random.default_rng(0), 200_000, 1)[3].mean()
    held = {"questions": 0, "runs": 0}
    both, alone = [], []
    for _ in range(1_000):
        values, questions, templates, chance = drawn(rng, n_templates, samples)
        (score,) = estimates(cluster_sums(values, templates))
        found = repeated_score(values, questions, templates)
        held["questions"] += score.low <= of_the_kind <= score.high
        held["runs"] += found.between_runs.low <= chance.mean() <= found.between_runs.high
        both.append(score.value)
        alone.append(((found.items_error or 0) ** 2, found.repeats_error**2))
    assert 0.925 <= held["questions"] / 1_000 <= 0.97
    assert 0.93 <= held["runs"] / 1_000 <= 0.97
    # Both parts together are the variance that the score really has.
    assert sum(np.mean(alone, axis=0)) == pytest.approx(np.var(both), rel=0.12)
    # Repeats taken for further questions would promise far too much.
    as_questions = cluster_sums(values, np.arange(len(values)))
    (wrong,) = estimates(as_questions)
    assert wrong.high - wrong.low < 0.85 * (score.high - score.low)
