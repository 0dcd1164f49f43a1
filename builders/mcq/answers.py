"""Answers: what every locale brings to a template — right answers, acceptable ones, and options for others.

Whether a locale is asked about, and whether its answers are offered elsewhere, follows from its own annotations
alone. No other locale can throw a question out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import polars as pl

from blend.builders.mcq.digests import digest
from blend.builders.mcq.exclusions import Excluded, Exclusions
from blend.builders.mcq.given import Given, given_by_template
from blend.builders.mcq.options import Acceptable, Option, spelled, spelling
from blend.builders.mcq.result import OUTCOMES
from blend.builders.mcq.translations import Translations
from blend.builders.mcq.values import shown, values
from blend.schemas.formats import AnswerFormat, format_of_template
from blend.schemas.locales import Locale, Registry
from blend.schemas.recipe import McqOptions
from blend.schemas.text import counted

OFFERED = "offered"
"""Outcome of an answer that may be shown as a distractor elsewhere."""

IN_RESERVE = "in-reserve"
"""Outcome of an answer that may be shown as a distractor where a question is short of them."""

NAMES_REGION = "names-region"
"""Outcome of an answer that gives a region away, and is never a distractor for it."""


@dataclass(frozen=True, slots=True)
class LocaleAnswers:
    """What one locale brings to a template."""

    locale: Locale
    golds: tuple[Option, ...]
    """Right answers, in the order in which variants use them; empty when the locale is not asked about."""
    acceptable: tuple[Acceptable, ...]
    """Every English variant of every answer, whatever its votes."""
    offered: tuple[Option, ...]
    """Options for others, most votes first, ties by digest; empty when the locale gives none."""
    reserve: tuple[Option, ...]
    """Further ones, for questions that are short of distractors; in the same order."""
    loss: tuple[str, str] | None
    """Reason and detail why the locale is not asked about; null when it is."""


@dataclass(frozen=True, slots=True)
class TemplateAnswers:
    """What all locales bring to a template."""

    template_id: str
    answer_format: AnswerFormat
    locales: tuple[LocaleAnswers, ...]
    """In registry order."""
    outcomes: Counter[tuple[str, str]]
    """Answer groups by locale and outcome."""


def read_answers(
    questions: pl.DataFrame,
    annotations: pl.DataFrame,
    *,
    options: McqOptions,
    seed: int,
    exclusions: Exclusions,
    locales: Registry,
) -> Iterator[TemplateAnswers]:
    """Template by template, what every locale brings to it; by template id.

    Args:
        questions: `schemas.frames.QUESTIONS`.
        annotations: `schemas.frames.ANNOTATIONS`.
        options: Thresholds.
        seed: Seed of the order of answers with equal votes.
        exclusions: What was turned down.
        locales: Known locales.

    Raises:
        UnknownNameError: If an annotation's locale is not registered.
    """
    formats = template_formats(questions)
    translations = Translations(annotations) if options.judge.local_variants else None
    for template_id, given in given_by_template(annotations, locales):
        answer_format = formats.get(template_id, AnswerFormat.TEXT)
        outcomes: Counter[tuple[str, str]] = Counter()
        known = translations if answer_format is AnswerFormat.TEXT else None
        reader = _Reader(template_id, answer_format, options, seed, locales, outcomes, known, exclusions)
        yield TemplateAnswers(template_id, answer_format, tuple(map(reader.read, given)), outcomes)


def template_formats(questions: pl.DataFrame) -> dict[str, AnswerFormat]:
    """The format of every template, by `formats.format_of_template`."""
    asked = questions.group_by("template_id").agg("answer_format").iter_rows()
    return {template_id: format_of_template(map(AnswerFormat, formats)) for template_id, formats in asked}


def outcomes_frame(outcomes: Mapping[tuple[str, str], int], locales: Registry) -> pl.DataFrame:
    """`mcq_build.OUTCOMES`, locales in registry order, then by outcome."""
    order = sorted(outcomes, key=lambda key: (locales.rank(key[0]), key[1]))
    return pl.DataFrame([(*key, outcomes[key]) for key in order], OUTCOMES, orient="row")


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the annotations of one template."""

    template_id: str
    answer_format: AnswerFormat
    options: McqOptions
    seed: int
    locales: Registry
    outcomes: Counter[tuple[str, str]]
    translations: Translations | None
    """Null where they have no say."""
    exclusions: Exclusions

    def read(self, given: Given) -> LocaleAnswers:
        locale = given.locale
        read = [(votes, self._option(locale, texts, votes)) for votes, texts in given.groups]
        most = max((votes for votes, _ in read), default=0)
        top = [option for votes, option in read if votes == most]
        excluded = self.exclusions.of(self.template_id, locale.tag)
        loss = (
            self._loss(given, most)
            or _loss_of_top(top, drop_named=self.options.target_drop_named)
            or _turned_down(top, excluded)
        )
        distinct = self._distinct(locale, [option for _, option in read])
        fates = self._fates(given, distinct)
        of_top = [option for option in distinct if option.votes == most]
        golds = self._golds([option for option in of_top if option.text not in excluded.golds])
        return LocaleAnswers(
            locale=locale,
            golds=() if loss else self._ordered(golds),
            acceptable=tuple(self._acceptable(given, excluded)),
            offered=self._ordered(fates.get(OFFERED, [])),
            reserve=self._ordered(fates.get(IN_RESERVE, [])),
            loss=loss,
        )

    def _option(self, locale: Locale, texts: tuple[str, ...], votes: int) -> Option | str:
        found = spelling(texts, self.answer_format, self.locales)
        if isinstance(found, str):
            return found
        return Option(
            found.text, locale, votes, found.values, found.names_region, self._also(locale, found.text)
        )

    def _golds(self, top: list[Option]) -> list[Option]:
        """The top answers to ask about: those that name no region, unless all of them name one."""
        silent = [option for option in top if not option.names_region]
        return silent if silent or self.options.target_drop_named else top

    def _loss(self, given: Given, most: int) -> tuple[str, str] | None:
        limits = self.options
        if given.not_applicable > limits.target_max_not_applicable:
            detail = f"{counted(given.not_applicable, 'vote')} for not applicable; "
            return "not-applicable", f"{detail}at most {limits.target_max_not_applicable} allowed"
        if given.non_answers > limits.target_max_non_answers:
            detail = (
                f"{counted(given.non_answers, 'non-answer')}; at most {limits.target_max_non_answers} allowed"
            )
            return "non-answers", detail
        if not given.groups:
            return "no-answers", "nobody answered"
        if most < limits.target_min_votes:
            detail = f"{counted(most, 'vote')} for the top answer; {limits.target_min_votes} needed"
            return "few-votes", detail
        return None

    def _distinct(self, locale: Locale, read: list[Option | str]) -> list[Option]:
        """The options, of those with the same text the one with most votes; counts what is none of them."""
        best: dict[str, Option] = {}
        for option in read:
            if isinstance(option, str):
                self.outcomes[locale.tag, option] += 1
                continue
            kept = best.setdefault(option.text, option)
            if kept is not option:
                merged = max(kept.votes, option.votes)
                names = kept.names_region or option.names_region
                meant = kept.values | option.values
                best[option.text] = kept._replace(votes=merged, values=meant, names_region=names)
                self.outcomes[locale.tag, "repeated"] += 1
        return list(best.values())

    def _fates(self, given: Given, options: Iterable[Option]) -> dict[str, list[Option]]:
        """What becomes of options, by outcome; counts them."""
        silent = given.non_answers > self.options.distractor_max_non_answers
        fates: dict[str, list[Option]] = {}
        for option in options:
            fates.setdefault(self._fate(option, silent=silent), []).append(option)
        self.outcomes.update({(given.locale.tag, fate): len(of_fate) for fate, of_fate in fates.items()})
        return fates

    def _fate(self, option: Option, *, silent: bool) -> str:
        few = option.votes < self.options.distractor_min_votes
        # A number that hardly anybody gave lies far from the others, and makes the right one easy to find.
        in_reserve = self.answer_format is AnswerFormat.TEXT
        if few and not (in_reserve and option.votes >= self.options.distractor_reserve_votes):
            return "few-votes"
        if option.names_region:
            return NAMES_REGION
        if silent:
            return "uncertain-question"
        return IN_RESERVE if few else OFFERED

    def _ordered(self, options: Sequence[Option]) -> tuple[Option, ...]:
        """Most votes first; equal votes have no order of their own, a digest gives them one."""
        if len(options) < 2:
            return tuple(options)
        key = (self.seed, self.template_id)
        return tuple(sorted(options, key=lambda o: (-o.votes, digest(*key, o.locale.tag, o.text), o.text)))

    def _acceptable(self, given: Given, excluded: Excluded) -> Iterator[Acceptable]:
        texts = map(shown, (*chain.from_iterable(texts for _, texts in given.groups), *excluded.distractors))
        for text in dict.fromkeys(text for text in texts if text):
            canonical = spelled(text, self.answer_format) or text
            yield Acceptable(canonical, values(text, self.answer_format), self._also(given.locale, text))

    def _also(self, locale: Locale, text: str) -> frozenset[str]:
        return _NOTHING if self.translations is None else self.translations.also(locale.tag, text)


