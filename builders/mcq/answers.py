"""Answers: what every locale brings to a template — correct answers, acceptable ones, and options for others.

Whether a locale is asked about, and whether its answers are offered elsewhere, follows from its own annotations
alone. No other locale can throw a question out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import polars as pl

from blend.builders.digests import digest
from blend.builders.mcq.locale_responses import LocaleResponses, responses_by_template
from blend.builders.mcq.options import (
    Acceptable,
    LocalVariants,
    Option,
    compared_forms,
    shown,
    spelled,
    spelling,
)
from blend.builders.mcq.overlap import values
from blend.builders.mcq.own_calendars import UNSTATED, DatedAnswer, dated, part_asked
from blend.builders.mcq.result import OUTCOMES
from blend.builders.mcq.verdicts.exclusions import Excluded, Exclusions
from blend.builders.mcq.verdicts.reading import Reading
from blend.schemas.language.answer_formats import AnswerFormat, format_of_template
from blend.schemas.language.locales import Locale, Registry
from blend.schemas.language.text_comparison import pluralise
from blend.schemas.recipe.recipe import McqOptions

OFFERED = "offered"
"""Outcome of an answer that may be shown as a distractor elsewhere."""

IN_RESERVE = "in-reserve"
"""Outcome of an answer that may be shown as a distractor where a question is short of them."""

NAMES_REGION = "names-region"
"""Outcome of an answer that gives a region away, and is never a distractor for it."""


REFUSED = "refused-at-home"
"""Outcome of an answer that reviewers call silly or wrong in its own region; it is a distractor nowhere."""


LeftOutBy = Callable[[str, str, Option], str | None]
"""Key of the recipe by which a template leaves an option out about a locale, by tag; null if it is shown."""


@dataclass(frozen=True)
class LocaleAnswers:
    """Answers of one locale to a template, and what they are good for."""

    locale: Locale
    golds: tuple[Option, ...]
    """Correct answers, in the order in which variants use them; empty when the locale is not asked about."""
    offered: tuple[Option, ...]
    """Options for others, most votes first, ties by digest; empty when the locale gives none."""
    reserve: tuple[Option, ...]
    """Further ones, for questions that are short of distractors; in the same order."""
    loss: tuple[str, str] | None
    """Reason and detail why the locale is not asked about; null when it is."""
    left_out_by: Callable[[Option], str | None] | None
    """By what an option of another region is left out about the locale, see `LeftOutBy`; null if nothing is."""
    refused: tuple[str, ...]
    """Its answers that are offered nowhere, since readers call them silly or wrong at home."""
    given: tuple[tuple[str, ...], ...]
    """English variants of every answer that people gave, whatever its votes; without days, months and years of
    which nobody can tell the calendar."""
    read_acceptable: Callable[[], Iterable[Acceptable]]
    """Reads `acceptable`, which nobody asks for where the region is not asked about."""

    @cached_property
    def acceptable(self) -> tuple[Acceptable, ...]:
        """Every English variant of every answer, whatever its votes."""
        return tuple(self.read_acceptable())


@dataclass(frozen=True)
class TemplateAnswers:
    """Answers of all locales to a template."""

    template_id: str
    answer_format: AnswerFormat
    locales: tuple[LocaleAnswers, ...]
    """In registry order."""
    dates: tuple[tuple[str, str, str, str], ...] = ()
    """Rows of `FOUND`."""

    @property
    def reserve(self) -> list[Option]:
        """List all locales' further options, for questions that are short of distractors."""
        return [option for one in self.locales for option in one.reserve]

    @cached_property
    def forms(self) -> tuple[frozenset[str], ...]:
        """List by locale all that its people gave, whatever its votes, as `compared_forms`."""
        every = ((compared_forms(texts, self.answer_format) for texts in one.given) for one in self.locales)
        return tuple(frozenset[str]().union(*of_locale) for of_locale in every)


