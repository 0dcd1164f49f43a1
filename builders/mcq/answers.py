"""Answers: what every locale brings to a template — correct answers, acceptable ones, and options for others.

Whether a locale is asked about, and whether its answers are offered elsewhere, follows from its own annotations
alone. No other locale can throw a question out.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import polars as pl

from blend.builders.mcq.options import (
    Option,
    as_option,
    compared_forms,
    shown,
    spelled,
    values,
)
from blend.builders.mcq.verdicts import Verdicts
from blend.schemas.formats import AnswerFormat, format_of_template, magnitude
from blend.schemas.frames import KEY
from blend.schemas.locales import Locale, Registry
from blend.schemas.recipe import McqOptions
from blend.schemas.rows import AnswerSpread
from blend.schemas.texts import digest, pluralise

_OWN_CALENDAR = "own-calendar"
"""Reason why a day, month or year of a region with its own calendar is not asked for."""

_SIBLING_MINUTES = 2 * 60
"""Minutes up to which times are nearly the same: 08:30 and 09:00, where readers struck 08:00 as a time of
dinner since people meant 8 p.m."""

# "Which month" or "what is the usual year", and not "what year of".
_DATE_PART = re.compile(r"\b(?:which|what)(?: is the(?: \w+){0,2})? (?:month|year)\b(?! of\b)")


@dataclass(frozen=True, slots=True)
class Rules:
    """What is given by a recipe and by readers, for all templates."""

    options: McqOptions
    seed: int
    verdicts: Verdicts
    locales: Registry


class _LocaleResponses(NamedTuple):
    """Answers and non-answers that the annotators of a locale gave to a template."""

    template_id: str
    locale: Locale
    wording: str | None
    """The question in English; null where it is not known."""
    groups: tuple[tuple[int, tuple[str, ...]], ...]
    """Answers: annotators behind each, and its English variants."""
    not_applicable: int
    """Annotators who said that the question does not apply."""
    non_answers: int
    """Annotators without an answer, for this or another reason."""


@dataclass(frozen=True)
class LocaleAnswers:
    """Answers of one locale to a template, and what they are good for."""

    locale: Locale
    golds: tuple[Option, ...]
    """Correct answers, in the order in which they are tried; empty when the locale is not asked about."""
    offered: tuple[Option, ...]
    """Options for others, most votes first, ties by digest; empty when the locale gives none."""
    reserve: tuple[Option, ...]
    """Further ones, for questions that are short of distractors; in the same order."""
    loss: tuple[str, str] | None
    """Reason and detail why the locale is not asked about; null when it is."""
    given: tuple[tuple[str, ...], ...]
    """English variants of every answer that people gave, whatever its votes."""
    refused: tuple[str, ...]
    """Options that readers refused about the locale."""


@dataclass(frozen=True)
class TemplateAnswers:
    """Answers of all locales to a template."""

    template_id: str
    answer_format: AnswerFormat
    locales: tuple[LocaleAnswers, ...]
    """In registry order."""

    def n_regions(self, forms: Set[str], *, without: Set[str]) -> int:
        """Count the regions of which anybody gave an answer, whatever its votes.

        Args:
            forms: The answer as `compared_forms`; any of them counts.
            without: Regions that are not counted.
        """
        givers = [self._regions.get(form, set()) for form in forms]
        # Mostly there is one form: no set of a thousand regions is copied for each of their options.
        found = givers[0] if len(givers) == 1 else set[str]().union(*givers)
        return len(found) - len(found & without)

    @cached_property
    def _regions(self) -> dict[str, set[str]]:
        """Regions by what their people gave, as `compared_forms`."""
        found: dict[str, set[str]] = {}
        for one in self.locales:
            for texts in one.given:
                for form in compared_forms(texts, self.answer_format):
                    found.setdefault(form, set()).add(one.locale.region)
        return found

    @cached_property
    def _of_region(self) -> dict[str, list[LocaleAnswers]]:
        found: dict[str, list[LocaleAnswers]] = {}
        for one in self.locales:
            found.setdefault(one.locale.region, []).append(one)
        return found

    @cached_property
    def _parts(self) -> dict[str, set[str]]:
        """Regions by the one that contains them."""
        found: dict[str, set[str]] = {}
        for one in self.locales:
            found.setdefault(one.locale.parent, set()).add(one.locale.region)
        return found

    def akin(self, asked: Locale) -> set[str]:
        """List the regions that are not apart from a locale, see `options.are_apart`; its own among them."""
        others = self._parts.get(asked.region, set()) | {asked.region, asked.parent}
        return others & self._of_region.keys()

    def acceptable(self, region: str) -> dict[str, frozenset[str]]:
        """List every English variant of every answer that people of a region gave, and what each can mean."""
        return self._meanings(text for one in self._of_region[region] for texts in one.given for text in texts)

    def refused(self, region: str) -> dict[str, frozenset[str]]:
        """List likewise what readers refused about a region."""
        return self._meanings(text for one in self._of_region[region] for text in one.refused)

    def others(self, asked: Locale) -> Set[str]:
        """List the regions that are apart from a locale."""
        return self._of_region.keys() - self.akin(asked)

    def _meanings(self, texts: Iterable[str]) -> dict[str, frozenset[str]]:
        seen = filter(None, dict.fromkeys(map(shown, texts)))
        return {spelled(text, self.answer_format) or text: values(text, self.answer_format) for text in seen}


def read_answers(questions: pl.DataFrame, annotations: pl.DataFrame, rules: Rules) -> Iterator[TemplateAnswers]:
    """Read what every locale brings to each template; by template id.

    Args:
        questions: `frames.QUESTIONS`.
        annotations: `frames.ANNOTATIONS`.
        rules: Thresholds, order of answers with equal votes, and what is not shown.

    Raises:
        UnknownNameError: If an annotation's locale is not registered.
    """
    formats = template_formats(questions)
    first: dict[tuple[str, str], str] = {}
    rows = _responses(questions, annotations, rules.locales)
    # Python lists of a whole dataset would take more memory than the dataset: rows come one by one.
    for template_id, of_template in groupby(rows, key=attrgetter("template_id")):
        reader = _Reader(template_id, formats.get(template_id, AnswerFormat.TEXT), rules)
        read = tuple(_asked_once(given, reader.read(given), first) for given in of_template)
        yield TemplateAnswers(template_id, reader.answer_format, read)


def _responses(
    questions: pl.DataFrame, annotations: pl.DataFrame, locales: Registry
) -> Iterator[_LocaleResponses]:
    """List what was given, by template id and locale in registry order."""
    rank = {tag: locales.rank(tag) for tag in annotations["locale"].unique()}
    idks, groups = pl.col("idks").struct, pl.col("annotations").list
    n_others = idks.field("others").list.eval(pl.element().struct.field("count")).list.sum()
    rows = (
        annotations.join(questions.select(*KEY, "en_question"), on=KEY, how="left")
        .sort("template_id", pl.col("locale").replace_strict(rank, return_dtype=pl.Int64))
        .select(
            "template_id",
            "locale",
            "en_question",
            votes=groups.eval(pl.element().struct.field("count")),
            texts=groups.eval(pl.element().struct.field("en_answers")),
            not_applicable=idks.field("not-applicable"),
            non_answers=idks.field("idk") + idks.field("no-answer") + idks.field("not-applicable") + n_others,
        )
    )
    for template_id, tag, wording, votes, texts, *counts in rows.iter_rows():
        groups_of_row = tuple(zip(votes, map(tuple, texts), strict=True))
        yield _LocaleResponses(template_id, locales.get(tag), wording, groups_of_row, *counts)


def template_formats(questions: pl.DataFrame) -> dict[str, AnswerFormat]:
    """Find the format of every template, by `formats.format_of_template`."""
    asked = questions.group_by("template_id").agg("answer_format").iter_rows()
    return {template_id: format_of_template(map(AnswerFormat, formats)) for template_id, formats in asked}


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reader of the annotations of one template."""

    template_id: str
    answer_format: AnswerFormat
    rules: Rules

    def read(self, given: _LocaleResponses) -> LocaleAnswers:
        """Read what one locale brings."""
        locale, limits, verdicts = given.locale, self.rules.options, self.rules.verdicts
        groups = [(votes, verdicts.texts(self.template_id, texts)) for votes, texts in given.groups]
        # Nobody can tell the calendar of a day or month there: it is neither asked for nor offered.
        is_dated = locale.calendar != "gregory" and _asks_for_date(given.wording, self.answer_format)
        read = [
            _OWN_CALENDAR
            if is_dated
            else as_option(texts, self.answer_format, locale, votes, locales=self.rules.locales)
            for votes, texts in groups
        ]
        most = max((votes for votes, _ in groups), default=0)
        top = [option for (votes, _), option in zip(groups, read, strict=True) if votes == most]
        wrong = verdicts.wrong(self.template_id, locale.tag)
        distinct = _distinct(read)
        golds = [one for one in distinct if one.votes == most and one.text not in wrong]
        # What names the region gives itself away; it is asked for where nothing else is correct.
        golds = [one for one in golds if not one.names_region] or golds
        loss = self._loss(given, most) or _loss_of_top(top) or _loss_to_reviewers(top, wrong)
        if limits.unread == "drop" and golds and not loss:
            golds = [gold for gold in golds if verdicts.has_read(self.template_id, locale.tag, gold)]
            loss = None if golds else ("unread", "nobody has read the top answer")
        offered = self._offered(given, distinct)
        least = limits.distractor_min_votes
        return LocaleAnswers(
            locale=locale,
            golds=() if loss else self._ordered(golds),
            offered=self._ordered([one for one in offered if one.votes >= least]),
            reserve=self._ordered([one for one in offered if one.votes < least]),
            loss=loss,
            given=tuple(texts for _, texts in groups),
            refused=verdicts.refused(self.template_id, locale.tag),
        )

    def _loss(self, given: _LocaleResponses, most: int) -> tuple[str, str] | None:
        limits = self.rules.options
        if given.not_applicable > limits.target_max_not_applicable:
            detail = f"{pluralise(given.not_applicable, 'vote')} for not applicable; "
            return "not-applicable", f"{detail}at most {limits.target_max_not_applicable} allowed"
        if given.non_answers > limits.target_max_non_answers:
            detail = f"{pluralise(given.non_answers, 'non-answer')}; at most "
            return "non-answers", f"{detail}{limits.target_max_non_answers} allowed"
        if not given.groups:
            return "no-answers", "nobody answered"
        if most < limits.target_min_votes:
            detail = f"{pluralise(most, 'vote')} for the top answer; {limits.target_min_votes} needed"
            return "few-votes", detail
        return None

    def _offered(self, given: _LocaleResponses, options: Iterable[Option]) -> list[Option]:
        """Choose what may be shown about other regions, of few votes where a question is short of more."""
        limits = self.rules.options
        if given.non_answers > limits.distractor_max_non_answers:
            return []
        # A number that hardly anybody gave lies far from the others, and makes the correct one easy to find.
        has_reserve = self.answer_format is AnswerFormat.TEXT
        reserve = limits.distractor_reserve_votes if has_reserve else limits.distractor_min_votes
        least = min(limits.distractor_min_votes, reserve)
        read = self.rules.verdicts.refused_at_home(self.template_id, given.locale.region)
        refused = {spelled(text, self.answer_format) or text for text in read}
        return [
            one
            for one in options
            if one.votes >= least and not one.names_region and not self._is_refused(one.text, refused)
        ]

    def _is_refused(self, text: str, refused: Collection[str]) -> bool:
        """Whether readers refused a text in its own region, or a time near it."""
        if text in refused or self.answer_format is not AnswerFormat.TIME:
            return text in refused
        own = magnitude(text, self.answer_format)
        others = (magnitude(one, self.answer_format) for one in refused)
        return any(own is not None and one is not None and abs(own - one) <= _SIBLING_MINUTES for one in others)

    def _ordered(self, options: Sequence[Option]) -> tuple[Option, ...]:
        """Order options by votes, most first; a digest gives equal votes an order."""
        if len(options) < 2:
            return tuple(options)
        key = (self.rules.seed, self.template_id)
        return tuple(sorted(options, key=lambda o: (-o.votes, digest(*key, o.locale.tag, o.text), o.text)))


