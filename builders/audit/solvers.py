"""Solvers: who answers multiple-choice questions without reading them, by one rule each.

A solver gives every option a score; the highest one of a question is its answer. Where all options of a
question have one score, it has no opinion. What it learns from other questions comes from other *templates*:
neither variants of a question nor the same question about another region may tell it the answer.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.builders.audit.question_arrays import FloatArray, IntArray, QuestionArrays, rounded, words_of
from blend.schemas.errors import UnknownNameError
from blend.schemas.locales import Locale, Registry, first_words, is_named
from blend.schemas.texts import fold

_PRIOR_VOTES = 2.0
"""Votes that a group's words are taken to have beside the counted ones, spread as all groups' together: a word
that one person used once is not yet typical."""


class Known(NamedTuple):
    """Knowledge that solvers may use besides the questions."""

    evidence: pl.DataFrame
    """`EVIDENCE`."""
    given: pl.DataFrame
    """`EVIDENCE`, and every option whose group is known as one vote of it: options are not always worded as the
    answer that they stand for."""
    locales: Registry
    """Where the names of regions stand."""


class Solver(NamedTuple):
    """A rule to answer by."""

    definition: str
    """The rule, in one line."""
    scores: Callable[[QuestionArrays, Known], FloatArray]
    """Score of every option, shape ``(n_options,)``; NaN where the rule does not apply to the question."""


def names_region(asked: QuestionArrays, known: Known) -> FloatArray:
    """1 for an option that names the region asked about, or its people; 0 for others."""
    named = named_groups(asked, known.locales)
    return named[asked.group[asked.owner], asked.text].astype(np.float64)


def typical(asked: QuestionArrays, known: Known) -> FloatArray:
    """Score how much more often the group uses the words of an option than all groups do, in other templates.

    Per word the logarithm of its share of the group's votes over its share of all votes, with `_PRIOR_VOTES`
    added; of an option the mean over its words.
    """
    cells, vocabulary = asked.cells, asked.words
    counts = _word_votes(asked, _given(asked, known.evidence))
    position, word = vocabulary.of(cells.text)
    template, group = cells.template[position], cells.group[position]
    here, of_group = counts.without(template, group, word)
    all_here, of_all = counts.without_any(template, word)
    # One vote more for every word, so that no share is 0.
    expected = (all_here + 1) / (of_all + len(vocabulary.known))
    ratio = np.log((here + _PRIOR_VOTES * expected) / (of_group + _PRIOR_VOTES) / expected)
    n_words = np.bincount(position, minlength=len(cells.text))
    sums = np.bincount(position, weights=ratio, minlength=len(cells.text))
    means = np.divide(sums, n_words, out=np.zeros(len(cells.text)), where=n_words > 0)
    # From cells back to options: variants that show one option share its score.
    return rounded(means)[cells.cell]


class _Votes(NamedTuple):
    """Votes for words by template and group, in a form that leaves a template out at once."""

    shape: tuple[int, int, int]
    keys: IntArray
    votes: FloatArray

    def without(self, template: IntArray, group: IntArray, word: IntArray) -> tuple[FloatArray, FloatArray]:
        """Votes of a group for a word, and for all words, in other templates."""
        n_templates, n_groups, n_words = self.shape
        by_template, groups, by_word = np.unravel_index(self.keys, self.shape)
        # Sums over all templates, from which what a template itself adds is taken off: no pass over all votes
        # for each.
        of_word = np.bincount(groups * n_words + by_word, self.votes, n_groups * n_words)
        of_group = np.bincount(groups, self.votes, n_groups)
        of_both = np.bincount(by_template * n_groups + groups, self.votes, n_templates * n_groups)
        wanted = np.ravel_multi_index((template, group, word), self.shape)
        return (
            of_word[group * n_words + word] - _looked_up(self.keys, self.votes, wanted),
            of_group[group] - of_both[template * n_groups + group],
        )

    def without_any(self, template: IntArray, word: IntArray) -> tuple[FloatArray, FloatArray]:
        """Votes of all groups for a word, and for all words, in other templates."""
        n_templates, _, n_words = self.shape
        by_template, _, by_word = np.unravel_index(self.keys, self.shape)
        pairs, inverse = np.unique(by_template * n_words + by_word, return_inverse=True)
        of_pair = np.bincount(inverse, self.votes, len(pairs)).astype(np.float64)
        of_word = np.bincount(by_word, self.votes, n_words)
        of_template = np.bincount(by_template, self.votes, n_templates)
        return (
            of_word[word] - _looked_up(pairs, of_pair, template * n_words + word),
            self.votes.sum() - of_template[template],
        )


class _Given(NamedTuple):
    """Evidence as codes, those of the questions first; one row per template, group and text."""

    shape: tuple[int, int]
    """How many codes templates and groups have."""
    texts: list[str]
    """The different texts, by code."""
    template: IntArray
    """Code of every row's template. Those that are not asked about share one, which is never left out."""
    group: IntArray
    text: IntArray
    votes: IntArray


