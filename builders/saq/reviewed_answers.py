"""Answers as a reviewer left them in a sheet, and what in them may be a mistake."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from blend.schemas.errors import RowError
from blend.schemas.formats import AnswerFormat, form_in_words, lacks_format, understood
from blend.schemas.sheets import Mark, surely_rewritten
from blend.schemas.texts import fold, is_placeholder, scripts_of, words

_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d(?:[ T][\d:.]+)?")
_LISTED = re.compile(r"[^\W\d_]\)?\s*[,;/、，；]\s*[^\W\d_]")
"""Letters on both sides of a mark that separates: not ``1,000`` and ``24/7``."""
_LISTED_SAME = 10
"""Answers that are their own English, of which that many are named."""
_HARDLY = frozenset(
    {
        "same",
        "idem",
        "missing",
        "pending",
        "unclear",
        "untranslatable",
        "see note",
        "does not know",
        "doesn't know",
    }
)
"""What stands for English that somebody has yet to write, and may be English of an answer."""
_HALF_OF_CLOCK = 6 * 60
"""Minutes by which a time and its English may differ: ``6:00`` is 18:00 or, counted from sunrise, 12:00."""


_SIGNS = ".?!,;:\"'“”„«»"
"""Signs with which no option begins or ends."""
_LONGEST_OPTION = 80
"""Characters of an English text beyond which it explains, and stands out among options of a few words."""


class Answer(NamedTuple):
    """A row of the sheet, read."""

    template_id: str
    locale: str
    answer: str
    mark: Mark
    group: str
    english: tuple[str, ...]
    invalid: bool
    reason: str
    form: AnswerFormat
    unit: str | None
    source: str


def out_of_format(rows: Sequence[Answer]) -> Iterator[str]:
    """Answers that lack the format of their question, and are grouped with nothing that has it."""
    for group in groups([row for row in rows if row.form is not AnswerFormat.TEXT]).values():
        valid = [row for row in group if not row.invalid]
        texts = [*(row.answer for row in valid), *english_of(group)]
        for row in valid:
            if lacks_format(row.answer, texts, row.form, row.locale, unit=row.unit):
                form = form_in_words(row.form)
                yield (
                    f"{row.source}, column group: {row.answer!r} is not {form}, for which the question asks, "
                    "nor is anything in its group; nothing is built before it is marked invalid, moved to a "
                    f"group with {form}, or has that as its English"
                )


def contradicted(rows: Sequence[Answer]) -> Iterator[RowError]:
    """English numbers and times that are others than the answer beside them, and than all in its group."""
    for group in groups([row for row in rows if not row.invalid]).values():
        values = [value for row in group if (value := _value(row, row.answer)) is not None]
        for row in group:
            own = _value(row, row.answer)
            for text in row.english if own is not None else ():
                value = _value(row, text)
                if value is not None and value not in values:
                    yield RowError(
                        f"{text!r} is not what the answer {row.answer!r} says, nor any other in its group",
                        where=f"{row.source}, column english",
                        fix="correct it, or write x in column invalid if the answer is none",
                    )


def _value(row: Answer, text: str) -> float | None:
    """The number or time that a text says, as far as two must agree; null where nothing is sure."""
    if row.form not in (AnswerFormat.INTEGER, AnswerFormat.TIME):
        return None
    spelled = understood(text, row.form, row.locale, unit=row.unit)
    if spelled is None or row.form is AnswerFormat.INTEGER:
        return None if spelled is None else float(spelled)  # 1.5, where tenths are asked for
    hours, minutes = map(int, spelled.split(":"))
    return (hours * 60 + minutes) % _HALF_OF_CLOCK


def suspect_english(questions: Sequence[Sequence[Answer]]) -> Iterator[str]:
    """English that hardly is any, or not that of its row; and groups that a spreadsheet filled in.

    Args:
        questions: The rows of every question.
    """
    for rows in questions:
        valid = [row for row in rows if not row.invalid]
        yield from _hardly_english(valid)
        yield from _same_english(valid)
        yield from _holding_others(valid)
    answers = [row for rows in questions for row in rows if not row.invalid]
    yield from _not_translated(answers)
    yield from _two_englishes(answers)
    yield from _unlike_in_group(questions)
    yield from _filled_groups([[row for row in rows if not row.invalid] for rows in questions])


def _hardly_english(rows: Sequence[Answer]) -> Iterator[str]:
    """English in letters of another script, in no format or the wrong one, and several in one cell."""
    for row in rows:
        for text in row.english:
            where = f"{row.source}, column english: {text!r}"
            has_format = understood(row.answer, row.form, row.locale, unit=row.unit) is not None
            if scripts := scripts_of(text) - {"LATIN"}:
                yield f"{where} has {' and '.join(sorted(map(str.capitalize, scripts)))} letters; write English"
            elif row.form is not AnswerFormat.TEXT:
                if has_format and understood(text, row.form, unit=row.unit) is None:
                    yield f"{where} is not {form_in_words(row.form)}, which its answer {row.answer!r} is"
            elif _ISO_DAY.fullmatch(text) or surely_rewritten(text):
                yield f"{where} may be what a spreadsheet made of a text; write it again if it is"
            elif _is_of_digits(text) and not any(map(str.isdigit, row.answer)):
                yield f"{where} is a number or time, of which its answer {row.answer!r} has none"
            elif is_placeholder(text) or fold(text) in _HARDLY:
                yield f"{where} is hardly the English of {row.answer!r}; mark the answer invalid if it is none"
            elif _LISTED.search(text) and not _LISTED.search(row.answer):
                yield f"{where} is one text; write | between several"
            elif text[0] in _SIGNS or text[-1] in _SIGNS or len(text) > _LONGEST_OPTION:
                yield f"{where} is shown so as an option; leave out full stops, quotation marks, explanations"


def _is_of_digits(text: str) -> bool:
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def _same_english(rows: Sequence[Answer]) -> Iterator[str]:
    """English that two groups of a question have."""
    seen: dict[str, Answer] = {}
    for row in rows:
        for text in row.english:
            earlier = seen.setdefault(fold(text), row)
            if earlier.group != row.group:
                yield (
                    f"{row.source}, column english: {text!r} is the English of another group as well, in "
                    f"{earlier.source}; answers that are one answer have one number in column group"
                )


def _holding_others(rows: Sequence[Answer]) -> Iterator[str]:
    """Answers in which two answers of other groups stand: ``tea or coffee``, a sentence about both."""
    texts = [(row, f" {' '.join(words(row.answer))} ") for row in rows if row.form is AnswerFormat.TEXT]
    for row, text in texts:
        held = {one.group: one.answer for one, inner in texts if one.group != row.group and inner in text}
        if len(held) > 1:
            yield (
                f"{row.source}, column answer: {row.answer!r} holds {' and '.join(map(repr, held.values()))}, "
                "answers of other groups, and counts for none of them; put it into the group of one, or type "
                "each into a cell of its own among the responses"
            )


def _not_translated(rows: Sequence[Answer]) -> Iterator[str]:
    """English that is the answer itself, of people who are not asked in English: a name, or not translated."""
    foreign = [row for row in rows if row.english and row.form is AnswerFormat.TEXT and not _is_english(row)]
    same = [row for row in foreign if fold(row.answer) in map(fold, row.english)]
    if not same:
        return
    listed = ", ".join(dict.fromkeys(repr(row.answer) for row in same[:_LISTED_SAME]))
    more = f" and others, {len(same)} of {len(foreign)}" if len(same) > _LISTED_SAME else ""
    yield (
        f"{same[0].source}, column english: {listed}{more}: the answer itself; right for names and for loan "
        "words such as pizza, but options are in English: translate all else"
    )


def _is_english(row: Answer) -> bool:
    return row.locale.partition("-")[0] == "en"


def _two_englishes(rows: Sequence[Answer]) -> Iterator[str]:
    """English of a column that was sorted or moved alone: answers that come again mostly have another."""
    first: dict[tuple[str, str], Answer] = {}
    again, other = 0, []
    for row in (row for row in rows if row.english and row.form is AnswerFormat.TEXT):
        earlier = first.setdefault((row.locale, fold(row.answer)), row)
        if (earlier.template_id, earlier.group) == (row.template_id, row.group):
            continue
        again += 1
        if not set(map(fold, earlier.english)) & set(map(fold, row.english)):
            other.append((row, earlier))
    if len(other) > 1 and 2 * len(other) > again:
        row, earlier = other[0]
        yield (
            f"{row.source}, column english: {row.answer!r} is {row.english[0]!r} here and "
            f"{earlier.english[0]!r} in {earlier.source}, and so are {len(other)} of {again} answers that come "
            "again; was the column sorted or moved alone?"
        )


def _unlike_in_group(questions: Sequence[Sequence[Answer]]) -> Iterator[str]:
    """English of two rows of a group without a word in common, as where the group or the row is another."""
    unlike: list[tuple[Answer, Answer]] = []
    for rows in questions:
        translated = [row for row in rows if row.english and not row.invalid and not _is_english(row)]
        for first, *others in groups([row for row in translated if row.form is AnswerFormat.TEXT]).values():
            words = _english_words(first)
            unlike += [(row, first) for row in others if words.isdisjoint(_english_words(row))][:1]
    if unlike:
        row, first = unlike[0]
        also = f", and {len(unlike)} groups have such" if len(unlike) > 1 else ""
        yield (
            f"{row.source}, column english: {row.english[0]!r} is in one group with {first.english[0]!r} in "
            f"{first.source}{also}; correct column group or english, unless they are one answer"
        )


def _english_words(row: Answer) -> set[str]:
    return {word for text in row.english for word in fold(text).split()}


def _filled_groups(questions: Sequence[Sequence[Answer]]) -> Iterator[str]:
    """Numbers of groups that a spreadsheet copied, or counted, down the column."""
    several = [[row.group for row in rows] for rows in questions if len(rows) > 1]
    numbers = [number for listed in several for number in listed]
    if len(several) < 3:  # as few may be meant
        return
    if len(set(numbers)) == 1:
        what = f"all answers of every question are in group {numbers[0]}"
    elif len(set(numbers)) == len(numbers) and all(map(str.isdigit, numbers)):
        what = "every answer of the sheet has a number of its own, so that no two are one answer"
    else:
        return
    yield f"{questions[0][0].source}, column group: {what}; was the column filled down?"


def without_group(rows: Sequence[Answer]) -> Iterator[str]:
    """English beside answers of which the whole group is invalid, unless it is the answer itself."""
    groups = {row.group for row in rows if not row.invalid}
    for row in rows:
        listed = ", ".join(map(repr, (text for text in row.english if text != row.answer)))
        if row.group not in groups and listed:
            yield f"{row.source}, column english: {listed} beside answers that are all invalid; left out"


def english_of(group: Sequence[Answer]) -> list[str]:
    """The English of a group, each text once; an invalid answer that is its own English is not theirs."""
    texts = [(text, row.invalid and text == row.answer) for row in group for text in row.english]
    others = [text for text, is_struck in texts if not is_struck]
    return list(dict.fromkeys(others or [text for text, _ in texts]))


def groups(rows: Sequence[Answer]) -> dict[str, list[Answer]]:
    """The rows of every group, invalid ones included."""
    groups: dict[str, list[Answer]] = {}
    for row in rows:
        if row.group:
            groups.setdefault(row.group, []).append(row)
    return groups
