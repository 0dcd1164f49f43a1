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
from blend.builders.mcq.answers import Acceptable, LocaleAnswers, Option, TemplateAnswers
from blend.builders.mcq.flags import Flags, flags, numbers_in
from blend.builders.mcq.offers import Offered, preferred
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
    judged: tuple[Acceptable, ...]
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
        added = set(fillers)
        self.fillers = frozenset(i for i, option in enumerate(self.options) if option in added)
        """Those of them that were added."""
        self._judged_options = _mask(i for i, option in enumerate(self.options) if concerns(option.text))
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
        self._holders = _holders(self.options)
        self._named_so, self._also_named = _names(self.options)
        self._conflicts = [
            (self._touching(option.values) | self._alike(option)) & ~(1 << i)
            for i, option in enumerate(self.options)
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
        of_targets = (pairs for target in self.targets for pairs in self._touched(target).values())
        return {*self._conflict_pairs().values(), *(asked for pairs in of_targets for asked in pairs)}

    def cleared(self, verdicts: Mapping[Pair, bool]) -> "Board":
        """The board on which contested pairs that judges find different may stand side by side.

        Args:
            verdicts: For pairs of `contested`, whether they are the same after all; others are.
        """
        if all(verdicts.values()):
            return self
        board = copy(self)
        board._conflicts = list(self._conflicts)
        for (i, j), asked in self._conflict_pairs().items():
            if not verdicts.get(asked, True):
                board._conflicts[i] &= ~(1 << j)
                board._conflicts[j] &= ~(1 << i)
        board.targets = tuple(self._cleared(target, verdicts) for target in self.targets)
        return board

    def available(self, target: Target, known: Mapping[Pair, bool]) -> dict[str, tuple[int, ...]]:
        """By region, the options that it offers to a target: those that no acceptable answer rules out.

        The preferred one first; fillers only where the region has nothing of its own.

        Args:
            target: Whom to ask.
            known: Verdicts on pairs that share nothing: whether they are the same all the same.
        """
        alive = self._alive(target, known)
        found: dict[str, tuple[int, ...]] = {}
        for region, (start, mask) in self._segments.items():
            offered = [start + place for place in numbers_in((alive >> start) & mask)]
            own = [i for i in offered if i not in self.fillers]
            if offered:
                found[region] = tuple(own or offered)
        return found

    def offered(self, known: Mapping[Pair, bool]) -> Offered:
        """What every target is offered: of each region the first few of `available`."""
        alive = flags([self._alive(target, known) for target in self.targets], len(self.options))
        return preferred(alive, self.region_numbers, self.is_filler)

    def conflicts(self, known: Mapping[Pair, bool]) -> list[int]:
        """For every option, those that may not stand beside it; ``known`` as in `available`."""
        partners = _partners(known)
        if not partners:
            return self._conflicts
        judged = (self._named(partners.get(option.text, _NOBODY)) for option in self.options)
        return [lexical | more for lexical, more in zip(self._conflicts, judged, strict=True)]

    def apart(self, known: Mapping[Pair, bool]) -> Flags:
        """For every option, those that may not stand beside it, of its own region or for what they mean."""
        of_one_region = self.region_numbers[:, None] == self.region_numbers
        return of_one_region | flags(self.conflicts(known), len(self.options))

    def relied_on(self, target: Target, triples: Iterable[Sequence[int]]) -> Iterator[Pair]:
        """Pairs that share nothing and must be different for a target to use these triples of options.

        Those on which no judge may have an opinion are not listed: they are different.
        """
        of_interest = [[i for i in triple if self._judged_options >> i & 1] for triple in triples]
        for i in sorted({i for triple in of_interest for i in triple}):
            yield from (
                pair(self.options[i].text, a.text) for a in target.judged if not _share(self.options[i], a)
            )
        for i, j in {couple for triple in of_interest for couple in combinations(triple, 2)}:
            if not _share(self.options[i], self.options[j]):
                yield pair(self.options[i].text, self.options[j].text)

    def foreign(self, asked: Locale) -> int:
        """The options of all regions apart from the one asked about, as bits."""
        everything = (1 << len(self.options)) - 1
        for region in {asked.region, asked.parent, *self._inside.get(asked.region, ())}:
            start, mask = self._segments.get(region, (0, 0))
            everything &= ~(mask << start)
        return everything

    def _alive(self, target: Target, known: Mapping[Pair, bool]) -> int:
        """The options that no acceptable answer of a target rules out, as bits."""
        return self.foreign(target.answers.locale) & ~(target.touching | self._judged(target, known))

    def _target(self, asked: LocaleAnswers) -> Target:
        region = asked.locale.region
        ours = (a for one in self._answers.locales if one.locale.region == region for a in one.acceptable)
        acceptable = {a.text: a for a in ours}
        mute = self._answers.answer_format is AnswerFormat.TEXT and not all(
            a.values for a in acceptable.values()
        )
        touching = self._touching(value for a in acceptable.values() for value in a.values)
        foreign = self.foreign(asked.locale)
        overlapping = foreign & (-1 if mute else touching)
        alike = foreign & reduce(or_, map(self._alike, acceptable.values()), 0) & ~overlapping
        judged = tuple(a for a in acceptable.values() if self._concerns(a.text))
        return Target(asked, acceptable, mute, overlapping, alike, overlapping | alike, judged)

    def _touching(self, found: Iterable[str]) -> int:
        return reduce(or_, (self._holders.get(value, 0) for value in found), 0)

    def _alike(self, answer: Option | Acceptable) -> int:
        """Options that its locale or theirs writes in the same words."""
        by_its_locale = (self._named_so.get(text, 0) for text in answer.also)
        return reduce(or_, by_its_locale, self._also_named.get(answer.text, 0))

    def _conflict_pairs(self) -> dict[tuple[int, int], Pair]:
        """Options of different regions whose shown texts overlap, by number, where judges may have a say."""
        return {
            (i, j): pair(self.options[i].text, self.options[j].text)
            for i in numbers_in(self._judged_options)
            for j in numbers_in(self._conflicts[i] & self._judged_options)
            if i < j
            and self.options[i].locale.region != self.options[j].locale.region
            and (
                _are_alike(self.options[i], self.options[j])
                or not _words(self.options[i]).isdisjoint(_words(self.options[j]))
            )
        }

    def _touched(self, target: Target) -> dict[int, list[Pair]]:
        """Options whose shown text overlaps with all the acceptable answers that they overlap with at all.

        Only those of which some pair may be judged.
        """
        if target.mute:
            return {}
        touched = {
            i: [a for a in target.acceptable.values() if _share(self.options[i], a)]
            for i in numbers_in((target.overlapping | target.alike) & self._judged_options)
            if any(_share(self.options[i], a) for a in target.judged)
        }
        return {
            i: [pair(self.options[i].text, a.text) for a in answers]
            for i, answers in touched.items()
            if all(
                _are_alike(self.options[i], a) or not _words(self.options[i]).isdisjoint(a.values)
                for a in answers
            )
        }

    def _cleared(self, target: Target, verdicts: Mapping[Pair, bool]) -> Target:
        """The target without the options that judges find different from every answer they overlap with."""
        different = (
            1 << i
            for i, pairs in self._touched(target).items()
            if not any(verdicts.get(asked, True) for asked in pairs)
        )
        return replace(target, touching=(target.overlapping | target.alike) & ~reduce(or_, different, 0))

    def _judged(self, target: Target, known: Mapping[Pair, bool]) -> int:
        """Options that judges find the same as an acceptable answer."""
        partners = _partners(known)
        if not partners:
            return 0
        same = (
            1 << i
            for i, option in enumerate(self.options)
            if not partners.get(option.text, _NOBODY).isdisjoint(target.acceptable)
        )
        return reduce(or_, same, 0)

    def _named(self, texts: Collection[str]) -> int:
        return reduce(or_, (1 << i for i, option in enumerate(self.options) if option.text in texts), 0)


def _words(option: Option) -> frozenset[str]:
    """The values of the text that is shown, without those of its variants."""
    return values(option.text, AnswerFormat.TEXT)


def _share(a: Option, b: Option | Acceptable) -> bool:
    return _are_alike(a, b) or not a.values.isdisjoint(b.values)


def share_words(a: str, b: str) -> bool:
    """Whether the lexical rules hold two texts for the same as they are shown."""
    return not values(a, AnswerFormat.TEXT).isdisjoint(values(b, AnswerFormat.TEXT))


def _are_alike(a: Option, b: Option | Acceptable) -> bool:
    """Whether the locale of one of them writes both in the same words."""
    return a.text in b.also or b.text in a.also


_NOBODY: frozenset[str] = frozenset()


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


def _holders(options: Sequence[Option]) -> dict[str, int]:
    """By value, the options that have it."""
    holders: dict[str, int] = {}
    for i, option in enumerate(options):
        for value in option.values:
            holders[value] = holders.get(value, 0) | 1 << i
    return holders


def _names(options: Sequence[Option]) -> tuple[dict[str, int], dict[str, int]]:
    """By text, the options that are shown so, and those whose locales write it in the same words."""
    shown_so: dict[str, int] = {}
    also_named: dict[str, int] = {}
    for i, option in enumerate(options):
        shown_so[option.text] = shown_so.get(option.text, 0) | 1 << i
        for text in option.also:
            also_named[text] = also_named.get(text, 0) | 1 << i
    return shown_so, also_named


def _partners(known: Mapping[Pair, bool]) -> dict[str, set[str]]:
    """By text, the texts that judges find the same."""
    partners: dict[str, set[str]] = {}
    for (a, b), same in known.items():
        if same:
            partners.setdefault(a, set()).add(b)
            partners.setdefault(b, set()).add(a)
    return partners


def _mask(bits: Iterable[int]) -> int:
    return reduce(or_, (1 << i for i in bits), 0)
