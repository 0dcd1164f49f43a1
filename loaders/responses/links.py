"""Whether the files of raw responses fit together: every row refers to one that is there, and to one only."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from blend.loaders.files.diagnostics import Checked, Diagnostics, Placed, R
from blend.schemas.errors import close_to, not_answered, not_asked
from blend.schemas.formats import (
    AnswerFormat,
    any_in_format,
    asked_unit,
    form_in_words,
    format_of,
    understood,
    writes_day_first,
)
from blend.schemas.models import Row, Text
from blend.schemas.personal_data import as_read, several_pseudonyms
from blend.schemas.prompts import slot_problems, slots_of
from blend.schemas.rows import QUESTION_SLOT, Prompt, QuestionTemplate, Response, Review
from blend.schemas.sheets import surely_rewritten
from blend.schemas.texts import clean, fold, is_unwritten, pluralise, scripts_of

Key = tuple[str, str]
_HINT = re.compile(r"(?<!\w)(?:([^\W\d_])\1:([^\W\d_])\2|\d{1,2}:\d\d|MM/DD|DD/MM)(?!\w)", re.IGNORECASE)
"""How a question in any language shows a time or day to write: ``HH:MM``, ``OO:MM``, ``18:00``, ``MM/DD``.
Not ``12/31``: BLEnD's teams explain days so."""
_DAY_FIRST = re.compile(
    r"(?<![\w/])(?:(?:DD|TT|JJ)/(?:MM|MÅ)|(?:1[3-9]|2\d|3[01])/(?:0?[1-9]|1[0-2]))(?![\w/])", re.IGNORECASE
)
"""How a question shows that it wants the day before the month: ``DD/MM``, ``31/12``."""
_RANGE = re.compile(r"(?<!\d)(\d{1,4}) ?~ ?(\d{1,4})(?!\d)")
"""How BLEnD's questions say which numbers they want: ``(0~24)``."""
_MONTHS = 12
_OTHER_HINTS = {
    AnswerFormat.TEXT: (
        _HINT,
        (
            "a form of answer, {}, its English and its template for text, which counts; if it is the question "
            "of its row, write BLEnD's hint into both, such as (e.g., HH:MM)"
        ),
    ),
    AnswerFormat.DATE: (
        _DAY_FIRST,
        (
            "the day first, {}, its English for MM/DD, as which 01/06 is read; ask for the month first, and "
            "look what people wrote"
        ),
    ),
}
"""By the format that a question asks for in English: how its own language asks otherwise, and what is told."""


class AskedQuestion(Row):
    """A template in one locale, as the file of questions holds it."""

    template_id: Text
    """Id of the question's template."""
    locale: Text
    """Locale in which it is asked."""
    question: Text
    """The question in the local language, country named."""
    en_question: Text
    """The question in English, country named."""


def check_links(
    templates: Checked[QuestionTemplate],
    questions: Checked[AskedQuestion],
    responses: Checked[Response],
    reviews: Checked[Review],
    diagnostics: Diagnostics,
    *,
    reviewing: bool = False,
    collecting: bool = False,
) -> None:
    """Note as problems the rows that contradict others or refer to none.

    Nothing is checked against a table that is not whole: its missing rows would be reported a second time.
    Answers out of their question's format pass while somebody is ``reviewing`` them, and so do decisions on
    answers that nobody gives; while responses are ``collecting``, also where a locale has none.
    """
    _check_distinct(
        templates.rows, lambda row: (row.template_id,), "template {0!r} is also in {location}", diagnostics
    )
    _check_distinct(questions.rows, _key, "question {0!r} in {1} is also in {location}", diagnostics)
    what = "annotator {2!r} answers {0!r} in {1} also in {location}"
    _check_distinct(responses.rows, lambda row: (row.template_id, row.locale, row.annotator), what, diagnostics)
    _check_distinct(reviews.rows, _key, "question {0!r} in {1} is also reviewed in {location}", diagnostics)
    _check_annotators(responses.rows, diagnostics)
    _find_own_reviews(reviews.rows, responses.rows, diagnostics)
    for template in templates.rows:
        _check_slots(template, diagnostics)
    for question in questions.rows:
        _check_filled(question, diagnostics)
    _find_repeated(questions.rows, diagnostics)
    by_id = {row.template_id: row for _, row in templates.rows}
    if templates.is_complete:
        _check_templates(questions.rows, by_id, diagnostics)
    if templates.is_complete and questions.is_complete:
        _find_unasked(templates.rows, {row.template_id for _, row in questions.rows}, diagnostics)
    if questions.is_complete:
        asked = {_key(row) for _, row in questions.rows}
        _check_asked("response to", responses.rows, asked, diagnostics)
        _check_asked("review of", reviews.rows, asked, diagnostics)
    if responses.is_complete:
        _check_reviewed_answers(reviews.rows, responses.rows, diagnostics, reviewing, collecting)
    if reviews.is_complete and not reviewing:
        _check_formats(responses.rows, reviews.rows, by_id, diagnostics)
    _find_odd_values(responses.rows, reviews.rows, by_id, diagnostics)