def read_answers(
    questions: pl.DataFrame,
    annotations: pl.DataFrame,
    *,
    options: McqOptions,
    seed: int,
    exclusions: Exclusions,
    locales: Registry,
    reading: Reading | None = None,
    left_out_by: LeftOutBy | None = None,
    outcomes: Counter[tuple[str, str]] | None = None,
) -> Iterator[TemplateAnswers]:
    """Read what every locale brings to each template; by template id.

    Args:
        questions: `frame_columns.QUESTIONS`.
        annotations: `frame_columns.ANNOTATIONS`.
        options: Thresholds.
        seed: Seed of the order of answers with equal votes.
        exclusions: What was excluded.
        locales: Known locales.
        reading: Who has read which option, where unread ones are left out, correct answers too.
        left_out_by: Which options of others are left out otherwise; none that no rule is against when absent.
        outcomes: Takes the count of answer groups by locale and outcome, as templates are read.

    Raises:
        UnknownNameError: If an annotation's locale is not registered.
    """
    formats = template_formats(questions)
    asked = _AskedBefore(questions)
    variants = LocalVariants(annotations) if options.judge.local_variants else None
    outcomes = Counter() if outcomes is None else outcomes
    for template_id, responses in responses_by_template(questions, annotations, locales):
        answer_format = formats.get(template_id, AnswerFormat.TEXT)
        known = variants if answer_format is AnswerFormat.TEXT else None
        reader = _Reader(
            template_id,
            answer_format,
            options,
            seed,
            locales,
            outcomes,
            [],
            known,
            exclusions,
            reading,
            left_out_by,
        )
        read = tuple(asked.once(template_id, given.wording, reader.read(given)) for given in responses)
        yield TemplateAnswers(template_id, answer_format, read, tuple(reader.dates))


def template_formats(questions: pl.DataFrame) -> dict[str, AnswerFormat]:
    """Find the format of every template, by `answer_formats.format_of_template`."""
    asked = questions.group_by("template_id").agg("answer_format").iter_rows()
    return {template_id: format_of_template(map(AnswerFormat, formats)) for template_id, formats in asked}


