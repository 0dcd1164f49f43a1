"""Option pool: all options of a template, and which of them may stand beside which.

Options are numbered; what is said of several of them is a set of their numbers, see `option_sets`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from itertools import chain, combinations
from typing import NamedTuple

from blend.builders.judges.equivalence import Pair
from blend.builders.judges.panel import pair
from blend.builders.mcq.answers import LocaleAnswers, TemplateAnswers
from blend.builders.mcq.option_sets import OptionSet, numbers_in, option_set, union
from blend.builders.mcq.options import Acceptable, JudgedBeside, Option, SharedAnswers, are_apart
from blend.schemas.language.answer_formats import AnswerFormat
from blend.schemas.language.locales import Locale

OPTIONS_OF_A_REGION = 4
"""How many options of a region are looked at for a question; one of them is shown at most."""

VERDICTS = "verdicts"
"""Cause of options that readers leave out."""


class Target(NamedTuple):
    """A locale that is asked about."""

    answers: LocaleAnswers
    acceptable: Mapping[str, Acceptable]
    """By text: all answers of the locale's region, from every locale in it."""
    matches_anything: bool
    """Whether one of them has no letter or digit, so that it may be any of the options."""
    other_regions: OptionSet
    """Options of all regions apart from its own, without those that may not be shown about it."""
    overlapping: OptionSet
    """Those of them that share a value with an acceptable answer: refused by the lexical rules."""
    same_local_answer: OptionSet
    """Further ones that either locale writes in the same words as one of them, see `LocalVariants`."""
    ruled_out: OptionSet
    """Those of both that no judge has overridden."""
    judged: Mapping[str, OptionSet]
    """By text of an acceptable answer, the options beside which a judge may have an opinion on it, if any."""


