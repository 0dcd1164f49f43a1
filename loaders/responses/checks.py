"""Checks: whether the rows of raw responses fit together, and what in them was hardly meant; a rule for each.

A rule yields problems, which stop the reader, and findings, which do not.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from blend.loaders.files.diagnostics import Diagnostics, Placed, R, about, about_locale
from blend.loaders.responses.odd_answers import Found, copied, filled_down, moved_columns, odd_answers
from blend.loaders.responses.odd_texts import odd_texts, other_countries, other_languages
from blend.loaders.responses.response_rows import CALLED, KEYS, AskedQuestion, ResponseRows, question_key
from blend.schemas.errors import RowError, close_to
from blend.schemas.formats import (
    AnswerFormat,
    asked_unit,
    form_in_words,
    format_of,
    lacks_format,
    may_be_decimal,
    understood,
    writes_day_first,
)
from blend.schemas.locales import Registry
from blend.schemas.personal_data import ACCOUNT_PSEUDONYM, as_read, own_words, several_pseudonyms
from blend.schemas.prompts import slot_problems, slots_of
from blend.schemas.rows import QUESTION_SLOT, QuestionTemplate, Response, Review
from blend.schemas.texts import clean, fold, is_placeholder, is_unwritten, pluralise, scripts_of

_Key = tuple[str, str]
_Templates = Mapping[str, QuestionTemplate]
"""By id."""


def check_rows(
    rows: ResponseRows,
    known: Registry,
    diagnostics: Diagnostics,
    *,
    reviewing: bool = False,
    collecting: bool = False,
) -> None:
    """Note whatever in the rows contradicts others or refers to none, and what was hardly meant.

    Nothing is checked against a table that is not whole: its missing rows would be reported a second time.
    See `loaders.responses.read_responses` for ``reviewing`` and ``collecting``.
    """
    templates = {row.template_id: row for _, row in rows.templates.rows}
    rules: list[tuple[Found, Sequence[str]]] = [
        (_twice(rows), ()),
        (_annotators(rows), ()),
        (_reviewers(rows), ()),
        (_unwritten(rows), ()),
        (_topics(rows), ()),
        (_repeated(rows), ()),
        (_other_formats(rows, templates), ("templates",)),
        (_unasked(rows), ("templates", "questions")),
        (_not_asked(rows), ("questions",)),
        (_reviewed_answers(rows, reviewing=reviewing, collecting=collecting), ("responses",)),
        (_values(rows, templates, reviewing=reviewing), ()),
        (other_countries(rows, known), ("templates",)),
    ]
    # What is only odd is told by a build: while answers come in, the same would be looked for at each sync.
    if not collecting:
        responses, topics = rows.responses.rows, {name: one.topic for name, one in templates.items()}
        rules += [
            (other_languages(rows, known), ()),
            (_without_responses(rows), ("questions", "responses")),
            (moved_columns(rows, known), ("templates",)),
            (odd_answers(responses, is_draft=reviewing), ()),
            (copied(responses), ()),
            (filled_down(responses, topics), ()),
            (odd_texts(rows, known), ()),
        ]
    for found, needed in rules:
        if all(getattr(rows, table).is_complete for table in needed):
            diagnostics.add(found)


def _again(rows: Iterable[Placed[R]], key: Callable[[R], object]) -> Iterator[tuple[str, R, Placed[R]]]:
    """Place and content of rows with the key of an earlier one, and that one."""
    first: dict[object, Placed[R]] = {}
    for placed in rows:
        earlier = first.setdefault(key(placed.row), placed)
        if earlier is not placed:
            yield *placed, earlier


def _twice(rows: ResponseRows) -> Found:
    """Rows with the key of an earlier one, naming both."""
    for table, called in CALLED.items():
        for location, row, (earlier, _) in _again(getattr(rows, table).rows, attrgetter(*KEYS[table])):
            fix = "delete one of the two"
            if table == "responses":
                fix += ", or correct its annotator or template_id"
                if ACCOUNT_PSEUDONYM.fullmatch(row.annotator) and _file_of(earlier) != _file_of(location):
                    fix += "; what `blend annotate sync` writes comes back: delete the row in the other file"
            if table == "reviews" and _file_of(earlier) != _file_of(location):
                name = f"{row.locale}.own.jsonl, and pull again"
                fix += f"; beside what `blend annotate sync` writes, name the other file {name}"
            yield RowError(f"{called.format(row)} is also in {earlier}", where=location, fix=fix)


def _file_of(location: str) -> str:
    """The file of a location, ``reviews/ko-KR.jsonl:3``."""
    return location.rpartition(":")[0] or location


def _annotators(rows: ResponseRows) -> Found:
    """Cells that name several people, and people whose pseudonym is spelled with capitals and without."""
    spellings: dict[_Key, Placed[Response]] = {}
    for placed in rows.responses.rows:
        spellings.setdefault((placed.row.locale, placed.row.annotator), placed)
    single = []
    for location, response in spellings.values():
        # In a collection the folder stands before the pseudonym, and may be formed like it: k1/a1 is one.
        typed = response.annotator.removeprefix(f"{location.partition('/')[0]}/")
        if len(several_pseudonyms(typed)) > 1:
            what, where = f"{response.annotator!r} names several people", f"{location}, column annotator"
            yield RowError(what, where=where, fix="give each a row of their own")
        else:
            single.append(Placed(location, response))
    for location, row, (at, earlier) in _again(single, lambda row: (row.locale, as_read(row.annotator))):
        scripts = sorted(scripts_of(row.annotator) | scripts_of(earlier.annotator))
        looks = f" (letters are {' and '.join(map(str.capitalize, scripts))})" if len(scripts) > 1 else ""
        what = f"{row.annotator!r} is {earlier.annotator!r} in {at}{looks}, and would count as another person"
        fix = "spell one person's pseudonym in one way throughout"
        yield RowError(what, where=f"{location}, column annotator", fix=fix)


def _reviewers(rows: ResponseRows) -> Found:
    """Reviewers who are annotators of the locale as well, once each, and words of theirs that name somebody."""
    annotators = {(row.locale, as_read(row.annotator)) for _, row in rows.responses.rows}
    seen = set[_Key]()
    for placed in rows.reviews.rows:
        location, review = placed
        for reason in review.reasons:
            yield from own_words(reason, where=f"{location}, column reasons", of_answers=False)
        who = review.locale, review.reviewer
        if who not in seen and (review.locale, as_read(review.reviewer)) in annotators:
            seen.add(who)
            detail = f"reviewer {review.reviewer!r} is an annotator of {review.locale} too; kept"
            yield about_locale("own-answers-reviewed", placed, detail)


def _unwritten(rows: ResponseRows) -> Found:
    """Templates that cannot be asked everywhere, and questions and prompts that are still to be written."""
    for location, template in rows.templates.rows:
        for what, fix in slot_problems(template.text):
            yield RowError(what, where=f"{location}, column text", fix=fix)
    asked = [*rows.questions.rows, *rows.prompts.rows]
    for location, row in asked:
        for column in {"question", "en_question", "prompt", "en_prompt"} & type(row).model_fields.keys():
            text, where = getattr(row, column), f"{location}, column {column}"
            if slots := slots_of(text) if isinstance(row, AskedQuestion) else ():
                yield RowError(f"the slot {slots[0]} is not filled", where=where, fix="name the country")
            # The question alone, and what ends it, is a prompt.
            text = text.replace(QUESTION_SLOT, "").strip(" .:?!") if QUESTION_SLOT in text else text
            if is_unwritten(text) or is_placeholder(text):
                yield RowError(f"{text!r} is not a text yet", where=where, fix="write it, or delete the row")


def _topics(rows: ResponseRows) -> Found:
    """Topics that are spelled in two ways, and would be two."""
    for location, row, (at, earlier) in _again(rows.templates.rows, lambda row: fold(row.topic)):
        if row.topic != earlier.topic:
            what = f"{row.topic!r} is {earlier.topic!r} in {at}, and would be another topic"
            yield RowError(what, where=f"{location}, column topic", fix="spell a topic in one way throughout")


def _repeated(rows: ResponseRows) -> Found:
    """Questions that a locale is asked in the same words under another id."""
    asked = rows.questions.rows
    for location, row, (at, earlier) in _again(asked, lambda row: (row.locale, fold(row.question))):
        if row.template_id != earlier.template_id:
            detail = f"column question is that of {earlier.template_id!r} in {at}; kept, and asked twice"
            yield about("repeated-question", Placed(location, row), detail)


_HINT = re.compile(r"(?<!\w)(?:([^\W\d_])\1:([^\W\d_])\2|\d{1,2}:\d\d|MM/DD|DD/MM)(?!\w)", re.IGNORECASE)
"""How a question in any language shows a time or day to write: ``HH:MM``, ``OO:MM``, ``18:00``, ``MM/DD``.
Not ``12/31``: BLEnD's teams explain days so."""
_DAY_FIRST = re.compile(
    r"(?<![\w/])(?:(?:DD|TT|JJ)/(?:MM|MÅ)|(?:1[3-9]|2\d|3[01])/(?:0?[1-9]|1[0-2]))(?![\w/])", re.IGNORECASE
)
"""How a question shows that it wants the day before the month: ``DD/MM``, ``31/12``."""
_OTHER_HINTS = {AnswerFormat.TEXT: _HINT, AnswerFormat.DATE: _DAY_FIRST}
"""By the format that a question asks for in English: what its own language asks for otherwise."""


