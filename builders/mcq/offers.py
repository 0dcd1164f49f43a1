"""Offers: which answers of other regions may be shown about a region as wrong.

What overlaps with an answer that the region gave is left out, and what readers refused. What nobody has read
and people of several regions say is shown only where a question needs it.

Who knows which words a region uses can guess: among answers of four regions, the one that sounds like the
region asked about is mostly the correct one. So some distractors should sound like it even more, by their
*keyness*: how much more than another region a region uses the words of an answer. It rests on what two locales
answer, the one asked about and the one that offers the option: a further locale changes nothing between them.
"""

import math
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import NamedTuple

import polars as pl

from blend.builders.mcq.answers import LocaleAnswers, Rules, TemplateAnswers
from blend.builders.mcq.options import Option, are_apart, as_option, compared_forms
from blend.schemas.formats import AnswerFormat
from blend.schemas.frames import KEY
from blend.schemas.locales import Locale
from blend.schemas.texts import digest, words

_PRIOR_VOTES = 2.0
"""Votes that a word is taken to have beside the counted ones, as often as in both locales together: a word that
one person used once is not yet telling."""
_DIGITS = 9
"""Decimal places that count: sums of the same numbers in another order may differ in the last ones."""

ANSWER_INDEX = pl.Schema(
    {"template_id": pl.String(), "locale": pl.String(), "text": pl.String(), "votes": pl.Int64()}
)
"""Who gave which English texts: one row per template, locale and text as typed, in this order, and its
votes."""


def answer_index(annotations: pl.DataFrame) -> pl.DataFrame:
    """Make `ANSWER_INDEX` of `ANNOTATIONS`."""
    of_group = pl.element().struct.field
    return (
        annotations.select(
            *KEY,
            text=pl.col("annotations").list.eval(of_group("en_answers")),
            votes=pl.col("annotations").list.eval(of_group("count")),
        )
        .explode("text", "votes")
        .explode("text")
        .drop_nulls("text")
        .group_by(*KEY, "text")
        .agg(pl.col("votes").sum())
        .sort(*KEY, "text")
        .cast(ANSWER_INDEX)
    )


class Keyness:
    """Keyness of texts between two locales, by what these answered to other templates.

    References:
        Monroe, Colaresi, Quinn (2008), Fightin' Words, https://doi.org/10.1093/pan/mpn018: the log-odds ratio
        of a word between two groups with a prior drawn from both together, so that rare words do not lead. Here
        it is the logarithm of a ratio of shares, one locale's over both locales', without a standard error.

    Args:
        index: `ANSWER_INDEX`.
    """

    def __init__(self, index: pl.DataFrame) -> None:
        self._votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """By locale, votes for each word."""
        self._own: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        """By template and locale, the same."""
        for template_id, tag, text, votes in index.iter_rows():
            of_template, of_locale = self._own[template_id, tag], self._votes[tag]
            for word in set(words(text)):
                of_template[word] += votes
                of_locale[word] += votes
        self._totals = Counter({tag: votes.total() for tag, votes in self._votes.items()})

    def between(self, template_id: str, here: str, there: str) -> Callable[[str], float]:
        """Compare two locales: how much more one uses the words of a text than the other, in other templates.

        Of a word: the logarithm of its share of the locale's votes over its share of the votes of both
        locales, with `_PRIOR_VOTES` added; of a text, the mean over its words, 0 without any.

        Args:
            template_id: The template, whose own votes do not count.
            here: Tag of the locale.
            there: Tag of the other one.
        """
        # `dict.get`, since a counter looks for what is missing in ten times the time.
        ours, theirs = self._votes[here], self._votes[there]
        own, own_theirs = self._own[template_id, here], self._own[template_id, there]
        total = self._totals[here] - own.total()
        # One vote more for every word, and for one that nobody has used yet, so that no share is 0.
        smoothed = total + self._totals[there] - own_theirs.total() + len(ours) + len(theirs) + 1

        def keyness(text: str) -> float:
            score, found = 0.0, set(words(text))
            for word in found:
                votes = ours.get(word, 0) - own.get(word, 0)
                expected = (votes + theirs.get(word, 0) - own_theirs.get(word, 0) + 1) / smoothed
                score += math.log((votes + _PRIOR_VOTES * expected) / ((total + _PRIOR_VOTES) * expected))
            return round(score / max(len(found), 1), _DIGITS)

        return keyness

    def uses(self, template_id: str, here: str, text: str) -> bool:
        """Whether a locale uses a word of a text in answers to other templates."""
        ours, own = self._votes[here], self._own[template_id, here]
        return any(ours.get(word, 0) > own.get(word, 0) for word in words(text))


