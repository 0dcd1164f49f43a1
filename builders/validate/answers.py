"""Checks of questions: they name their region, and options are answers that the annotations hold."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import combinations
from typing import Any

import polars as pl

from blend.builders.mcq.answers import template_formats
from blend.builders.mcq.options import shown, values
from blend.builders.mcq.verdicts import Verdicts
from blend.builders.validate.checked_release import CORRECT_AND_REBUILD, Problem, Release, error, warning
from blend.loaders.responses.verdicts import read_verdicts
from blend.schemas.errors import BlendError
from blend.schemas.formats import AnswerFormat, understood
from blend.schemas.locales import in_english, is_named, others_named
from blend.schemas.rows import ANNOTATIONS, MULTIPLE_CHOICE_QUESTIONS, SHORT_ANSWER_QUESTIONS
from blend.schemas.sheets import DIFFERS_FROM
from blend.schemas.texts import words


def check_options(release: Release) -> Iterator[Problem]:
    """Options are given answers.

    The correct one of the locale asked about, and the others of regions where they are wrong.

    * error: the correct option is not an answer that the locale's annotators gave (in lower case, in the
      canonical spelling of its format, or with a slip put right); a distractor is not an answer of its region,
      and no verdict proposes it; a distractor shares a word with an acceptable answer of the locale or with
      another distractor, or, for numbers, times and dates, can mean the same value
      (`builders.mcq.options.values`)
    * warning instead: overlaps in paper mode, and where a table of verdicts may have said so
    """
    if release.is_damaged(ANNOTATIONS):  # told once, and not for every option
        return
    questions = release.rows(SHORT_ANSWER_QUESTIONS).select(
        "locale", "answer_format", template_id="ID", en_question="Translation"
    )
    formats = template_formats(questions)
    own = _own_verdicts(release)
    given = _given_answers(release, formats, _verdicts(release, questions, own))
    options = _options(release)
    is_correct = pl.col("position") == pl.col("answer")
    for row in _strange(options.filter(is_correct), given, of="locale"):
        what = f"the correct option {row['option']!r} is not an answer of {row['locale']} to {row['ID']}"
        yield error(row["location"], what, CORRECT_AND_REBUILD)
    for row in _strange(options.filter(~is_correct), given, of="region"):
        what = f"the distractor {row['option']!r} is not an answer of region {row['region']} to {row['ID']}"
        yield error(row["location"], what, CORRECT_AND_REBUILD)
    parts_pairs = own is not None and not own.filter(verdict=DIFFERS_FROM).is_empty()
    yield from _overlaps(release, given, formats, parts_pairs=parts_pairs)


def _strange(options: pl.DataFrame, given: pl.DataFrame, *, of: str) -> Iterator[dict[str, Any]]:
    """The options that nobody of their locale or region gave, where its annotations are known."""
    known = options.join(given.select(of).unique(), on=of, how="semi", maintain_order="left")
    return known.join(given, on=["ID", of, "text"], how="anti", maintain_order="left").iter_rows(named=True)


def _overlaps(
    release: Release, given: pl.DataFrame, formats: Mapping[str, AnswerFormat], *, parts_pairs: bool
) -> Iterator[Problem]:
    """Distractors that overlap an acceptable answer of the locale, or another distractor.

    Args:
        release: The release.
        given: See `_given_answers`.
        formats: By template.
        parts_pairs: Whether a verdict of the recipe's table says of any pair that it means different things.
    """
    recipe = release.manifest.recipe.mcq
    found, fix = error, CORRECT_AND_REBUILD
    if recipe.mode == "paper":
        found, fix = warning, "paper mode lets it through, default mode does not"
    elif parts_pairs:
        found, fix = warning, f"look whether a reviewer decided so in {recipe.verdicts}"
    grouped = given.group_by("ID", "locale").agg("text")
    acceptable = {(question, tag): texts for question, tag, texts in grouped.iter_rows()}

    # The same distractors stand in hundreds of rows.
    @cache
    def meanings(text: str, answer_format: AnswerFormat) -> frozenset[str]:
        """What two overlapping answers share: words, or numbers and times."""
        return frozenset(words(text)) if answer_format is AnswerFormat.TEXT else values(text, answer_format)

    @cache
    def acceptable_meanings(question: str, tag: str, answer_format: AnswerFormat) -> Mapping[str, str]:
        texts = acceptable.get((question, tag), ())
        # Of several answers with one meaning the last is named, which is enough for a message.
        return {meaning: text for text in texts for meaning in meanings(text, answer_format)}

    def overlaps(question: str, tag: str, wrong: Sequence[str]) -> Iterator[str]:
        answer_format = formats.get(question, AnswerFormat.TEXT)
        rivals = acceptable_meanings(question, tag, answer_format)
        for text in wrong:
            shared = meanings(text, answer_format)
            if not shared:
                yield f"the distractor {text!r} has no letter or digit, so that nothing can be said about it"
            for rival in sorted({rivals[meaning] for meaning in shared if meaning in rivals}):
                yield f"the distractor {text!r} overlaps the acceptable answer {rival!r}"
        for one, other in combinations(wrong, 2):
            if not meanings(one, answer_format).isdisjoint(meanings(other, answer_format)):
                yield f"the distractors {one!r} and {other!r} overlap"

    rows = _made_here(release).select("location", "ID", "locale", "options", "answer")
    for location, question, tag, options, answer in rows.iter_rows():
        wrong = [text for i, text in enumerate(options) if i != answer]
        for what in overlaps(question, tag, wrong):
            yield found(location, what, fix)


def _given_answers(release: Release, formats: Mapping[str, AnswerFormat], verdicts: Verdicts) -> pl.DataFrame:
    """All English answers, and what verdicts propose: ``ID``, ``locale``, ``region``, ``text`` as an option.

    Every variant of an answer stands there as written, put right, and in the canonical spelling of its format.
    """
    variants = (
        release.rows(ANNOTATIONS)
        .explode("annotations")
        .select("ID", "locale", text=pl.col("annotations").struct.field("en_answers"))
        .explode("text")
        .drop_nulls()
        .unique(maintain_order=True)
    )
    regions = {locale.tag: locale.region for locale in release.locales}
    answers = [
        (template_id, tag, regions.get(tag), spelled)
        for template_id, tag, text in variants.iter_rows()
        for spelled in (
            verdicts.text(template_id, shown(text)),
            *_as_options(shown(text), formats.get(template_id, AnswerFormat.TEXT)),
        )
    ]
    proposed = [
        # Without a locale: a proposed option can be a distractor of its region, and nobody's correct answer.
        (template_id, None, one.origin.region, text)
        for template_id, proposals in verdicts.proposed.items()
        for one in proposals
        for text in _as_options(shown(one.option), formats.get(template_id, AnswerFormat.TEXT))
    ]
    columns = dict.fromkeys(("ID", "locale", "region", "text"), pl.String())
    return pl.DataFrame([*answers, *proposed], columns, orient="row")


def _as_options(text: str, answer_format: AnswerFormat) -> Iterator[str]:
    yield text
    spelled = None if answer_format is AnswerFormat.TEXT else understood(text, answer_format)
    if spelled is not None:
        yield spelled


def _options(release: Release) -> pl.DataFrame:
    """One row per option: its ``position``, ``option``, ``region``, and ``text``, the option as compared."""
    columns = ["location", "ID", "locale", "answer", "options", "option_regions"]
    options = (
        _made_here(release)
        .select(columns)
        .rename({"options": "option", "option_regions": "region"})
        .drop_nulls("region")
        .with_columns(position=pl.int_ranges(pl.col("option").list.len()))
        .explode("option", "region", "position")
    )
    compared = {text: shown(text) for text in options["option"].unique()}
    return options.with_columns(text=pl.col("option").replace_strict(compared, return_dtype=pl.String))


def _verdicts(release: Release, questions: pl.DataFrame, own: pl.DataFrame | None) -> Verdicts:
    """The verdicts by which a release's multiple-choice questions were made.

    Args:
        release: The release; of a table whose verdicts contradict its questions nothing counts.
        questions: Its questions: `frames.KEY` and ``en_question``.
        own: See `_own_verdicts`.
    """
    mcq = release.manifest.recipe.mcq
    is_shipped = mcq.mode == "default" and mcq.judge.shipped
    with suppress(BlendError):
        return Verdicts(own, questions, release.locales, shipped=is_shipped)
    return Verdicts(None, questions, release.locales, shipped=is_shipped)


def _own_verdicts(release: Release) -> pl.DataFrame | None:
    """The recipe's own table, in default mode; null where there is none, or it cannot be read."""
    mcq = release.manifest.recipe.mcq
    if mcq.mode == "default" and mcq.verdicts is not None:
        with suppress(BlendError):
            return read_verdicts(release.path / mcq.verdicts)
    return None


def _made_here(release: Release) -> pl.DataFrame:
    """Multiple-choice questions without those that a source has with their options.

    Whose answers their options are, nobody knows.
    """
    return release.rows(MULTIPLE_CHOICE_QUESTIONS).filter(pl.col("source").is_null())


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
