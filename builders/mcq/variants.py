"""Variants: the questions about a template in a locale, and the verdicts of judges that they rest on.

Two distractors of a correct answer stand in all of its questions, as it does itself, and only the third one
changes: whoever sees the whole set and looks for what recurs finds three options. Where no distractor sounds as
much like the region as the correct answer, or it names a region, one question has to do.

Every choice is the first possible one in an order in which the place of two sets of options does not depend on
a third (see `RegionOrders`). A region that joins and is not chosen therefore changes nothing, and one that is
chosen displaces little, since every variant has its own order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import comb
from typing import Literal, NamedTuple

import polars as pl

from blend.builders.judges.equivalence import Pair
from blend.builders.judges.panel import JudgePanel, settle
from blend.builders.mcq.answers import TemplateAnswers
from blend.builders.mcq.distractors import (
    MOST_USES,
    N_DISTRACTORS,
    Comparison,
    Elsewhere,
    Question,
    Triple,
    compare,
    first_three,
)
from blend.builders.mcq.option_pool import VERDICTS, OptionPool, Target
from blend.builders.mcq.option_sets import OptionSet, option_set
from blend.builders.mcq.options import are_apart
from blend.builders.mcq.region_orders import RegionOrders
from blend.schemas.errors import InputError
from blend.schemas.language.locales import Locale
from blend.schemas.recipe.recipe import McqOptions


class Pick(NamedTuple):
    """A multiple-choice question, in numbers."""

    gold: int
    """The correct answer, by its place among those of the target."""
    triple: Triple


class Rules(NamedTuple):
    """Rules that decide which questions are made, and what they know."""

    options: McqOptions
    seed: int
    elsewhere: Elsewhere


class Picked(NamedTuple):
    """Questions chosen from a pool."""

    pool: OptionPool
    picks: Mapping[str, Sequence[Pick]]
    """By tag of the target."""
    same: Mapping[str, OptionSet]
    """By text, the options that judges find the same, see `OptionPool.judged_same`."""

    @property
    def short(self) -> frozenset[str]:
        """Find the targets about which there is no question."""
        return frozenset(tag for tag, picks in self.picks.items() if not picks)


PicksOf = Callable[[int, Question], list[Pick]]
"""Chooses questions about a target, given its number, among its options."""


def pick(
    pool: OptionPool,
    answers: TemplateAnswers,
    rules: Rules,
    judging: JudgePanel,
    picks_of: PicksOf | None = None,
) -> Picked:
    """Choose the questions about every target of a pool, so that they stand whatever the judges say.

    Options are chosen as if everything that no judge was asked about were different; what the choice rests on
    is judged, and the choice made again where that concerns it, see `settle`.

    Args:
        pool: The options.
        answers: What the locales bring to the template.
        rules: What decides.
        judging: The judges.
        picks_of: Chooses among the options of a target, given its number; as many variants as the rules say
            when absent.
    """
    choice = _Choice(pool, answers, rules, picks_of)
    picks, known = settle(judging, choice.choose, choice.relied_on)
    return Picked(pool, picks, pool.judged_same(known))


def _variants_of(rules: Rules) -> PicksOf:
    return lambda _, question: pick_variants(question, limit=rules.options.variants)


class _Choice:
    """Choice of the questions about every target of a pool, made again as verdicts come in; see `pick`."""

    def __init__(
        self, pool: OptionPool, answers: TemplateAnswers, rules: Rules, picks_of: PicksOf | None
    ) -> None:
        self._pool = pool
        self._picks_of = picks_of or _variants_of(rules)
        # Where the rules leave options of too few regions there is no question, and nothing to compare.
        by_target = [
            target.answers.golds if pool.n_regions_left(target) >= N_DISTRACTORS else ()
            for target in pool.targets
        ]
        golds = [gold for of_target in by_target for gold in of_target]
        compared = iter(compare(answers, pool.options, golds, rules.elsewhere, seed=rules.seed))
        self._comparisons = [[next(compared) for _ in of_target] for of_target in by_target]
        self._tags = [target.answers.locale.tag for target in pool.targets]
        self._orders = RegionOrders(rules.seed, answers.template_id, self._tags, list(pool.of_region))
        self._texts = [option.text for option in pool.options]
        # Variants are each the first possible one, so that options which none of them shows may go. What is
        # chosen otherwise, or all there is, can change with any option that was looked at. So can what was not
        # made of few people's answers, since the first three possible ones gave the correct answer away.
        self._rests_on_picks = picks_of is None and rules.options.variants != "all" and not pool.reserve
        self._chosen: dict[str, list[Pick]] = {}
        self._rests_on: dict[str, OptionSet] = {}
        self._new: list[Target] = []
        """The targets whose questions were chosen in the last round."""
        self._accounted: set[Pair] = set()

    def choose(self, known: Mapping[Pair, bool]) -> Mapping[str, Sequence[Pick]]:
        """Choose with the verdicts known so far, of which there are more each time; by tag of the target."""
        same = self._pool.judged_same(known)
        conflicts = self._pool.conflicts(same)
        # Only verdicts "the same" take options away; pairs found different were taken for different from the
        # start.
        told_same = self._pool.judged_same({one: known[one] for one in known.keys() - self._accounted})
        self._accounted.update(known)
        self._new = []
        for number, (tag, target) in enumerate(zip(self._tags, self._pool.targets, strict=True)):
            if tag in self._chosen and not self._concerns(target, told_same):
                continue
            if not self._comparisons[number]:
                self._chosen[tag], self._rests_on[tag] = [], 0
                continue
            question = Question(
                comparisons=self._comparisons[number],
                offered=self._pool.offered(target, same),
                conflicts=conflicts,
                fillers=self._pool.fillers,
                reserve=self._pool.reserve,
                regions=self._pool.region_numbers,
                kinds=self._pool.kinds,
                texts=self._texts,
                drawn=partial(self._orders.keys, number),
            )
            picks = self._chosen[tag] = self._picks_of(number, question)
            shown = (i for one in picks for i in one.triple)
            self._rests_on[tag] = option_set(shown if self._rests_on_picks else question.offered)
            self._new.append(target)
        return self._chosen

    def _concerns(self, target: Target, told_same: Mapping[str, OptionSet]) -> bool:
        """Tell whether a choice rests on an option that new verdicts take away, or on two that they part."""
        rests_on = self._rests_on[target.answers.locale.tag]
        taken = (text for text, others in told_same.items() if others & rests_on)
        return any(text in target.acceptable or self._pool.named(text) & rests_on for text in taken)

    def relied_on(self, picks: Mapping[str, Sequence[Pick]]) -> Iterator[Pair]:
        """List the pairs that must be different for the last choice to stand, beyond those of earlier ones."""
        for target in self._new:
            of_target = picks[target.answers.locale.tag]
            yield from self._pool.relied_on(target, [one.triple for one in of_target])


def pick_variants(question: Question, *, limit: int | Literal["all"]) -> list[Pick]:
    """Choose at most so many questions, or all: every correct answer with every triple of options.

    None shows what another one does: options with the same texts are the same, of whatever regions.
    Correct answers take turns; one that has no question left gives its turn to the next.
    """
    if limit == "all":
        return _every_triple(question)
    picks: list[Pick] = []
    uses: dict[int, int] = {}
    thirds: dict[int, _Thirds] = {}
    n_golds = len(question.comparisons)
    left = set(range(n_golds))
    for variant in range(limit):
        for gold in ((variant + turn) % n_golds for turn in range(n_golds)):
            if gold not in left:
                continue
            preference = question.preference(gold, variant, uses)
            if gold in thirds:
                triple = thirds[gold].next(preference)
            else:
                triple = first_three(question, gold, preference)
            if triple is None:
                left.remove(gold)
                continue
            picks.append(Pick(gold, triple))
            uses |= {i: min(uses.get(i, 0) + 1, MOST_USES) for i in triple}
            comparison = question.comparisons[gold]
            # One question has to do where a guesser who sees it finds the correct answer.
            if comparison.names_region or comparison.gives_away(triple):
                left.remove(gold)
            elif gold not in thirds:
                thirds[gold] = _Thirds(question, comparison, triple)
            break
        if not left:
            break
    return picks


class _Thirds:
    """Options that can take the place of the third one beside the two that stay.

    Never a possibly correct one, nor one that shows the text of another third one: one question less is better.
    On the side of the first third one if there is any; numbers keep to their side, since the place among four
    numbers is easily seen.
    """

    def __init__(self, question: Question, comparison: Comparison, first: Triple) -> None:
        self._a, self._b, third = first
        out = question.conflicts[self._a] | question.conflicts[self._b]
        self._texts = question.texts
        free = [
            i
            for i in question.offered
            if not out >> i & 1
            and i not in comparison.possibly_correct
            and self._texts[i] != self._texts[third]
        ]
        is_higher = comparison.side[third] > 0
        self._same_side = {i for i in free if (comparison.side[i] > 0) == is_higher}
        self._other_side = set() if comparison.is_number else {*free} - self._same_side

    def next(self, preference: Callable[[int], tuple[int, ...]]) -> Triple | None:
        """Take the next one; null where there is none left."""
        among = self._same_side or self._other_side
        if not among:
            return None
        third = min(among, key=preference)
        # On both sides: the regions that say the same have a keyness of their own.
        for side in (self._same_side, self._other_side):
            side.difference_update([i for i in side if self._texts[i] == self._texts[third]])
        return self._a, self._b, third


def _every_triple(question: Question) -> list[Pick]:
    """List every correct answer with every three regions' preferred options that may stand together.

    Of the triples with the same texts, the first in the order of regions, which no further region changes.
    """
    drawn, conflicts = question.drawn(0), question.conflicts
    preferred: dict[int, int] = {}
    for i in question.offered:
        preferred.setdefault(question.regions[i], i)
    ordered = sorted(preferred.values(), key=lambda i: (i in question.fillers, drawn[question.regions[i]]))
    by_texts: dict[tuple[str, ...], Triple] = {}
    for a, b, c in combinations(ordered, N_DISTRACTORS):
        if not (conflicts[a] >> b | (conflicts[a] | conflicts[b]) >> c) & 1:
            by_texts.setdefault(tuple(sorted(question.texts[i] for i in (a, b, c))), (a, b, c))
    return [Pick(gold, triple) for triple in by_texts.values() for gold in range(len(question.comparisons))]


_MOST_QUESTIONS = 10_000_000


def check_sum(annotations: pl.DataFrame) -> None:
    """Refuse to make all questions where they are too many to be made, before any is.

    Raises:
        InputError: If so; says how many they would be with one correct answer per region.
    """
    regions = annotations.group_by("template_id").agg(pl.col("locale").n_unique())["locale"].to_list()
    # Per template: n regions asked about, and three of the others for each.
    n_questions = sum(n * comb(n - 1, N_DISTRACTORS) for n in regions)
    if n_questions > _MOST_QUESTIONS:
        raise InputError(
            f'variants "all": every correct answer with every three options of up to {max(regions)} regions '
            f"are some {n_questions:,} questions, and at most {_MOST_QUESTIONS:,} are made; give a number "
            "instead"
        )


# Why a question is short of options


def left_out_of(found: Picked, answers: TemplateAnswers, asked: Locale) -> Mapping[str, Sequence[str]]:
    """List by cause the options that the recipe or readers leave out about a locale, at home as well."""
    causes = found.pool.left_out(found.pool.target(asked.tag))
    for one in answers.locales:
        if one.refused and are_apart(one.locale, asked):
            causes.setdefault(VERDICTS, set()).update(one.refused)
    return {cause: sorted(causes[cause]) for cause in sorted(causes)}


def shortage(
    found: Picked, answers: TemplateAnswers, asked: Locale, left_out: Mapping[str, Sequence[str]]
) -> str:
    """Say how many options are left for a target, and what became of the other regions' answers."""
    left = len(available(found, asked))
    answering = {one.locale.region for one in answers.locales if are_apart(one.locale, asked)}
    offering = {locale.region for locale in found.pool.locales if are_apart(locale, asked)}
    brought = len(offering - answering)
    others, none = len(answering | offering), len(answering - offering)
    count = f"{left} of {others} other regions{f' ({brought} only by fillers)' if brought else ''}"
    quoted = {cause: [repr(text) for text in texts] for cause, texts in left_out.items()}
    side_by_side = " that may stand side by side and hide the right one" if left >= N_DISTRACTORS else ""
    return (
        f"{count} have an option left, {N_DISTRACTORS} are needed{side_by_side}; "
        f"{none} offer{'s' if none == 1 else ''} none, "
        f"{len(offering) - left} only what an acceptable answer rules out"
        f"{f' or is left out; options left out: {listed_by_cause(quoted)}' if quoted else ''}"
    )


def listed_by_cause(left_out: Mapping[str, Sequence[str]]) -> str:
    """Say what is left out by which cause, and how much of it."""
    return ", ".join(f"{len(names):,} by {cause} ({', '.join(names)})" for cause, names in left_out.items())


def available(found: Picked, asked: Locale) -> Mapping[str, Sequence[int]]:
    """List by region the options that it offers to a locale."""
    return found.pool.available(found.pool.target(asked.tag), found.same)
