"""Odd answers: what annotators typed in place of one, what tells who somebody is, and what was copied."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from blend.loaders.files.diagnostics import Diagnostics, Placed
from blend.schemas.personal_data import contact_data, may_be_dialled, personal_data
from blend.schemas.rows import Response
from blend.schemas.texts import clean, fold, is_placeholder, is_unwritten

_SURELY_COPIED, _LIKELY_COPIED = 8, 4
"""Questions from which two people hardly give the same answers to all by chance: in whatever spelling, and
letter by letter."""
_COPIED_ALONE = 2
"""Answers that nobody else gives, of those that two people share to a whole series of questions (ids alike but
for their number). Of 4,160 series that six people answered, drawn from BLEnD's counts, none had such a pair; of
as many sets of five questions one in a hundred."""
_COPIED_IN_PART, _PART, _PART_ALONE = 8, 2 / 3, 2
"""Questions that two people answer letter by letter alike, their share of those that both answer, and how many
of these answers nobody else gives: a block that was copied and typed over in part."""
_FILLED_QUESTIONS, _FILLED_TOPICS = 5, 3
"""Questions, and topics of these, from which one answer to all of them was hardly meant; BLEnD's people gave
one to three questions on two topics at most."""
_COUNTED_UP = 4
"""Rows in a row whose only answers count up one by one, as a spreadsheet fills a column in."""
_SURELY_DRAGGED = 8
"""Annotators in a row with one response each, numbered one by one, as a spreadsheet fills a column in."""
_SERIES = re.compile(r"[-_]?[0-9]*$")
"""What to leave out of an id for that of its series: ``Eu-eu`` of ``Eu-eu-05``."""
_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})")


def find_odd_answers(
    responses: Sequence[Placed[Response]], diagnostics: Diagnostics, *, is_draft: bool = False
) -> None:
    """Note answers that may be none, and answers, reasons and annotators that hold personal data.

    Args:
        responses: Valid by themselves.
        diagnostics: Takes findings, and a problem for each reason that no release may hold.
        is_draft: Whether such a reason is a finding, too, since nothing is released yet.
    """
    numbers = set[tuple[str, str]]()
    for location, row in responses:
        for number, answer in enumerate(row.answers, start=1):
            _note_answer(Placed(location, row), f"column answer_{number}", clean(answer), diagnostics)
        _note_reason(Placed(location, row), diagnostics, is_draft=is_draft)
        who = row.locale, row.annotator
        if who not in numbers and may_be_dialled(row.annotator) and not any(map(str.isalpha, row.annotator)):
            numbers.add(who)
            detail = "column annotator may be a phone number (not shown); kept"
            diagnostics.finding("personal-data", location, detail, locale=row.locale)


def find_copied_answers(
    responses: Sequence[Placed[Response]], topics: Mapping[str, str], diagnostics: Diagnostics
) -> None:
    """Note annotators who answer exactly what another one does, and those with one answer to unlike questions.

    And annotators who may be one: a pseudonym that counts up from row to row, with a response to each.

    Args:
        responses: Valid by themselves.
        topics: By template.
        diagnostics: Takes findings.
    """
    by_annotator = defaultdict[tuple[str, str], list[Placed[Response]]](list)
    for placed in responses:
        by_annotator[placed.row.locale, placed.row.annotator].append(placed)
    n_givers = Counter((row.locale, *_reply(row)) for _, row in responses)
    first: dict[object, Placed[Response]] = {}
    for (tag, who), given in by_annotator.items():
        _note_filled(given, topics, diagnostics)
        read = fold if len(given) >= _SURELY_COPIED else str
        answered = frozenset((row.template_id, *map(read, row.answers), row.non_answer) for _, row in given)
        earlier = first.setdefault((tag, answered), given[0])
        if earlier is not given[0] and len(given) >= _LIKELY_COPIED:
            other = f"{earlier.row.annotator!r} in {earlier.location}"
            detail = (
                f"annotator {who!r} answers all {len(given)} questions as {other} does; kept, and both count"
            )
            diagnostics.finding("copied-responses", given[0].location, detail, locale=tag)
        else:
            _note_copied_series(given, n_givers, first, diagnostics)
    _note_copied_in_part(by_annotator, diagnostics)
    _note_dragged([given[0] for given in by_annotator.values() if len(given) == 1], diagnostics)
    _note_counted_up(responses, diagnostics)


def _note_copied_series(
    given: Sequence[Placed[Response]],
    n_givers: Mapping[tuple[str, ...], int],
    first: dict[object, Placed[Response]],
    diagnostics: Diagnostics,
) -> None:
    """Note that an annotator answers all questions of a series, though not all questions, as another one does.

    Args:
        given: By one annotator.
        n_givers: How many people gave each answer.
        first: Who gave all answers to a series first; takes this annotator's.
        diagnostics: Takes findings.
    """
    series = defaultdict[str, list[Placed[Response]]](list)
    for placed in given:
        series[_SERIES.sub("", placed.row.template_id)].append(placed)
    for name, rows in series.items():
        tag = rows[0].row.locale
        key = tag, name, frozenset(_reply(row) for _, row in rows)
        earlier = first.setdefault(key, rows[0])
        alone = sum(bool(row.answers) and n_givers[tag, *_reply(row)] == 2 for _, row in rows)
        if earlier is not rows[0] and len(rows) >= _LIKELY_COPIED and alone >= _COPIED_ALONE:
            detail = (
                f"annotator {rows[0].row.annotator!r} answers all {len(rows)} questions {name + '…'!r} as "
                f"{earlier.row.annotator!r} in {earlier.location} does, {alone} of them as nobody else; kept, "
                "and both count"
            )
            diagnostics.finding("copied-responses", rows[0].location, detail, locale=tag)


def _reply(row: Response) -> tuple[str, ...]:
    return row.template_id, *row.answers, row.non_answer or ""


def _note_copied_in_part(
    by_annotator: Mapping[tuple[str, str], Sequence[Placed[Response]]], diagnostics: Diagnostics
) -> None:
    """Note pairs of annotators who answer most questions, though not all, letter by letter alike."""
    replies = {who: {_reply(row) for _, row in given if row.answers} for who, given in by_annotator.items()}
    givers = defaultdict[tuple[str, ...], list[tuple[str, str]]](list)
    for (tag, who), given in replies.items():
        for reply in given:
            givers[tag, *reply].append((tag, who))
    alone = Counter(tuple(both) for both in givers.values() if len(both) == 2)
    for (one, other), n_alone in alone.items():
        questions = {reply[0] for reply in replies[one]} & {reply[0] for reply in replies[other]}
        n_alike = len(replies[one] & replies[other])
        is_part = max(_COPIED_IN_PART, _PART * len(questions)) <= n_alike < len(questions)
        if is_part and n_alone >= _PART_ALONE:
            earlier, location = by_annotator[one][0], by_annotator[other][0].location
            detail = (
                f"annotator {other[1]!r} answers {n_alike} of {len(questions)} questions letter by letter as "
                f"{one[1]!r} in {earlier.location} does, {n_alone} of them as nobody else; kept, and both count"
            )
            diagnostics.finding("copied-responses", location, detail, locale=one[0])


def _note_counted_up(responses: Sequence[Placed[Response]], diagnostics: Diagnostics) -> None:
    """Note rows of a question, one below the other, whose only answers count up: 3, 4, 5, 6."""
    for run in _runs(responses, _answers_count_up):
        if len(run) >= _COUNTED_UP:
            first, last = run[0].row, run[-1].row
            detail = (
                f"{len(run)} answers to {first.template_id!r} count up from {first.answers[0]!r} to "
                f"{last.answers[0]!r}; kept, was the column filled down?"
            )
            diagnostics.oddity("filled-down", run[0], detail)


def _answers_count_up(one: Response, other: Response) -> bool:
    is_same_question = (one.template_id, one.locale) == (other.template_id, other.locale)
    are_single = len(one.answers) == len(other.answers) == 1
    return is_same_question and are_single and _counts_up(one.answers[0].strip(), other.answers[0].strip())


def _annotators_count_up(one: Response, other: Response) -> bool:
    return one.locale == other.locale and _counts_up(one.annotator, other.annotator)


def _runs(
    rows: Sequence[Placed[Response]], goes_on: Callable[[Response, Response], bool]
) -> list[list[Placed[Response]]]:
    """Rows one below the other, parted where one does not go on from the one before."""
    runs: list[list[Placed[Response]]] = []
    for placed in rows:
        if runs and goes_on(runs[-1][-1].row, placed.row):
            runs[-1].append(placed)
        else:
            runs.append([placed])
    return runs


def _note_dragged(single: Sequence[Placed[Response]], diagnostics: Diagnostics) -> None:
    """Note runs of annotators who are numbered one by one and answer different questions.

    Args:
        single: The only response of each annotator who has one, in file order.
        diagnostics: Takes findings.
    """
    for run in _runs(single, _annotators_count_up):
        if len(run) >= _SURELY_DRAGGED and len({row.template_id for _, row in run}) >= _FILLED_QUESTIONS:
            (location, first), (_, last) = run[0], run[-1]
            detail = (
                f"{len(run)} annotators from {first.annotator!r} to {last.annotator!r} have one response each; "
                "kept as so many people, was the column filled down?"
            )
            diagnostics.finding("counting-annotators", location, detail, locale=first.locale)


def _counts_up(one: str, other: str) -> bool:
    """Whether a text is another with the next number: ``m02`` after ``m01``, ``4`` after ``3``."""
    before, after = _NUMBERED.fullmatch(one), _NUMBERED.fullmatch(other)
    return bool(before and after and before[1] == after[1] and int(before[2]) + 1 == int(after[2]))


def _note_filled(
    given: Sequence[Placed[Response]], topics: Mapping[str, str], diagnostics: Diagnostics
) -> None:
    questions = defaultdict[str, list[Placed[Response]]](list)
    for placed in given:
        for answer in {fold(answer) for answer in placed.row.answers if any(map(str.isalpha, answer))}:
            questions[answer].append(placed)
    for answer, to in questions.items():
        of = {topics.get(row.template_id) for _, row in to}
        if len(to) >= _FILLED_QUESTIONS and len(of) >= _FILLED_TOPICS:
            row = to[0].row
            what = (
                f"annotator {row.annotator!r} answers {len(to)} questions on {len(of)} topics with {answer!r}"
            )
            detail = f"{what}; kept, was the column filled down?"
            diagnostics.finding("filled-down", to[0].location, detail, locale=row.locale)


def _note_answer(placed: Placed[Response], column: str, answer: str, diagnostics: Diagnostics) -> None:
    for kind in dict.fromkeys(contact_data(answer, is_answer=True)):
        diagnostics.oddity("personal-data", placed, f"{column} holds {kind} (not shown); kept")
    if is_placeholder(answer) or is_unwritten(answer):
        detail = f"{column} holds {answer!r}, which may be no answer; kept"
        diagnostics.oddity("placeholder-answer", placed, detail)
    elif not any(map(str.isalnum, answer)):
        detail = f"{column} holds {answer!r}, without letters and digits; kept, and equal to no other answer"
        diagnostics.oddity("answer-without-words", placed, detail)


def _note_reason(placed: Placed[Response], diagnostics: Diagnostics, *, is_draft: bool) -> None:
    reason = placed.row.reason or ""
    kinds = dict.fromkeys(personal_data(reason))
    for kind in kinds:
        if is_draft:
            diagnostics.oddity("personal-data", placed, f"column reason holds {kind} (not shown); kept")
        else:
            where = f"{placed.location}, column reason"
            diagnostics.problem(f"{kind} tells who somebody is", where=where, fix="remove it from the reason")
    if not kinds and may_be_dialled(reason):
        diagnostics.oddity("personal-data", placed, "column reason may hold a phone number (not shown); kept")
