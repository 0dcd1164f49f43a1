"""Hard questions: of each template and region the three distractors that hide the correct answer best.

Two guessers look at what the regions answer: one takes the option that sounds most like the region asked about
(`Keyness.typicality`), the other, who does not know the region, the one that most other regions gave. Where
neither is right the question is hard. If that were so of all questions, what both pass over would be correct
more often than chance; so each of them is right in `RIGHT` of the questions.

Which pairs are asked is decided over all templates: here a further region may change anything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import NamedTuple

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
from blend.builders.mcq.distractors import N_DISTRACTORS, Question, Triple
from blend.builders.mcq.option_pool import OptionPool
from blend.builders.mcq.options import are_apart
from blend.builders.mcq.variants import Pick, Rules, pick

RIGHT = 0.265
"""Share of the questions that each of the two guessers gets right."""
_USED = 0.5
"""Weight of how often words are used at all beside how typical they are of the region."""


class Missed(NamedTuple):
    """Which of the two guessers a question misleads."""

    typical: bool
    widespread: bool


_BOTH = Missed(typical=True, widespread=True)
_ONE_RIGHT = (Missed(typical=True, widespread=False), Missed(typical=False, widespread=True))
"""That fewer pairs can be asked so comes first."""


class Guess(NamedTuple):
    """An option in the eyes of the guessers."""

    typical: float
    widespread: int
    familiar: float
    """How typical and how much used its words are: the higher, the better a distractor."""


@dataclass(frozen=True, slots=True)
class HardPair:
    """A template and a locale, with the best question of each kind that there is."""

    template_id: str
    questions: LocaleQuestions
    """One per kind."""
    kinds: Mapping[Missed, int]
    """Kind to the number of its question."""
    gains: Sequence[float]
    """By question, how much more familiar the distractors are than the correct answer."""

    def only(self, kind: Missed) -> LocaleQuestions:
        """Keep the question of a kind."""
        number = [self.kinds[kind]]
        return replace(
            self.questions, picks=self.questions.picks[number], digests=self.questions.digests[number]
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
        for one, kind in _chosen(self._pairs, self._rules.seed):
            made.setdefault(one.template_id, []).append(one.only(kind))
        of_templates = [
            TemplateQuestions(template_id, tuple(asked), (), ()) for template_id, asked in sorted(made.items())
        ]
        positions = place_answers(of_templates, self._rules.seed)
        return [DefaultPlan(one.template_id, one.asked, self._rules.seed, positions) for one in of_templates]

    def _add(self, answers: TemplateAnswers, pool: OptionPool, judging: JudgePanel) -> frozenset[str]:
        """Look among the options of a pool; return the tags of the locales for which there is nothing."""
        guesses = self._guesses(answers, pool)
        found = pick(pool, answers, self._rules, judging, lambda number, of: _best(of, *guesses[number]))
        for target, (golds, options) in zip(pool.targets, guesses, strict=True):
            picks = found.picks[target.answers.locale.tag]
            of_picks = [(golds[gold], [options[i] for i in triple]) for gold, triple in picks]
            if picks:
                self._pairs.append(
                    HardPair(
                        answers.template_id,
                        kept_questions(found, answers, target.answers.locale),
                        {_missed(*one): number for number, one in enumerate(of_picks)},
                        [_gain(*one) for one in of_picks],
                    )
                )
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
                    one, len({of.region for of in givers[text] if are_apart(of, asked)}), one + _USED * often
                )
                for text, one, often in zip(texts, of_target.tolist(), used.tolist(), strict=True)
            }
            of_golds = [guess[gold.text] for gold in target.answers.golds]
            found.append((of_golds, [guess[option.text] for option in pool.options]))
        return found


def _best(question: Question, golds: Sequence[Guess], options: Sequence[Guess]) -> list[Pick]:
    """Choose the best question of each kind: few fillers, few possibly correct ones, familiar distractors."""
    best: dict[Missed, tuple[tuple[object, ...], Pick]] = {}
    conflicts = question.conflicts
    triples: list[Triple] = [
        (a, b, c)
        for a, b, c in combinations(sorted(question.offered), N_DISTRACTORS)
        if b not in conflicts[a] and c not in conflicts[a] and c not in conflicts[b]
    ]
    for gold, comparison in enumerate(question.comparisons):
        # Whoever reads the name of the region needs no guess.
        for triple in () if comparison.names_region else triples:
            three = [options[i] for i in triple]
            kind = _missed(golds[gold], three)
            n_fillers = sum(i in question.fillers for i in triple)
            n_possible = sum(i in comparison.possibly_correct for i in triple)
            key = (
                n_fillers,
                n_possible,
                -_gain(golds[gold], three),
                [question.texts[i] for i in triple],
                triple,
            )
            if kind in (_BOTH, *_ONE_RIGHT) and (kind not in best or key < best[kind][0]):
                best[kind] = key, Pick(gold, triple)
    return [found for _, found in best.values()]


def _missed(gold: Guess, three: Sequence[Guess]) -> Missed:
    return Missed(
        any(one.typical > gold.typical for one in three), any(one.widespread > gold.widespread for one in three)
    )


def _gain(gold: Guess, three: Sequence[Guess]) -> float:
    return round(sum(one.familiar for one in three) / len(three) - gold.familiar, 9)


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
    return -one.gains[one.kinds[kind]], digest(seed, one.template_id, one.questions.locale.tag)