_OF_A_REGION = 4
"""Options of a region that are looked at for a question; one of them is shown at most."""

_REGIONS_LOOKED_AT = 40
"""Regions that are looked at for a question; among these there are always enough, if there are any."""

_WIDESPREAD_FROM = 2
"""Regions, beside the one asked about and the one that offers it, of which somebody gave an option, from which
on it may well be correct (``docs/mcq.md``)."""

_UNREAD, _VERDICTS = "mcq.unread", "verdicts"
"""Causes of options that are left out: the key of the recipe, or readers."""


class Offered(NamedTuple):
    """An option that no rule is against."""

    option: Option
    region: int
    """Digest of its region for the locale asked about: regions are tried in this order."""
    rank: int
    """Its rank in its region, from 0."""
    is_read: bool = True
    """Whether somebody has read it; what readers propose, they have."""
    is_doubtful: bool = False
    """Whether people of several regions gave it, and it counts that nobody has read it."""


class Target(NamedTuple):
    """A locale that is asked about, and what may be shown about it."""

    answers: LocaleAnswers
    acceptable: Mapping[str, Set[str]]
    """What is no distractor, and what it can mean: all answers of the locale's region, from every locale in it,
    and what readers refused."""
    offered: list[Offered]
    left_out: dict[str, set[str]]
    """By cause, a key of the recipe or ``verdicts``: options that nothing else is against."""


def offers(answers: TemplateAnswers, rules: Rules, *, with_proposed: bool = True) -> list[Target]:
    """List the locales that a template asks about, in registry order, each with what may be shown about it.

    Args:
        answers: What the locales bring.
        rules: The order of regions, and what recipe and readers leave out.
        with_proposed: Whether options that verdicts propose are there as well.
    """
    regions = _Regions(answers, rules.seed)
    is_text = answers.answer_format is AnswerFormat.TEXT
    found = []
    for asked in answers.locales:
        if not asked.golds:
            continue
        by_people, by_readers = answers.acceptable(asked.locale.region), answers.refused(asked.locale.region)
        target = Target(asked, by_people | by_readers, [], {})
        # An answer without letter or digit may be any of the options.
        if not is_text or all(target.acceptable.values()):
            _offer(target, regions, answers, rules, _union(by_people), _union(by_readers))
            if with_proposed:
                _add_proposed(target, regions, answers, rules)
        found.append(target)
    return found


def _union(meanings: Mapping[str, Set[str]]) -> frozenset[str]:
    return frozenset[str]().union(*meanings.values())


def _offer(
    target: Target,
    regions: "_Regions",
    answers: TemplateAnswers,
    rules: Rules,
    by_people: Set[str],
    by_readers: Set[str],
) -> None:
    """Fill in what may be shown, and what is left out."""
    asked, akin = target.answers.locale, answers.akin(target.answers.locale)
    for region, options in regions.apart_from(asked):
        rank = 0
        for option in options:
            # No distractor in the first place, so that nobody is named as leaving it out.
            if not option.values.isdisjoint(by_people):
                continue
            is_read = rules.verdicts.has_read(answers.template_id, asked.tag, option)
            is_unread = rules.options.unread != "keep" and not is_read
            cause = None if option.values.isdisjoint(by_readers) else _VERDICTS
            cause = _UNREAD if is_unread and rules.options.unread == "drop" else cause
            if cause is not None:
                target.left_out.setdefault(cause, set()).add(option.text)
                continue
            is_doubtful = is_unread and _is_widespread(option, akin, answers)
            target.offered.append(Offered(option, region, rank, is_read, is_doubtful))
            rank += 1
            if rank == _OF_A_REGION:
                break


def _is_widespread(option: Option, akin: Set[str], answers: TemplateAnswers) -> bool:
    forms = compared_forms((option.text,), answers.answer_format)
    return answers.n_regions(forms, without=akin | {option.locale.region}) >= _WIDESPREAD_FROM


def _add_proposed(target: Target, regions: "_Regions", answers: TemplateAnswers, rules: Rules) -> None:
    taken = _union(target.acceptable)
    for option in proposed_options(answers, target.answers.locale, rules):
        if option.values.isdisjoint(taken):
            region = regions.digest(target.answers.locale, option.locale.region)
            # Its rank is behind those of all answers of its region, which end before `_OF_A_REGION`.
            target.offered.append(Offered(option, region, _OF_A_REGION))


def proposed_options(answers: TemplateAnswers, asked: Locale, rules: Rules) -> list[Option]:
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
