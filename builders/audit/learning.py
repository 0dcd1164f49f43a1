"""Learning: small models that are trained on some templates and asked about the others."""

from collections.abc import Iterator
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from blend.builders.audit.question_arrays import FloatArray, IntArray, QuestionArrays, rounded

FOLDS = 5
"""Parts of the templates; each is answered by what was learnt from the others."""
_ROUNDS = 60
_NEWTON_STEPS = 50
_SETTLED = 1e-5
"""Change of a weight after which no figure changes any more: what is left to go is about its square."""
_PENALTY = 1.0
"""Strength of the pull of every weight towards 0 (half its square is added to the loss)."""


def option_classifier(asked: QuestionArrays) -> FloatArray:
    """Score how correct an option looks by its words, alone and together with the group; shape ``(n_cells,)``.

    Log-odds of a logistic regression. A cell counts once, however many variants show it.
    """
    cells, vocabulary = asked.cells, asked.words
    row, word = vocabulary.of(cells.text)
    n_words = len(vocabulary.known)
    # Two features per word of an option: the word, numbered below `n_words`, and the word in that group, behind
    # them.
    crossed = n_words + word * len(asked.groups) + cells.group[row]
    features = np.concatenate([word, crossed])
    known, column = np.unique(features, return_inverse=True)
    rows = np.concatenate([row, row])
    # Long options shall not look better or worse for their number of words.
    length = np.sqrt(np.maximum(np.bincount(row, minlength=len(cells.text)), 1))
    scores = np.zeros(len(cells.text))
    for fold in folds(asked, cells.template):
        scores[fold] = _fitted(rows, column, 1 / length[rows], len(known), cells.is_correct, ~fold)[fold]
    return scores


def combined_scores(asked: QuestionArrays, features: FloatArray) -> FloatArray:
    """Score how correct every option looks by several scores together, shape ``(n_options,)``.

    A conditional logit: within a question, the chance of an option is proportional to the exponential of a
    weighted sum of its scores. Scores count as their difference from the question's mean; one that does not
    apply (NaN) counts 0.

    Args:
        asked: The questions.
        features: Scores, shape ``(n_options, n_features)``.

    References:
        McFadden (1974), Conditional logit analysis of qualitative choice behavior; fitted by Newton's method.
    """
    apart = np.where(np.isnan(features), 0.0, features)
    # In place: with a copy for each step this would take the most memory of a whole build.
    apart -= (np.add.reduceat(apart, asked.starts, axis=0) / asked.sizes[:, None])[asked.owner]
    spread = np.sqrt((apart**2).mean(axis=0))
    # One scale for all scores, so that the penalty pulls alike on each.
    apart /= np.where(spread > 0, spread, 1.0)
    scores: FloatArray = np.zeros(len(asked.text))
    weights: FloatArray = np.zeros(apart.shape[1])
    for fold in folds(asked, asked.template):
        # Three quarters of the questions are those of the part before, whose weights are close.
        weights = _choice_weights(asked, apart, weights, used=~fold)
        scores = np.where(fold[asked.owner], _weighed(apart, weights), scores)
    return rounded(scores)


def folds(asked: QuestionArrays, template: IntArray) -> Iterator[NDArray[np.bool_]]:
    """Yield the rows of each part of the templates; a template's part depends on its name alone."""
    parts = np.array([int.from_bytes(sha256(t.encode()).digest()[:4]) % FOLDS for t in asked.templates])
    for part in range(FOLDS):
        chosen = parts[template] == part
        if chosen.any():
            yield chosen