def _other_formats(rows: ResponseRows, templates: _Templates) -> Found:
    """Questions without a template, and those that hint at another answer format than theirs."""
    for placed in rows.questions.rows:
        location, question = placed
        template = templates.get(question.template_id)
        if template is None:
            hint = close_to(question.template_id, templates)
            what = f"template {question.template_id!r} does not exist{hint}"
            fix = (
                "add it to the templates, or correct the id; if it is not asked any more, delete its rows in "
                "the questions, responses and reviews as well"
            )
            yield RowError(what, where=f"{location}, column template_id", fix=fix)
        elif (asked := format_of(question.en_question)) != template.answer_format:
            detail = f"the question asks for {asked}, its template for {template.answer_format}, which counts"
            yield about("other-answer-format", placed, detail)
        elif asked in _OTHER_HINTS:
            written = _OTHER_HINTS[asked].search(question.question)
            if written and written[0] not in question.en_question:
                detail = f"column question asks for {written[0]!r}, its English for {asked}, which counts"
                yield about("other-answer-format", placed, detail)


def _unasked(rows: ResponseRows) -> Found:
    """Templates of which no locale has a question: a release does not show them."""
    asked = {row.template_id for _, row in rows.questions.rows}
    for placed in rows.templates.rows:
        if (name := placed.row.template_id) not in asked:
            detail = f"no locale is asked template {name!r}{close_to(name, asked)}; left out"
            yield about("template-without-questions", placed, detail)