def check_prompts(
    prompts: Checked[Prompt], questions: Checked[AskedQuestion], diagnostics: Diagnostics
) -> None:
    """Note as problems the prompts that occur twice, and those of a locale without questions."""
    what = "prompt {0!r} of {1} is also in {location}"
    _check_distinct(prompts.rows, lambda row: (row.prompt_id, row.locale), what, diagnostics)
    for location, prompt in prompts.rows:
        for column in ("prompt", "en_prompt"):
            # The question alone, and what ends it, is a prompt.
            text = getattr(prompt, column).replace(QUESTION_SLOT, "").strip(" .:?!")
            _check_written(text, f"{location}, column {column}", diagnostics)
    if questions.is_complete:
        asked = {row.locale for _, row in questions.rows}
        for location, prompt in prompts.rows:
            if prompt.locale not in asked:
                what = f"prompt {prompt.prompt_id!r}, but no question is asked in {prompt.locale}"
                fix = "add the locale's questions, or remove the row"
                diagnostics.problem(what, where=f"{location}, column locale", fix=fix)


def _key(row: AskedQuestion | Response | Review) -> Key:
    return row.template_id, row.locale


def _check_distinct(
    rows: Iterable[Placed[R]], key: Callable[[R], tuple[str, ...]], what: str, diagnostics: Diagnostics
) -> None:
    """Note rows with the key of an earlier one, naming both."""
    first: dict[tuple[str, ...], str] = {}
    for location, row in rows:
        earlier = first.setdefault(key(row), location)
        if earlier != location:
            fix = "delete one of the two"
            if isinstance(row, Response):
                fix += ", or correct its annotator or template_id"
            if isinstance(row, Review) and earlier.rpartition(":")[0] != location.rpartition(":")[0]:
                name = f"{row.locale}.own.jsonl"
                fix += f"; beside what `blend annotate sync` writes, name the other file {name}, and pull again"
            diagnostics.problem(what.format(*key(row), location=earlier), where=location, fix=fix)


def _check_annotators(responses: Iterable[Placed[Response]], diagnostics: Diagnostics) -> None:
    """Note cells that name several people, and people whose pseudonym is spelled with capitals and without."""
    first: dict[tuple[str, str], tuple[str, str]] = {}
    named = set[tuple[str, str]]()
    for location, response in responses:
        who, where = response.annotator, f"{location}, column annotator"
        if len(several_pseudonyms(who)) > 1:
            diagnostics.problem(
                f"{who!r} names several people", where=where, fix="give each a row of their own"
            )
            continue
        key = response.locale, as_read(who)
        known, at = first.setdefault(key, (who, location))
        if known != who and (response.locale, who) not in named:
            named.add((response.locale, who))
            scripts = sorted(scripts_of(who) | scripts_of(known))
            looks = f" (letters are {' and '.join(map(str.capitalize, scripts))})" if len(scripts) > 1 else ""
            what = f"{who!r} is {known!r} in {at}{looks}, and would count as another person"
            diagnostics.problem(what, where=where, fix="spell one person's pseudonym in one way throughout")


def _find_own_reviews(
    reviews: Iterable[Placed[Review]], responses: Iterable[Placed[Response]], diagnostics: Diagnostics
) -> None:
    """Note as findings reviewers who are annotators of the locale as well, once each."""
    annotators = {(row.locale, as_read(row.annotator)) for _, row in responses}
    for location, review in {(one.row.locale, one.row.reviewer): one for one in reversed([*reviews])}.values():
        if (review.locale, as_read(review.reviewer)) in annotators:
            detail = f"reviewer {review.reviewer!r} is an annotator of {review.locale} too; kept"
            diagnostics.finding("own-answers-reviewed", location, detail, locale=review.locale)


def _check_slots(template: Placed[QuestionTemplate], diagnostics: Diagnostics) -> None:
    for what, fix in slot_problems(template.row.text):
        diagnostics.problem(what, where=f"{template.location}, column text", fix=fix)


