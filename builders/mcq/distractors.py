"""Distractors: which three stand together, so that the correct answer does not stand out among them.

A correct answer stands out if it is always the one that sounds most like the region asked about, or always the
smallest number. So for each a quota is drawn: how many of its three distractors should be higher, with more
keyness for the region, or larger. Among those that serve, options that look alike are preferred, and regions
are ordered by digests.
"""

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.builders.digests import digest
from blend.builders.mcq.answers import TemplateAnswers
from blend.builders.mcq.failed_kinds import FailedKinds
from blend.builders.mcq.keyness import Cooccurrence, Keyness, answer_index
from blend.builders.mcq.option_sets import OptionSet, option_set
from blend.builders.mcq.options import Option
from blend.builders.mcq.overlap import base_forms
from blend.schemas.language.answer_formats import AnswerFormat, magnitude

N_DISTRACTORS: Final = 3
"""Distractors of a question."""

Triple = tuple[int, int, int]
"""Numbers of three options."""

MARKS = frozenset('()[]{},;:/\\"!?&+')
"""Punctuation marks that make an option look unlike others."""

SCALES = (AnswerFormat.INTEGER, AnswerFormat.TIME, AnswerFormat.DATE)
"""Formats of answers that have a place among each other."""
_FAR = {AnswerFormat.TIME: 6 * 60, AnswerFormat.DATE: 3 * 31}
"""Minutes, and days of a year of 31-day months, from which on a time or date is less plausible."""
_FAR_RATIO = 10
"""How many times as large or small a less plausible integer is."""
_LONG_RATIO = 2
"""How many times as long an option is that is unlike, or that a correct answer is unlike to."""
_QUOTAS_OF_NUMBERS = (*(0,) * 6, *(1,) * 6, *(2,) * 6, 3)
"""Quotas that a number draws from. Not every one can be met, few larger ones more rarely than many: with these
shares a correct answer is the largest about as often as the smallest on the 16 regions."""
_QUOTAS_OF_TEXTS = (1, 2, 3)
"""Quotas that a text draws from; with none that has more keyness, it is the first that a guesser takes."""
MOST_USES = 7
"""From which on it no longer counts how often an option was used."""


class Elsewhere(NamedTuple):
    """Answers of the locales to other templates."""

    keyness: Keyness
    cooccurrence: Cooccurrence

    @classmethod
    def of(cls, questions: pl.DataFrame, annotations: pl.DataFrame) -> "Elsewhere":
        """Learn it from `QUESTIONS` and `ANNOTATIONS`."""
        index = answer_index(annotations)
        return cls(Keyness(index), Cooccurrence(questions, index))


# How options compare with a correct answer


class Comparison(NamedTuple):
    """Comparison of the options of a template with a correct answer; sequences have an entry per option."""

    side: Sequence[int]
    """1 for a higher one: with more keyness for the region asked about, or larger; -1 for a lower one, 0 for
    one that is neither."""
    possibly_correct: Set[int]
    """Numbers of those that may well be right: given there to other questions, or between the numbers given."""
    unlike: Sequence[int]
    """0 for one that looks alike, 1 for another length, 2 for another format or far away, 3 for both, or for no
    number beside a number."""
    quotas: Sequence[int]
    """How many distractors should be higher: the quota drawn, then what is taken where it cannot be met."""
    is_number: bool
    """Whether the correct answer is a number, time or date."""
    names_region: bool
    """Whether it gives its region away."""

    def gives_away(self, triple: Triple) -> bool:
        """Whether all three sound less like the region than the correct answer, which a guesser then finds."""
        return not self.is_number and all(self.side[i] < 0 for i in triple)


def compare(
    answers: TemplateAnswers,
    options: Sequence[Option],
    golds: Sequence[Option],
    elsewhere: Elsewhere,
    *,
    seed: int,
) -> list[Comparison]:
    """Compare the options of a template with each of some correct answers.

    Args:
        answers: What the locales bring to the template.
        options: The options, by number.
        golds: Correct answers of any locales.
        elsewhere: What the locales answer to other templates.
        seed: Seed of the quotas.
    """
    if not golds:
        return []
    looks = _Looks(options)
    texts = answers.answer_format is AnswerFormat.TEXT
    in_locales = [[(one.text, one.locale.tag) for one in some] for some in (golds, options)]
    # Numbers are compared by value below.
    sides = np.zeros((len(golds), len(options)), np.int64)
    meant: Sequence[Set[int]] = [frozenset()] * len(golds)
    if texts:
        sides = elsewhere.keyness.compared(answers.template_id, *in_locales)
        forms = [base_forms(option.text) for option in options]
        meant = elsewhere.cooccurrence.possibly_correct(answers.template_id, in_locales[0], forms)
    unlikes = looks.unlike([gold.text for gold in golds])
    found = []
    # Lists: a number of an array costs more to take.
    of_golds = zip(golds, sides.tolist(), meant, unlikes.tolist(), strict=True)
    for gold, side, possibly_correct, unlike in of_golds:
        # "above" is part of the digests that published releases were drawn by.
        key = (seed, answers.template_id, "above", gold.locale.tag, gold.text)
        scale, value = _value(gold.text)
        if scale is not None:
            side, possibly_correct, unlike = looks.beside_number(scale, value, _given(answers, gold))
            quotas = _drawn(_QUOTAS_OF_NUMBERS, key)
        else:
            quotas = (*_drawn(_QUOTAS_OF_TEXTS, key), 0)
        found.append(Comparison(side, possibly_correct, unlike, quotas, scale is not None, gold.names_region))
    return found


