"""Places that differences allow."""

import numpy as np

from blend.eval.statistics import cluster_sums, ratio_draws
from blend.eval.statistics.paired import Rank, rank_intervals


def test_who_is_certainly_behind_is_placed_behind():
    # 200 templates: A right in 180, B in 100 of them, C in 96; B and C cannot be told apart.
    templates = np.arange(200)
    right = [templates < 180, templates % 2 == 0, (templates % 2 == 0) & (templates > 7)]
    right[2] = right[2] ^ (templates == 1) ^ (templates == 3)
    clusters = cluster_sums(np.concatenate(right), np.tile(templates, 3), np.repeat(["A", "B", "C"], 200))
    ranks = rank_intervals(clusters.ratios, ratio_draws(clusters, seed=0))
    assert ranks == (Rank(1, 1, 1), Rank(2, 2, 3), Rank(3, 2, 3))


def test_equal_figures_share_a_place():
    draws = np.random.default_rng(0).normal(size=(500, 2))
    assert rank_intervals(np.zeros(2), draws) == (Rank(1, 1, 2), Rank(1, 1, 2))


def test_figures_without_variation_are_told_apart_by_themselves():
    figures = np.array([0.2, 0.9, 0.2])
    assert rank_intervals(figures, np.tile(figures, (10, 1))) == (Rank(2, 2, 3), Rank(1, 1, 1), Rank(2, 2, 3))


def test_without_draws_every_place_is_possible():
    assert rank_intervals(np.array([0.1, 0.9]), np.full((3, 2), np.nan)) == (Rank(2, 1, 2), Rank(1, 1, 2))
