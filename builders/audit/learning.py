"""Learning: small models that are trained on some templates and asked about the others."""

from collections.abc import Iterator, Sequence
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
    cells, n_groups = asked.cells, len(asked.groups)
    # A text in a group looks the same in all templates: one row each.
    shown, of_cell = np.unique(cells.text * n_groups + cells.group, return_inverse=True)
    row, word = asked.words.of(shown // n_groups)
    # Every word, and every word in a group, has a weight.
    numbers, crossed = np.unique(word * n_groups + shown[row] % n_groups, return_inverse=True)
    scores = np.zeros(len(cells.text))
    for fold in folds(asked, cells.template):
        often = np.bincount(of_cell[~fold], minlength=len(shown))
        n_correct = np.bincount(of_cell[~fold & cells.is_correct], minlength=len(shown))
        fitted = _fitted(row, crossed, numbers // n_groups, often, n_correct)
        scores[fold] = fitted[of_cell[fold]]
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
    wrong = _wrong_options(asked, apart)
    scores: FloatArray = np.zeros(len(asked.text))
    weights: FloatArray = np.zeros(apart.shape[1])
    for fold in folds(asked, asked.template):
        # Not by index, which would put the questions' axis first: sums over it take twice the time there.
        used = [np.compress(~fold[questions], of_size, axis=2) for questions, of_size in wrong]
        # Three quarters of the questions are those of the part before, whose weights are close.
        weights = _choice_weights(used, weights)
        scores = np.where(fold[asked.owner], np.einsum("of,f->o", apart, weights), scores)
    return rounded(scores)


def folds(asked: QuestionArrays, template: IntArray) -> Iterator[NDArray[np.bool_]]:
    """Yield the rows of each part of the templates; a template's part depends on its name alone."""
    parts = np.array([int.from_bytes(sha256(t.encode()).digest()[:4]) % FOLDS for t in asked.templates])
    for part in range(FOLDS):
        chosen = parts[template] == part
        if chosen.any():
            yield chosen


def _fitted(
    row: IntArray, crossed: IntArray, word: IntArray, often: IntArray, n_correct: IntArray
) -> FloatArray:
    """Log-odds of every row, by weights that fit how often each is correct.

    Nesterov's accelerated descent with one step length per weight: a bound of the curvature there.

    Args:
        row: Row of every word of a row, ascending.
        crossed: Code of the same word in the row's group.
        word: Code of the word that every ``crossed`` is of, ascending.
        often: How often every row counts.
        n_correct: How often it is correct.
    """
    n_rows, n_words = len(often), int(word.max(initial=-1)) + 1
    # Long options shall not look better or worse for their number of words.
    value = 1 / np.sqrt(np.maximum(np.bincount(row, minlength=n_rows), 1))
    rate = n_correct.sum() / often.sum() if often.any() else 0.5
    # The log-odds of the share of correct options; not fitted, so that weights only say what differs from it.
    bias = np.log(max(rate, 1e-9) / max(1 - rate, 1e-9))

    def odds_by(weights: FloatArray) -> FloatArray:
        together = weights[:n_words][word] + weights[n_words:]
        return np.asarray(bias + value * np.bincount(row, together[crossed], n_rows))

    def summed(of_rows: FloatArray) -> FloatArray:
        """The sum over the rows that have it, for every weight."""
        of_crossed = np.bincount(crossed, of_rows[row], len(word))
        return np.concatenate([np.bincount(word, of_crossed, n_words), of_crossed])

    # The logistic loss curves by at most 1/4 per row; weighing each column by its row's sum bounds what the
    # others add: the squares of a row's values are 1 for its words and 1 for those in the group.
    step = 1 / (summed(often / 2) + _PENALTY)
    kept = 1 - step * _PENALTY
    weights: FloatArray = np.zeros(len(step))
    ahead = weights
    momentum = 1.0
    for _ in range(_ROUNDS):
        error = often / (1 + np.exp(-odds_by(ahead))) - n_correct
        following = kept * ahead - step * summed(value * error)
        # Nesterov's sequence.
        further = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = following + (momentum - 1) / further * (following - weights)
        weights, momentum = following, further
    return odds_by(weights)


def _wrong_options(asked: QuestionArrays, features: FloatArray) -> list[tuple[IntArray, FloatArray]]:
    """Lay the wrong options of questions side by side: the first ones, then the second ones, and so on.

    Returns:
        For every number of options, the questions that have so many, and the features of their wrong options
        less those of the correct one, shape ``(n_features, n_wrong, n_questions)``.
    """
    found = []
    for size in np.unique(asked.sizes).tolist():
        questions = np.flatnonzero(asked.sizes == size)
        options, correct = asked.starts[questions, None] + np.arange(size), asked.correct[questions]
        wrong = options[options != correct[:, None]].reshape(len(questions), size - 1).T
        of_size = np.empty((features.shape[1], *wrong.shape))
        for of_feature, values in zip(of_size, features.T, strict=True):
            of_feature[:] = values[wrong] - values[correct]
        found.append((questions, of_size))
    return found


def _choice_weights(wrong: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    """Weights of a conditional logit that fit `_wrong_options`, looked for from given ones on."""

    def fit_of(weights: FloatArray) -> tuple[float, list[FloatArray]]:
        """How badly weights fit, and the chance that they give every wrong option."""
        loss, chances = _PENALTY / 2 * (weights @ weights), []
        for of_size in wrong:
            utility = np.einsum("fwq,f->wq", of_size, weights)
            # Beside the likeliest option of the question, so that nothing overflows; the correct one has 0.
            highest = np.maximum(utility.max(axis=0), 0)
            odds = np.exp(utility - highest)
            sums = odds.sum(axis=0) + np.exp(-highest)
            loss += (highest + np.log(sums)).sum()
            chances.append(odds / sums)
        return float(loss), chances

    loss, chances = fit_of(weights)
    for _ in range(_NEWTON_STEPS):
        gradient, curvature = -_PENALTY * weights, _PENALTY * np.eye(len(weights))
        for of_size, chance in zip(wrong, chances, strict=True):
            weighted = of_size * chance
            mean = weighted.sum(axis=1)
            gradient -= mean.sum(axis=1)
            # The spread within questions: of all options, less that of the questions' means.
            curvature += _crossed(weighted, of_size) - _crossed(mean, mean)
        change = np.linalg.solve(curvature, gradient)
        further, chances = fit_of(weights + change)
        # Where a score is rare and large, a whole step goes too far.
        while further > loss and np.abs(change).max() >= _SETTLED:
            change = change / 2
            further, chances = fit_of(weights + change)
        weights, loss = weights + change, further
        if np.abs(change).max() < _SETTLED:
            break
    return weights


_COLUMNS_AT_ONCE = 512
"""So few that their product is left to one thread: with long, thin matrices threads of a linear algebra library
wait longer than they work, and waiting takes processor time as well."""


def _crossed(one: FloatArray, other: FloatArray) -> FloatArray:
    """The sum of the products of every feature of one with every feature of the other."""
    n_features = len(one)
    one, other = one.reshape(n_features, -1), other.reshape(n_features, -1)
    product: FloatArray = np.zeros((n_features, n_features))
    for start in range(0, one.shape[1], _COLUMNS_AT_ONCE):
        columns = slice(start, start + _COLUMNS_AT_ONCE)
        product += one[:, columns] @ other[:, columns].T
    return product