def _given(answers: TemplateAnswers, gold: Option) -> Set[str]:
    """List everything that the answers of a correct answer's region can mean."""
    ours = (one for one in answers.locales if one.locale.region == gold.locale.region)
    return {gold.text}.union(*(answer.values for one in ours for answer in one.acceptable))


def _value(text: str) -> tuple[AnswerFormat, float] | tuple[None, float]:
    """Find the scale of a number, time or date, and its place there."""
    for scale in SCALES:
        value = magnitude(text, scale)
        if value is not None:
            return scale, value
    return None, 0.0


def _drawn(quotas: Sequence[int], key: tuple[object, ...]) -> tuple[int, ...]:
    """Draw the different quotas, in the order of the digests of all of them."""
    order = sorted(range(len(quotas)), key=lambda i: digest(*key, i))
    # A quota that stands among them n times is n times as likely to come first.
    return tuple(dict.fromkeys(quotas[i] for i in order))


Numbers = npt.NDArray[np.int64]


class _Looks:
    """Looks of options, whatever they mean; arrays have an entry per option."""

    def __init__(self, options: Sequence[Option]) -> None:
        self._texts = [option.text for option in options]
        self._lengths = np.array([len(text) for text in self._texts], np.int64)
        self._shapes = np.array([_shape(text) for text in self._texts], np.int64)
        self._magnitudes: dict[AnswerFormat, npt.NDArray[np.float64]] = {}

    def unlike(self, golds: Sequence[str]) -> Numbers:
        """Tell how unlike the options are to correct answers, by length and format.

        Shape ``(n_golds, n_options)``.
        """
        lengths = np.array([len(gold) for gold in golds], np.int64)[:, None]
        shapes = np.array([_shape(gold) for gold in golds], np.int64)[:, None]
        shorter, longer = np.minimum(self._lengths, lengths), np.maximum(self._lengths, lengths)
        unlike: Numbers = 2 * (self._shapes != shapes) + (longer >= _LONG_RATIO * shorter)
        return unlike

    def beside_number(
        self, scale: AnswerFormat, value: float, given: Set[str]
    ) -> tuple[list[int], Set[int], list[int]]:
        """Tell which side of a number the options are on, which are possibly correct, and how unlike they are.

        Args:
            scale: Its scale.
            value: Its place there.
            given: All that the answers of its region to the question can mean, the number among them.
        """
        if scale not in self._magnitudes:
            found = [magnitude(text, scale) for text in self._texts]
            self._magnitudes[scale] = np.array([np.nan if one is None else one for one in found], np.float64)
        values = self._magnitudes[scale]
        # Who says 20:00 and 21:00 would not call 20:30 wrong.
        known = [number for text in given if (number := magnitude(text, scale)) is not None]
        between = (values >= min(known)) & (values <= max(known))
        if scale is AnswerFormat.INTEGER:
            # One more than the size, so that 0 has a ratio to other numbers.
            sizes = np.abs(values) + 1, np.full(len(values), abs(value) + 1)
            far = np.maximum(*sizes) > _FAR_RATIO * np.minimum(*sizes)
        else:
            far = np.abs(values - value) > _FAR[scale]
        # Ranks of `Comparison.unlike`: no number 3, far away 2, else 0.
        unlike = np.where(np.isnan(values), 3, 2 * far)
        # What is no number is on neither side (0).
        side = np.sign(np.nan_to_num(values - value)).astype(np.int64)
        return side.tolist(), set(np.flatnonzero(between).tolist()), unlike.tolist()


@lru_cache(maxsize=1 << 12)
def _shape(text: str) -> int:
    """Number the format of a text by its punctuation, digits and final stop."""
    marked, digits = not MARKS.isdisjoint(text), any(map(str.isdigit, text))
    return 4 * marked + 2 * digits + text.endswith(".")


# Which three stand together


