"""Checks of questions: they name their region, and no distractor overlaps with an acceptable answer."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from itertools import combinations

import polars as pl

from blend.builders.mcq.answers import template_formats
from blend.builders.mcq.options import shown, values
from blend.builders.validate.checked_release import CORRECT_AND_REBUILD, Problem, Release, error, warning
from blend.loaders.responses.verdicts import read_verdicts
from blend.schemas.errors import BlendError
from blend.schemas.formats import AnswerFormat
from blend.schemas.locales import in_english, is_named, others_named
from blend.schemas.rows import ANNOTATIONS, MULTIPLE_CHOICE_QUESTIONS, SHORT_ANSWER_QUESTIONS
from blend.schemas.sheets import DIFFERS_FROM
from blend.schemas.texts import words


def check_options(release: Release) -> Iterator[Problem]:
    """Options are told apart.

    Of questions that a source has with their options nobody knows whose answers these are.

    * error: a distractor shares a word with an acceptable answer of the locale or with another distractor, or,
      for numbers, times and dates, can mean the same value (`builders.mcq.options.values`)
    * warning instead: in paper mode, and where a table of verdicts may have said so
    """
    if release.is_damaged(ANNOTATIONS):  # told once, and not for every option
        return
    questions = release.rows(SHORT_ANSWER_QUESTIONS).select("answer_format", template_id="ID")
    formats, acceptable = template_formats(questions), _acceptable_answers(release)
    found, fix = _seriousness(release)
    rows = release.rows(MULTIPLE_CHOICE_QUESTIONS).filter(pl.col("source").is_null())
    columns = ("location", "ID", "locale", "options", "answer")
    for location, question, tag, options, answer in rows.select(columns).iter_rows():
        answer_format = formats.get(question, AnswerFormat.TEXT)
        rivals = acceptable(question, tag, answer_format)
        wrong = {text: _meanings(text, answer_format) for i, text in enumerate(options) if i != answer}
        for text, meant in wrong.items():
            if not meant:
                what = f"the distractor {text!r} has no letter or digit, so that nothing can be said about it"
                yield found(location, what, fix)
            for rival in sorted({rivals[meaning] for meaning in meant if meaning in rivals}):
                what = f"the distractor {text!r} overlaps the acceptable answer {rival!r}"
                yield found(location, what, fix)
        for one, other in combinations(wrong, 2):
            if not wrong[one].isdisjoint(wrong[other]):
                yield found(location, f"the distractors {one!r} and {other!r} overlap", fix)


# The same texts stand in hundreds of rows.
@lru_cache(maxsize=1 << 16)
def _meanings(text: str, answer_format: AnswerFormat) -> frozenset[str]:
    """What two overlapping answers share: words, or numbers and times."""
    return frozenset(words(text)) if answer_format is AnswerFormat.TEXT else values(text, answer_format)


def _acceptable_answers(release: Release) -> Callable[[str, str, AnswerFormat], Mapping[str, str]]:
    """What the answers of a locale to a question can mean, each with an answer that means it."""
    answers = (
        release.rows(ANNOTATIONS)
        .explode("annotations")
        .select("ID", "locale", text=pl.col("annotations").struct.field("en_answers"))
        .explode("text")
        .drop_nulls()
        .unique(maintain_order=True)
    )
    texts = defaultdict[tuple[str, str], list[str]](list)
    for question, tag, text in answers.iter_rows():
        texts[question, tag].append(shown(text))

    @cache
    def acceptable(question: str, tag: str, answer_format: AnswerFormat) -> Mapping[str, str]:
        # Of several answers with one meaning the last is named, which is enough for a message.
        return {meaning: text for text in texts[question, tag] for meaning in _meanings(text, answer_format)}

    return acceptable


def _seriousness(release: Release) -> tuple[Callable[[str, str, str], Problem], str]:
    """How serious an overlap is, and what to do about it."""
    recipe = release.manifest.recipe.mcq
    if recipe.mode == "paper":
        return warning, "paper mode lets it through, default mode does not"
    if recipe.verdicts is not None:
        with suppress(BlendError):
            own = read_verdicts(release.path / recipe.verdicts)
            if not own.filter(verdict=DIFFERS_FROM).is_empty():
                return warning, f"look whether a reviewer decided so in {recipe.verdicts}"
    return error, CORRECT_AND_REBUILD


def check_questions(release: Release) -> Iterator[Problem]:
    """Questions name their region.

    By any of its names or its people's.

    * warning: an English question names no region, or only another one
    """
    asked = release.rows(SHORT_ANSWER_QUESTIONS)
    for row in asked.filter(pl.col("locale").is_in(release.locales.tags)).iter_rows(named=True):
        locale = release.locales.get(row["locale"])
        for column in ("Translation", "Question") if in_english(locale) else ("Translation",):
            if row[column] and not is_named(row[column], locale):
                others = others_named(row[column], release.locales, locale)
                names_others = f"names {' and '.join(others)}, not" if others else "does not name"
                what = f"{column} {names_others} {locale.prompt_name}"
                yield warning(row["location"], what, CORRECT_AND_REBUILD)
