"""The answer sheet after review, as reviews; and reviews without answers that nobody gives any more."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import polars as pl

from blend.builders.saq.reviewed_answers import (
    Answer,
    contradicted,
    english_of,
    groups,
    out_of_format,
    suspect_english,
    without_group,
)
from blend.schemas.errors import RowError, raise_all
from blend.schemas.formats import AnswerFormat, asked_unit, form_in_words, understood
from blend.schemas.frames import REVIEWS
from blend.schemas.personal_data import own_words
from blend.schemas.sheets import (
    NO_TICKS,
    TICKS,
    Mark,
    parted,
    surely_rewritten,
)
from blend.schemas.texts import clean, is_unwritten

_LOCALE = re.compile(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*")
# A group's number as some spreadsheets write it back, 1.0 or 1,00.
_WHOLE = re.compile(r"(\d+)[.,]0*")
_AS_PROPOSED = "copy the cell from the sheet as it was proposed"

_Cells = dict[str, str]


class Reviewed(NamedTuple):
    """Reviews, and what is odd about them."""

    reviews: pl.DataFrame
    """`frames.REVIEWS`, by locale and template; ``source`` is the place of the question's first row."""
    notes: tuple[str, ...]
    """One sentence per English number in words that is read in digits, per cell with English that no group has,
    per English text that hardly is one or not that of its row, and per answer at which a build would stop."""


def reviews_of(sheet: pl.DataFrame, *, reviewer: str) -> Reviewed:
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
    read: list[Answer] = []
    recognised: list[str] = []
    for cells in sheet.fill_null("").to_dicts():
        reader = _Reader(cells)
        answer = reader.answer()
        problems += reader.problems
        recognised += reader.recognised
        if answer is not None:
            read.append(answer)
    questions: dict[tuple[str, str], list[Answer]] = {}
    for answer in read:
        questions.setdefault((answer.locale, answer.template_id), []).append(answer)
    if not problems:
        problems += [problem for rows in questions.values() for problem in _unlike_proposed(rows)]
        problems += [problem for rows in questions.values() for problem in contradicted(rows)]
    raise_all(problems)
    by_question = [rows for _, rows in sorted(questions.items())]
    reviews = [_review(rows, reviewer) for rows in by_question]
    return Reviewed(
        pl.DataFrame(reviews, schema=REVIEWS),
        notes=(
            *recognised,
            *(sentence for rows in by_question for sentence in without_group(rows)),
            *suspect_english(by_question),
            *(sentence for rows in by_question for sentence in out_of_format(rows)),
        ),
    )


