"""Moved columns: local questions beside the English of another row, answers beside that of other answers.

Nobody has to know the language for it. A long question is long in English as well; a name or a number stands in
an answer and in its English; and what an answer means elsewhere, it hardly means on another answer's line.
Of 11,600 excerpts of BLEnD's questions none seems moved; with each question a row off, of those with twenty and
more 97 of 100 do. Of its 4,600 questions with three answers or more, 12 seem to have English of other answers;
with that of each moved on by one, 87 of 100 do.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set

from blend.loaders.files.diagnostics import Finding, Placed, about, about_locale
from blend.loaders.responses.response_rows import AskedQuestion, ResponseRows
from blend.schemas.formats import AnswerFormat, asked_unit, understood
from blend.schemas.locales import Registry, in_english
from blend.schemas.rows import QuestionTemplate, Review, ReviewedGroup
from blend.schemas.texts import fold, words

_KIND = "moved-column"
_FEWEST_ROWS = 8
_SURELY = 1.8
"""Standard errors by which lengths must fit the next row better than their own."""
_AT_LEAST_ALIKE = 0.4
"""Correlation of lengths from which texts belong together."""
_SHORTEST_WORD = 4
_LEAST_GROUPS = 3

_Pair = tuple[str, str]


def moved_columns(rows: ResponseRows, known: Registry) -> Iterator[Finding]:
    """Locales whose questions, or English of answers, stand a row off, and reviews with English of others."""
    questions = defaultdict[str, list[Placed[AskedQuestion]]](list)
    for asked in rows.questions.rows:
        if not in_english(known.get(asked.row.locale)):
            questions[asked.row.locale].append(asked)
    for locale, placed in questions.items():
        off = _rows_off([[(row.question, row.en_question) for _, row in placed]])
        if off:
            what = f"column question: the questions of {locale} fit the English of the row {off} theirs better"
            yield about_locale(_KIND, placed[0], f"{what} than their own; kept, was one of the columns moved?")
    reviews = defaultdict[str, list[Placed[Review]]](list)
    for review in rows.reviews.rows:
        if not in_english(known.get(review.row.locale)):
            reviews[review.row.locale].append(review)
    for locale, found in reviews.items():
        off = _rows_off([_texts_of(one.row) for one in found])
        if off:
            what = f"groups: the answers of {locale} fit the English of the group {off} theirs better"
            yield about_locale(_KIND, found[0], f"{what} than their own; kept, was the English moved?")
    yield from _englishes_of_others(reviews, {row.template_id: row for _, row in rows.templates.rows}, known)


def _texts_of(review: Review) -> list[_Pair]:
    groups = [group for group in review.groups if group.en_answers]
    return [(group.answers[0], group.en_answers[0]) for group in groups] if len(groups) >= _LEAST_GROUPS else []


def _rows_off(blocks: Sequence[Sequence[_Pair]]) -> str | None:
    """Say behind which row the second texts of all pairs are, by lengths; null where none surely is.

    Args:
        blocks: Pairs in their order; the last one of a block is followed by its first.
    """
    first = [math.log1p(len(text)) for block in blocks for text, _ in block]
    seconds = [[math.log1p(len(text)) for _, text in block] for block in blocks]
    if len(first) < _FEWEST_ROWS:
        return None
    own = _correlation(first, [length for block in seconds for length in block])
    for off, by in (("below", 1), ("above", -1)):
        moved = _correlation(first, [length for block in seconds for length in [*block[by:], *block[:by]]])
        # Fisher's transformation, by which the difference of two correlations has a standard error.
        surely = (math.atanh(moved) - math.atanh(own)) * math.sqrt((len(first) - 3) / 2)
        if moved > _AT_LEAST_ALIKE and surely > _SURELY:
            return off
    return None


def _correlation(one: Sequence[float], other: Sequence[float]) -> float:
    try:
        return max(-0.99, min(statistics.correlation(one, other), 0.99))
    except statistics.StatisticsError:  # all of one length
        return 0.0


def _englishes_of_others(
    reviews: Mapping[str, Sequence[Placed[Review]]], templates: Mapping[str, QuestionTemplate], known: Registry
) -> Iterator[Finding]:
    """Reviews in which more answers have the English of another answer than one that is known as their own."""
    meant = defaultdict[str, dict[str, dict[str, set[str]]]](lambda: defaultdict(dict))
    for locale, placed in reviews.items():
        of_language = meant[known.get(locale).language]
        for _, review in placed:
            for group in review.groups:
                for answer in map(fold, group.answers):
                    for english in map(fold, group.en_answers):
                        of_language[answer].setdefault(english, set()).add(review.template_id)
    for locale, placed in reviews.items():
        for one in placed:
            groups = [group for group in one.row.groups if group.en_answers]
            if len(groups) >= _LEAST_GROUPS:
                of_language = meant[known.get(locale).language]
                elsewhere = [_elsewhere(group, one.row.template_id, of_language) for group in groups]
                detail = _exchanged(groups, elsewhere, [set(map(fold, group.en_answers)) for group in groups])
                template = templates.get(one.row.template_id)
                typed = [_values(group.answers, template, locale) for group in groups]
                translated = [_values(group.en_answers, template, "en") for group in groups]
                if detail := detail or _exchanged(groups, typed, translated):
                    yield about(_KIND, one, detail)


def _exchanged(
    groups: Sequence[ReviewedGroup], expected: Sequence[Set[str]], present: Sequence[Set[str]]
) -> str | None:
    """Name one of the groups that lack what is expected of their English while another one has it."""
    own = sum(bool(wanted & there) for wanted, there in zip(expected, present, strict=True))
    moved = []
    for at, wanted in enumerate(expected):
        if wanted and not wanted & present[at]:
            others = (
                other for other, there in enumerate(present) if wanted & there and not expected[other] & there
            )
            moved += [(at, other) for other in others][:1]
    if len(moved) <= own:
        return None
    at, other = moved[0]
    mine, its = groups[at], groups[other]
    what = f"groups: {its.en_answers[0]!r} stands beside {its.answers[0]!r} and seems to be the English of"
    return f"{what} {mine.answers[0]!r}, beside {mine.en_answers[0]!r}; kept, was the English moved?"


def _elsewhere(group: ReviewedGroup, template_id: str, meant: Mapping[str, Mapping[str, Set[str]]]) -> Set[str]:
    """The English that a group's answers have in reviews of other questions in the language."""
    return {
        english
        for answer in map(fold, group.answers)
        for english, asked in meant[answer].items()
        if asked - {template_id}
    }


def _values(texts: Sequence[str], template: QuestionTemplate | None, language: str) -> Set[str]:
    """Longer words and numbers of texts, or what they say in the format that their question asks for."""
    if template is not None and template.answer_format is not AnswerFormat.TEXT:
        unit = asked_unit(template.text)
        read = (understood(text, template.answer_format, language, unit=unit) for text in texts)
        return {value for value in read if value is not None}
    found = (word for text in texts for word in words(text))
    return {word for word in found if len(word) >= _SHORTEST_WORD or word.isdigit()}