def _distinct(read: Iterable[Option | str]) -> list[Option]:
    """Merge options with the same text, with the most votes of any."""
    best: dict[str, Option] = {}
    for option in read:
        if isinstance(option, Option):
            kept = best.setdefault(option.text, option)
            best[option.text] = kept._replace(
                votes=max(kept.votes, option.votes),
                values=kept.values | option.values,
                names_region=kept.names_region or option.names_region,
            )
    return list(best.values())


def _asked_once(
    given: _LocaleResponses, answers: LocaleAnswers, first: dict[tuple[str, str], str]
) -> LocaleAnswers:
    """Leave a locale out that an earlier template asks in the same words: it would be asked twice.

    Args:
        given: What it was asked and gave.
        answers: What that brings.
        first: By locale and wording, the first template that asks the locale about its own answer.
    """
    if not answers.golds or not given.wording:
        return answers
    earlier = first.setdefault((given.locale.tag, given.wording), given.template_id)
    if earlier == given.template_id:
        return answers
    return replace(answers, golds=(), loss=("asked-already", f"{earlier} asks it in the same words"))


def _loss_of_top(top: list[Option | str]) -> tuple[str, str] | None:
    """Say why no top answer can be shown, if so."""
    details = {
        "no-english": "no top answer has an English variant",
        "placeholder": "the top answer only says that there is none",
        "out-of-format": "no top answer has the format of the question",
        "foreign-script": "no top answer is written in the script of the question",
        "no-words": "no top answer has a letter or digit",
        _OWN_CALENDAR: "nobody can tell whether people there counted in their own calendar",
    }
    if any(isinstance(one, Option) for one in top) or not top:
        return None
    return str(top[0]), details[str(top[0])]


