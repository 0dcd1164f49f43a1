"""Answers: what every locale brings to a template — correct answers, acceptable ones, and options for others.

Whether a locale is asked about, and whether its answers are offered elsewhere, follows from its own annotations
alone. No other locale can throw a question out.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import polars as pl

from blend.builders.digests import digest
from blend.builders.mcq.options import Acceptable, Option, as_option, compared_forms, shown, spelled
from blend.builders.mcq.overlap import values
from blend.builders.mcq.result import OUTCOMES
from blend.builders.mcq.verdicts.exclusions import Excluded, Exclusions
from blend.schemas.formats import AnswerFormat, format_of_template, magnitude
from blend.schemas.frames import KEY
from blend.schemas.locales import Locale, Registry
from blend.schemas.recipe import McqOptions
from blend.schemas.texts import pluralise

OFFERED = "offered"
"""Outcome of an answer that may be shown as a distractor elsewhere."""

IN_RESERVE = "in-reserve"
"""Outcome of an answer that may be shown as a distractor where a question is short of them."""

NAMES_REGION = "names-region"
"""Outcome of an answer that gives a region away, and is never a distractor for it."""

REFUSED = "refused-at-home"
"""Outcome of an answer that reviewers call silly or wrong in its own region, or that says nearly the same; it
is a distractor nowhere."""

OWN_CALENDAR = "own-calendar"
"""Outcome of a day, month or year of a region with its own calendar, and reason why it is not asked for."""

LeftOutBy = Callable[[str, str, Option], str | None]
"""Key of the recipe by which a template leaves an option out about a locale, by tag; null if it is shown."""

_SIBLING_MINUTES = 2 * 60
"""Minutes up to which times are nearly the same: 08:30 and 09:00, where readers struck 08:00 as a time of
dinner since people meant 8 p.m."""

_DATE_PART = re.compile(r"\b(?:which|what)(?: is the(?: \w+){0,2})? (?:month|year)\b(?! of\b)")


class LocaleResponses(NamedTuple):
    """Answers and non-answers that the annotators of a locale gave to a template."""

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
    answer_format: AnswerFormat
    golds: tuple[Option, ...]
    """Correct answers, in the order in which they are tried; empty when the locale is not asked about."""
    offered: tuple[Option, ...]
    """Options for others, most votes first, ties by digest; empty when the locale gives none."""
    reserve: tuple[Option, ...]
    """Further ones, for questions that are short of distractors; in the same order."""
    loss: tuple[str, str] | None
    """Reason and detail why the locale is not asked about; null when it is."""
    left_out_by: Callable[[Option], str | None]
    """By which key of the recipe another region's option is left out about the locale; null if it is not."""
    given: tuple[tuple[str, ...], ...]
    """English variants of every answer that people gave, whatever its votes."""
    excluded: tuple[str, ...]
    """Options that readers refused about the locale."""

    @cached_property
    def acceptable(self) -> tuple[Acceptable, ...]:
        """Every English variant of every answer, whatever its votes, and what readers refused."""
        by_people = dict.fromkeys(shown(text) for texts in self.given for text in texts)
        texts = filter(None, by_people | dict.fromkeys(map(shown, self.excluded)))
        return tuple(
            Acceptable(
                spelled(text, self.answer_format) or text,
                values(text, self.answer_format),
                is_verdict=text not in by_people,
            )
            for text in texts
        )