_NOT_ASKED = (
    "add the question to the questions, or correct the id; if it is not asked any more, delete the row, or run "
    "`blend annotate sync`"
)


def _not_asked(rows: ResponseRows) -> Found:
    """Responses and reviews of questions that are not asked in their locale, prompts where none is."""
    asked = {question_key(row) for _, row in rows.questions.rows}
    ids = {name for name, _ in asked}
    for kind, table in (("response to", rows.responses), ("review of", rows.reviews)):
        for location, row in table.rows:
            if question_key(row) not in asked:
                what = f"{kind} question {row.template_id!r}, which is not asked in {row.locale}"
                there = {name for name, locale in asked if locale == row.locale}
                # An id that other locales have is spelled as it is meant.
                hint = "" if row.template_id in ids else close_to(row.template_id, there)
                yield RowError(f"{what}{hint}", where=f"{location}, column template_id", fix=_NOT_ASKED)
    locales = {locale for _, locale in asked}
    for location, prompt in rows.prompts.rows:
        if prompt.locale not in locales:
            what = f"prompt {prompt.prompt_id!r}, but no question is asked in {prompt.locale}"
            fix = "add the locale's questions, or remove the row"
            yield RowError(what, where=f"{location}, column locale", fix=fix)


def _without_responses(rows: ResponseRows) -> Found:
    """Locales that are asked and have no response, while others have: most likely, their file is missing."""
    answering = {row.locale for _, row in rows.responses.rows}
    if not answering:
        return
    asked = Counter(row.locale for _, row in rows.questions.rows)
    first = {placed.row.locale: placed for placed in reversed(rows.questions.rows)}
    for locale in sorted(asked.keys() - answering):
        detail = (
            f"{pluralise(asked[locale], 'question')} of {locale}, from where there is no response; kept, is "
            f"responses/{locale}.csv missing?"
        )
        yield about_locale("no-responses", first[locale], detail)


_NOT_ANSWERED = (
    "write it in the review exactly as typed or, if it was corrected or withdrawn, have `blend reviews "
    "propose` take up its question again; restore rows of responses only if they were lost by accident, and "
    "nobody was forgotten"
)


