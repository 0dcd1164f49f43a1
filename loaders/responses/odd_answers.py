"""Odd answers: what annotators typed in place of one, what tells who somebody is, and what was copied."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from blend.loaders.files.diagnostics import Finding, Placed, about, about_locale
from blend.schemas.errors import RowError
from blend.schemas.personal_data import contact_data, may_be_dialled, personal_data
from blend.schemas.rows import Response
from blend.schemas.texts import clean, fold, is_placeholder, is_unwritten

_Key = tuple[str, str]
Found = Iterator[RowError | Finding]
"""What a rule finds: problems, which stop the reader, and findings, which do not."""


def odd_answers(responses: Sequence[Placed[Response]], *, is_draft: bool) -> Found:
    """Answers that may be none; and answers, reasons and annotators that hold personal data.

    A reason that holds some is a problem, since no release may hold it; a finding while nothing is released.
    """
    numbers = set[_Key]()
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
                yield RowError(f"{kind} tells who somebody is", where=where, fix="remove it from the reason")
        if not kinds and may_be_dialled(reason):
            yield about("personal-data", placed, "column reason may hold a phone number (not shown); kept")
        who = row.locale, row.annotator
        if who not in numbers and may_be_dialled(row.annotator) and not any(map(str.isalpha, row.annotator)):
            numbers.add(who)
            detail = "column annotator may be a phone number (not shown); kept"
            yield about_locale("personal-data", placed, detail)


_SURELY_COPIED, _LIKELY_COPIED = 8, 4
"""Questions from which two people hardly give the same answers to all by chance: in whatever spelling, and
letter by letter."""
_COPIED_ALONE = 2
"""Answers that nobody else gives, of those that two people share to a whole series of questions (ids alike but
for their number). Of 4,160 series that six people answered, drawn from BLEnD's counts, none had such a pair; of
as many sets of five questions one in a hundred."""
_COPIED_IN_PART, _PART = 8, 2 / 3
"""Questions that two people answer letter by letter alike, and their share of those that both answer, where a
block was copied and typed over in part."""
_ALONE = "of them as nobody else; kept, and both count"
_SERIES = re.compile(r"[-_]?[0-9]*$")
"""What to leave out of an id for that of its series: ``Eu-eu`` of ``Eu-eu-05``."""
_FILLED_QUESTIONS, _FILLED_TOPICS = 5, 3
"""Questions, and topics of these, from which one answer to all of them was hardly meant; BLEnD's people gave
one to three questions on two topics at most."""
_COUNTED_UP = 4
"""Rows in a row whose only answers count up one by one, as a spreadsheet fills a column in."""
_SURELY_DRAGGED = 8
"""Annotators in a row with one response each, numbered one by one, as a spreadsheet fills a column in."""
_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})")


def copied(responses: Sequence[Placed[Response]]) -> Found:
    """Annotators who answer as another one does: all questions, all of a series, or most of them."""
    by_annotator = _by_annotator(responses)
    n_givers = Counter((row.locale, *_reply(row)) for _, row in responses)
    first: dict[object, Placed[Response]] = {}
    for (tag, who), given in by_annotator.items():
        read = fold if len(given) >= _SURELY_COPIED else str
        answered = frozenset((row.template_id, *map(read, row.answers), row.non_answer) for _, row in given)
        earlier = first.setdefault((tag, answered), given[0])
        if earlier is not given[0] and len(given) >= _LIKELY_COPIED:
            what = f"annotator {who!r} answers all {len(given)} questions as {_other(earlier)} does"
            yield about_locale("copied-responses", given[0], f"{what}; kept, and both count")
            continue
        series = defaultdict[str, list[Placed[Response]]](list)
        for placed in given:
            series[_SERIES.sub("", placed.row.template_id)].append(placed)
        for name, rows in series.items():
            earlier = first.setdefault((tag, name, frozenset(_reply(row) for _, row in rows)), rows[0])
            alone = sum(bool(row.answers) and n_givers[tag, *_reply(row)] == 2 for _, row in rows)
            if earlier is not rows[0] and len(rows) >= _LIKELY_COPIED and alone >= _COPIED_ALONE:
                what = (
                    f"annotator {who!r} answers all {len(rows)} questions {name + '…'!r} as {_other(earlier)}"
                )
                detail = f"{what} does, {alone} of them as nobody else; kept, and both count"
                yield about_locale("copied-responses", rows[0], detail)
    yield from _copied_in_part(by_annotator)


def _copied_in_part(by_annotator: Mapping[_Key, Sequence[Placed[Response]]]) -> Found:
    replies = {who: {_reply(row) for _, row in given if row.answers} for who, given in by_annotator.items()}
    givers = defaultdict[tuple[str, ...], list[_Key]](list)
    for (tag, who), given in replies.items():
        for reply in given:
            givers[tag, *reply].append((tag, who))
    alone = Counter(tuple(both) for both in givers.values() if len(both) == 2)
    for (one, other), n_alone in alone.items():
        questions = {reply[0] for reply in replies[one]} & {reply[0] for reply in replies[other]}
        n_alike = len(replies[one] & replies[other])
        is_part = max(_COPIED_IN_PART, _PART * len(questions)) <= n_alike < len(questions)
        if is_part and n_alone >= _COPIED_ALONE:
            what = f"annotator {other[1]!r} answers {n_alike} of {len(questions)} questions letter by letter as"
            alike = (
                f"{_other(by_annotator[one][0])} does, {n_alone} of them as nobody else; kept, and both count"
            )
            yield about_locale("copied-responses", by_annotator[other][0], f"{what} {alike}")


def _by_annotator(responses: Iterable[Placed[Response]]) -> Mapping[_Key, list[Placed[Response]]]:
    found = defaultdict[_Key, list[Placed[Response]]](list)
    for placed in responses:
        found[placed.row.locale, placed.row.annotator].append(placed)
    return found


def _reply(row: Response) -> tuple[str, ...]:
    return row.template_id, *row.answers, row.non_answer or ""


def _other(placed: Placed[Response]) -> str:
    return f"{placed.row.annotator!r} in {placed.location}"


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
    for run in _runs([given[0] for given in by_annotator.values() if len(given) == 1], _annotators_count_up):
        if len(run) >= _SURELY_DRAGGED and len({row.template_id for _, row in run}) >= _FILLED_QUESTIONS:
            what = f"{len(run)} annotators from {run[0].row.annotator!r} to {run[-1].row.annotator!r} have one"
            detail = f"{what} response each; kept as so many people, was the column filled down?"
            yield about_locale("counting-annotators", run[0], detail)
    for run in _runs(responses, _answers_count_up):
        if len(run) >= _COUNTED_UP:
            first, last = run[0].row, run[-1].row
            what = f"{len(run)} answers to {first.template_id!r} count up from {first.answers[0]!r} to"
            detail = f"{what} {last.answers[0]!r}; kept, was the column filled down?"
            yield about("filled-down", run[0], detail)


def _runs(
    rows: Iterable[Placed[Response]], goes_on: Callable[[Response, Response], bool]
) -> list[list[Placed[Response]]]:
    """Rows one below the other, parted where one does not go on from the one before."""
    runs: list[list[Placed[Response]]] = []
    for placed in rows:
        if runs and goes_on(runs[-1][-1].row, placed.row):
            runs[-1].append(placed)
        else:
            runs.append([placed])
    return runs


def _answers_count_up(one: Response, other: Response) -> bool:
    is_same_question = (one.template_id, one.locale) == (other.template_id, other.locale)
    are_single = len(one.answers) == len(other.answers) == 1
    return is_same_question and are_single and _counts_up(one.answers[0].strip(), other.answers[0].strip())


def _annotators_count_up(one: Response, other: Response) -> bool:
    return one.locale == other.locale and _counts_up(one.annotator, other.annotator)


def _counts_up(one: str, other: str) -> bool:
    """Whether a text is another with the next number: ``m02`` after ``m01``, ``4`` after ``3``."""
    before, after = _NUMBERED.fullmatch(one), _NUMBERED.fullmatch(other)
    return bool(before and after and before[1] == after[1] and int(before[2]) + 1 == int(after[2]))
