"""The answer sheet after review: what in it may be a mistake, and the reviews that it becomes."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from blend.schemas.errors import RowError, raise_all
from blend.schemas.formats import AnswerFormat, asked_unit, form_in_words, lacks_format, understood
from blend.schemas.frames import REVIEWS
from blend.schemas.personal_data import own_words
from blend.schemas.sheets import NO_TICKS, TICKS, Mark, parted, surely_rewritten
from blend.schemas.texts import answer_key, clean, fold, is_placeholder, is_unwritten, scripts_of

_TEXT = AnswerFormat.TEXT


class _Answer(NamedTuple):
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

    @property
    def column_english(self) -> str:
        """Where its English stands."""
        return f"{self.source}, column english"

    @property
    def is_translated(self) -> bool:
        """Whether it is free text that has English and is not in English itself."""
        return bool(self.english) and self.form is _TEXT and self.locale.partition("-")[0] != "en"

    def value(self, text: str) -> str | None:
        """What a text says in the format of the question; null where it is not in it."""
        return understood(text, self.form, self.locale, unit=self.unit)


_Rows = Sequence[_Answer]


class _Reviewed(NamedTuple):
    """Reviews, and what is odd about them."""

    reviews: pl.DataFrame
    """`frames.REVIEWS`, by locale and template; ``source`` is the place of the question's first row."""
    notes: tuple[str, ...]
    """One sentence per cell with English that no group has, per English text that hardly is one or not that of
    its row, and per answer at which a build would stop."""


def reviews_of(sheet: pl.DataFrame, *, reviewer: str) -> _Reviewed:
    """The reviews that an answer sheet holds.

    The order of rows means nothing: groups, and the answers in them, come in the order in which they were
    proposed. An answer that is marked invalid is none, whatever its group. The English of a group is that of
    its rows in this order, each once: also that beside an invalid answer, as long as any other answer of the
    group is left; unless it is that answer itself and others have English.

    Args:
        sheet: `sheets.RETURNED_ANSWERS`.
        reviewer: Pseudonym of who reviewed it.

    Returns:
        One review per question of which the sheet has any row.

    Raises:
        RowError, RowErrors: If a row is not one of those proposed or is there twice, if rows of a question are
            gone, if an answer is neither in a group nor invalid, or if a cell holds what nobody can read; names
            the place and column of each.
    """
    problems: list[RowError] = []
    by_question = defaultdict[tuple[str, str], list[_Answer]](list)
    for cells in sheet.fill_null("").to_dicts():
        answer = _read(cells, problems)
        if answer is not None:
            by_question[answer.locale, answer.template_id].append(answer)
    for rows in () if problems else by_question.values():
        problems += (*_unlike_proposed(rows), *_contradicted(rows))
    raise_all(problems)
    questions = [rows for _, rows in sorted(by_question.items())]
    valid = [[row for row in rows if not row.invalid] for rows in questions]
    notes = [
        *(note for rows in questions for rule in _OF_ALL_ANSWERS for note in rule(rows)),
        *(note for rows in valid for rule in _OF_A_QUESTION for note in rule(rows)),
        *(note for rule in _OF_A_SHEET for note in rule(valid)),
    ]
    reviews = [_review(rows, reviewer) for rows in questions]
    return _Reviewed(pl.DataFrame(reviews, schema=REVIEWS), tuple(notes))


# A group's number as some spreadsheets write it back, 1.0 or 1,00.
_NUMBER = re.compile(r"(\d+)[.,]0*")
_EXAMPLES = {AnswerFormat.TIME: "'18:00", AnswerFormat.DATE: "'05/31", AnswerFormat.INTEGER: "'3"}


