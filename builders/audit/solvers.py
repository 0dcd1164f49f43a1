"""Solvers: who answers multiple-choice questions without reading them, by one rule each.

A solver gives every option a score; the highest one of a question is its answer. Where all options of a
question have one score, it has no opinion. What it learns from other questions comes from other *templates*:
neither variants of a question nor the same question about another region may tell it the answer.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.builders.audit.learning import option_classifier
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
