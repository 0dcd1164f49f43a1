"""How often 95 % intervals over few clusters hold the true value.

``python benchmarks/interval_coverage.py`` prints a table: for two to ten clusters, the
share of simulated evaluations whose interval holds the truth, and its median width. With ``--simulations`` for
another number of them.
"""

import argparse

import numpy as np

from blend.eval.statistics import Clusters
from blend.eval.statistics.estimates import estimates

SIZES = range(2, 11)
SEED = 20261122

SHARES = {"templates, 50 % correct": 0.5, "templates, 70 %": 0.7, "templates, 90 %": 0.9}
"""Templates with one to six items each, of which a model knows a Beta-distributed share."""

SETTINGS = (*SHARES, "one item each, 90 % correct", "dishes, average precision 0.25", "two models, difference",
            "ratio of sums 1.5")  # fmt: skip


def simulated(setting: str, n_clusters: int, simulations: int) -> tuple[Clusters, float]:
    """Evaluations as groups over their clusters, and the true figure."""
    rng = np.random.default_rng((SEED, SETTINGS.index(setting), n_clusters))
    shape = (simulations, n_clusters)
    counts = np.ones(shape)
    if setting in SHARES:
        truth = SHARES[setting]
        counts = rng.integers(1, 7, size=shape).astype(float)
        totals = rng.binomial(counts.astype(int), rng.beta(2 * truth, 2 - 2 * truth, size=shape))
    elif setting == "one item each, 90 % correct":
        truth, totals = 0.9, rng.binomial(1, 0.9, size=shape)
    elif setting == "dishes, average precision 0.25":
        truth, totals = 0.25, rng.beta(0.5, 1.5, size=shape)
    elif setting == "two models, difference":
        counts = rng.integers(1, 7, size=shape).astype(float)
        first, second = rng.binomial(counts.astype(int), rng.beta(1.2, 0.8, size=(2, *shape)))
        truth, totals = 0.0, second - first
    else:
        expected = rng.uniform(0.2, 1.0, size=shape)
        truth, totals, counts = 1.5, rng.binomial(1, 0.75 * expected), expected / 2
    return Clusters(tuple(range(simulations)), totals.astype(float), counts), truth


def coverage(setting: str, n_clusters: int, *, simulations: int) -> tuple[float, float]:
    """Share of the intervals given that hold the truth, and their median width."""
    clusters, truth = simulated(setting, n_clusters, simulations)
    proportion = setting not in ("two models, difference", "ratio of sums 1.5")
    found = estimates(clusters, proportion=proportion, draws=1_000)
    given = [(one.low, one.high) for one in found if one.low is not None and one.high is not None]
    holds = [low <= truth <= high for low, high in given]
    return float(np.mean(holds)), float(np.median([high - low for low, high in given]))


def main() -> None:
    """Print how often intervals hold, by setting and number of clusters."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=1_000)
    used = parser.parse_args()
    print("| clusters |", " | ".join(map(str, SIZES)), "|")
    print("|---|" + "---:|" * len(SIZES))
    for setting in SETTINGS:
        cells = [coverage(setting, n, simulations=used.simulations) for n in SIZES]
        print(f"| {setting} |", " | ".join(f"{100 * share:.0f} % ({width:.2f})" for share, width in cells), "|")


if __name__ == "__main__":
    main()