def _given(asked: QuestionArrays, evidence: pl.DataFrame) -> _Given:
    texts = evidence["text"].unique().to_list()
    groups = [*asked.groups, *set(evidence["group"].unique()).difference(asked.groups)]
    n_templates = len(asked.templates)
    codes = evidence.select(
        pl.col("template").replace_strict(asked.templates, range(n_templates), default=n_templates),
        pl.col("group").replace_strict(groups, range(len(groups))),
        pl.col("text").replace_strict(texts, range(len(texts))),
        "votes",
    ).cast(pl.Int64)
    return _Given((n_templates + 1, len(groups)), texts, *(column.to_numpy() for column in codes))


def _word_votes(asked: QuestionArrays, given: _Given) -> _Votes:
    """Votes for the words of options; words that no option has count for nobody."""
    row, word = words_of(given.texts, asked.words.known).of(given.text)
    shape = (*given.shape, len(asked.words.known))
    numbers = np.ravel_multi_index((given.template[row], given.group[row], word), shape)
    keys, inverse = np.unique(numbers, return_inverse=True)
    return _Votes(shape, keys, np.bincount(inverse, given.votes[row], len(keys)).astype(np.float64))


def _looked_up(keys: IntArray, values: FloatArray, wanted: IntArray) -> FloatArray:
    """The values of ascending keys, 0 for one that is not there."""
    if not len(keys):
        return np.zeros(len(wanted))
    locations = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[locations] == wanted, values[locations], 0.0)


def classifier(asked: QuestionArrays, _: Known) -> FloatArray:
    """Chance that an option is right, by its words and the group, learnt from other templates."""
    return rounded(option_classifier(asked))[asked.cells.cell]


def frequent(asked: QuestionArrays, _: Known) -> FloatArray:
    """In how many questions of other templates the option is the right answer; variants count once."""
    cells = asked.cells
    key = asked.key[cells.text]
    correct = np.flatnonzero(cells.is_correct)
    n_keys = int(key.max(initial=0)) + 1
    often = np.bincount(key[correct], minlength=n_keys)
    numbers, counts = np.unique(cells.template[correct] * n_keys + key[correct], return_counts=True)
    # How often it is right in this template, which does not count.
    here = _looked_up(numbers, counts.astype(np.float64), cells.template * n_keys + key)
    return (often[key] - here)[cells.cell]


def elimination(asked: QuestionArrays, known: Known) -> FloatArray:
    """Score an option that no other group gave above all others, and those as `widespread` does.

    Every wrong option was somebody's answer, so that who knows what the rest of the world answers can strike
    them out.
    """
    others = widespread(asked, known)
    return np.where(others == 0, others.max(initial=0) + 1, others)


def _elimination_by_two(asked: QuestionArrays, known: Known) -> FloatArray:
    """Score as `elimination` does who has heard only answers that two or more people of a group gave."""
    return elimination(asked, known._replace(given=known.evidence.filter(pl.col("votes") >= 2)))


