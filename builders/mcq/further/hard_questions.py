"""Hard questions: of each template and region three distractors that hide the correct answer.

Two guessers look at what the regions answer: one takes the option that sounds most like the region asked about
(`Keyness.typicality`), the other, who does not know the region, the one that most other regions gave. Where
neither is right the question is hard. If that were so of all questions, what both pass over would be correct
more often than chance; so each of them is right in `RIGHT` of the questions.

Many triples serve. Those are chosen with which all questions together tell nothing by three counts: how often a
text is the correct answer, how typical it is of its region, and at which place among numbers it stands.

Which questions are asked is decided over all templates: here a further region may change anything.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from blend.builders.digests import digest
from blend.builders.judges.panel import JudgePanel
from blend.builders.mcq.answer_spread import locales_giving
from blend.builders.mcq.answers import TemplateAnswers
from blend.builders.mcq.default import (
    DefaultPlan,
    LocaleQuestions,
    TemplateQuestions,
    kept_questions,
    place_answers,
    reserve_pool,
)
from blend.builders.mcq.distractors import N_DISTRACTORS, SCALES, Question, Triple
from blend.builders.mcq.option_pool import OptionPool
from blend.builders.mcq.option_sets import numbers_in
from blend.builders.mcq.options import are_apart
from blend.builders.mcq.packed_questions import PackedQuestions
from blend.builders.mcq.variants import Pick, Rules, pick
from blend.schemas.language.answer_formats import magnitude
from blend.schemas.language.text_comparison import fold

RIGHT = 0.27
"""Share of the questions that each of the two guessers gets right."""
_USED = 0.5
"""Weight of how often words are used at all beside how typical they are of the region."""
_ALTERNATIVES = 8
"""Questions of a pair and kind to choose from; judges are asked about all of them."""
_TYPICALITY = 0.14
"""Weight of how typical options are beside counts: it adds up over all questions, and a text stands in few."""
_ROUNDS = 3
"""Times that each question is chosen, given all others; the first time, given those before it."""


class Missed(NamedTuple):
    """Which of the two guessers a question misleads."""

    typical: bool
    widespread: bool


_BOTH = Missed(typical=True, widespread=True)
_ONE_RIGHT = (Missed(typical=True, widespread=False), Missed(typical=False, widespread=True))
"""That fewer pairs can be asked so comes first."""


class Guess(NamedTuple):
    """An option in the eyes of the guessers."""

    text: str
    typical: float
    widespread: int
    familiar: float
    """How typical and how much used its words are: the higher, the better a distractor."""


class Alternative(NamedTuple):
    """A question that can be asked of a pair."""

    number: int
    """Its place among them."""
    gain: float
    """How much more familiar the distractors are than the correct answer."""
    clues: Mapping[str, float]
    """What sets the correct answer apart from the distractors, by clue; see `_clues`."""


@dataclass(frozen=True, slots=True)
class HardPair:
    """A template and a locale, with the questions of each kind that there are."""

    template_id: str
    questions: LocaleQuestions
    kinds: Mapping[Missed, Sequence[Alternative]]

    def only(self, number: int) -> LocaleQuestions:
        """Keep one question, and of the distractors those that it shows."""
        gold, *wrong = self.questions.picks[number].tolist()
        return replace(
            self.questions,
            distractors=tuple(self.questions.distractors[i] for i in wrong),
            picks=np.array([(gold, *range(len(wrong)))], np.uint16),
            digests=self.questions.digests[[number]],
        )


class HardSplit:
    """Questions of all templates, from which the hard ones are then chosen.

    Args:
        rules: What the questions rest on.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._pairs: list[HardPair] = []

    def add(self, answers: TemplateAnswers, pool: OptionPool, judging: JudgePanel) -> None:
        """Look for hard questions about every locale that a template asks.

        Args:
            answers: What the locales bring to the template.
            pool: Its options.
            judging: The judges, as for its other questions.
        """
        with_reserve = reserve_pool(answers, judging, self._add(answers, pool, judging))
        if with_reserve is not None:
            self._add(answers, with_reserve, judging)

    def plans(self) -> list[DefaultPlan]:
        """Choose the hard questions, at most one of each template and locale."""
        made: dict[str, list[LocaleQuestions]] = {}
        chosen = _chosen(self._pairs, self._rules.seed)
        for (one, _), number in zip(chosen, _balanced(chosen), strict=True):
            made.setdefault(one.template_id, []).append(one.only(number))
        of_templates = [
            TemplateQuestions(template_id, PackedQuestions(asked), (), ())
            for template_id, asked in sorted(made.items())
        ]
        positions = place_answers(of_templates, self._rules.seed)
        return [DefaultPlan(one.template_id, one.asked, self._rules.seed, positions) for one in of_templates]

    def _add(self, answers: TemplateAnswers, pool: OptionPool, judging: JudgePanel) -> frozenset[str]:
        """Look among the options of a pool; return the tags of the locales for which there is nothing."""
        guesses = self._guesses(answers, pool)
        found = pick(pool, answers, self._rules, judging, lambda number, of: _best(of, *guesses[number]))
        for target, (golds, options) in zip(pool.targets, guesses, strict=True):
            kinds: dict[Missed, list[Alternative]] = {}
            for number, (gold, triple) in enumerate(found.picks[target.answers.locale.tag]):
                of_pick = golds[gold], [options[i] for i in triple]
                one = Alternative(number, _gain(*of_pick), _clues(*of_pick))
                kinds.setdefault(_missed(*of_pick), []).append(one)
            if kinds:
                questions = kept_questions(found, answers, target.answers.locale)
                self._pairs.append(HardPair(answers.template_id, questions, kinds))
        return found.short

    def _guesses(self, answers: TemplateAnswers, pool: OptionPool) -> list[tuple[list[Guess], list[Guess]]]:
        """Guess, by target, about its correct answers and about all options."""
        golds = {gold.text for target in pool.targets for gold in target.answers.golds}
        texts = sorted(golds.union(option.text for option in pool.options))
        locales = [target.answers.locale for target in pool.targets]
        typical, used = self._rules.elsewhere.keyness.typicality(
            answers.template_id, [locale.tag for locale in locales], texts
        )
        givers = locales_giving(texts, answers)
        found = []
        for target, of_target in zip(pool.targets, typical, strict=True):
            asked = target.answers.locale
            guess = {
                text: Guess(
                    text,
                    one,
                    len({of.region for of in givers[text] if are_apart(of, asked)}),
                    one + _USED * often,
                )
                for text, one, often in zip(texts, of_target.tolist(), used.tolist(), strict=True)
            }
            of_golds = [guess[gold.text] for gold in target.answers.golds]
            found.append((of_golds, [guess[option.text] for option in pool.options]))
        return found