@dataclass(frozen=True)
class TemplateAnswers:
    """Answers of all locales to a template."""

    template_id: str
    answer_format: AnswerFormat
    locales: tuple[LocaleAnswers, ...]
    """In registry order."""

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
    left_out_by: LeftOutBy = lambda *_: None,
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
        left_out_by: Which options are left out otherwise; none that no rule is against when absent.
        outcomes: Takes the count of answer groups by locale and outcome, as templates are read.

    Raises:
        UnknownNameError: If an annotation's locale is not registered.
    """
    formats = template_formats(questions)
    asked = _AskedBefore(questions)
    outcomes = Counter() if outcomes is None else outcomes
    for template_id, responses in _responses_by_template(questions, annotations, locales):
        answer_format = formats.get(template_id, AnswerFormat.TEXT)
        reader = _Reader(template_id, answer_format, options, seed, locales, outcomes, exclusions, left_out_by)
        read = tuple(asked.once(template_id, given.wording, reader.read(given)) for given in responses)
        yield TemplateAnswers(template_id, answer_format, read)


def _responses_by_template(
    questions: pl.DataFrame, annotations: pl.DataFrame, locales: Registry
) -> Iterator[tuple[str, list[LocaleResponses]]]:
    """List what was given, by template id; of each template, locales in registry order."""
    rank = {tag: locales.rank(tag) for tag in annotations["locale"].unique()}
    idks, groups = pl.col("idks").struct, pl.col("annotations").list
    n_others = idks.field("others").list.eval(pl.element().struct.field("count")).list.sum()
    wordings = questions.select(*KEY, "en_question")
    rows = (
        annotations.join(wordings, on=KEY, how="left")
        .select(
            "template_id",
            "locale",
            "en_question",
            votes=groups.eval(pl.element().struct.field("count")),
            texts=groups.eval(pl.element().struct.field("en_answers")),
            not_applicable=idks.field("not-applicable"),
            non_answers=idks.field("idk") + idks.field("no-answer") + idks.field("not-applicable") + n_others,
            rank=pl.col("locale").replace_strict(rank, return_dtype=pl.Int64),
        )
        .sort("template_id", "rank")
    )
    # Python lists of a whole dataset would take more memory than the dataset: one template's at a time.
    start = 0
    for template_id, n_rows in rows.group_by("template_id", maintain_order=True).len().iter_rows():
        responses = []
        # Slices share the frame's memory; groups would copy all nested lists.
        of_template, start = rows.slice(start, n_rows), start + n_rows
        for _, tag, wording, votes, texts, not_applicable, non_answers, _ in of_template.iter_rows():
            answers = tuple(zip(votes, map(tuple, texts), strict=True))
            responses.append(LocaleResponses(locales.get(tag), wording, answers, not_applicable, non_answers))
        yield template_id, responses


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
    exclusions: Exclusions
    left_out_by: LeftOutBy

    def read(self, given: LocaleResponses) -> LocaleAnswers:
        """Read what one locale brings."""
        locale = given.locale
        put_right = partial(self.exclusions.options.texts, self.template_id)
        groups = [(votes, put_right(texts)) for votes, texts in given.groups]
        # Nobody can tell the calendar of a day or month there: it is neither asked for nor offered.
        is_dated = locale.calendar != "gregory" and asks_for_date(given.wording, self.answer_format)
        read = [
            (votes, OWN_CALENDAR if is_dated else self._option(locale, votes, texts)) for votes, texts in groups
        ]
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
        left_out_by = partial(self.left_out_by, self.template_id, locale.tag)
        golds = [one for one in distinct if one.votes == most and one.text not in excluded.golds]
        golds = self._silent(golds)
        if self.options.unread == "drop" and golds and not loss:
            golds = [gold for gold in golds if left_out_by(gold) is None]
            loss = None if golds else ("unread", "nobody has read the top answer")
        return LocaleAnswers(
            locale=locale,
            answer_format=self.answer_format,
            golds=() if loss else self._ordered(golds),
            offered=self._ordered(fates.get(OFFERED, [])),
            reserve=self._ordered(fates.get(IN_RESERVE, [])),
            loss=loss,
            left_out_by=left_out_by,
            given=tuple(texts for _, texts in groups),
            excluded=excluded.distractors,
        )

    def _option(self, locale: Locale, votes: int, texts: tuple[str, ...]) -> Option | str:
        return as_option(texts, self.answer_format, locale, votes, locales=self.locales)

    def _silent(self, top: list[Option]) -> list[Option]:
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
            is_refused = option.text in refused or self._is_sibling(option.text, refused)
            fate = REFUSED if is_refused else self._fate(option, silent=silent)
            fates.setdefault(fate, []).append(option)
        for fate, of_fate in fates.items():
            self.outcomes[given.locale.tag, fate] += len(of_fate)
        return fates

    def _is_sibling(self, text: str, refused: Iterable[str]) -> bool:
        """Whether a text is a time near one that readers of its own region refused."""
        if self.answer_format is not AnswerFormat.TIME:
            return False
        own, others = (
            magnitude(text, self.answer_format),
            (magnitude(one, self.answer_format) for one in refused),
        )
        return any(own is not None and one is not None and abs(own - one) <= _SIBLING_MINUTES for one in others)

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
        OWN_CALENDAR: "nobody can tell whether people there counted in their own calendar",
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


def asks_for_date(en_question: str | None, answer_format: AnswerFormat) -> bool:
    """Whether a question asks for a day, by its format, or a month or year, by its words.

    Not if it says that it means the Gregorian calendar.
    """
    asked = (en_question or "").lower()
    is_part = answer_format is AnswerFormat.INTEGER and _DATE_PART.search(asked) is not None
    return "gregorian" not in asked and (answer_format is AnswerFormat.DATE or is_part)
