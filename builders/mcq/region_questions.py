"""Region questions: a correct answer of multiple-choice questions, and four regions of which it can be.

Three of them are wrong for sure: they are asked the same in the same words, their people agree on answers of
their own, and nobody there, nor any reader, gave this one or one that counts as the same. It is not possibly
correct there either (`distractors.Comparison.possibly_correct`).

Which regions stand together is decided over all questions, so that each is wrong three times as often as it is
right: whoever picks the region that is right most often gains nothing.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import polars as pl

from blend.builders.digests import digest
from blend.builders.judges.panel import JudgePanel
from blend.builders.mcq.answers import TemplateAnswers
from blend.builders.mcq.default import LocaleQuestions
from blend.builders.mcq.distractors import N_DISTRACTORS, compare
from blend.builders.mcq.option_pool import OptionPool, Target
from blend.builders.mcq.options import are_apart
from blend.builders.mcq.positions import arranged, positions_in_region
from blend.builders.mcq.published_mcqs import published_prompt
from blend.builders.mcq.variants import Rules
from blend.builders.templates.localise import region_names
from blend.builders.templates.slots import at_sentence_start, slot_country
from blend.schemas.language.locales import Locale, Registry
from blend.schemas.language.region_mentions import names_any
from blend.schemas.language.text_comparison import clean
from blend.schemas.prompts.question_slots import COUNTRY
from blend.schemas.prompts.rung_prompts import NO_REGION, REGION_QUESTION
from blend.schemas.rows.frame_columns import REGION_ROWS
from blend.schemas.rows.published_rows import LETTERS


class RegionAnswer(NamedTuple):
    """A correct answer, and the regions that surely answer otherwise."""

    mcq_id: str
    """The first question of which it is the correct answer."""
    template_id: str
    locale: Locale
    text: str
    others: tuple[Locale, ...]
    """In registry order."""


class RegionQuestions:
    """Correct answers of all templates, of which region questions are then made.

    Args:
        rules: What the questions rest on.
        questions: The questions as they are asked, `frame_columns.QUESTIONS`.
        locales: Known locales.
    """

    def __init__(self, rules: Rules, questions: pl.DataFrame, locales: Registry) -> None:
        self._rules = rules
        self._topics = dict(questions.select("template_id", "topic").iter_rows())
        self._asked = {
            (template_id, tag): without_region(text, locales.get(tag), locales)
            for template_id, tag, text in questions.select("template_id", "locale", "en_question").iter_rows()
        }
        self._answers: list[RegionAnswer] = []

    def add(
        self, answers: TemplateAnswers, pool: OptionPool, judging: JudgePanel, made: Iterable[LocaleQuestions]
    ) -> None:
        """Look which regions surely do not give the correct answers of a template's questions.

        Args:
            answers: What the locales bring to the template.
            pool: Its options.
            judging: The judges, as for its other questions.
            made: The multiple-choice questions.
        """
        template_id = answers.template_id
        numbers = {(option.text, option.locale.tag): i for i, option in enumerate(pool.options)}
        # An answer that names a region is none of the options.
        chosen = [
            (mcq_id, one.locale, text, numbers[text, one.locale.tag])
            for one in made
            for text, mcq_id in _first_ids(one, template_id)
            if (text, one.locale.tag) in numbers and self._asked[template_id, one.locale.tag] is not None
        ]
        wanted = {number for *_, number in chosen}
        wrong = {
            target.answers.locale: self._surely_wrong(target, answers, pool, judging, wanted)
            for target in pool.targets
        }
        for mcq_id, locale, text, number in chosen:
            asked = self._asked[template_id, locale.tag]
            others = (of for of in wrong if number in wrong[of] and self._asked[template_id, of.tag] == asked)
            self._answers.append(RegionAnswer(mcq_id, template_id, locale, text, tuple(others)))

    def frame(self) -> pl.DataFrame:
        """Make `frame_columns.REGION_ROWS`; by template, locale in registry order, and answer."""
        seed = self._rules.seed
        chosen = _chosen(self._answers, seed)
        asked = [(one, _id(one, chosen[one]), chosen[one]) for one in self._answers if one in chosen]
        digests: dict[str, dict[tuple[str, str], list[int]]] = {}
        for one, question_id, _ in asked:
            of_region = digests.setdefault(one.locale.region, {})
            of_region.setdefault((one.template_id, one.locale.tag), []).append(digest(seed, question_id))
        placed = {key: iter(of) for one in digests.values() for key, of in positions_in_region(one).items()}
        rows = []
        for one, question_id, three in asked:
            position = next(placed[one.template_id, one.locale.tag])
            names = {of.tag: (of.prompt_name, of.region) for of in (one.locale, *three)}
            tags = [
                tag for _, tag in arranged([(of.region, of.tag) for of in three], digest(seed, question_id))
            ]
            tags.insert(position, one.locale.tag)
            rows.append(self._row(one, question_id, position, [names[tag] for tag in tags]))
        made = pl.DataFrame(rows, {**REGION_ROWS, "prompt": pl.String()})
        return made.with_columns(prompt=published_prompt()).select(list(REGION_ROWS))

    def _row(
        self, one: RegionAnswer, question_id: str, position: int, regions: Sequence[tuple[str, str]]
    ) -> dict[str, Any]:
        asked = self._asked[one.template_id, one.locale.tag]
        assert asked is not None, "what cannot be asked without its region is left out"
        return {
            "region_question_id": question_id,
            "mcq_id": one.mcq_id,
            "template_id": one.template_id,
            "country": one.locale.upstream,
            "question": REGION_QUESTION.format(neutral_question=asked, given_answer=one.text),
            "neutral_question": asked,
            "given_answer": one.text,
            "options": [name for name, _ in regions],
            "option_regions": [region for _, region in regions],
            "answer_idx": LETTERS[position],
            "answer": position,
            "locale": one.locale.tag,
            "topic": self._topics[one.template_id],
        }

    def _surely_wrong(
        self,
        target: Target,
        answers: TemplateAnswers,
        pool: OptionPool,
        judging: JudgePanel,
        wanted: Collection[int],
    ) -> frozenset[int]:
        """List the wanted options that may be shown about a target as wrong, and are not possibly correct."""
        pairs = () if judging.lexical_only else pool.relied_on(target, [[i] for i in sorted(wanted)])
        same = pool.judged_same(judging.same(pairs, overlapping=False))
        available = frozenset(chain.from_iterable(pool.available(target, same).values()))
        rules = self._rules
        compared = compare(answers, pool.options, target.answers.golds, rules.elsewhere, seed=rules.seed)
        return available.intersection(wanted).difference(*(one.possibly_correct for one in compared))


def without_region(en_question: str, locale: Locale, locales: Registry) -> str | None:
    """Ask a question about a region without telling it; null if another name in it tells something.

    Args:
        en_question: The question in English.
        locale: The locale whose region it names.
        locales: Names that it must not have.
    """
    before, *rest = clean(slot_country(en_question, region_names(locale))).split(COUNTRY)
    for after in rest:
        name = NO_REGION.capitalize() if at_sentence_start(before) else NO_REGION
        before += name + after
    return None if names_any(before, locales) else before


def _first_ids(made: LocaleQuestions, template_id: str) -> Iterator[tuple[str, str]]:
    """List the correct answers that are asked for, each with the id of its first question."""
    seen: set[int] = set()
    for mcq_id, gold in zip(made.ids(template_id), made.picks[:, 0].tolist(), strict=True):
        if gold not in seen:
            seen.add(gold)
            yield made.golds[gold], mcq_id


def _chosen(answers: Sequence[RegionAnswer], seed: int) -> dict[RegionAnswer, list[Locale]]:
    """Choose three other regions for every answer that has them, first those that are wrong too seldom."""
    able = [one for one in answers if len(_apart(one.others)) == N_DISTRACTORS]
    needed = Counter({code: N_DISTRACTORS * n for code, n in Counter(o.locale.region for o in able).items()})
    found = {}
    # Those with the least choice first; then by digest, so that no topic comes before another.
    for one in sorted(able, key=lambda one: (len(one.others), digest(seed, "region", one.mcq_id))):
        of = {other: (-needed[other.region], digest(seed, one.mcq_id, other.tag)) for other in one.others}
        found[one] = _apart(sorted(of, key=of.__getitem__))
        needed.subtract(other.region for other in found[one])
    return {one: three for one, three in found.items() if len(three) == N_DISTRACTORS}


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
