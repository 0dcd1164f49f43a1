"""The board: all options of a template, and which of them may stand beside which.

Options are numbered and sets of options are integers with one bit each, so that "offered here and touching no
acceptable answer" is one operation for all options at once, however many locales there are.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations, groupby
from operator import or_

import numpy as np

from blend.builders.judges.bench import pair
from blend.builders.judges.equivalence import Pair
from blend.builders.mcq.answers import LocaleAnswers, TemplateAnswers
from blend.builders.mcq.flags import Flags, flags, numbers_in
from blend.builders.mcq.offers import Offered, preferred
from blend.builders.mcq.options import Acceptable, Option
from blend.builders.mcq.sharing import Sharing, numbers_of, partners
from blend.builders.mcq.values import values
from blend.schemas.formats import AnswerFormat
from blend.schemas.locales import Locale


@dataclass(frozen=True, slots=True)
class Target:
    """A locale that is asked about."""

    answers: LocaleAnswers
    acceptable: Mapping[str, Acceptable]
    """By text: all answers of the locale's region, from every locale in it."""
    mute: bool
    """Whether one of them has no letter or digit, so that it may be any of the options."""
    overlapping: int
    """Options of other regions that share a value with one of them: refused by the lexical rules."""
    alike: int
    """Further options that either locale writes in the same words as one of them, see `Translations`."""
    touching: int
    """Those of both that no judge has cleared."""
    foreign: int
    """The options of all regions apart from its own."""
    sharing: Mapping[str, int]
    """By text of an acceptable answer, the options that share anything with it."""
    judged: tuple[str, ...]
    """The acceptable answers on which a judge may have an opinion."""


