"""The board: all options of a template, and which of them may stand beside which.

Options are numbered and sets of options are integers with one bit each, so that "offered here and touching no
acceptable answer" is one operation for all options at once, however many locales there are.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, groupby
from operator import or_

from blend.builders.judges.bench import Bench, pair
from blend.builders.judges.equivalence import Pair
from blend.builders.mcq.answers import Acceptable, LocaleAnswers, Option, TemplateAnswers
from blend.builders.mcq.values import values
from blend.schemas.formats import AnswerFormat
from blend.schemas.locales import Locale


@dataclass(frozen=True, slots=True)
class Target:
    """A locale that is asked about."""

    answers: LocaleAnswers
    acceptable: Mapping[str, Acceptable]
    """By text: all answers of the locale's region, from every locale in it."""
    overlapping: int
    """Options of other regions that share a value with one of them: refused by the lexical rules."""
    touching: int
    """Those that judges before the rules do not clear."""


class Board:
    """The options of a template.

    Args:
        answers: What the locales bring.
        bench: The judges, asked about free text only: that numbers, times and dates differ needs no opinion.
            Those before the lexical rules are asked about every pair of texts that overlaps.
        fillers: Reviewed options to add behind the others of their regions.
        only: Tag of the one locale to ask about; all that can be when absent.
    """

    def __init__(
        self,
        answers: TemplateAnswers,
        bench: Bench,
        fillers: Sequence[Option] = (),
        *,
        only: str | None = None,
    ) -> None:
        self._answers = answers
        self._bench = bench if answers.answer_format is AnswerFormat.TEXT else Bench(())
        self.options = tuple(_by_region(answers.locales, fillers))
        """All options, those of a region side by side, the preferred one first."""
        self.fillers = frozenset(i for i, option in enumerate(self.options) if option.votes == 0)
        """Those of them that are reviewed fillers."""
        self._segments = _segments(self.options)
        self._inside: dict[str, set[str]] = {}
        for option in self.options:
            self._inside.setdefault(option.locale.parent, set()).add(option.locale.region)
        self.regions = tuple(self._segments)
        """Regions that offer anything."""
        self._holders = _holders(self.options)
        self.known: dict[Pair, bool] = {}
        """Verdicts on pairs that share nothing: whether they are the same all the same."""
        self._overruled: dict[Pair, bool] = {}
        """Verdicts of the judges before the rules on pairs that overlap: whether the rules stand."""
        self._conflicts = [self._touching(option.values) & ~(1 << i) for i, option in enumerate(self.options)]
        if self._bench.before:
            self._clear_conflicts()
        asked = (one for one in answers.locales if one.golds and only in (None, one.locale.tag))
        self.targets = tuple(self._target(one) for one in asked)
        """Locales asked about, in registry order."""

    def available(self, target: Target) -> dict[str, int]:
        """By region, the option that it offers to a target: its first that no acceptable answer rules out."""
        alive = self.foreign(target.answers.locale) & ~(target.touching | self._judged(target))
        found: dict[str, int] = {}
        for region, (start, mask) in self._segments.items():
            first = (alive >> start) & mask
            if first:
                found[region] = start + (first & -first).bit_length() - 1
        return found

    def conflicts(self) -> list[int]:
        """For every option, those that may not stand beside it."""
        partners = _partners(self.known)
        if not partners:
            return self._conflicts
        judged = (self._named(partners.get(option.text, _NOBODY)) for option in self.options)
        return [lexical | more for lexical, more in zip(self._conflicts, judged, strict=True)]

    def relied_on(self, target: Target, triples: Iterable[Sequence[int]]) -> Iterator[Pair]:
        """Pairs that share nothing and must be different for a target to use these triples of options."""
        if self._bench.lexical_only:
            return
        used = {i for triple in triples for i in triple}
        for i in sorted(used):
            yield from (
                pair(self.options[i].text, a.text)
                for a in target.acceptable.values()
                if not _share(self.options[i], a)
            )
        for i, j in {couple for triple in triples for couple in combinations(triple, 2)}:
            if not _share(self.options[i], self.options[j]):
                yield pair(self.options[i].text, self.options[j].text)

    def foreign(self, asked: Locale) -> int:
        """The options of all regions apart from the one asked about, as bits."""
        everything = (1 << len(self.options)) - 1
        for region in {asked.region, asked.parent, *self._inside.get(asked.region, ())}:
            start, mask = self._segments.get(region, (0, 0))
            everything &= ~(mask << start)
        return everything

    def _target(self, asked: LocaleAnswers) -> Target:
        region = asked.locale.region
        ours = (a for one in self._answers.locales if one.locale.region == region for a in one.acceptable)
        acceptable = {a.text: a for a in ours}
        overlapping = self._touching(value for a in acceptable.values() for value in a.values)
        # Without letters and digits nothing can be said about an answer: it may be any of the options.
        mute = self._answers.answer_format is AnswerFormat.TEXT and not all(
            a.values for a in acceptable.values()
        )
        overlapping = self.foreign(asked.locale) & (-1 if mute else overlapping)
        cleared = self._cleared(overlapping, acceptable.values()) if self._bench.before and not mute else 0
        return Target(asked, acceptable, overlapping, overlapping & ~cleared)

    def _touching(self, found: Iterable[str]) -> int:
        return reduce(or_, (self._holders.get(value, 0) for value in found), 0)

    def _cleared(self, overlapping: int, acceptable: Collection[Acceptable]) -> int:
        """The options that judges find different from every answer with which they overlap.

        Where only a variant that is not shown overlaps, the rules stand. So no pair of texts is put to judges
        both as overlapping and as not, and a model's verdict, once on file, changes nothing in a rebuild.
        """
        touched = {i: [a for a in acceptable if _share(self.options[i], a)] for i in _bits(overlapping)}
        pairs = {
            i: [pair(self.options[i].text, a.text) for a in answers]
            for i, answers in touched.items()
            if not any(_words(self.options[i]).isdisjoint(a.values) for a in answers)
        }
        self._judge_overlapping(asked for touched in pairs.values() for asked in touched)
        cleared = (
            1 << i for i, touched in pairs.items() if not any(self._overruled[asked] for asked in touched)
        )
        return reduce(or_, cleared, 0)

    def _clear_conflicts(self) -> None:
        """Lift conflicts between options that judges find different."""
        pairs = {
            (i, j): pair(self.options[i].text, self.options[j].text)
            for i, mask in enumerate(self._conflicts)
            for j in _bits(mask)
            if i < j
            and self.options[i].locale.region != self.options[j].locale.region
            and not _words(self.options[i]).isdisjoint(_words(self.options[j]))
        }
        self._judge_overlapping(pairs.values())
        for (i, j), asked in pairs.items():
            if not self._overruled[asked]:
                self._conflicts[i] &= ~(1 << j)
                self._conflicts[j] &= ~(1 << i)

    def _judge_overlapping(self, pairs: Iterable[Pair]) -> None:
        unknown = [asked for asked in pairs if asked not in self._overruled]
        self._overruled.update(self._bench.same(unknown, overlapping=True))

    def _judged(self, target: Target) -> int:
        """Options that judges find the same as an acceptable answer."""
        partners = _partners(self.known)
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
    return not a.values.isdisjoint(b.values)


_NOBODY: frozenset[str] = frozenset()


def are_apart(one: Locale, other: Locale) -> bool:
    """Whether neither region is or contains the other.

    What people of Indonesia answer may well be right in West Java, whether or not anybody there said so, and
    the other way round; it is no wrong option.
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


def _partners(known: Mapping[Pair, bool]) -> dict[str, set[str]]:
    """By text, the texts that judges find the same."""
    partners: dict[str, set[str]] = {}
    for (a, b), same in known.items():
        if same:
            partners.setdefault(a, set()).add(b)
            partners.setdefault(b, set()).add(a)
    return partners


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