def widespread(asked: QuestionArrays, known: Known) -> FloatArray:
    """In how many other groups somebody gave the option as an answer to the same template.

    Learns from the template itself: it knows what the rest of the world answers, and nothing of the group.
    """
    cells, given = asked.cells, _given(asked, known.given)
    code = dict(zip(map(fold, asked.texts), asked.key.tolist(), strict=True))
    # What no option says shares one code.
    key = np.array([code.get(fold(text), len(code)) for text in given.texts], dtype=np.int64)[given.text]
    shape = (given.shape[0], len(code) + 1, given.shape[1])
    givers = np.unique(np.ravel_multi_index((given.template, key, given.group), shape))
    answers, often = np.unique(givers // shape[2], return_counts=True)
    answer = cells.template * shape[1] + asked.key[cells.text]
    others = _looked_up(answers, often.astype(np.float64), answer)
    return (others - np.isin(answer * shape[2] + cells.group, givers))[cells.cell]


def recurring(asked: QuestionArrays, _: Known) -> FloatArray:
    """In how many variants of the question (template and group) the option stands; needs the whole set."""
    asked_twice = asked.template * len(asked.groups) + asked.group
    question, variants = np.unique(asked_twice, return_inverse=True, return_counts=True)[1:]
    n_keys = int(asked.key.max(initial=0)) + 1
    location, often = np.unique(
        question[asked.owner] * n_keys + asked.key[asked.text], return_inverse=True, return_counts=True
    )[1:]
    scores: FloatArray = often[location].astype(np.float64)
    # Of a question with one variant nothing can recur.
    scores[variants[question][asked.owner] < 2] = np.nan
    return scores


def longest(asked: QuestionArrays, _: Known) -> FloatArray:
    """The length of the option, in characters."""
    return asked.lengths.astype(np.float64)


def position(asked: QuestionArrays, _: Known) -> FloatArray:
    """How many questions of the set have their right option at the same place; needs the whole set."""
    at = np.arange(len(asked.text)) - asked.starts[asked.owner]
    often = np.bincount(at[asked.correct], minlength=int(asked.sizes.max()))
    scores: FloatArray = often[at].astype(np.float64)
    return scores


def largest(asked: QuestionArrays, _: Known) -> FloatArray:
    """The number, time or date itself; only where all options are of one such format."""
    return asked.numbers


def smallest(asked: QuestionArrays, _: Known) -> FloatArray:
    """The same, turned round."""
    return -asked.numbers


def _nearest_mean(asked: QuestionArrays, _: Known) -> FloatArray:
    """Score how near the option is to the mean of the question's options."""
    numbers = asked.numbers
    means = np.add.reduceat(numbers, asked.starts) / asked.sizes
    return rounded(-np.abs(numbers - means[asked.owner]))


SOLVERS: Mapping[str, Solver] = {
    "elimination": Solver("the option that no other region gave, else the most widespread", elimination),
    "elimination-2": Solver("the same, of answers that two or more people gave", _elimination_by_two),
    "widespread": Solver("the option that people of most other regions gave to the same question", widespread),
    "names-region": Solver("the option that names the region asked about, or its people", names_region),
    "typical": Solver("the option whose words are most typical of the region's other answers", typical),
    "classifier": Solver("a classifier of option and region, trained on other templates", classifier),
    "frequent": Solver("the option that is right most often in other templates", frequent),
    "recurring": Solver("the option that recurs most among the variants of the question", recurring),
    "longest": Solver("the option with most characters", longest),
    "position": Solver("the place (A, B, …) that is right most often in the whole set", position),
    "largest": Solver("the largest of numbers, times or dates", largest),
    "smallest": Solver("the smallest of numbers, times or dates", smallest),
    "nearest-mean": Solver("the number, time or date nearest the mean of the options", _nearest_mean),
}
"""The solvers, by name."""

NEEDS_ALL = ("recurring", "position")
"""Solvers that look at the whole set; who is asked one question at a time cannot use them."""

KNOWS_OTHERS = ("elimination", "elimination-2", "widespread")
"""Solvers that know what other regions answer to the question; who knows nothing cannot use them."""


# Three rules of an audit ask for the same questions.
@lru_cache(maxsize=1)
def named_groups(asked: QuestionArrays, locales: Registry) -> NDArray[np.bool_]:
    """Mark the groups that texts name: shape ``(n_groups, n_texts)``.

    A group that the registry knows (by tag, code or any name) is named by every English name of its region and
    of its people, see `is_named`; any other one by its own name as whole words, whatever the case.
    """
    named = np.zeros((len(asked.groups), len(asked.texts)), dtype=bool)
    texts_of: defaultdict[str, set[int]] = defaultdict(set)
    for word, column in zip(asked.words.word.tolist(), asked.words.text.tolist(), strict=True):
        texts_of[asked.words.known[word]].add(column)
    not_ascii = {column for column, text in enumerate(asked.texts) if not text.isascii()}
    for row, group in enumerate(asked.groups):
        found = _locales_of(group, locales)
        own = re.compile(rf"(?<!\w){re.escape(group)}(?!\w)", re.IGNORECASE)
        names = [name for locale in found for name in (*locale.names, *locale.nationalities)]
        # Most texts hold no word that any name begins with: quick to see where letters have no accents.
        named_in = not_ascii.union(*(texts_of.get(word, ()) for word in first_words(names)))
        for column in named_in if found else range(len(asked.texts)):
            text = asked.texts[column]
            named[row, column] = (
                any(is_named(text, locale) for locale in found) if found else bool(own.search(text))
            )
    return named


def _locales_of(group: str, locales: Registry) -> list[Locale]:
    try:
        return locales.called(group)
    except UnknownNameError:
        return []


# Learning: small models that are trained on some templates and asked about the others.


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
    for held_out in folds(asked, cells.template):
        often = np.bincount(of_cell[~held_out], minlength=len(shown))
        n_correct = np.bincount(of_cell[~held_out & cells.is_correct], minlength=len(shown))
        fitted = _fitted(row, crossed, numbers // n_groups, often, n_correct)
        scores[held_out] = fitted[of_cell[held_out]]
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
    for held_out in folds(asked, asked.template):
        # Not by index, which would put the questions' axis first: sums over it take twice the time there.
        used = [np.compress(~held_out[questions], of_size, axis=2) for questions, of_size in wrong]
        # Three quarters of the questions are those of the part before, whose weights are close.
        weights = _choice_weights(used, weights)
        scores = np.where(held_out[asked.owner], np.einsum("of,f->o", apart, weights), scores)
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