def _read(given: Mapping[str, str], problems: list[RowError]) -> _Answer | None:
    """A row, or null if it cannot be told which answer it is about; what is wrong is added."""
    cells, source = {name: clean(cell) for name, cell in given.items()}, given["source"]
    mark, group, reason = Mark.parse(cells["check"]), cells["group"], cells["reason"]
    invalid = cells["invalid"].casefold() in TICKS
    # What says nothing that is known is free text.
    form = AnswerFormat(cells["format"]) if cells["format"] in set(AnswerFormat) else _TEXT

    def problem(column: str, what: str, fix: str) -> None:
        problems.append(RowError(what, where=f"{source}, column {column}", fix=fix))

    if mark is None:
        fix = "copy the cell from the sheet as it was proposed"
        problem("check", f"{cells['check']!r} is not a mark like '2 of 5 9f3c2b1d'", fix)
        return None
    if cells["invalid"].casefold() not in TICKS | NO_TICKS:
        fix = "write x where the answer is none, else empty the cell; why stands in column reason"
        problem("invalid", f"unknown mark {cells['invalid']!r}", fix)
    if not group and not invalid:
        fix = "write the number of its group, or a new one; or x in column invalid"
        problem("group", "the cell is blank", fix)
    english = parted(cells["english"])
    for text in english:
        if is_unwritten(text) and text != cells["answer"]:
            problem("english", f"{text!r} is not English", "write the English, or leave the cell empty")
        elif form is not _TEXT and surely_rewritten(text):
            what = f"{text!r} is what a spreadsheet made of {form_in_words(form)}"
            problem("english", what, f"write it with an apostrophe before it, like {_EXAMPLES[form]}")
    if reason and not invalid:
        what = "a reason stands beside an answer that is not marked invalid"
        problem("reason", what, "write x in column invalid, or empty this cell")
    problems += own_words(reason, where=f"{source}, column reason", of_answers=False)
    if form is AnswerFormat.INTEGER:  # of which one in words is one as well
        english = list(dict.fromkeys(understood(text, form) or text for text in english))
    return _Answer(
        *(cells["template_id"], cells["locale"], cells["answer"], mark),
        group=_NUMBER.sub(r"\1", group) if _NUMBER.fullmatch(group) else group.casefold(),
        english=tuple(english),
        invalid=invalid,
        reason=reason,
        form=form,
        unit=asked_unit(cells["question"]),
        source=source,
    )


# What stops a sheet.


def _unlike_proposed(rows: _Rows) -> Iterator[RowError]:
    """Rows of one question that are there twice, that come from two sheets, or that are gone."""
    first = rows[0]
    question, total = f"{first.template_id!r} in {first.locale}", first.mark.total
    seen: dict[int, _Answer] = {}
    for row in rows:
        earlier = seen.setdefault(row.mark.number, row)
        if row.mark.total != total:
            yield RowError(
                f"one of {row.mark.total} rows of {question}, but {first.source} is one of {total}: "
                "they were proposed at different times",
                where=f"{row.source}, column check",
                fix="keep the rows of one sheet, or propose it again",
            )
            return
        if earlier is not row:
            what, where = f"{row.answer!r} stands in {earlier.source} as well", f"{row.source}, column answer"
            yield RowError(what, where=where, fix="delete one of the two rows")
    if gone := [str(number) for number in range(1, total + 1) if number not in seen]:
        yield RowError(
            f"of the {total} rows of {question} these are missing: {', '.join(gone)}",
            where=f"{first.source}, column check",
            fix="bring back what was deleted, with x in column invalid for an answer that is none; or delete "
            "all rows of the question to leave it unreviewed",
        )


def _contradicted(rows: _Rows) -> Iterator[RowError]:
    """English numbers and times that are others than the answer beside them, and than all in its group."""
    for group in _groups(row for row in rows if not row.invalid and row.form is not _TEXT):
        values = {row: _measure(row, row.answer) for row in group}
        for row in group:
            for text in row.english:
                value = _measure(row, text)
                if None not in (values[row], value) and value not in values.values():
                    what = f"{text!r} is not what the answer {row.answer!r} says, nor any other in its group"
                    fix = "correct it, or write x in column invalid if the answer is none"
                    yield RowError(what, where=row.column_english, fix=fix)


_HALF_OF_CLOCK = 6 * 60
"""Minutes by which a time and its English may differ: ``6:00`` is 18:00 or, counted from sunrise, 12:00."""


def _measure(row: _Answer, text: str) -> float | None:
    """The number or time that a text says, as far as two must agree; null where nothing is sure."""
    spelled = row.value(text) if row.form in (AnswerFormat.INTEGER, AnswerFormat.TIME) else None
    if spelled is None or row.form is AnswerFormat.INTEGER:
        return None if spelled is None else float(spelled)  # 1.5, where tenths are asked for
    hours, minutes = map(int, spelled.split(":"))
    return (hours * 60 + minutes) % _HALF_OF_CLOCK


# What is told of it: English that hardly is any, or not that of its row; groups that a spreadsheet filled in.


def _without_group(rows: _Rows) -> Iterator[str]:
    """English beside answers of which the whole group is invalid, unless it is the answer itself."""
    groups = {row.group for row in rows if not row.invalid}
    for row in rows:
        listed = ", ".join(map(repr, (text for text in row.english if text != row.answer)))
        if row.group not in groups and listed:
            yield f"{row.column_english}: {listed} beside answers that are all invalid; left out"