def _check_filled(question: Placed[AskedQuestion], diagnostics: Diagnostics) -> None:
    for column, text in (("question", question.row.question), ("en_question", question.row.en_question)):
        _check_written(text, f"{question.location}, column {column}", diagnostics)
        if slots := slots_of(text):
            where = f"{question.location}, column {column}"
            diagnostics.problem(f"the slot {slots[0]} is not filled", where=where, fix="name the country")


def _check_written(text: str, where: str, diagnostics: Diagnostics) -> None:
    if is_unwritten(text):
        diagnostics.problem(f"{text!r} is not a text yet", where=where, fix="write it, or delete the row")


def _find_repeated(questions: Iterable[Placed[AskedQuestion]], diagnostics: Diagnostics) -> None:
    """Note as findings questions that a locale is asked in the same words under another id."""
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for location, row in questions:
        template_id, at = first.setdefault((row.locale, fold(row.question)), (row.template_id, location))
        if template_id != row.template_id:
            detail = f"column question is that of {template_id!r} in {at}; kept, and asked twice"
            diagnostics.oddity("repeated-question", Placed(location, row), detail)


def _check_templates(
    questions: Sequence[Placed[AskedQuestion]],
    templates: Mapping[str, QuestionTemplate],
    diagnostics: Diagnostics,
) -> None:
    """Note questions without a template, and those that hint at another answer format than theirs."""
    for location, question in questions:
        template = templates.get(question.template_id)
        if template is None:
            hint = close_to(question.template_id, templates)
            what = f"template {question.template_id!r} does not exist{hint}"
            fix = "add it to the templates, or correct the id"
            diagnostics.problem(what, where=f"{location}, column template_id", fix=fix)
        elif (asked := format_of(question.en_question)) != template.answer_format:
            detail = f"the question asks for {asked}, its template for {template.answer_format}, which counts"
            diagnostics.oddity("other-answer-format", Placed(location, question), detail)
        elif asked in _OTHER_HINTS:
            hints, what = _OTHER_HINTS[asked]
            written = hints.search(question.question)
            if written and written[0] not in question.en_question:
                detail = f"column question asks for {what.format(repr(written[0]))}"
                diagnostics.oddity("other-answer-format", Placed(location, question), detail)


def _find_unasked(
    templates: Iterable[Placed[QuestionTemplate]], asked: Collection[str], diagnostics: Diagnostics
) -> None:
    """Note as findings templates of which no locale has a question: a release does not show them."""
    for location, template in templates:
        if template.template_id not in asked:
            hint = close_to(template.template_id, asked)
            detail = f"no locale is asked template {template.template_id!r}{hint}; left out"
            diagnostics.oddity("template-without-questions", Placed(location, template), detail)


def _check_asked(
    kind: str,
    rows: Iterable[Placed[Response] | Placed[Review]],
    asked: Collection[Key],
    diagnostics: Diagnostics,
) -> None:
    """Note responses and reviews of questions that are not asked in their locale."""
    for location, row in rows:
        if _key(row) not in asked:
            what, fix = not_asked(kind, row.template_id, row.locale, asked)
            diagnostics.problem(what, where=f"{location}, column template_id", fix=fix)


def _check_reviewed_answers(
    reviews: Sequence[Placed[Review]],
    responses: Sequence[Placed[Response]],
    diagnostics: Diagnostics,
    reviewing: bool,
    collecting: bool,
) -> None:
    """Note reviewed answers that nobody gave; find answers that a review says nothing about."""
    answering = {response.locale for _, response in responses}
    if not collecting:
        idle = [review for review in reviews if review.row.locale not in answering]
        _check_responses_there(idle, diagnostics)
    given: defaultdict[Key, dict[str, str]] = defaultdict(dict)
    for location, response in responses:
        for answer in response.answers:
            given[_key(response)].setdefault(clean(answer), location)
    for location, review in reviews:
        if review.locale not in answering:
            continue  # told above, once
        answers = given[_key(review)]
        typed = [*review.invalid, *(answer for group in review.groups for answer in group.answers)]
        decided = {clean(answer): answer for answer in typed}
        for cleaned, answer in decided.items():
            if cleaned not in answers and not reviewing:
                what, fix = not_answered(answer, review.template_id, answers)
                diagnostics.problem(what, where=location, fix=fix)
        for answer in answers.keys() - decided.keys():
            detail = f"the review in {location} says nothing about {answer!r}"
            diagnostics.oddity("undecided-answer", Placed(answers[answer], review), detail)