def _best(question: Question, golds: Sequence[Guess], options: Sequence[Guess]) -> list[Pick]:
    """Choose questions of each kind to choose from: few fillers, then few possibly correct options."""
    best: dict[Missed, tuple[tuple[int, int], list[Pick]]] = {}
    ordered = sorted(question.offered, key=lambda i: (question.texts[i], i))
    # Thousands of triples: to look a number up in a set is quicker there than to shift bits.
    conflicts = {i: frozenset(numbers_in(question.conflicts[i])) for i in ordered}
    triples: list[Triple] = [
        (a, b, c)
        for a, b, c in combinations(ordered, N_DISTRACTORS)
        if b not in conflicts[a] and c not in conflicts[a] and c not in conflicts[b]
    ]
    for gold, comparison in enumerate(question.comparisons):
        # Whoever reads the name of the region needs no guess.
        for triple in () if comparison.names_region else triples:
            kind = _missed(golds[gold], [options[i] for i in triple])
            n_fillers = sum(i in question.fillers for i in triple)
            cost = n_fillers, sum(i in comparison.possibly_correct for i in triple)
            if kind not in best or cost < best[kind][0]:
                best[kind] = cost, []
            if cost == best[kind][0]:
                best[kind][1].append(Pick(gold, triple))
    # What misleads both guessers is asked in any case.
    kinds = [kind for kind in _ONE_RIGHT if kind in best] if _BOTH not in best else [_BOTH]
    return [one for kind in kinds for one in _spread(best[kind][1])]