def outcomes_frame(outcomes: Mapping[tuple[str, str], int], locales: Registry) -> pl.DataFrame:
    """Make `OUTCOMES` of counts: locales in registry order, then by outcome."""
    order = sorted(outcomes, key=lambda key: (locales.rank(key[0]), key[1]))
    return pl.DataFrame([(*key, outcomes[key]) for key in order], OUTCOMES, orient="row")


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reader of the annotations of one template."""

    template_id: str
    answer_format: AnswerFormat
    options: McqOptions
    seed: int
    locales: Registry
    outcomes: Counter[tuple[str, str]]
    dates: list[tuple[str, str, str, str]]
    """Rows of `FOUND`."""
    local_variants: LocalVariants | None
    """Null where they have no say."""
    exclusions: Exclusions
    reading: Reading | None
    left_out_by: LeftOutBy | None

    def read(self, given: LocaleResponses) -> LocaleAnswers:
        """Read what one locale brings."""
        locale = given.locale
        if self.exclusions.options.corrections(self.template_id):
            put_right = partial(self.exclusions.options.texts, self.template_id)
            given = given._replace(groups=tuple((votes, put_right(texts)) for votes, texts in given.groups))
        answers = self._dated(given)
        read = [(one.votes, self._option(locale, one)) for one in answers]
        most = max((votes for votes, _ in read), default=0)
        top = [option for votes, option in read if votes == most]
        excluded = self.exclusions.of(self.template_id, locale.tag)
        loss = (
            self._loss(given, most)
            or _loss_of_top(top, drop_named=self.options.target_drop_named)
            or _loss_to_reviewers(top, excluded)
        )
        distinct = self._distinct(locale, [option for _, option in read])
        fates = self._fates(given, distinct)
        of_top = [option for option in distinct if option.votes == most]
        golds = self._golds([option for option in of_top if option.text not in excluded.golds])
        cause = self.left_out_by if self.reading is None else self._unread
        left_out_by = cause and partial(cause, self.template_id, locale.tag)
        if self.reading is not None and left_out_by and golds and not loss:
            golds = [gold for gold in golds if left_out_by(gold) is None]
            loss = None if golds else ("unread", "nobody has read the top answer")
        return LocaleAnswers(
            locale=locale,
            golds=() if loss else self._ordered(golds),
            offered=self._ordered(fates.get(OFFERED, [])),
            reserve=self._ordered(fates.get(IN_RESERVE, [])),
            loss=loss,
            left_out_by=left_out_by,
            refused=tuple(option.text for option in fates.get(REFUSED, ())),
            given=tuple(one.texts for one in answers if one.is_certain),
            read_acceptable=partial(self._acceptable, locale, answers, excluded),
        )

    def _unread(self, template_id: str, asked: str, option: Option) -> str | None:
        assert self.reading is not None
        return None if self.reading.has_read(template_id, asked, option) else "mcq.unread"

    def _dated(self, given: LocaleResponses) -> list[DatedAnswer]:
        """Put what people wrote in a calendar of their own into the Gregorian one; keep an account of it."""
        tag = given.locale.tag
        part = part_asked(given.wording, self.answer_format)
        answers = dated(given.groups, part, given.locale.calendar)
        self.dates.extend((self.template_id, tag, *one.finding) for one in answers if one.finding)
        return answers

    def _option(self, locale: Locale, answer: DatedAnswer) -> Option | str:
        found = spelling(answer.texts, self.answer_format, self.locales) if answer.is_certain else UNSTATED
        if isinstance(found, str):
            return found
        # What people wrote is what they have local words for, and not what is shown in its place.
        corrections = self.exclusions.options.corrections(self.template_id)
        written = {text for text in map(shown, answer.texts) if corrections.get(text, text) == found.text}
        also = self._also(locale, found.text, *written)
        return Option(found.text, locale, answer.votes, found.values, found.names_region, also)

    def _golds(self, top: list[Option]) -> list[Option]:
        """Choose the top answers to ask about: those that name no region, unless all of them name one."""
        silent = [option for option in top if not option.names_region]
        return silent if silent or self.options.target_drop_named else top

    def _loss(self, given: LocaleResponses, most: int) -> tuple[str, str] | None:
        limits = self.options
        if given.not_applicable > limits.target_max_not_applicable:
            detail = f"{pluralise(given.not_applicable, 'vote')} for not applicable; "
            return "not-applicable", f"{detail}at most {limits.target_max_not_applicable} allowed"
        if given.non_answers > limits.target_max_non_answers:
            detail = (
                f"{pluralise(given.non_answers, 'non-answer')}; at most {limits.target_max_non_answers} allowed"
            )
            return "non-answers", detail
        if not given.groups:
            return "no-answers", "nobody answered"
        if most < limits.target_min_votes:
            detail = f"{pluralise(most, 'vote')} for the top answer; {limits.target_min_votes} needed"
            return "few-votes", detail
        return None

    def _distinct(self, locale: Locale, read: list[Option | str]) -> list[Option]:
        """Merge options with the same text, with the most votes of any; count what is no option."""
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

    def _fates(self, given: LocaleResponses, options: Iterable[Option]) -> dict[str, list[Option]]:
        """Sort options by what becomes of them, and count them."""
        silent = given.non_answers > self.options.distractor_max_non_answers
        read = self.exclusions.refused(self.template_id, given.locale.region)
        refused = {spelled(text, self.answer_format) or text for text in read}
        fates: dict[str, list[Option]] = {}
        for option in options:
            fate = REFUSED if option.text in refused else self._fate(option, silent=silent)
            fates.setdefault(fate, []).append(option)
        for fate, of_fate in fates.items():
            self.outcomes[given.locale.tag, fate] += len(of_fate)
        return fates

    def _fate(self, option: Option, *, silent: bool) -> str:
        few = option.votes < self.options.distractor_min_votes
        # A number that hardly anybody gave lies far from the others, and makes the correct one easy to find.
        in_reserve = self.answer_format is AnswerFormat.TEXT
        if few and not (in_reserve and option.votes >= self.options.distractor_reserve_votes):
            return "few-votes"
        if option.names_region:
            return NAMES_REGION
        if silent:
            return "uncertain-question"
        return IN_RESERVE if few else OFFERED

    def _ordered(self, options: Sequence[Option]) -> tuple[Option, ...]:
        """Order options by votes, most first; a digest gives equal votes an order."""
        if len(options) < 2:
            return tuple(options)
        key = (self.seed, self.template_id)
        return tuple(sorted(options, key=lambda o: (-o.votes, digest(*key, o.locale.tag, o.text), o.text)))

    def _acceptable(
        self, locale: Locale, answers: Iterable[DatedAnswer], excluded: Excluded
    ) -> Iterator[Acceptable]:
        by_people = dict.fromkeys(shown(text) for one in answers for text in one.texts)
        for text in filter(None, by_people | dict.fromkeys(map(shown, excluded.distractors))):
            canonical = spelled(text, self.answer_format) or text
            meant, also = values(text, self.answer_format), self._also(locale, text)
            yield Acceptable(canonical, meant, also, text not in by_people)

    def _also(self, locale: Locale, *texts: str) -> frozenset[str]:
        return _NOTHING if self.local_variants is None else self.local_variants.also(locale.tag, *texts)


_NOTHING: frozenset[str] = frozenset()


class _AskedBefore:
    """English wordings in which several templates ask a locale.

    Args:
        questions: `frame_columns.QUESTIONS`.
    """

    def __init__(self, questions: pl.DataFrame) -> None:
        asked = questions.select("locale", "en_question")
        self._repeated = frozenset(asked.filter(asked.is_duplicated()).iter_rows())
        """Locales and wordings; of all questions they would take as much memory as the answers."""
        self._first: dict[tuple[str, str], str] = {}
        """By locale and wording, the first template that asks the locale about its own answer."""

    def once(self, template_id: str, wording: str | None, answers: LocaleAnswers) -> LocaleAnswers:
        """Leave a locale out that an earlier template asks in the same words: it would be asked twice."""
        asked = answers.locale.tag, wording or ""
        if not answers.golds or not wording or asked not in self._repeated:
            return answers
        first = self._first.setdefault(asked, template_id)
        if first == template_id:
            return answers
        return replace(answers, golds=(), loss=("asked-already", f"{first} asks it in the same words"))


def _loss_of_top(top: list[Option | str], *, drop_named: bool) -> tuple[str, str] | None:
    """Say why no top answer can be shown, if so."""
    details = {
        "no-english": "no top answer has an English variant",
        "placeholder": "the top answer only says that there is none",
        "out-of-format": "no top answer has the format of the question",
        "foreign-script": "no top answer is written in the script of the question",
        "no-words": "no top answer has a letter or digit",
        UNSTATED: "no top answer tells of which calendar it is",
        NAMES_REGION: "every top answer names a region, its people, its capital or its country",
    }
    reasons = [
        option if isinstance(option, str) else NAMES_REGION for option in top if _is_lost(option, drop_named)
    ]
    return None if len(reasons) < len(top) or not top else (reasons[0], details[reasons[0]])


def _loss_to_reviewers(top: list[Option | str], excluded: Excluded) -> tuple[str, str] | None:
    """Say whether verdicts, of people or of a model, call every top answer wrong."""
    texts = [option.text for option in top if isinstance(option, Option)]
    # Not asked of an empty list: where no top answer can be shown, `_loss_of_top` has said why.
    if not excluded.golds.issuperset(texts):
        return None
    return "turned-down", f"verdicts say that {', '.join(map(repr, dict.fromkeys(texts)))} is wrong"


def _is_lost(option: Option | str, drop_named: bool) -> bool:
    return isinstance(option, str) or (option.names_region and drop_named)