def _out_of_format(rows: _Rows) -> Iterator[str]:
    """Answers that lack the format of their question, and are grouped with nothing that has it."""
    for group in _groups(row for row in rows if row.form is not _TEXT):
        valid = [row for row in group if not row.invalid]
        texts = [*(row.answer for row in valid), *_english_of(group)]
        first = group[0]
        if lacks_format(texts, first.form, first.locale, unit=first.unit):
            form = form_in_words(first.form)
            yield from (
                f"{row.source}, column group: {row.answer!r} is not {form}, for which the question asks, "
                "nor is anything in its group; nothing is built before it is marked invalid, moved to a "
                f"group with {form}, or has that as its English"
                for row in valid
            )


def _invalid_in_part(rows: _Rows) -> Iterator[str]:
    """Answers that differ in capitals alone, and of which one is invalid."""
    first: dict[str, _Answer] = {}
    for row in rows:
        earlier = first.setdefault(answer_key(row.answer), row)
        if row.invalid != earlier.invalid:
            yield (
                f"{row.source}, column invalid: {row.answer!r} is {earlier.answer!r} in {earlier.source} but "
                "for capitals, and only one of them is invalid; decide on both alike"
            )


_OF_ALL_ANSWERS = (_without_group, _out_of_format, _invalid_in_part)
"""What is told of all answers to a question, invalid ones as well."""

_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d(?:[ T][\d:.]+)?")
_LISTED = re.compile(r"[^\W\d_]\)?\s*[,;/、，；]\s*[^\W\d_]")
"""Letters on both sides of a mark that separates: not ``1,000`` and ``24/7``."""
_HARDLY = frozenset(
    (
        *("same", "idem", "missing", "pending", "unclear", "untranslatable"),
        *("see note", "does not know", "doesn't know"),
    )
)
"""What stands for English that somebody has yet to write, and may be English of an answer."""
_SIGNS = ".?!,;:\"'“”„«»"
"""Signs with which no option begins or ends."""
_LONGEST_OPTION = 80
"""Characters of an English text beyond which it explains, and stands out among options of a few words."""


def _hardly_english(rows: _Rows) -> Iterator[str]:
    """English in letters of another script, in no format or the wrong one, and several in one cell."""
    for row in rows:
        for text in row.english:
            where = f"{row.column_english}: {text!r}"
            if scripts := scripts_of(text) - {"LATIN"}:
                yield f"{where} has {' and '.join(sorted(map(str.capitalize, scripts)))} letters; write English"
            elif row.form is not _TEXT:
                if row.value(row.answer) is not None and understood(text, row.form, unit=row.unit) is None:
                    yield f"{where} is not {form_in_words(row.form)}, which its answer {row.answer!r} is"
            elif _ISO_DAY.fullmatch(text) or surely_rewritten(text):
                yield f"{where} may be what a spreadsheet made of a text; write it again if it is"
            elif is_placeholder(text) or fold(text) in _HARDLY:
                yield f"{where} is hardly the English of {row.answer!r}; mark the answer invalid if it is none"
            elif _LISTED.search(text) and not _LISTED.search(row.answer):
                yield f"{where} is one text; write | between several"
            elif text[0] in _SIGNS or text[-1] in _SIGNS or len(text) > _LONGEST_OPTION:
                yield f"{where} is shown so as an option; leave out full stops, quotation marks, explanations"


def _same_english(rows: _Rows) -> Iterator[str]:
    """English that two groups of a question have."""
    seen: dict[str, _Answer] = {}
    for row in rows:
        for text in row.english:
            earlier = seen.setdefault(fold(text), row)
            if earlier.group != row.group:
                yield (
                    f"{row.column_english}: {text!r} is the English of another group as well, in "
                    f"{earlier.source}; answers that are one answer have one number in column group"
                )


def _unlike_in_group(rows: _Rows) -> Iterator[str]:
    """Groups whose rows say different things, as where the column was filled down or a cell has moved.

    One English text of all says that they are one answer: 18:00 beside 18:00 and 18:05.
    """
    for group in _groups(rows):
        stated = [(row, what) for row in group if (what := _content(row))]
        other = next((row for row, what in stated if what.isdisjoint(stated[0][1])), None)
        if other is not None and len({fold(text) for row in group for text in row.english}) != 1:
            first = stated[0][0]
            beside = f"{other.answer!r} is in one group with {first.answer!r} in {first.source}"
            yield (
                f"{other.source}, column group: {beside}, so that both count as one answer; correct column "
                "group, unless they are"
            )