def _fitted(
    rows: IntArray,
    column: IntArray,
    value: FloatArray,
    n_columns: int,
    is_correct: NDArray[np.bool_],
    used: NDArray[np.bool_],
) -> FloatArray:
    """Log-odds of every row, by weights that fit the rows that are used.

    Nesterov's accelerated descent with one step length per weight: a bound of the curvature there.
    """
    n_rows = len(is_correct)
    weights: FloatArray = np.zeros(n_columns)
    ahead = weights
    usage = used[rows]
    sums = np.bincount(rows, value, n_rows)
    # The logistic loss curves by at most 1/4 per row; weighing each column by its row's sum bounds what the
    # others add.
    curvature = 0.25 * np.bincount(column[usage], (value * sums[rows])[usage], n_columns)
    step = 1 / (curvature + _PENALTY)
    rate = float(is_correct[used].mean()) if used.any() else 0.5
    # The log-odds of the share of correct options; not fitted, so that weights only say what differs from it.
    bias = np.log(max(rate, 1e-9) / max(1 - rate, 1e-9))
    momentum = 1.0
    for _ in range(_ROUNDS):
        odds = bias + np.bincount(rows, value * ahead[column], n_rows)
        error = np.where(used, 1 / (1 + np.exp(-odds)) - is_correct, 0.0)
        gradient = np.bincount(column, value * error[rows], n_columns) + _PENALTY * ahead
        following = ahead - step * gradient
        # Nesterov's sequence.
        further = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = following + (momentum - 1) / further * (following - weights)
        weights, momentum = following, further
    return np.asarray(bias + np.bincount(rows, value * weights[column], n_rows))


def _choice_weights(
    asked: QuestionArrays, features: FloatArray, weights: FloatArray, used: NDArray[np.bool_]
) -> FloatArray:
    """Weights of a conditional logit that fit the questions that are used, looked for from given ones on."""
    correct = features[asked.correct[used]].sum(axis=0)
    features, sizes = features[used[asked.owner]], asked.sizes[used]
    # Questions that are not used are cut out, so those that are left begin elsewhere.
    starts = np.cumsum(sizes) - sizes

    def fit_of(weights: FloatArray) -> tuple[float, FloatArray]:
        """How badly weights fit, and the chance that they give every option."""
        utility = _weighed(features, weights)
        # Beside the likeliest option of the question, so that nothing overflows.
        highest = np.maximum.reduceat(utility, starts)
        odds = np.exp(utility - np.repeat(highest, sizes))
        sums = np.add.reduceat(odds, starts)
        loss = (highest + np.log(sums)).sum() - correct @ weights + _PENALTY / 2 * (weights @ weights)
        return float(loss), odds / np.repeat(sums, sizes)

    loss, chance = fit_of(weights)
    for _ in range(_NEWTON_STEPS):
        weighted = features * chance[:, None]
        mean = np.add.reduceat(weighted, starts, axis=0)
        gradient = correct - mean.sum(axis=0) - _PENALTY * weights
        # The spread within questions: of all options, less that of the questions' means.
        curvature = _crossed(weighted, features) - _crossed(mean, mean) + _PENALTY * np.eye(len(weights))
        change = np.linalg.solve(curvature, gradient)
        further, chance = fit_of(weights + change)
        # Where a score is rare and large, a whole step goes too far.
        while further > loss and np.abs(change).max() >= _SETTLED:
            change = change / 2
            further, chance = fit_of(weights + change)
        weights, loss = weights + change, further
        if np.abs(change).max() < _SETTLED:
            break
    return weights


# Products of long, thin matrices: threads of a linear algebra library wait longer there than they work, and
# waiting takes processor time as well.

_ROWS_AT_ONCE = 512
"""So few rows that their product is left to one thread."""


def _weighed(features: FloatArray, weights: FloatArray) -> FloatArray:
    """The weighted sum of every row."""
    sums: FloatArray = np.einsum("ij,j->i", features, weights)
    return sums


def _crossed(one: FloatArray, other: FloatArray) -> FloatArray:
    """The product ``one.T @ other``."""
    product: FloatArray = np.zeros((one.shape[1], other.shape[1]))
    for start in range(0, len(one), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        product += one[rows].T @ other[rows]
    return product
