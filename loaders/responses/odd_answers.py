"""Odd answers: what annotators typed in place of one, what tells who somebody is, what was copied or moved."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType

from blend.loaders.files.diagnostics import Finding, Placed, about, about_locale
from blend.loaders.responses.response_rows import AskedQuestion, ResponseRows
from blend.schemas.errors import RowError
from blend.schemas.formats import AnswerFormat, asked_unit, understood
from blend.schemas.locales import Registry, in_english
from blend.schemas.personal_data import contact_data, may_be_dialled, personal_data
from blend.schemas.rows import QuestionTemplate, Response, Review, ReviewedGroup
from blend.schemas.sheets import moved_questions, rows_off
from blend.schemas.texts import clean, fold, is_placeholder, is_unwritten, words

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


_MOVED = "moved-column"
_SHORTEST_WORD = 4
_LEAST_GROUPS = 3


def moved_columns(rows: ResponseRows, known: Registry) -> Iterator[Finding]:
    """Locales whose questions, or English of answers, stand a row off, and reviews with English of others.

    Nobody has to know the language for it. A long question is long in English as well; a name or number stands
    in an answer and in its English; and what an answer means elsewhere, it hardly means on another one's line.
    Of 11,600 excerpts of BLEnD's questions none seems moved; with each question a row off, of those with twenty
    and more 97 of 100 do. Of its 4,600 questions with three answers or more, 12 seem to have English of other
    answers; with that of each moved on by one, 87 of 100 do.
    """
    questions = defaultdict[str, list[Placed[AskedQuestion]]](list)
    for asked in rows.questions.rows:
        if not in_english(known.get(asked.row.locale)):
            questions[asked.row.locale].append(asked)
    for locale, placed in questions.items():
        if off := rows_off([[(row.question, row.en_question) for _, row in placed]]):
            yield about_locale(_MOVED, placed[0], moved_questions(locale, off))
    yield from moved_english(rows.reviews.rows, {row.template_id: row for _, row in rows.templates.rows})


def moved_english(
    reviews: Sequence[Placed[Review]], templates: Mapping[str, QuestionTemplate] = MappingProxyType({})
) -> Iterator[Finding]:
    """The same of reviews alone: locales whose English stands a group off, reviews with English of others."""
    by_locale = defaultdict[str, list[Placed[Review]]](list)
    for review in reviews:
        if _language(review.row.locale) != "en":
            by_locale[review.row.locale].append(review)
    for locale, found in by_locale.items():
        if off := rows_off([_texts_of(one.row) for one in found]):
            what = f"groups: the answers of {locale} fit the English of the group {off} theirs better"
            yield about_locale(_MOVED, found[0], f"{what} than their own; kept, was the English moved?")
    yield from _englishes_of_others(by_locale, templates)


def _language(locale: str) -> str:
    return locale.partition("-")[0]


def _texts_of(review: Review) -> list[tuple[str, str]]:
    groups = [group for group in review.groups if group.en_answers]
    return [(group.answers[0], group.en_answers[0]) for group in groups] if len(groups) >= _LEAST_GROUPS else []


def _englishes_of_others(
    reviews: Mapping[str, Sequence[Placed[Review]]], templates: Mapping[str, QuestionTemplate]
) -> Iterator[Finding]:
    """Reviews in which more answers have the English of another answer than one that is known as their own."""
    meant = defaultdict[str, dict[str, dict[str, set[str]]]](lambda: defaultdict(dict))
    for locale, placed in reviews.items():
        of_language = meant[_language(locale)]
        for _, review in placed:
            for group in review.groups:
                for answer in map(fold, group.answers):
                    for english in map(fold, group.en_answers):
                        of_language[answer].setdefault(english, set()).add(review.template_id)
    for locale, placed in reviews.items():
        for one in placed:
            groups = [group for group in one.row.groups if group.en_answers]
            if len(groups) >= _LEAST_GROUPS:
                of_language = meant[_language(locale)]
                elsewhere = [_elsewhere(group, one.row.template_id, of_language) for group in groups]
                detail = _exchanged(groups, elsewhere, [set(map(fold, group.en_answers)) for group in groups])
                template = templates.get(one.row.template_id)
                typed = [_values(group.answers, template, locale) for group in groups]
                shown = [_values(group.en_answers, template, "en") for group in groups]
                if detail := detail or _exchanged(groups, typed, shown):
                    yield about(_MOVED, one, detail)


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