class OptionPool:
    """Options of a template. Asks nobody and never changes: verdicts come in as arguments.

    Args:
        answers: What the locales bring.
        fillers: Options to add behind the others of their regions, for use where these do not suffice.
        only: Tags of the locales to ask about; all that can be when absent.
        partners: By text, answers beside which a judge may have an opinion on it, see `JudgePanel.partners`;
            all when absent. Pairs on which nobody has one are not listed.
    """

    def __init__(
        self,
        answers: TemplateAnswers,
        fillers: Sequence[Option] = (),
        *,
        only: Collection[str] | None = None,
        partners: Mapping[str, Set[str]] | None = None,
    ) -> None:
        self._answers = answers
        self.options = tuple(_by_region(answers.locales, fillers))
        """All options, those of a region side by side, the preferred one first."""
        added = set(map(id, fillers))
        self.fillers = frozenset(i for i, option in enumerate(self.options) if id(option) in added)
        """Those of them that were added."""
        # Reviewed fillers have no votes.
        self.reserve = frozenset(i for i in self.fillers if self.options[i].votes)
        """Those of these that few people gave, and nobody reviewed."""
        self.of_region = _grouped((option.locale.region, i) for i, option in enumerate(self.options))
        """By code of a region that offers anything, its options, the preferred one first."""
        positions = {region: position for position, region in enumerate(self.of_region)}
        self.region_numbers = tuple(positions[option.locale.region] for option in self.options)
        """By option, the place of its region among these."""
        self._in_region = {region: option_set(own) for region, own in self.of_region.items()}
        self._everything = (1 << len(self.options)) - 1
        self.locales = {option.locale.tag: option.locale for option in self.options}.values()
        """Locales that offer any option."""
        self._shared = SharedAnswers(self.options)
        self.texts = tuple((option.text, option.locale.tag) for option in self.options)
        """By option, its text and the tag of its locale."""
        self._judged = JudgedBeside(self.options, partners)
        shared = [(option, self._shared.with_answer(option)) for option in self.options]
        self._conflicts = tuple(same | self._in_region[option.locale.region] for option, same in shared)
        kinds: dict[tuple[str, OptionSet], int] = {}
        self.kinds = tuple(kinds.setdefault((option.text, same), len(kinds)) for option, same in shared)
        """See `failed_kinds`; by text as well, since judges find texts the same."""
        asked = [one for one in answers.locales if one.golds and (only is None or one.locale.tag in only)]
        regions = {one.locale.region for one in asked}
        acceptable = _acceptable(one for one in answers.locales if one.locale.region in regions)
        self.targets = tuple(self._target(one, acceptable[one.locale.region]) for one in asked)
        """Locales asked about, in registry order."""

    def target(self, tag: str) -> Target:
        """Find the target with a tag.

        Raises:
            StopIteration: If the locale is not asked about.
        """
        return next(target for target in self.targets if target.answers.locale.tag == tag)

    def named(self, text: str) -> OptionSet:
        """List the options that show a text."""
        return self._shared.named([text])

    # What may be shown, and beside what

    def judged_same(self, known: Mapping[Pair, bool]) -> dict[str, OptionSet]:
        """List by text the options that judges find the same.

        Args:
            known: Verdicts on pairs that share nothing: whether they are the same all the same.
        """
        return {text: self._shared.named(others) for text, others in _partners(known, same=True).items()}

    def available(self, target: Target, same: Mapping[str, OptionSet]) -> dict[str, list[int]]:
        """List by region the options that it offers to a target: those that no acceptable answer rules out.

        The preferred one first, fillers behind those of its own.

        Args:
            target: Whom to ask.
            same: What `judged_same` says.
        """
        left = numbers_in(target.other_regions & ~target.ruled_out & ~_judged_out(target, same))
        return _grouped((self.options[i].locale.region, i) for i in left)

    def offered(self, target: Target, same: Mapping[str, OptionSet]) -> dict[int, int]:
        """List the options that a target can choose from, each with its place in its region, from 0.

        The `OPTIONS_OF_A_REGION` first ones of each region, without those that judges turn down. Which are the
        first must not depend on verdicts: one that was not asked for, since nothing rests on it, would hide
        another one.
        """
        judged = frozenset(numbers_in(_judged_out(target, same)))
        found, region, position = dict[int, int](), None, 0
        # Options of a region stand side by side, the preferred one first.
        for i in numbers_in(target.other_regions & ~target.ruled_out):
            position = position + 1 if self.region_numbers[i] == region else 0
            region = self.region_numbers[i]
            if position < OPTIONS_OF_A_REGION and i not in judged:
                found[i] = position
        return found

    def n_regions_left(self, target: Target) -> int:
        """Count the regions of which the rules leave a target any option."""
        left = target.other_regions & ~target.ruled_out
        return sum(1 for own in self._in_region.values() if left & own)

    def conflicts(self, same: Mapping[str, OptionSet]) -> Sequence[OptionSet]:
        """List for every option those that may not stand beside it; ``same`` as in `available`.

        They share something with it, judges find them the same, or they are of its own region, as it is itself.
        """
        return [
            conflicts | same.get(option.text, 0)
            for option, conflicts in zip(self.options, self._conflicts, strict=True)
        ]

    def other_regions(self, asked: Locale) -> OptionSet:
        """List the options of all regions apart from the one asked about."""
        near = {locale.region for locale in self.locales if not are_apart(locale, asked)}
        return self._everything & ~union(self._in_region[region] for region in near)

    def left_out(self, target: Target) -> dict[str, set[str]]:
        """List by cause the options that recipe or readers leave out, and that no answer of people rules out.

        A cause is a key of the recipe (``mcq.max_risk``) or ``verdicts``.
        """
        if target.matches_anything:
            return {}
        by_people = (answer for answer in target.acceptable.values() if not answer.is_verdict)
        given = union(self._shared.with_answer(answer) for answer in by_people)
        found: dict[str, set[str]] = {}
        if (left_out_by := target.answers.left_out_by) is not None:
            for i in numbers_in(self.other_regions(target.answers.locale) & ~target.other_regions & ~given):
                cause = left_out_by(self.options[i])
                assert cause is not None, "what is not left out belongs to the target's options"
                found.setdefault(cause, set()).add(self.options[i].text)
        if refused := {self.options[i].text for i in numbers_in(target.ruled_out & ~given)}:
            found.setdefault(VERDICTS, set()).update(refused)
        return found

    # What judges are asked

    def relied_on(self, target: Target, triples: Iterable[Sequence[int]]) -> set[Pair]:
        """List the pairs that share nothing and must be different for a target to use these triples of options.

        Those on which no judge may have an opinion are not listed: they are different.
        """
        chosen = list(triples)
        used, options = option_set(chain.from_iterable(chosen)), self.options
        found = {
            pair(options[i].text, answer)
            for answer, judged in target.judged.items()
            # Mostly none is used, and what it shares need not be looked up.
            if judged & used
            for i in numbers_in(judged & used & ~self._shared.with_answer(target.acceptable[answer]))
        }
        for i, j in {couple for triple in chosen for couple in combinations(triple, 2)}:
            judged = self._judged[options[i].text]
            if judged >> j & 1 and not self._shared.with_answer(options[i]) >> j & 1:
                found.add(pair(options[i].text, options[j].text))
        return found

    def overridable(self) -> set[Pair]:
        """List the pairs of shown texts that rules or local variants hold for the same, and a judge may not.

        Those on which no judge may have an opinion are not listed: there the rules stand.

        Where only a variant that is not shown overlaps, the rules stand. So no pair of texts is put to judges
        both as overlapping and as not, and a model's verdict, once on file, changes nothing in a rebuild. What
        local variants hold for the same depends on the locales; see `JudgePanel.overruled`.
        """
        found = {
            pair(text, self.options[j].text)
            for text, named in self._shared.by_text()
            if self._judged[text]
            for i in numbers_in(named)
            for j in numbers_in(self._overridable_beside(i))
        }
        for target in self.targets:
            overridable = self._overridable_for(target)
            for text, judged in target.judged.items() if overridable else ():
                both = overridable & judged & self._shared.with_answer(target.acceptable[text])
                found.update(pair(text, self.options[i].text) for i in numbers_in(both))
        return found

    def overridden(self, verdicts: Mapping[Pair, bool]) -> "OptionPool":
        """Make the pool in which overridable pairs that judges find different may stand side by side.

        Args:
            verdicts: For pairs of `overridable`, whether they are the same after all; others are.
        """
        parted = _partners(verdicts, same=False)
        different = {text: self._shared.named(others) for text, others in parted.items()}
        if not different:
            return self
        pool = copy(self)
        pool._conflicts = tuple(
            conflicts & ~(different[option.text] & self._overridable_beside(i))
            if option.text in different
            else conflicts
            for i, (option, conflicts) in enumerate(zip(self.options, self._conflicts, strict=True))
        )
        # Options of such texts are a kind each: what else they share decides what may stand beside them.
        pool.kinds = tuple(~i if self.texts[i][0] in different else kind for i, kind in enumerate(self.kinds))
        pool.targets = tuple(self._overridden_for(target, different) for target in self.targets)
        return pool

    def _overridable_beside(self, i: int) -> OptionSet:
        """List the options of other regions that are apart from one only until a judge differs."""
        option = self.options[i]
        beside = self._judged[option.text] & self._conflicts[i] & ~self._in_region[option.locale.region]
        return beside and beside & self._shared.both_as_shown(option)

    def _overridable_for(self, target: Target) -> OptionSet:
        """List the options whose shown text overlaps with all acceptable answers that they overlap with at all.

        Only those of which some pair may be judged.
        """
        if target.matches_anything or not target.judged:
            return 0
        refused = target.overlapping | target.same_local_answer
        judged = ((target.acceptable[text], refused & beside) for text, beside in target.judged.items())
        found = union(self._shared.with_answer(answer) & beside for answer, beside in judged if beside)
        for answer in target.acceptable.values() if found else ():
            found &= ~self._shared.only_unshown(answer)
        return found

    def _overridden_for(self, target: Target, different: Mapping[str, OptionSet]) -> Target:
        """Take back what rules out options that judges find different from every answer they overlap with."""
        if different.keys().isdisjoint(target.judged):
            return target
        overridden = self._overridable_for(target)
        for text, answer in target.acceptable.items() if overridden else ():
            overridden &= different.get(text, 0) | ~self._shared.with_answer(answer)
        return target._replace(ruled_out=(target.overlapping | target.same_local_answer) & ~overridden)

    def _target(self, asked: LocaleAnswers, acceptable: Mapping[str, Acceptable]) -> Target:
        is_text = self._answers.answer_format is AnswerFormat.TEXT
        matches_anything = is_text and not all(answer.values for answer in acceptable.values())
        others = self.other_regions(asked.locale)
        if asked.left_out_by is not None:
            others = option_set(i for i in numbers_in(others) if asked.left_out_by(self.options[i]) is None)
        overlapping = others if matches_anything else others & self._shared.any_overlapping(acceptable.values())
        refused = overlapping | (others & self._shared.any_same_local_answer(acceptable.values()))
        return Target(
            answers=asked,
            acceptable=acceptable,
            matches_anything=matches_anything,
            other_regions=others,
            overlapping=overlapping,
            same_local_answer=refused & ~overlapping,
            ruled_out=refused,
            judged={text: beside for text in acceptable if (beside := self._judged[text])},
        )