def _spread(picks: Sequence[Pick]) -> list[Pick]:
    """Take at most `_ALTERNATIVES`, evenly spaced."""
    n = min(len(picks), _ALTERNATIVES)
    return [picks[i * len(picks) // n] for i in range(n)]


def _missed(gold: Guess, three: Sequence[Guess]) -> Missed:
    return Missed(
        any(one.typical > gold.typical for one in three), any(one.widespread > gold.widespread for one in three)
    )


def _gain(gold: Guess, three: Sequence[Guess]) -> float:
    return round(sum(one.familiar for one in three) / len(three) - gold.familiar, 9)


def _clues(gold: Guess, three: Sequence[Guess]) -> dict[str, float]:
    """Tell what sets the correct answer apart, by clue; over all questions 0 in sum where it tells nothing."""
    clues = dict(_places([gold.text, *(one.text for one in three)]))
    typical = len(three) * gold.typical - sum(one.typical for one in three)
    clues["typical"] = round(_TYPICALITY * typical, 9)
    clues[f"text {fold(gold.text)}"] = len(three)
    return clues | {f"text {fold(one.text)}": -1 for one in three}


def _places(texts: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Tell whether the first of four numbers, times or dates is the largest, smallest, and nearest the mean."""
    for scale in SCALES:
        values = [value for text in texts if (value := magnitude(text, scale)) is not None]
        if len(values) == len(texts):
            mean = sum(values) / len(values)
            yield from (("largest", _credit(values)), ("smallest", _credit([-value for value in values])))
            yield "nearest", _credit([-round(abs(value - mean), 9) for value in values])
            return


def _credit(scores: Sequence[float]) -> float:
    """Weigh a guess among the highest scores against one among all, where the first is correct: 0 if alike."""
    return len(scores) * (scores[0] == max(scores)) / scores.count(max(scores)) - 1


def _chosen(pairs: Sequence[HardPair], seed: int) -> list[tuple[HardPair, Missed]]:
    """Choose all pairs that mislead both guessers, and of the others so many that each is right in `RIGHT`."""
    chosen = [(one, _BOTH) for one in pairs if _BOTH in one.kinds]
    left = [one for one in pairs if _BOTH not in one.kinds]
    n_each = int(len(chosen) * RIGHT / (1 - 2 * RIGHT))
    for kind in _ONE_RIGHT:
        able = [one for one in left if kind in one.kinds]
        able.sort(key=partial(_order, kind=kind, seed=seed))
        chosen.extend((one, kind) for one in able[:n_each])
        taken = {id(one) for one in able[:n_each]}
        left = [one for one in left if id(one) not in taken]
    return chosen


def _order(one: HardPair, kind: Missed, seed: int) -> tuple[float, int]:
    """Order pairs: those whose correct answer stands out least first, equal ones by digest."""
    return -max(of.gain for of in one.kinds[kind]), digest(seed, one.template_id, one.questions.locale.tag)


def _balanced(chosen: Sequence[tuple[HardPair, Missed]]) -> list[int]:
    """Choose a question for each pair, so that the clues of all of them tell least, by their squared sums."""
    sums: defaultdict[str, float] = defaultdict(float)

    def cost(one: Alternative) -> float:
        return round(sum((2 * sums[clue] + value) * value for clue, value in one.clues.items()), 9)

    asked: dict[int, Alternative] = {}
    for _ in range(_ROUNDS):
        for i, (pair, kind) in enumerate(chosen):
            if i in asked:
                for clue, value in asked[i].clues.items():
                    sums[clue] -= value
            asked[i] = min(pair.kinds[kind], key=cost)
            for clue, value in asked[i].clues.items():
                sums[clue] += value
    return [asked[i].number for i in range(len(chosen))]
