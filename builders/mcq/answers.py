"""Answers: what every locale brings to a template — right answers, acceptable ones, and options for others.

Whether a locale is asked about, and whether its answers are offered elsewhere, follows from its own annotations
alone. No other locale can throw a question out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.builders.mcq.exclusions import Excluded, Exclusions
from blend.builders.mcq.result import OUTCOMES
from blend.builders.mcq.translations import Translations
from blend.builders.mcq.values import is_latin, is_placeholder, shown, values
from blend.schemas.formats import AnswerFormat, format_of_template, understood
from blend.schemas.locales import Locale, Registry
from blend.schemas.mentions import names_any
from blend.schemas.recipe import McqOptions
from blend.schemas.text import counted

OFFERED = "offered"
"""Outcome of an answer that may be shown as a distractor elsewhere."""

IN_RESERVE = "in-reserve"
"""Outcome of an answer that may be shown as a distractor where a question is short of them."""

NAMES_REGION = "names-region"
"""Outcome of an answer that gives a region away, and is never a distractor for it."""


@dataclass(frozen=True, slots=True)
class Acceptable:
    """A variant of an answer that a locale gave, whoever gave it and however few."""

    text: str
    """As an option would show it."""
    values: frozenset[str]
    """What it can mean, see `builders.mcq.values.values`."""
    also: frozenset[str] = frozenset()
    """Other English texts that the locale means by the same words of its own, see `Translations.also`."""


@dataclass(frozen=True, slots=True)
class Option:
    """An answer that may be shown."""

    text: str
    """As shown: clean, lower case, in the canonical spelling of its format."""
    locale: Locale
    """Whose answer it is."""
    votes: int
    """Annotators behind it; 0 for a reviewed filler."""
    values: frozenset[str]
    """What it and its variants can mean."""
    names_region: bool = False
    """Whether it names a region, its people, its capital or its country, see `schemas.mentions.names_any`."""
    also: frozenset[str] = frozenset()
    """Other English texts that its locale means by the same words of its own, see `Translations.also`."""


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


def digest(*parts: object) -> int:
    """A number of 64 bits that depends on the parts alone: the same in every process, for every version."""
    return int.from_bytes(_hashed(joined(*parts)), "big")


def joined(*parts: object) -> str:
    """The text that the digest of some parts is taken of; joined parts can be parts in turn."""
    return "\x1f".join(map(str, parts))


def digests(texts: Iterable[str]) -> npt.NDArray[np.uint64]:
    """The digest of every text that `joined` made."""
    return np.frombuffer(b"".join(map(_hashed, texts)), ">u8").astype(np.uint64)


def _hashed(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()


def as_option(
    variants: Sequence[str], answer_format: AnswerFormat, locale: Locale, votes: int, *, locales: Registry
) -> Option | str:
    """The variants of an answer as one option, spelled as the first that can be shown; or why it is none.

    Args:
        variants: English variants, the preferred one first.
        answer_format: Format of the question.
        locale: Whose answer it is.
        votes: Annotators behind it.
        locales: Regions that it may name.

    Returns:
        The option, or ``no-english``, ``placeholder`` (an answer that says there is none), ``out-of-format``,
        ``foreign-script`` (no variant in format is in the script of the question) or ``no-words``.
    """
    # As shown, and as typed: capitals tell the US from us.
    texts = [(text, typed) for text, typed in zip(map(shown, variants), variants, strict=True) if text]
    if not texts:
        return "no-english"
    if is_placeholder(texts[0][0]):
        return "placeholder"
    read = ((_spelled(text, answer_format), typed) for text, typed in texts)
    spelled = [(text, typed) for text, typed in read if text is not None]
    if not spelled:
        return "out-of-format"
    readable = [(text, typed) for text, typed in spelled if is_latin(text)]
    if not readable:
        return "foreign-script"
    text, typed = readable[0]
    if not values(text, answer_format):
        return "no-words"
    meant = frozenset[str]().union(*(values(text, answer_format) for text, _ in texts))
    return Option(text, locale, votes, meant, names_region=names_any(typed, locales))


def _spelled(text: str, answer_format: AnswerFormat) -> str | None:
    return text if answer_format is AnswerFormat.TEXT else understood(text, answer_format)


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
    rank = {tag: locales.rank(tag) for tag in annotations["locale"].unique()}
    rows = (
        annotations.select("template_id", "locale", "annotations", "idks")
        .with_columns(rank=pl.col("locale").replace_strict(rank, return_dtype=pl.Int64))
        .sort("template_id", "rank")
    )
    for template_id, group in groupby(rows.iter_rows(), key=itemgetter(0)):
        answer_format = formats.get(template_id, AnswerFormat.TEXT)
        outcomes: Counter[tuple[str, str]] = Counter()
        known = translations if answer_format is AnswerFormat.TEXT else None
        reader = _Reader(template_id, answer_format, options, seed, locales, outcomes, known, exclusions)
        found = tuple(reader.read(locales.get(tag), groups, idks) for _, tag, groups, idks, _ in group)
        yield TemplateAnswers(template_id, answer_format, found, outcomes)


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

    def read(self, locale: Locale, groups: list[dict[str, Any]], idks: dict[str, Any]) -> LocaleAnswers:
        read = [(group["count"], self._option(locale, group)) for group in groups]
        votes = [count for count, _ in read]
        top = [option for n, option in read if n == max(votes)]
        excluded = self.exclusions.of(self.template_id, locale.tag)
        loss = (
            self._loss(idks, votes)
            or _loss_of_top(top, drop_named=self.options.target_drop_named)
            or _turned_down(top, excluded)
        )
        silent = _non_answers(idks) > self.options.distractor_max_non_answers
        distinct = self._distinct(locale, [option for _, option in read], silent=silent)
        of_top = [option for option in distinct if option.votes == max(votes)]
        golds = self._golds([option for option in of_top if option.text not in excluded.golds])
        return LocaleAnswers(
            locale=locale,
            golds=() if loss else tuple(self._ordered(golds)),
            acceptable=tuple(self._acceptable(locale, groups, excluded)),
            offered=self._fated(distinct, OFFERED, silent=silent),
            reserve=self._fated(distinct, IN_RESERVE, silent=silent),
            loss=loss,
        )

    def _option(self, locale: Locale, group: dict[str, Any]) -> Option | str:
        return as_option(group["en_answers"], self.answer_format, locale, group["count"], locales=self.locales)

    def _golds(self, top: list[Option]) -> list[Option]:
        """The top answers to ask about: those that name no region, unless all of them name one."""
        silent = [option for option in top if not option.names_region]
        return silent if silent or self.options.target_drop_named else top

    def _loss(self, idks: dict[str, Any], votes: list[int]) -> tuple[str, str] | None:
        limits = self.options
        if idks["not-applicable"] > limits.target_max_not_applicable:
            detail = f"{counted(idks['not-applicable'], 'vote')} for not applicable; "
            return "not-applicable", f"{detail}at most {limits.target_max_not_applicable} allowed"
        if _non_answers(idks) > limits.target_max_non_answers:
            detail = (
                f"{counted(_non_answers(idks), 'non-answer')}; at most {limits.target_max_non_answers} allowed"
            )
            return "non-answers", detail
        if not votes:
            return "no-answers", "nobody answered"
        if max(votes) < limits.target_min_votes:
            detail = f"{counted(max(votes), 'vote')} for the top answer; {limits.target_min_votes} needed"
            return "few-votes", detail
        return None

    def _distinct(self, locale: Locale, read: list[Option | str], *, silent: bool) -> list[Option]:
        """The options, of those with the same text the one with most votes; counts what becomes of all."""
        best: dict[str, Option] = {}
        for option in read:
            if isinstance(option, str):
                self.outcomes[locale.tag, option] += 1
                continue
            option = replace(option, also=self._also(locale, option.text))
            kept = best.setdefault(option.text, option)
            if kept is not option:
                merged = max(kept.votes, option.votes)
                names = kept.names_region or option.names_region
                meant = kept.values | option.values
                best[option.text] = replace(kept, votes=merged, values=meant, names_region=names)
                self.outcomes[locale.tag, "repeated"] += 1
        for option in best.values():
            self.outcomes[locale.tag, self._fate(option, silent=silent)] += 1
        return list(best.values())

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

    def _fated(self, options: Iterable[Option], fate: str, *, silent: bool) -> tuple[Option, ...]:
        return tuple(self._ordered(one for one in options if self._fate(one, silent=silent) == fate))

    def _ordered(self, options: Iterable[Option]) -> list[Option]:
        """Most votes first; equal votes have no order of their own, a digest gives them one."""
        key = (self.seed, self.template_id)
        return sorted(options, key=lambda o: (-o.votes, digest(*key, o.locale.tag, o.text), o.text))

    def _acceptable(
        self, locale: Locale, groups: list[dict[str, Any]], excluded: Excluded
    ) -> Iterator[Acceptable]:
        given = (text for group in groups for text in group["en_answers"])
        texts = map(shown, (*given, *excluded.distractors))
        for text in dict.fromkeys(text for text in texts if text):
            spelled = _spelled(text, self.answer_format) or text
            yield Acceptable(spelled, values(text, self.answer_format), self._also(locale, text))

    def _also(self, locale: Locale, text: str) -> frozenset[str]:
        return frozenset() if self.translations is None else self.translations.also(locale.tag, text)


def _non_answers(idks: dict[str, Any]) -> int:
    kinds = idks["idk"] + idks["no-answer"] + idks["not-applicable"]
    return int(kinds + sum(other["count"] for other in idks["others"]))


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
