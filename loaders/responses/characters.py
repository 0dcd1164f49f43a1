"""Characters: texts of raw responses that hold what nobody sees."""

from collections.abc import Iterator, Sequence
from itertools import chain

from blend.loaders.files.checked import Placed
from blend.loaders.files.notes import Notes
from blend.loaders.responses.links import AskedQuestion
from blend.schemas.characters import forbidden_in, meaningless_in, ordinary_in, unseen_in
from blend.schemas.locales import Registry
from blend.schemas.rows import Prompt, QuestionTemplate, Response, Review
from blend.schemas.text import clean

_Text = tuple[str, str, bool]
"""Column, text, and whether it is in the local language."""


def find_hidden_characters(
    templates: Sequence[Placed[QuestionTemplate]],
    questions: Sequence[Placed[AskedQuestion]],
    responses: Sequence[Placed[Response]],
    reviews: Sequence[Placed[Review]],
    prompts: Sequence[Placed[Prompt]],
    locales: Registry,
    notes: Notes,
) -> None:
    """Note texts with control characters, with invisible ones that their script does not need, and the like.

    Line feeds and tabs are blanks to everybody, and are none of them. Answers that a review repeats are told
    where they were typed.
    """
    for place, template in templates:
        texts: list[_Text] = [("topic", template.topic, False), ("text", template.text, False)]
        _note(texts, place, None, template.template_id, locales, notes)
    for place, question in questions:
        _note(_of_question(question), place, question.locale, question.template_id, locales, notes)
    for place, response in responses:
        _note(_of_response(response), place, response.locale, response.template_id, locales, notes)
    for place, review in reviews:
        _note(_of_review(review), place, review.locale, review.template_id, locales, notes)
    for place, prompt in prompts:
        _note(_of_prompt(prompt), place, prompt.locale, None, locales, notes)


def _of_question(row: AskedQuestion) -> Iterator[_Text]:
    yield "question", row.question, True
    yield "en_question", row.en_question, False


def _of_response(row: Response) -> Iterator[_Text]:
    for number, answer in enumerate(row.answers, start=1):
        yield f"answer_{number}", answer, True
    yield "reason", row.reason or "", True


def _of_review(row: Review) -> Iterator[_Text]:
    for text in (english for group in row.groups for english in group.en_answers):
        yield "groups.en_answers", text, False
    for text in row.reasons:
        yield "reasons", text, False


def _of_prompt(row: Prompt) -> Iterator[_Text]:
    yield "prompt", row.prompt, True
    yield "en_prompt", row.en_prompt, False


def _note(
    texts: Sequence[_Text] | Iterator[_Text],
    place: str,
    tag: str | None,
    template_id: str | None,
    locales: Registry,
    notes: Notes,
) -> None:
    for column, text, is_local in texts:
        shown = clean(text)
        if shown.isprintable():
            continue
        ordinary = ""
        if is_local and tag is not None:
            locale = locales.get(tag)
            ordinary = ordinary_in(locale.script, rtl=locale.direction == "rtl")
        for held in chain(forbidden_in(shown), unseen_in(shown, ordinary), meaningless_in(shown)):
            detail = f"column {column} holds {held}; kept"
            notes.finding("hidden-characters", place, detail, locale=tag, template_id=template_id)