def _reviewed_answers(rows: ResponseRows, *, reviewing: bool, collecting: bool) -> Found:
    """Reviewed answers that nobody gave, and answers that a review says nothing about."""
    responses, reviews = rows.responses.rows, rows.reviews.rows
    answering = {response.locale for _, response in responses}
    if not collecting:
        # Once per file: most likely one is missing.
        idle = (one for one in reviews if one.row.locale not in answering)
        files = Counter((_file_of(location), review.locale) for location, review in idle)
        for (file, locale), n_reviews in files.items():
            what = f"reviews {pluralise(n_reviews, 'question')} of {locale}, from where there is no response"
            fix = f"add the responses, responses/{locale}.csv, or remove the reviews"
            yield RowError(what, where=file, fix=fix)
    given: defaultdict[_Key, dict[str, str]] = defaultdict(dict)
    for location, response in responses:
        for answer in response.answers:
            given[question_key(response)].setdefault(clean(answer), location)
    for location, review in reviews:
        if review.locale not in answering:
            continue  # told above, once
        answers = given[question_key(review)]
        decided = {clean(answer): answer for answer in review.decided}
        for cleaned, answer in decided.items():
            if cleaned not in answers and not reviewing:
                what = f"nobody answered {answer!r} to {review.template_id!r}{close_to(answer, answers)}"
                yield RowError(f"{what}, but a review decides on it", where=location, fix=_NOT_ANSWERED)
        for answer in answers.keys() - decided.keys():
            detail = f"the review in {location} says nothing about {answer!r}"
            yield about("undecided-answer", Placed(answers[answer], review), detail)


_RANGE = re.compile(r"(?<!\d)(\d{1,4}) ?~ ?(\d{1,4})(?!\d)")
"""How BLEnD's questions say which numbers they want: ``(0~24)``."""
_MONTHS = 12


def _values(rows: ResponseRows, templates: _Templates, *, reviewing: bool) -> Found:
    """Answers that are not in their question's format, and values that people may have meant otherwise.

    About the first a reviewer can decide, and whoever is reviewing is about to. The others are numbers beyond
    those asked for, thousands that may be decimals, and days that may stand before their months; not those that
    a review calls invalid.
    """
    reviewed = {question_key(review): review for _, review in rows.reviews.rows}
    is_undecided = reviewing or not rows.reviews.is_complete
    days = defaultdict[_Key, dict[str, Placed[Response]]](dict)
    for placed in rows.responses.rows:
        row = placed.row
        template, review = templates.get(row.template_id), reviewed.get(question_key(row))
        if template is None or template.answer_format is AnswerFormat.TEXT:
            continue
        asked, wanted = template.answer_format, _RANGE.search(template.text)
        struck = set(map(clean, review.invalid)) if review else ()
        for number, answer in enumerate(row.answers, start=1):
            unit = asked_unit(template.text)
            value = understood(answer, asked, row.locale, unit=unit)
            if value is None:
                if not is_undecided and not (review and _settled(answer, asked, review, unit)):
                    yield _out_of_format(answer, asked, placed)
            elif clean(answer) in struck:
                continue
            elif asked is AnswerFormat.DATE:
                days[question_key(row)].setdefault(value, placed)
            elif asked is AnswerFormat.INTEGER:
                column = f"column answer_{number}: {answer!r}"
                if wanted and not int(wanted[1]) <= float(value) <= int(wanted[2]):
                    what = f"{column} is beyond {wanted[0]}, for which the question asks; kept"
                    yield about("out-of-range", placed, what)
                if may_be_decimal(answer, row.locale):
                    how = f"look whether decimals were meant, which stand behind a comma in {row.locale}"
                    yield about("thousands-or-decimals", placed, f"{column} is read as {value}; kept, {how}")
    # One day beyond the twelfth shows which way a locale's people write.
    sure = {locale for (_, locale), found in days.items() if any(int(day[3:]) > _MONTHS for day in found)}
    for (template_id, locale), found in days.items():
        unsure = [day for day in found if day[:2] != day[3:]]
        if unsure and locale not in sure and writes_day_first(locale):
            detail = (
                f"the days of {template_id!r}, {', '.join(map(repr, found))}, are read as months and days; "
                f"kept, look whether people wrote the day first, as is usual in {locale}"
            )
            yield about("day-or-month", found[unsure[0]], detail)


def _out_of_format(answer: str, asked: AnswerFormat, placed: Placed[Response]) -> RowError:
    form = form_in_words(asked)
    return RowError(
        f"{answer!r} is not {form}, for which {placed.row.template_id!r} asks",
        where=placed.location,
        fix="write again what was typed if a spreadsheet changed it or its column moved; else mark it invalid "
        f"in the review, or group it there with the same answer as {form} (`blend reviews propose` makes a "
        "sheet to do so)",
    )


def _settled(answer: str, asked: AnswerFormat, review: Review, unit: str | None) -> bool:
    """Whether a reviewer calls the answer invalid, or a variant of one that has the format."""
    as_cleaned = clean(answer)
    group = next((group for group in review.groups if as_cleaned in map(clean, group.answers)), None)
    variants = () if group is None else (*group.answers, *group.en_answers)
    is_invalid = as_cleaned in map(clean, review.invalid)
    return is_invalid or not lacks_format(variants, asked, review.locale, unit=unit)