def _loss_to_reviewers(top: list[Option | str], wrong: Set[str]) -> tuple[str, str] | None:
    """Say whether verdicts, of people or of a model, call every top answer wrong."""
    texts = [option.text for option in top if isinstance(option, Option)]
    # Not asked of an empty list: where no top answer can be shown, `_loss_of_top` has said why.
    if not set(texts) <= wrong:
        return None
    return "turned-down", f"verdicts say that {', '.join(map(repr, dict.fromkeys(texts)))} is wrong"


def _asks_for_date(en_question: str | None, answer_format: AnswerFormat) -> bool:
    """Whether a question asks for a day, by its format, or a month or year, by its words.

    Not if it says that it means the Gregorian calendar.
    """
    asked = (en_question or "").lower()
    is_part = answer_format is AnswerFormat.INTEGER and _DATE_PART.search(asked) is not None
    return "gregorian" not in asked and (answer_format is AnswerFormat.DATE or is_part)


# Answer spread: in how many other regions people gave the correct answer to a question as well

_UNIVERSAL_FROM = 6
"""Other regions whose people gave an answer from which it is universal.

Of the questions of BLEnD's 16 regions 41 % have such an answer, and picking the option that people of most
regions gave, without knowing the one asked about, is right in 86 % of them; with one to five others in 36 %
(``docs/mcq.md``).
"""


def answer_spread(gold: str, asked: LocaleAnswers, answers: TemplateAnswers) -> AnswerSpread:
    """Tell how widespread a correct answer is.

    Args:
        gold: The answer, as options show it.
        asked: Answers of the locale whose correct answer it is.
        answers: Answers of all locales to the template.
    """
    asked_for = compared_forms((gold,), answers.answer_format)
    # With all variants of what its own people meant by it.
    meant = set[str]()
    for variants in asked.given:
        forms = compared_forms(variants, answers.answer_format)
        if not forms.isdisjoint(asked_for):
            meant |= forms
    n_regions = answers.n_regions(meant, without=answers.akin(asked.locale))
    if n_regions >= _UNIVERSAL_FROM:
        return AnswerSpread.UNIVERSAL
    return AnswerSpread.SHARED if n_regions else AnswerSpread.SPECIFIC
