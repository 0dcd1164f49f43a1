"""Offers: which answers of other regions may be shown about a region as wrong.

What overlaps with an answer that the region gave is left out, and what readers refused.
"""

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from blend.builders.digests import digest
from blend.builders.judges.panel import JudgePanel, pair
from blend.builders.mcq.answers import LeftOutBy, LocaleAnswers, Rules, TemplateAnswers
from blend.builders.mcq.options import Acceptable, Option, are_apart, as_option, share_words
from blend.schemas.formats import AnswerFormat
from blend.schemas.locales import Locale
from blend.schemas.texts import answer_key

_OF_A_REGION = 4
"""Options of a region that are looked at for a question; one of them is shown at most."""

_REGIONS_LOOKED_AT = 40
"""Regions that are looked at for a question; among these there are always enough, if there are any."""

VERDICTS = "verdicts"
"""Cause of options that readers leave out."""


class Offered(NamedTuple):
    """An option that no rule is against."""

    option: Option
    region: int
    """Digest of its region for the locale asked about: regions are tried in this order."""
    rank: int
    """Its rank in its region, from 0."""


class Target(NamedTuple):
    """A locale that is asked about, and what may be shown about it."""

    answers: LocaleAnswers
    acceptable: Mapping[str, Acceptable]
    """By text: all answers of the locale's region, from every locale in it."""
    offered: list[Offered]
    left_out: dict[str, set[str]]
    """By cause, a key of the recipe or `VERDICTS`: options that nothing else is against."""


def offers(
    answers: TemplateAnswers, rules: Rules, panel: JudgePanel, *, with_proposed: bool = True
) -> list[Target]:
    """List the locales that a template asks about, in registry order, each with what may be shown about it.

    Args:
        answers: What the locales bring.
        rules: The order of regions, and what recipe and readers leave out.
        panel: The judges; those before the rules may hold for different what the rules hold for the same.
        with_proposed: Whether options that verdicts propose are there as well.
    """
    regions = _Regions(answers, rules.seed)
    is_text = answers.answer_format is AnswerFormat.TEXT
    found = []
    for asked in answers.locales:
        if not asked.golds:
            continue
        target = Target(asked, answers.acceptable(asked.locale.region), [], {})
        # An answer without letter or digit may be any of the options.
        if not is_text or all(one.values for one in target.acceptable.values()):
            fillers = reviewed_fillers(answers, asked.locale, rules) if with_proposed else []
            _offer(target, regions, panel, rules.left_out_by, fillers)
        found.append(target)
    return found


def reviewed_fillers(answers: TemplateAnswers, asked: Locale, rules: Rules) -> list[Option]:
    """List the options that verdicts propose for a question, as far as they can be shown."""
    read = (
        as_option([one.option], answers.answer_format, one.origin, 0, locales=rules.locales)
        for one in rules.verdicts.proposals(answers.template_id, asked.tag)
        if are_apart(one.origin, asked)
    )
    return [option for option in read if isinstance(option, Option) and not option.names_region]


class _Regions:
    """Options by region, in an order of regions for every locale.

    Where two regions stand to each other depends on no third one: a region that joins and is not chosen changes
    nothing.
    """

    def __init__(self, answers: TemplateAnswers, seed: int) -> None:
        self._key = seed, answers.template_id
        self.template_id = answers.template_id
        self._options: dict[str, list[Option]] = {}
        for option in (option for one in answers.locales for option in (*one.offered, *one.reserve)):
            self._options.setdefault(option.locale.region, []).append(option)
        for options in self._options.values():
            # A stable sort: locales of one region in registry order, each in its own order.
            options.sort(key=lambda option: -option.votes)
        self._ring = sorted((digest(*self._key, region), region) for region in self._options)

    def apart_from(self, asked: Locale) -> Iterator[tuple[int, Sequence[Option]]]:
        """List regions apart from a locale's, each with its digest and options, most votes first.

        Of very many regions some: those on a ring behind the locale.
        """
        start, n = bisect(self._ring, (digest(*self._key, asked.tag), "")), 0
        for _, region in chain(self._ring[start:], self._ring[:start]):
            options = self._options[region]
            if are_apart(options[0].locale, asked):
                yield self.digest(asked, region), options
                n += 1
            if n == _REGIONS_LOOKED_AT:
                return

    def digest(self, asked: Locale, region: str) -> int:
        """Number a region in the order for a locale."""
        return digest(*self._key, asked.tag, region)


def _offer(
    target: Target, regions: _Regions, panel: JudgePanel, left_out_by: LeftOutBy, fillers: Sequence[Option]
) -> None:
    """Fill in what may be shown, and what is left out."""
    locale, offered = target.answers.locale, target.offered
    by_people, by_readers = (
        _Overlap([one for one in target.acceptable.values() if one.is_verdict is is_verdict], panel)
        for is_verdict in (False, True)
    )
    for region, options in regions.apart_from(locale):
        rank = 0
        for option in options:
            if by_people.has(option):
                continue
            cause = left_out_by(regions.template_id, locale.tag, option)
            if cause is None and by_readers.has(option):
                cause = VERDICTS
            if cause is not None:
                target.left_out.setdefault(cause, set()).add(option.text)
                continue
            offered.append(Offered(option, region, rank))
            rank += 1
            if rank == _OF_A_REGION:
                break
    for option in fillers:
        if not by_people.has(option) and not by_readers.has(option):
            offered.append(Offered(option, regions.digest(locale, option.locale.region), _OF_A_REGION))


class _Overlap:
    """What overlaps with any of some answers."""

    def __init__(self, answers: Sequence[Acceptable], panel: JudgePanel) -> None:
        self._answers, self._panel = answers, panel
        self._values = frozenset[str]().union(*(one.values for one in answers))

    def has(self, option: Option) -> bool:
        """Whether an option shares a value with an answer, and no judge holds the two for different."""
        if option.values.isdisjoint(self._values):
            return False
        if not _may_differ(option.text, self._panel):
            return True
        shared = (one for one in self._answers if not option.values.isdisjoint(one.values))
        return not all(are_different(option.text, one.text, self._panel) for one in shared)


def are_different(text: str, other: str, panel: JudgePanel) -> bool:
    """Whether a judge before the rules holds two texts for different that share words as they are shown."""
    if not _may_differ(text, panel) or not share_words(text, other):
        return False
    if panel.partners is not None and answer_key(other) not in panel.partners[text]:
        return False
    asked = pair(text, other)
    return not panel.same([asked], overlapping=True)[asked]


def _may_differ(text: str, panel: JudgePanel) -> bool:
    """Whether a judge before the rules may have an opinion on a text: mostly none has."""
    return bool(panel.before) and (panel.partners is None or bool(panel.partners[text]))