def _content(row: _Answer) -> set[object]:
    """The number, time or day that an answer says, or the words of its English; nothing where none is sure."""
    if row.form is _TEXT:
        return {word for text in row.english if row.is_translated for word in fold(text).split()}
    value = row.value(row.answer) if row.form is AnswerFormat.DATE else _measure(row, row.answer)
    return set() if value is None else {value}


_OF_A_QUESTION = (_hardly_english, _same_english, _unlike_in_group)
"""What is told of the valid answers to a question."""

_LISTED_SAME = 10
"""Answers that are their own English, of which that many are named."""


def _not_translated(questions: Sequence[_Rows]) -> Iterator[str]:
    """English that is the answer itself, of people who are not asked in English: a name, or not translated."""
    foreign = [row for rows in questions for row in rows if row.is_translated]
    same = [row for row in foreign if fold(row.answer) in map(fold, row.english)]
    if same:
        listed = ", ".join(dict.fromkeys(repr(row.answer) for row in same[:_LISTED_SAME]))
        more = f" and others, {len(same)} of {len(foreign)}" if len(same) > _LISTED_SAME else ""
        yield (
            f"{same[0].column_english}: {listed}{more}: the answer itself; right for names and for loan "
            "words such as pizza, but options are in English: translate all else"
        )


def _two_englishes(questions: Sequence[_Rows]) -> Iterator[str]:
    """English of a column that was sorted or moved alone: answers that come again mostly have another."""
    first: dict[tuple[str, str], _Answer] = {}
    again, other = 0, []
    for row in (row for rows in questions for row in rows if row.english and row.form is _TEXT):
        earlier = first.setdefault((row.locale, fold(row.answer)), row)
        if (earlier.template_id, earlier.group) != (row.template_id, row.group):
            again += 1
            if set(map(fold, earlier.english)).isdisjoint(map(fold, row.english)):
                other.append((row, earlier))
    if len(other) > 1 and 2 * len(other) > again:
        row, earlier = other[0]
        yield (
            f"{row.column_english}: {row.answer!r} is {row.english[0]!r} here and "
            f"{earlier.english[0]!r} in {earlier.source}, and so are {len(other)} of {again} answers that come "
            "again; was the column sorted or moved alone?"
        )


_FEWEST_QUESTIONS = 3
"""Questions with several answers from which their numbers of groups say anything."""


def _filled_groups(questions: Sequence[_Rows]) -> Iterator[str]:
    """Numbers of groups that a spreadsheet copied, or counted, down the column."""
    several = [rows for rows in questions if len(rows) > 1]
    numbers = [row.group for rows in several for row in rows]
    what = ""
    if len(set(numbers)) == 1:
        what = f"all answers of every question are in group {numbers[0]}"
    elif len(set(numbers)) == len(numbers) and all(map(str.isdigit, numbers)):
        what = "every answer of the sheet has a number of its own, so that no two are one answer"
    if what and len(several) >= _FEWEST_QUESTIONS:
        yield f"{several[0][0].source}, column group: {what}; was the column filled down?"


_OF_A_SHEET = (_not_translated, _two_englishes, _filled_groups)
"""What is told of the valid answers of all questions together."""


# What it becomes.


def _groups(rows: Iterable[_Answer]) -> list[list[_Answer]]:
    """The rows of every group, invalid ones included."""
    groups = defaultdict[str, list[_Answer]](list)
    for row in rows:
        if row.group:
            groups[row.group].append(row)
    return [*groups.values()]


def _english_of(group: _Rows) -> list[str]:
    """The English of a group, each text once; an invalid answer that is its own English is not theirs."""
    texts = [(text, row.invalid and text == row.answer) for row in group for text in row.english]
    others = [text for text, is_struck in texts if not is_struck]
    return list(dict.fromkeys(others or [text for text, _ in texts]))


def _review(rows: _Rows, reviewer: str) -> dict[str, object]:
    """The review of one question."""
    rows = sorted(rows, key=lambda row: row.mark.number)
    struck = [row for row in rows if row.invalid]
    return {
        "template_id": rows[0].template_id,
        "locale": rows[0].locale,
        "reviewer": reviewer,
        "invalid": [row.answer for row in struck],
        "reasons": [row.reason for row in struck] if any(row.reason for row in struck) else [],
        "groups": [
            {"answers": answers, "en_answers": _english_of(group)}
            for group in _groups(rows)
            if (answers := [row.answer for row in group if not row.invalid])
        ],
        "source": rows[0].source,
    }