class Question(NamedTuple):
    """A template in a locale, with all that its questions are made of; options are numbers."""

    comparisons: Sequence[Comparison]
    """By correct answer, in the order in which they take turns."""
    offered: Mapping[int, int]
    """The options that may be shown, each with its place in its region."""
    conflicts: Sequence[OptionSet]
    """By option, those that may not stand beside it, itself among them."""
    fillers: Collection[int]
    """Options to use only where the others do not suffice."""
    reserve: Collection[int]
    """Those of them that few people gave, and nobody reviewed."""
    regions: Sequence[int]
    """By option, its region."""
    kinds: Sequence[int]
    """By option, its kind, see `failed_kinds`."""
    texts: Sequence[str]
    """By option, what it shows."""
    drawn: Callable[[int], Sequence[int]]
    """For a variant, a number by region: the regions in the order of that variant."""

    def preference(self, gold: int, variant: int, uses: Mapping[int, int]) -> Callable[[int], tuple[int, ...]]:
        """Make the key to order options by, the preferred one first.

        Own before fillers, wrong before possibly correct, alike before unlike, seldom used before often used,
        then as regions are drawn, and as a region prefers its own.

        Args:
            gold: The correct answer.
            variant: The variant, from 0.
            uses: How often options stand in questions already, up to `MOST_USES`.
        """
        drawn, regions, offered, fillers = self.drawn(variant), self.regions, self.offered, self.fillers
        possibly_correct, unlike = self.comparisons[gold].possibly_correct, self.comparisons[gold].unlike

        def key(i: int) -> tuple[int, ...]:
            return (
                # False sorts before True, so each line is a criterion whose smaller value is preferred; the
                # number breaks ties.
                i in fillers,
                i in possibly_correct,
                unlike[i],
                uses.get(i, 0),
                drawn[regions[i]],
                offered[i],
                i,
            )

        return key


def first_three(question: Question, gold: int, preference: Callable[[int], tuple[int, ...]]) -> Triple | None:
    """Choose the distractors of a correct answer's first question; null where no three stand together.

    With as few fillers and possibly correct options as can be, then with the first quota that can be met, those
    that are higher first; of all such triples the first one in the order of preference.
    """
    # Mostly a question that came out short: nothing to look for.
    if len({question.regions[i] for i in question.offered}) < N_DISTRACTORS:
        return None
    comparison = question.comparisons[gold]
    ordered = sorted(question.offered, key=preference)
    last = frozenset(i for i in ordered if i in question.fillers or i in comparison.possibly_correct)
    triple = _first_of(question, comparison, ordered, last)
    # Answers of few people are worth a question, but not one that a guesser finds the answer to.
    if triple is not None and sum(i in question.reserve for i in triple) > 1 and comparison.gives_away(triple):
        return None
    return triple


def _first_of(
    question: Question, comparison: Comparison, ordered: Sequence[int], last: frozenset[int]
) -> Triple | None:
    """Find the first triple with as few of the last options as can be, then with the first quota."""
    # Three of one region never stand together.
    n_others = len({question.regions[i] for i in ordered if i not in last})
    for n_last in range(max(N_DISTRACTORS - n_others, 0), min(len(last), N_DISTRACTORS) + 1):
        usable = ordered if n_last else [i for i in ordered if i not in last]
        higher = [i for i in usable if comparison.side[i] > 0]
        others = [i for i in usable if comparison.side[i] <= 0]
        among_higher, among_others = option_set(higher), option_set(others)
        for n_higher in comparison.quotas:
            among = [higher if slot < n_higher else others for slot in range(N_DISTRACTORS)]
            thirds = among_higher if n_higher == N_DISTRACTORS else among_others
            triple = _first_triple(among, thirds, question, last, n_last)
            if triple is not None:
                return triple
    return None


def _first_triple(
    among: Sequence[Sequence[int]], thirds: OptionSet, question: Question, last: frozenset[int], n_last: int
) -> Triple | None:
    """Find the first triple, in the order of the options for each of the three, that stands together.

    Exactly ``n_last`` of the three are among ``last``; ``thirds`` are the options for the third one.
    """
    first, second, third = among
    if not (first and second and third):
        return None
    conflicts = question.conflicts
    # By how many last ones a third option adds to the other two.
    are_last = option_set(last)
    with_last = {0: thirds & ~are_last, 1: thirds & are_last}
    failed_firsts = FailedKinds(question.kinds, question.regions, last, N_DISTRACTORS)
    for a in first:
        if a in failed_firsts:
            continue
        failed_seconds = FailedKinds(question.kinds, question.regions, last, N_DISTRACTORS - 1)
        for b in second:
            missing = n_last - (a in last) - (b in last)
            # Mostly in vain: the few that are higher are of one region, or mean the same.
            if missing not in with_last or conflicts[a] >> b & 1 or b in failed_seconds:
                continue
            beside_both = with_last[missing] & ~(conflicts[a] | conflicts[b])
            if beside_both:
                return a, b, next(c for c in third if beside_both >> c & 1)
            failed_seconds.add(b)
        failed_firsts.add(a)
    return None
