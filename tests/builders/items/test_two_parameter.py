"""The two-parameter model agrees with a published package, and finds what was simulated."""

import numpy as np
import pytest

from blend.builders.items.two_parameter import fit_items

# Section 6 of the Law School Admission Test, 1,000 people and five items (Bock and Lieberman 1970, Fitting a
# response model for n dichotomously scored items, Psychometrika 35): answers, and how many people gave them.
LSAT6 = {
    "00000": 3, "00001": 6, "00010": 2, "00011": 11, "00100": 1, "00101": 1, "00110": 3, "00111": 4,
    "01000": 1, "01001": 8, "01011": 16, "01101": 3, "01110": 2, "01111": 15, "10000": 10, "10001": 29,
    "10010": 14, "10011": 81, "10100": 3, "10101": 28, "10110": 15, "10111": 80, "11000": 16, "11001": 56,
    "11010": 21, "11011": 173, "11100": 11, "11101": 61, "11110": 28, "11111": 298,
}  # fmt: skip


@pytest.fixture(scope="module")
def lsat6() -> np.ndarray:
    answers = [list(map(float, pattern)) for pattern, n in LSAT6.items() for _ in range(n)]
    return np.array(answers)


@pytest.mark.slow
def test_the_estimates_of_a_published_package(lsat6: np.ndarray):
    # R's ltm, ltm(LSAT ~ z1): difficulties and discriminations with four digits, log-likelihood -2466.653.
    found = fit_items(lsat6, priors=False, tolerance=1e-6)
    assert found.converged
    assert found.log_likelihood == pytest.approx(-2466.653, abs=2e-3)
    assert found.slope == pytest.approx([0.8254, 0.7229, 0.8905, 0.6886, 0.6575], abs=1e-3)
    difficulty = -found.intercept / found.slope
    assert difficulty == pytest.approx([-3.3597, -1.3696, -0.2799, -1.8659, -3.1236], abs=3e-3)


def simulated(n_models: int, n_items: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    ability, slope = rng.normal(size=n_models), np.exp(rng.normal(0, 0.5, n_items))
    intercept = -slope * rng.normal(0, 1.5, n_items)
    chances = 1 / (1 + np.exp(-(np.outer(ability, slope) + intercept)))
    return (rng.random(chances.shape) < chances).astype(float), ability, slope, intercept


@pytest.mark.nightly
def test_what_was_simulated_is_found():
    correct, ability, slope, intercept = simulated(300, 300)
    found = fit_items(correct)
    for truth, estimate, least in (
        (ability, found.abilities.mean, 0.99),
        (intercept, found.intercept, 0.97),
        (slope, found.slope, 0.85),
    ):
        assert np.corrcoef(truth, estimate)[0, 1] > least