def _judged_out(target: Target, same: Mapping[str, OptionSet]) -> OptionSet:
    """List the options that judges find the same as an acceptable answer of a target."""
    return union(same[text] for text in same.keys() & target.acceptable.keys())


def _acceptable(answers: Iterable[LocaleAnswers]) -> dict[str, dict[str, Acceptable]]:
    """List by region all its acceptable answers, by text."""
    found: dict[str, dict[str, Acceptable]] = {}
    for one in answers:
        found.setdefault(one.locale.region, {}).update((answer.text, answer) for answer in one.acceptable)
    return found


def _grouped(entries: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    """Collect numbers by name, in order."""
    found: dict[str, list[int]] = {}
    for name, number in entries:
        found.setdefault(name, []).append(number)
    return found


def _partners(verdicts: Mapping[Pair, bool], *, same: bool) -> dict[str, set[str]]:
    """Collect by text the texts that judges find the same, or different."""
    found: dict[str, set[str]] = {}
    for (a, b), verdict in verdicts.items():
        if verdict is same:
            found.setdefault(a, set()).add(b)
            found.setdefault(b, set()).add(a)
    return found


def _by_region(answers: Sequence[LocaleAnswers], fillers: Sequence[Option]) -> Iterator[Option]:
    """List all options, regions in the order in which they first occur, most votes first, fillers last."""
    offered: dict[str, list[Option]] = {}
    for option in (*(option for one in answers for option in one.offered), *fillers):
        offered.setdefault(option.locale.region, []).append(option)
    for options in offered.values():
        # A stable sort: locales of one region in registry order, each in its own order.
        yield from sorted(options, key=lambda option: -option.votes)