def english_pairs(reviews: pl.DataFrame, n: int) -> list[tuple[str, str]]:
    """Up to ``n`` answers beside their English, evenly from all: where one column was sorted alone, none fit.

    Args:
        reviews: `frames.REVIEWS`. Groups whose English is the answer itself tell nothing.
        n: How many.
    """
    groups = [group for review in reviews["groups"].to_list() for group in review or []]
    pairs = [
        (group["answers"][0], group["en_answers"][0])
        for group in groups
        if group["en_answers"] and group["en_answers"][0] not in group["answers"]
    ]
    return [pairs[number * len(pairs) // n] for number in range(n)] if len(pairs) > n else pairs


def struck_out(reviews: pl.DataFrame) -> list[tuple[str, str]]:
    """The answers that are called invalid, each with the template of its question.

    Args:
        reviews: `frames.REVIEWS`.
    """
    rows = reviews.select("template_id", pl.col("invalid").alias("answer")).explode("answer").drop_nulls()
    return [(answer, template_id) for template_id, answer in rows.iter_rows()]


class _Reader:
    """Reads a row, and collects whatever is wrong with it."""

    def __init__(self, cells: _Cells) -> None:
        self._cells = {name: clean(cell) for name, cell in cells.items()}
        self._source = cells["source"]
        self.problems: list[RowError] = []
        self.recognised: list[str] = []

    def answer(self) -> Answer | None:
        """The row, or null if it cannot be told which answer it is about."""
        mark = Mark.parse(self._cells["check"])
        if mark is None:
            what = f"{self._cells['check']!r} is not a mark like '2 of 5 9f3c2b1d'"
            self._problem("check", what, _AS_PROPOSED)
            return None
        template_id, locale = self._cells["template_id"], self._cells["locale"]
        if not _LOCALE.fullmatch(locale):
            self._problem("locale", f"{locale!r} is not the tag of a locale", _AS_PROPOSED)
            return None
        invalid = self._tick()
        return Answer(
            template_id=template_id,
            locale=locale,
            answer=self._cells["answer"],
            mark=mark,
            group=self._group(needed=not invalid),
            english=self._english(),
            invalid=invalid,
            reason=self._reason(invalid=invalid),
            form=self._format(),
            unit=asked_unit(self._cells["question"]),
            source=self._source,
        )

    def _problem(self, column: str, what: str, fix: str) -> None:
        self.problems.append(RowError(what, where=f"{self._source}, column {column}", fix=fix))

    def _tick(self) -> bool:
        cell = self._cells["invalid"]
        if cell.casefold() not in TICKS | NO_TICKS:
            fix = "write x where the answer is none, else empty the cell; why stands in column reason"
            self._problem("invalid", f"unknown mark {cell!r}", fix)
        return cell.casefold() in TICKS

    def _group(self, *, needed: bool) -> str:
        cell = self._cells["group"]
        if not cell and needed:
            fix = "write the number of its group, or a new one; or x in column invalid"
            self._problem("group", "the cell is blank", fix)
        number = _WHOLE.fullmatch(cell)
        return number[1] if number else cell.casefold()

    def _english(self) -> tuple[str, ...]:
        cell = self._cells["english"]
        texts = []
        asked = self._format()
        for text in parted(cell):
            # A number in words is one as well.
            number = understood(text, asked) if asked is AnswerFormat.INTEGER else None
            if is_unwritten(text) and text != self._cells["answer"]:
                self._problem(
                    "english", f"{text!r} is not English", "write the English, or leave the cell empty"
                )
            elif asked is not AnswerFormat.TEXT and surely_rewritten(text):
                what = f"{text!r} is what a spreadsheet made of {form_in_words(asked)}"
                fix = f"write it with an apostrophe before it, like {_EXAMPLES[asked]}"
                self._problem("english", what, fix)
            else:
                texts.append(text if number is None else number)
                if texts[-1] != text:
                    self.recognised.append(f"{self._source}, column english: {text!r} is read as {texts[-1]!r}")
        return tuple(texts)

    def _format(self) -> AnswerFormat:
        """The format of the question; free text where the cell says nothing that is known."""
        cell = self._cells["format"]
        return AnswerFormat(cell) if cell in set(AnswerFormat) else AnswerFormat.TEXT

    def _reason(self, *, invalid: bool) -> str:
        reason = self._cells["reason"]
        if reason and not invalid:
            fix = "write x in column invalid, or empty this cell"
            self._problem("reason", "a reason stands beside an answer that is not marked invalid", fix)
        self.problems += own_words(reason, where=f"{self._source}, column reason", of_answers=False)
        return reason


_EXAMPLES = {
    AnswerFormat.TIME: "'18:00",
    AnswerFormat.DATE: "'05/31",
    AnswerFormat.INTEGER: "'3",
    AnswerFormat.TEXT: "'text",
}


def _unlike_proposed(rows: Sequence[Answer]) -> Iterator[RowError]:
    """Rows of one question that are there twice, that come from two sheets, or that are gone."""
    first = rows[0]
    question = f"{first.template_id!r} in {first.locale}"
    seen: dict[int, Answer] = {}
    for row in rows:
        earlier = seen.setdefault(row.mark.number, row)
        if row.mark.total != first.mark.total:
            yield RowError(
                f"one of {row.mark.total} rows of {question}, but {first.source} is one of {first.mark.total}: "
                "they were proposed at different times",
                where=f"{row.source}, column check",
                fix="keep the rows of one sheet, or propose it again",
            )
        elif earlier is not row:
            yield RowError(
                f"{row.answer!r} stands in {earlier.source} as well",
                where=f"{row.source}, column answer",
                fix="delete one of the two rows",
            )
    gone = [str(number) for number in range(1, first.mark.total + 1) if number not in seen]
    if gone and all(row.mark.total == first.mark.total for row in rows):
        missing = f"row {gone[0]} is" if len(gone) == 1 else f"rows {', '.join(gone)} are"
        yield RowError(
            f"{missing} missing of the {first.mark.total} rows of {question}",
            where=f"{first.source}, column check",
            fix="bring back what was deleted, with x in column invalid for an answer that is none; or delete "
            "all rows of the question to leave it unreviewed",
        )


def _review(rows: Sequence[Answer], reviewer: str) -> dict[str, object]:
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
            {"answers": answers, "en_answers": english_of(group)}
            for group in groups(rows).values()
            if (answers := [row.answer for row in group if not row.invalid])
        ],
        "source": rows[0].source,
    }


class Lost(NamedTuple):
    """Answers on which a review decides and that nobody gives."""

    template_id: str
    locale: str
    answers: list[str]
    source: str
    """Place of the review."""
    is_all: bool
    """Whether the review decides on nothing else."""


def without_lost(reviews: pl.DataFrame, responses: pl.DataFrame) -> tuple[pl.DataFrame, list[Lost]]:
    """Reviews as far as their answers are given, and what was left out of them.

    Args:
        reviews: `frames.REVIEWS`.
        responses: `frames.RESPONSES`.
    """
    given: dict[tuple[str, str], set[str]] = {}
    for template_id, locale, answers in responses.select("template_id", "locale", "answers").iter_rows():
        given.setdefault((template_id, locale), set()).update(map(clean, answers or ()))
    kept, lost = [], []
    for review in reviews.iter_rows(named=True):
        key = review["template_id"], review["locale"]
        left, answers = given_part(review, given.get(key, set()))
        if answers:
            lost.append(Lost(*key, answers, review["source"], left is None))
        if left is not None:
            kept.append({"invalid": [], "reasons": [], **left})
    return pl.DataFrame(kept, schema=REVIEWS), lost


def given_part(review: dict[str, Any], given: Collection[str]) -> tuple[dict[str, Any] | None, list[str]]:
    """A review of the given answers, null if it has none, and the others; groups that become empty go."""
    invalid, groups = review.get("invalid") or [], review.get("groups") or []
    decided = [*invalid, *(answer for group in groups for answer in group["answers"])]
    lost = [answer for answer in decided if clean(answer) not in given]
    if not lost:
        return review, []
    reasons = dict(zip(invalid, review.get("reasons") or (), strict=False))
    still = [answer for answer in invalid if answer not in lost]
    groups = [
        {**group, "answers": answers}
        for group in groups
        if (answers := [answer for answer in group["answers"] if answer not in lost])
    ]
    if not still and not groups:
        return None, lost
    left = {name: value for name, value in review.items() if name not in ("invalid", "reasons", "groups")}
    if still:
        left["invalid"] = still
        if reasons:
            left["reasons"] = [reasons[answer] for answer in still]
    return {**left, "groups": groups}, lost
