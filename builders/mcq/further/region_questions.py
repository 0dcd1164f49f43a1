"""Region questions: a correct answer of multiple-choice questions, and four regions of which it can be.

Three of them are wrong for sure: they are asked the same in the same words, their people agree on answers of
their own, and nobody there gave this one or one that counts as the same, nor did a reader. A text was not even
given there to another question, and a number is not near one that was.

Which regions stand together is decided over all questions, so that each is wrong three times as often as it is
right: whoever picks the region that is right most often gains nothing.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

import polars as pl

from blend.builders.digests import digest
from blend.builders.judges.panel import JudgePanel
from blend.builders.mcq.answers import TemplateAnswers
from blend.builders.mcq.default import LocaleQuestions
from blend.builders.mcq.distractors import N_DISTRACTORS
from blend.builders.mcq.option_pool import VERDICTS, OptionPool, Target
from blend.builders.mcq.options import are_apart
from blend.builders.mcq.positions import arranged, positions_in_region
from blend.builders.mcq.published_mcqs import published_prompt
from blend.builders.mcq.result import FOUND
from blend.builders.mcq.variants import Rules, listed_by_cause
from blend.builders.templates.localise import region_names
from blend.builders.templates.slots import at_sentence_start, slot_country
from blend.schemas.language.answer_formats import AnswerFormat, magnitude
from blend.schemas.language.locales import Locale, Registry
from blend.schemas.language.region_mentions import names_any
from blend.schemas.language.text_comparison import clean, pluralise
from blend.schemas.prompts.prompt_slots import filled
from blend.schemas.prompts.question_slots import COUNTRY
from blend.schemas.prompts.rung_prompts import FORMAT_REQUEST, NO_REGION, REGION_QUESTION
from blend.schemas.rows.configs import REGION_QUESTIONS, TRUE_FALSE_QUESTIONS
from blend.schemas.rows.frame_columns import REGION_ROWS
from blend.schemas.rows.published_rows import LETTERS

MORE_VOTES = {REGION_QUESTIONS: 1, TRUE_FALSE_QUESTIONS: 2}
"""Votes that an answer needs on a rung beyond those with which it is asked about: by default four of five in
region questions, and all five where an option stands by itself: what four said readers doubted now and then."""

_FEW_VOTES = {REGION_QUESTIONS: "few-votes-region", TRUE_FALSE_QUESTIONS: "few-votes-true-false"}
"""Kinds of findings, by rung: each counts alone, so that what a rung lacks adds up."""

_NEAR = 0.25
"""Share of the larger of two numbers, minutes of the day or days of the year up to which they are near."""


CHOSEN = pl.Schema(
    {name: REGION_ROWS[name] for name in ("region_question_id", "mcq_id", "option_regions", "answer")}
)
"""One row per region question: what the multiple-choice question does not tell."""


class RegionAnswer(NamedTuple):
    """A correct answer, and the regions that surely answer otherwise."""

    mcq_id: str
    """The first question of which it is the correct answer."""
    template_id: str
    locale: Locale
    text: str
    others: tuple[Locale, ...]
    """In registry order."""
    left_out: tuple[tuple[str, str], ...]
    """Causes and regions that would answer otherwise but for verdicts of readers or the recipe."""


class RungQuestions:
    """Correct answers of all templates, of which the questions of the rungs are then made.

    Both rungs ask only about answers of more people than a multiple-choice question needs, `MORE_VOTES`.

    Args:
        rules: What the questions rest on.
        questions: The questions as they are asked, `frame_columns.QUESTIONS`.
        locales: Known locales.
    """

    def __init__(self, rules: Rules, questions: pl.DataFrame, locales: Registry) -> None:
        self._rules = rules
        self._asked = {
            (template_id, tag): without_region(text, locales.get(tag), locales)
            for template_id, tag, text in questions.select("template_id", "locale", "en_question").iter_rows()
        }
        self._answers: list[RegionAnswer] = []
        self.true_false: set[str] = set()
        """Ids of the multiple-choice questions whose options are asked one by one."""
        self._found: list[tuple[str, str, str, str]] = []

    def found(self) -> pl.DataFrame:
        """List why there are no more questions, `FOUND`; complete once regions are `chosen`."""
        return pl.DataFrame(self._found, FOUND, orient="row").unique(maintain_order=True)

    def add(
        self, answers: TemplateAnswers, pool: OptionPool, judging: JudgePanel, made: Iterable[LocaleQuestions]
    ) -> None:
        """Look which multiple-choice questions of a template are sure enough for the rungs.

        Args:
            answers: What the locales bring to the template.
            pool: Its options.
            judging: The judges, as for its other questions.
            made: These questions.
        """
        template_id = answers.template_id
        numbers = {(option.text, option.locale.tag): i for i, option in enumerate(pool.options)}
        chosen: list[tuple[str, Locale, str, int]] = []
        for one, text, mcq_id in self._agreed(answers, pool, made):
            number = numbers.get((text, one.locale.tag))
            # An answer that names a region is none of the options.
            if number is None or self._asked[template_id, one.locale.tag] is None:
                detail = f"{text!r}: it or the question names a region"
                self._found.append((template_id, one.locale.tag, "region-named", detail))
            else:
                chosen.append((mcq_id, one.locale, text, number))
        wanted = frozenset(number for *_, number in chosen)
        wrong = {
            of.answers.locale: self._surely_wrong(of, answers, pool, judging, wanted) for of in pool.targets
        }
        also_right = {
            of.answers.locale: {text for text, one in of.acceptable.items() if one.is_verdict}
            for of in pool.targets
        }
        left_out = {of.answers.locale: pool.left_out(of) for of in pool.targets} if chosen else {}
        for mcq_id, locale, text, number in chosen:
            asked = self._asked[template_id, locale.tag]
            others, causes = [], list[tuple[str, str]]()
            for of in pool.targets:
                other = of.answers.locale
                if self._asked[template_id, other.tag] != asked or not are_apart(other, locale):
                    continue
                if number not in wrong[other]:
                    causes += [
                        (cause, other.region) for cause, texts in left_out[other].items() if text in texts
                    ]
                # Whoever says white gown there and apron here may mean the same.
                elif also_right[locale].isdisjoint(gold.text for gold in of.answers.golds):
                    others.append(other)
                else:
                    causes.append((VERDICTS, other.region))
            answer = RegionAnswer(mcq_id, template_id, locale, text, tuple(others), tuple(causes))
            self._answers.append(answer)

    def _agreed(
        self, answers: TemplateAnswers, pool: OptionPool, made: Iterable[LocaleQuestions]
    ) -> Iterator[tuple[LocaleQuestions, str, str]]:
        """List answers that enough people gave, each with its first question; note what is true or false."""
        template_id, least = answers.template_id, self._rules.options.target_min_votes
        needed = {rung: least + more for rung, more in MORE_VOTES.items()}
        for one in made:
            target, ids = pool.target(one.locale.tag), one.ids(template_id)
            votes = {gold.text: gold.votes for gold in target.answers.golds}
            numbers = _numbers(target, answers.answer_format)
            for text, first in _first_ids(one, ids):
                for rung, n in needed.items():
                    if votes[text] < n:
                        detail = f"{pluralise(votes[text], 'vote')} for {text!r}; {n} needed"
                        self._found.append((template_id, one.locale.tag, _FEW_VOTES[rung], detail))
                if votes[text] >= needed[REGION_QUESTIONS]:
                    yield one, text, first
            for mcq_id, (gold, *wrong) in zip(ids, one.picks.tolist(), strict=True):
                if votes[one.golds[gold]] < needed[TRUE_FALSE_QUESTIONS]:
                    continue
                shown = (one.distractors[i][0] for i in wrong)
                if near := [text for text in shown if _is_near(text, answers.answer_format, numbers)]:
                    detail = f"{near[0]!r} beside {one.golds[gold]!r}"
                    self._found.append((template_id, one.locale.tag, "near-number", detail))
                else:
                    self.true_false.add(mcq_id)

    def chosen(self) -> pl.DataFrame:
        """Choose the regions: `CHOSEN`, by template, locale in registry order, and answer."""
        seed = self._rules.seed
        found = dict(_chosen(self._answers, seed))
        for one in self._answers:
            if one not in found:
                self._found.append((one.template_id, one.locale.tag, "few-other-regions", _too_few(one)))
        chosen = [(one, _id(one, three), three) for one, three in found.items()]
        digests: dict[str, dict[str, list[int]]] = {}
        for one, question_id, _ in chosen:
            digests.setdefault(one.locale.region, {})[question_id] = [digest(seed, question_id)]
        placed = {key: at for one in digests.values() for key, (at,) in positions_in_region(one).items()}
        rows = []
        for one, question_id, three in chosen:
            regions = [code for code, _ in arranged([(of.region, of.tag) for of in three], digest(question_id))]
            regions.insert(placed[question_id], one.locale.region)
            rows.append((question_id, one.mcq_id, regions, placed[question_id]))
        return pl.DataFrame(rows, CHOSEN, orient="row")

    def _surely_wrong(
        self,
        target: Target,
        answers: TemplateAnswers,
        pool: OptionPool,
        judging: JudgePanel,
        wanted: frozenset[int],
    ) -> Collection[int]:
        """List the wanted options that may be shown about a target as wrong and are unlike all that it gave."""
        pairs = () if judging.lexical_only else pool.relied_on(target, [[i] for i in sorted(wanted)])
        same = pool.judged_same(judging.same(pairs, overlapping=False))
        left = wanted.intersection(chain.from_iterable(pool.available(target, same).values()))
        texts, answer_format = {i: pool.options[i].text for i in left}, answers.answer_format
        if answer_format is AnswerFormat.TEXT:
            gave = self._rules.elsewhere.cooccurrence.gave
            return {i for i, text in texts.items() if not gave(target.answers.locale.tag, text)}
        numbers = _numbers(target, answer_format)
        return {i for i, text in texts.items() if _is_near(text, answer_format, numbers) is False}


def _too_few(one: RegionAnswer) -> str:
    """Say how many regions surely answer otherwise, and which would but for verdicts or the recipe."""
    found = f"{one.text!r}: of other regions {len(one.others)} surely say otherwise; three apart are needed"
    causes: dict[str, list[str]] = {}
    for cause, region in sorted(one.left_out, key=itemgetter(0)):
        causes.setdefault(cause, []).append(region)
    return f"{found}; left out: {listed_by_cause(causes)}" if causes else found


def region_rows(chosen: pl.DataFrame, mcqs: pl.DataFrame, locales: Registry) -> pl.DataFrame:
    """Write region questions out.

    Args:
        chosen: `CHOSEN`.
        mcqs: `frame_columns.MCQ_ROWS`; what none of them is named by is left out.
        locales: Names of the regions.

    Returns:
        `frame_columns.REGION_ROWS`, in the order of ``chosen``.
    """
    names = {locale.region: locale.prompt_name for locale in locales}
    name = pl.element().replace_strict(names, default=None, return_dtype=pl.String)
    asked = mcqs.select(
        *("mcq_id", "template_id", "country", "locale", "topic", "question"),
        given_answer=pl.col("options").list.get(pl.col("answer")),
    )
    rows = chosen.select(list(CHOSEN)).join(asked, on="mcq_id", maintain_order="left")
    of_locale = rows.select("question", "locale").iter_rows()
    neutral = [without_region(text, locales.get(tag), locales) for text, tag in of_locale]
    slots = {slot: pl.col(slot) for slot in ("neutral_question", "given_answer")}
    letters = dict(enumerate(LETTERS))
    return (
        rows.with_columns(
            neutral_question=pl.Series(neutral, dtype=pl.String),
            options=pl.col("option_regions").list.eval(name),
            answer_idx=pl.col("answer").replace_strict(letters, default=None, return_dtype=pl.String),
        )
        .with_columns(question=filled(REGION_QUESTION, slots))
        .with_columns(prompt=published_prompt())
        .select(list(REGION_ROWS))
    )


def without_region(en_question: str, locale: Locale, locales: Registry) -> str | None:
    """Ask a question about a region without telling it; null if another name in it tells something.

    Args:
        en_question: The question in English.
        locale: The locale whose region it names.
        locales: Names that it must not have.
    """
    asked = re.sub(FORMAT_REQUEST, "?", en_question)
    before, *rest = clean(slot_country(asked, region_names(locale))).split(COUNTRY)
    for after in rest:
        before += (NO_REGION.capitalize() if at_sentence_start(before) else NO_REGION) + after
    return None if names_any(before, locales) else before


def _is_near(text: str, answer_format: AnswerFormat, given: Collection[float]) -> bool | None:
    """Whether the number in a text is between or near those of people of another region; null without one."""
    number = magnitude(text, answer_format)
    return None if number is None else not _is_far(number, given)


def _is_far(number: float, given: Collection[float]) -> bool:
    """Whether a number lies neither between nor near those that people of another region gave."""
    between = not given or min(given) <= number <= max(given)
    return not between and all(abs(number - one) > _NEAR * max(number, one) for one in given)


def _numbers(target: Target, answer_format: AnswerFormat) -> set[float]:
    """Collect the numbers that a target gave; nothing of texts."""
    return {n for text in target.acceptable if (n := magnitude(text, answer_format)) is not None}


def _first_ids(made: LocaleQuestions, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """List the correct answers that are asked for, each with the id of its first question."""
    golds = made.picks[:, 0].tolist()
    return ((made.golds[gold], ids[golds.index(gold)]) for gold in dict.fromkeys(golds))


def _chosen(answers: Sequence[RegionAnswer], seed: int) -> Iterator[tuple[RegionAnswer, list[Locale]]]:
    """Choose three other regions for every answer that has them, first those that are wrong too seldom."""
    able = [one for one in answers if len(_apart(one.others)) == N_DISTRACTORS]
    missing = Counter(one.locale.region for one in able for _ in range(N_DISTRACTORS))
    found = {}
    # Those with the least choice first; then by digest, so that no topic comes before another.
    for one in sorted(able, key=lambda one: (len(one.others), digest(seed, one.mcq_id))):
        of = {other: (-missing[other.region], digest(seed, one.mcq_id, other.tag)) for other in one.others}
        found[one] = _apart(sorted(of, key=of.__getitem__))
        missing.subtract(other.region for other in found[one])
    return ((one, found[one]) for one in able if len(found[one]) == N_DISTRACTORS)


def _apart(locales: Iterable[Locale]) -> list[Locale]:
    """Take the first three locales of which none is in the region of another, or in one that contains it."""
    taken: list[Locale] = []
    for locale in locales:
        if len(taken) < N_DISTRACTORS and all(are_apart(locale, other) for other in taken):
            taken.append(locale)
    return taken


def _id(one: RegionAnswer, three: Iterable[Locale]) -> str:
    shown = digest(one.text, one.locale.tag, *sorted(other.tag for other in three))
    return f"{one.template_id}_{one.locale.split}_{shown >> 32:08x}"