def _check_responses_there(idle: Iterable[Placed[Review]], diagnostics: Diagnostics) -> None:
    """Note reviews of locales from which nobody responds, once per file: most likely one file is missing."""
    files = Counter((location.rpartition(":")[0] or location, review.locale) for location, review in idle)
    for (file, locale), n_reviews in files.items():
        what = f"reviews {pluralise(n_reviews, 'question')} of {locale}, from where there is no response"
        diagnostics.problem(
            what, where=file, fix=f"add the responses, responses/{locale}.csv, or remove the reviews"
        )


def _check_formats(
    responses: Sequence[Placed[Response]],
    reviews: Sequence[Placed[Review]],
    templates: Mapping[str, QuestionTemplate],
    diagnostics: Diagnostics,
) -> None:
    """Note answers that are not in their question's format, unless a reviewer has decided about them."""
    reviewed = {_key(review): review for _, review in reviews}
    for location, response in responses:
        template = templates.get(response.template_id)
        if template is None or template.answer_format is AnswerFormat.TEXT:
            continue
        asked, review = template.answer_format, reviewed.get(_key(response))
        for answer in response.answers:
            value = understood(answer, asked, response.locale, unit=asked_unit(template.text))
            if value is None and not (review and _settled(answer, asked, review)):
                form = form_in_words(asked)
                what = f"{answer!r} is not {form}, for which {response.template_id!r} asks"
                fix = (
                    "look whether its column moved; else mark it invalid in the review, or group it there with "
                    f"the same answer as {form} (`blend reviews propose` makes a sheet to do so)"
                )
                if surely_rewritten(answer) or (asked is AnswerFormat.TIME and _is_part_of_day(answer)):
                    what += ", but what a spreadsheet makes of a time or day"
                    fix = f"write again what was typed, in a column of the format Text; or {fix}"
                diagnostics.problem(what, where=location, fix=fix)


def _find_odd_values(
    responses: Sequence[Placed[Response]],
    reviews: Sequence[Placed[Review]],
    templates: Mapping[str, QuestionTemplate],
    diagnostics: Diagnostics,
) -> None:
    """Note as findings numbers beyond those asked for, and days that may stand before their months.

    Not those that a review calls invalid.
    """
    struck = {(*_key(review), clean(answer)) for _, review in reviews for answer in review.invalid}
    days = defaultdict[Key, dict[str, Placed[Response]]](dict)
    for placed in responses:
        row, template = placed.row, templates.get(placed.row.template_id)
        if template is None:
            continue
        asked = _RANGE.search(template.text) if template.answer_format is AnswerFormat.INTEGER else None
        if asked is None and template.answer_format is not AnswerFormat.DATE:
            continue
        for number, answer in enumerate(row.answers, start=1):
            value = understood(answer, template.answer_format, row.locale, unit=asked_unit(template.text))
            if value is None or (*_key(row), clean(answer)) in struck:
                continue
            if asked is None:
                days[_key(row)].setdefault(value, placed)
            elif not int(asked[1]) <= float(value) <= int(asked[2]):
                detail = f"column answer_{number}: {answer!r} is beyond {asked[0]}, for which the question asks"
                diagnostics.oddity("out-of-range", placed, f"{detail}; kept")
    # One day beyond the twelfth shows which way a locale's people write.
    sure = {locale for (_, locale), found in days.items() if any(int(day[3:]) > _MONTHS for day in found)}
    for (template_id, locale), found in days.items():
        unsure = [day for day in found if day[:2] != day[3:]]
        if unsure and locale not in sure and writes_day_first(locale):
            listed = ", ".join(map(repr, found))
            detail = (
                f"the days of {template_id!r}, {listed}, are read as months and days; kept, look whether "
                f"people wrote the day first, as is usual in {locale}"
            )
            diagnostics.oddity("day-or-month", found[unsure[0]], detail)


def _is_part_of_day(text: str) -> bool:
    """Whether a text is what a spreadsheet keeps of a time: ``0.375`` of 09:00."""
    return re.fullmatch(r"0[.,]\d+", text.strip()) is not None


def _settled(answer: str, asked: AnswerFormat, review: Review) -> bool:
    """Whether a reviewer calls the answer invalid, or a variant of one that has the format."""
    as_cleaned = clean(answer)
    group = next((group for group in review.groups if as_cleaned in map(clean, group.answers)), None)
    variants = () if group is None else (*group.answers, *group.en_answers)
    is_invalid = as_cleaned in map(clean, review.invalid)
    return is_invalid or any_in_format(variants, asked, review.locale)