class Board:
    """The options of a template. Asks nobody and never changes: verdicts come in as arguments.

    Args:
        answers: What the locales bring.
        fillers: Options to add behind the others of their regions, for use where these do not suffice.
        only: Tags of the locales to ask about; all that can be when absent.
        concerns: Whether a judge may have an opinion on a text, see `Bench.concerns`; on all when absent. Pairs
            on which nobody has one are not listed.
    """

    def __init__(
        self,
        answers: TemplateAnswers,
        fillers: Sequence[Option] = (),
        *,
        only: Collection[str] | None = None,
        concerns: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self._answers = answers
        self._concerns = concerns
        self.options = tuple(_by_region(answers.locales, fillers))
        """All options, those of a region side by side, the preferred one first."""
        self.shown = tuple((option.text, option.locale.tag) for option in self.options)
        """Text and locale of each; questions keep these, of which there are few, rather than copies."""
        added = set(fillers)
        of_added = (i for i, option in enumerate(self.options) if option in added) if added else ()
        self.fillers = frozenset(of_added)
        """Those of them that were added."""
        self._sharing = Sharing(self.options)
        self._judged_options = numbers_of(self.options, concerns)
        self._segments = _segments(self.options)
        self._inside: dict[str, set[str]] = {}
        for option in self.options:
            self._inside.setdefault(option.locale.parent, set()).add(option.locale.region)
        self.regions = tuple(self._segments)
        """Regions that offer anything."""
        sizes = [mask.bit_length() for _, mask in self._segments.values()]
        self.region_numbers = np.repeat(np.arange(len(sizes)), sizes)
        """For every option the place of its region among these."""
        self.is_filler = np.isin(np.arange(len(self.options)), list(self.fillers))
        """Whether an option is among the fillers."""
        self._conflicts = [
            self._sharing.with_answer(option) & ~(1 << i) for i, option in enumerate(self.options)
        ]
        asked = (one for one in answers.locales if one.golds and (only is None or one.locale.tag in only))
        self.targets = tuple(self._target(one) for one in asked)
        """Locales asked about, in registry order."""

    def target(self, tag: str) -> Target:
        """The target with a tag.

        Raises:
            StopIteration: If the locale is not asked about.
        """
        return next(target for target in self.targets if target.answers.locale.tag == tag)

    def contested(self) -> set[Pair]:
        """Pairs of shown texts that rules or local variants hold for the same, and a judge may find different.

        Those on which no judge may have an opinion are not listed: there the rules stand.

        Where only a variant that is not shown overlaps, the rules stand. So no pair of texts is put to judges
        both as overlapping and as not, and a model's verdict, once on file, changes nothing in a rebuild. What
        local variants hold for the same depends on the locales; see `Bench.overruled`.
        """
        found: set[Pair] = set()
        for i in numbers_in(self._judged_options):
            found |= self._sharing.pairs(self.options[i].text, self._contested_beside(i))
        for target in self.targets:
            contested = self._contested_for(target)
            for text, sharing in target.sharing.items() if contested else ():
                found |= self._sharing.pairs(text, contested & sharing)
        return found

    def cleared(self, verdicts: Mapping[Pair, bool]) -> "Board":
        """The board on which contested pairs that judges find different may stand side by side.

        Args:
            verdicts: For pairs of `contested`, whether they are the same after all; others are.
        """
        different = {
            text: self._sharing.named(others) for text, others in partners(verdicts, same=False).items()
        }
        if not different:
            return self
        board = copy(self)
        board._conflicts = [
            conflicts & ~(different.get(option.text, 0) & self._contested_beside(i))
            for i, (option, conflicts) in enumerate(zip(self.options, self._conflicts, strict=True))
        ]
        board.targets = tuple(self._cleared(target, different) for target in self.targets)
        return board

    def available(self, target: Target, known: Mapping[Pair, bool]) -> dict[str, tuple[int, ...]]:
        """By region, the options that it offers to a target: those that no acceptable answer rules out.

        The preferred one first, fillers behind those of its own.

        Args:
            target: Whom to ask.
            known: Verdicts on pairs that share nothing: whether they are the same all the same.
        """
        alive = self._alive(target, self._same(known))
        found: dict[str, tuple[int, ...]] = {}
        for region, (start, mask) in self._segments.items():
            offered = tuple(start + place for place in numbers_in((alive >> start) & mask))
            if offered:
                found[region] = offered
        return found

    def offered(self, known: Mapping[Pair, bool]) -> Offered:
        """What every target is offered: the first few of each region, without those that judges turn down."""
        n, same = len(self.options), self._same(known)
        by_rules = flags([self._alive(target, {}) for target in self.targets], n)
        alive = flags([self._alive(target, same) for target in self.targets], n)
        first = preferred(by_rules, self.region_numbers)
        return first._replace(shown=first.shown & alive)

    def conflicts(self, known: Mapping[Pair, bool]) -> list[int]:
        """For every option, those that may not stand beside it; ``known`` as in `available`."""
        same = self._same(known)
        if not same:
            return self._conflicts
        judged = (same.get(option.text, 0) for option in self.options)
        return [lexical | more for lexical, more in zip(self._conflicts, judged, strict=True)]

    def apart(self, known: Mapping[Pair, bool]) -> Flags:
        """For every option, those that may not stand beside it, of its own region or for what they mean."""
        of_one_region: Flags = self.region_numbers[:, None] == self.region_numbers
        return of_one_region | flags(self.conflicts(known), len(self.options))

    def relied_on(self, target: Target, triples: Iterable[Sequence[int]]) -> set[Pair]:
        """Pairs that share nothing and must be different for a target to use these triples of options.

        Those on which no judge may have an opinion are not listed: they are different.
        """
        of_interest = [[i for i in triple if self._judged_options >> i & 1] for triple in triples]
        used = {i: self.options[i].text for triple in of_interest for i in triple}
        found: set[Pair] = set()
        for answer in target.judged if used else ():
            sharing = target.sharing[answer]
            found.update(pair(text, answer) for i, text in used.items() if not sharing >> i & 1)
        couples = {couple for triple in of_interest for couple in combinations(triple, 2)}
        found.update(
            pair(used[i], used[j])
            for i, j in couples
            if not self._sharing.with_answer(self.options[i]) >> j & 1
        )
        return found

    def foreign(self, asked: Locale) -> int:
        """The options of all regions apart from the one asked about, as bits."""
        everything = (1 << len(self.options)) - 1
        for region in {asked.region, asked.parent, *self._inside.get(asked.region, ())}:
            start, mask = self._segments.get(region, (0, 0))
            everything &= ~(mask << start)
        return everything

    def _same(self, known: Mapping[Pair, bool]) -> dict[str, int]:
        """By text, the options that judges find the same."""
        return {text: self._sharing.named(others) for text, others in partners(known, same=True).items()}

    def _alive(self, target: Target, same: Mapping[str, int]) -> int:
        """The options of other regions that are the same as no acceptable answer of a target, as bits."""
        judged = (same[text] for text in same.keys() & target.acceptable.keys())
        return target.foreign & ~reduce(or_, judged, target.touching)

    def _target(self, asked: LocaleAnswers) -> Target:
        region = asked.locale.region
        ours = (a for one in self._answers.locales if one.locale.region == region for a in one.acceptable)
        acceptable = {a.text: a for a in ours}
        mute = self._answers.answer_format is AnswerFormat.TEXT and not all(
            a.values for a in acceptable.values()
        )
        foreign = self.foreign(asked.locale)
        touching = {text: self._sharing.touching(a) for text, a in acceptable.items()}
        sharing = {text: touching[text] | self._sharing.alike(a) for text, a in acceptable.items()}
        overlapping = foreign & reduce(or_, touching.values(), -1 if mute else 0)
        refused = foreign & reduce(or_, sharing.values(), overlapping)
        return Target(
            answers=asked,
            acceptable=acceptable,
            mute=mute,
            overlapping=overlapping,
            alike=refused & ~overlapping,
            touching=refused,
            foreign=foreign,
            sharing=sharing,
            judged=tuple(filter(self._concerns, acceptable)),
        )

    def _contested_beside(self, i: int) -> int:
        """Options of other regions whose shown text overlaps with that of one, where judges have a say."""
        option = self.options[i]
        if not self._judged_options >> i & 1:
            return 0
        start, own = self._segments[option.locale.region]
        contested = self._conflicts[i] & self._sharing.both_as_shown(option) & self._judged_options
        return contested & ~(own << start)

    def _contested_for(self, target: Target) -> int:
        """Options whose shown text overlaps with all the acceptable answers that they overlap with at all.

        Only those of which some pair may be judged.
        """
        if target.mute:
            return 0
        judged = reduce(or_, (target.sharing[text] for text in target.judged), 0) & self._judged_options
        contested = (target.overlapping | target.alike) & judged
        for text, answer in target.acceptable.items() if contested else ():
            contested &= ~target.sharing[text] | self._sharing.as_shown(answer)
        return contested

    def _cleared(self, target: Target, different: Mapping[str, int]) -> Target:
        """The target without the options that judges find different from every answer they overlap with."""
        cleared = self._contested_for(target)
        for text, sharing in target.sharing.items() if cleared else ():
            cleared &= ~sharing | different.get(text, 0)
        return replace(target, touching=(target.overlapping | target.alike) & ~cleared)


def share_words(a: str, b: str) -> bool:
    """Whether the lexical rules hold two texts for the same as they are shown."""
    return not values(a, AnswerFormat.TEXT).isdisjoint(values(b, AnswerFormat.TEXT))


def are_apart(one: Locale, other: Locale) -> bool:
    """Whether neither region is or contains the other.

    What people of Indonesia answer may well be right in West Java, whether or not anybody there said so, and
    the other way round; it is not a distractor.
    """
    return one.region != other.region and one.parent != other.region and other.parent != one.region


def _by_region(answers: Sequence[LocaleAnswers], fillers: Sequence[Option]) -> Iterator[Option]:
    """All options, regions in the order in which they first occur, most votes first, fillers last."""
    offered: dict[str, list[Option]] = {}
    for option in (*(option for one in answers for option in one.offered), *fillers):
        offered.setdefault(option.locale.region, []).append(option)
    for options in offered.values():
        # A stable sort: locales of one region in registry order, each in its own order.
        yield from sorted(options, key=lambda option: -option.votes)


def _segments(options: Sequence[Option]) -> dict[str, tuple[int, int]]:
    """By region, the number of its first option, and a mask as wide as it has options."""
    segments: dict[str, tuple[int, int]] = {}
    start = 0
    for region, group in groupby(options, key=lambda option: option.locale.region):
        size = len(list(group))
        segments[region] = (start, (1 << size) - 1)
        start += size
    return segments