_NOTHING: frozenset[str] = frozenset()


def _loss_of_top(top: list[Option | str], *, drop_named: bool) -> tuple[str, str] | None:
    """Why no top answer can be shown, if so."""
    said = {
        "no-english": "no top answer has an English variant",
        "placeholder": "the top answer only says that there is none",
        "out-of-format": "no top answer has the format of the question",
        "foreign-script": "no top answer is written in the script of the question",
        "no-words": "no top answer has a letter or digit",
        NAMES_REGION: "every top answer names a region, its people, its capital or its country",
    }
    reasons = [
        option if isinstance(option, str) else NAMES_REGION for option in top if _is_lost(option, drop_named)
    ]
    return None if len(reasons) < len(top) or not top else (reasons[0], said[reasons[0]])


def _turned_down(top: list[Option | str], excluded: Excluded) -> tuple[str, str] | None:
    """Why no top answer may be shown as right, if so."""
    texts = [option.text for option in top if isinstance(option, Option)]
    if not excluded.golds.issuperset(texts):
        return None
    return "turned-down", f"reviewers say that {', '.join(map(repr, dict.fromkeys(texts)))} is wrong"


def _is_lost(option: Option | str, drop_named: bool) -> bool:
    return isinstance(option, str) or (option.names_region and drop_named)
