"""Odd answers: what annotators typed in place of one, what tells who somebody is, what was copied or moved."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from blend.loaders.files.diagnostics import Finding, Placed, about, about_locale
from blend.loaders.responses.response_rows import AskedQuestion, ResponseRows
from blend.schemas.errors import RowError
from blend.schemas.locales import Registry, in_english
from blend.schemas.personal_data import contact_data, may_be_dialled, personal_data
from blend.schemas.rows import Response
from blend.schemas.sheets import moved_questions, rows_off
from blend.schemas.texts import clean, fold, is_placeholder, is_unwritten

_Key = tuple[str, str]
Found = Iterator[RowError | Finding]
"""What a rule finds: problems, which stop the reader, and findings, which do not."""


def odd_answers(responses: Sequence[Placed[Response]], *, is_draft: bool) -> Found:
    """Answers that may be none; and answers, reasons and annotators that hold personal data.

    A reason that holds some is a problem, since no release may hold it; a finding while nothing is released.
    """
    for placed in responses:
        location, row = placed
        for number, answer in enumerate(map(clean, row.answers), start=1):
            column = f"column answer_{number} holds"
            for kind in dict.fromkeys(contact_data(answer, is_answer=True)):
                yield about("personal-data", placed, f"{column} {kind} (not shown); kept")
            if is_placeholder(answer) or is_unwritten(answer):
                yield about("placeholder-answer", placed, f"{column} {answer!r}, which may be no answer; kept")
            elif not any(map(str.isalnum, answer)):
                detail = f"{column} {answer!r}, without letters and digits; kept, and equal to no other answer"
                yield about("answer-without-words", placed, detail)
        reason = row.reason or ""
        kinds = dict.fromkeys(personal_data(reason))
        for kind in kinds:
            if is_draft:
                yield about("personal-data", placed, f"column reason holds {kind} (not shown); kept")
            else:
                where = f"{location}, column reason"
                fix = "remove it from the reason, on the server if it was pulled from there"
                yield RowError(f"{kind} tells who somebody is", where=where, fix=fix)
        if not kinds and may_be_dialled(reason):
            yield about("personal-data", placed, "column reason may hold a phone number (not shown); kept")
    for (_, who), given in _by_annotator(responses).items():
        if may_be_dialled(who) and not any(map(str.isalpha, who)):
            detail = "column annotator may be a phone number (not shown); kept"
            yield about_locale("personal-data", given[0], detail)


_LIKELY_COPIED = 4
"""Questions from which two people hardly give the same answers to all by chance, letter by letter."""


def copied(responses: Sequence[Placed[Response]]) -> Found:
    """Annotators who answer all questions as another one does."""
    first: dict[object, Placed[Response]] = {}
    for (tag, who), given in _by_annotator(responses).items():
        replies = frozenset((row.template_id, *row.answers, row.non_answer) for _, row in given)
        earlier = first.setdefault((tag, replies), given[0])
        if earlier is not given[0] and len(given) >= _LIKELY_COPIED:
            as_whom = f"{earlier.row.annotator!r} in {earlier.location}"
            detail = (
                f"annotator {who!r} answers all {len(given)} questions as {as_whom} does; kept, and both count"
            )
            yield about_locale("copied-responses", given[0], detail)


def _by_annotator(responses: Iterable[Placed[Response]]) -> Mapping[_Key, list[Placed[Response]]]:
    found = defaultdict[_Key, list[Placed[Response]]](list)
    for placed in responses:
        found[placed.row.locale, placed.row.annotator].append(placed)
    return found


_FILLED_QUESTIONS, _FILLED_TOPICS = 5, 3
"""Questions, and topics of these, from which one answer to all of them was hardly meant; BLEnD's people gave
one to three questions on two topics at most."""
_COUNTED_UP = 4
"""Rows in a row whose only answers count up one by one, as a spreadsheet fills a column in."""
_SURELY_DRAGGED = 8
"""Annotators in a row with one response each, numbered one by one, as a spreadsheet fills a column in."""
_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})")


def filled_down(responses: Sequence[Placed[Response]], topics: Mapping[str, str]) -> Found:
    """One answer to unlike questions, and answers and annotators that count up: columns that were filled down.

    Args:
        responses: In file order.
        topics: By template.
    """
    by_annotator = _by_annotator(responses)
    for (_, who), given in by_annotator.items():
        questions = defaultdict[str, list[Placed[Response]]](list)
        for placed in given:
            for answer in {fold(answer) for answer in placed.row.answers if any(map(str.isalpha, answer))}:
                questions[answer].append(placed)
        for answer, to in questions.items():
            of = {topics.get(row.template_id) for _, row in to}
            if len(to) >= _FILLED_QUESTIONS and len(of) >= _FILLED_TOPICS:
                what = f"annotator {who!r} answers {len(to)} questions on {len(of)} topics with {answer!r}"
                yield about_locale("filled-down", to[0], f"{what}; kept, was the column filled down?")
    single = (given[0] for given in by_annotator.values() if len(given) == 1)
    for run in _counting_up(single, lambda row: (row.locale, row.annotator)):
        if len(run) >= _SURELY_DRAGGED and len({row.template_id for _, row in run}) >= _FILLED_QUESTIONS:
            what = f"{len(run)} annotators from {run[0].row.annotator!r} to {run[-1].row.annotator!r} have one"
            detail = f"{what} response each; kept as so many people, was the column filled down?"
            yield about_locale("counting-annotators", run[0], detail)
    for run in _counting_up(responses, lambda row: (row.template_id, row.locale, "|".join(row.answers))):
        if len(run) >= _COUNTED_UP:
            first, last = run[0].row, run[-1].row
            what = f"{len(run)} answers to {first.template_id!r} count up from {first.answers[0]!r} to"
            detail = f"{what} {last.answers[0]!r}; kept, was the column filled down?"
            yield about("filled-down", run[0], detail)


def _counting_up(
    rows: Iterable[Placed[Response]], read: Callable[[Response], tuple[str, ...]]
) -> list[list[Placed[Response]]]:
    """Rows one below the other, parted where a text is not that of the row before with the next number.

    Args:
        rows: In file order.
        read: From a row to the text, ``m02`` after ``m01``, behind what must be the same.
    """

    def start(numbered: tuple[int, Placed[Response]]) -> object:
        """What is the same in all rows of a run: its number goes up as the row's does."""
        at, placed = numbered
        *same, text = read(placed.row)
        found = _NUMBERED.fullmatch(text.strip())
        return at if found is None else (*same, found[1], int(found[2]) - at)

    return [[placed for _, placed in run] for _, run in groupby(enumerate(rows), key=start)]


def moved_columns(rows: ResponseRows, known: Registry) -> Iterator[Finding]:
    """Locales whose questions stand a row off.

    Nobody has to know the language for it: a long question is long in English as well. Of 11,600 excerpts
    of BLEnD's questions none seems moved; with each question a row off, 97 of 100 of twenty and more do.
    """
    questions = defaultdict[str, list[Placed[AskedQuestion]]](list)
    for asked in rows.questions.rows:
        if not in_english(known.get(asked.row.locale)):
            questions[asked.row.locale].append(asked)
    for locale, placed in questions.items():
        if off := rows_off([(row.question, row.en_question) for _, row in placed]):
            yield about_locale("moved-column", placed[0], moved_questions(locale, off))
