"""Characters: texts of raw responses that hold what nobody sees, or what no longer says what was typed."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from blend.loaders.files.checked import Placed
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.responses.links import AskedQuestion
from blend.schemas.language.characters import (
    forbidden_in,
    meaningless_in,
    mixed_words,
    ordinary_in,
    scripts_of,
    unseen_in,
)
from blend.schemas.language.locales import Registry
from blend.schemas.language.text_comparison import clean
from blend.schemas.rows.published_rows import Prompt, QuestionTemplate, Response, Review

_MARK_IN_WORD = re.compile(r"[^\W\d_]+\?+[^\W\d_]+|(?<!\S)\?{2,}(?!\S)")
"""Question marks within a word, or in its place."""

_Text = tuple[str, str, bool]
"""Column, text, and whether it is in the local language."""


def find_hidden_characters(
    templates: Sequence[Placed[QuestionTemplate]],
    questions: Sequence[Placed[AskedQuestion]],
    responses: Sequence[Placed[Response]],
    reviews: Sequence[Placed[Review]],
    prompts: Sequence[Placed[Prompt]],
    locales: Registry,
    diagnostics: Diagnostics,
) -> None:
    """Note texts with control characters, with invisible ones that their script does not need, and the like.

    And those with words of two scripts that look alike, which equal no word that is spelled in one, and with
    question marks where a spreadsheet may have had letters.

    Line feeds and tabs are blanks to everybody, and are none of them. Answers that a review repeats are told
    where they were typed.
    """
    for location, template in templates:
        texts: list[_Text] = [("topic", template.topic, False), ("text", template.text, False)]
        _note(texts, location, None, template.template_id, locales, diagnostics)
    for location, question in questions:
        _note(_of_question(question), location, question.locale, question.template_id, locales, diagnostics)
    for location, response in responses:
        _note(_of_response(response), location, response.locale, response.template_id, locales, diagnostics)
    for location, review in reviews:
        _note(_of_review(review), location, review.locale, review.template_id, locales, diagnostics)
    for location, prompt in prompts:
        _note(_of_prompt(prompt), location, prompt.locale, None, locales, diagnostics)


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
    location: str,
    tag: str | None,
    template_id: str | None,
    locales: Registry,
    diagnostics: Diagnostics,
) -> None:
    for column, text, is_local in texts:
        shown = clean(text)
        for kind, what in _suspect(shown):
            diagnostics.finding(kind, location, f"column {column}: {what}", locale=tag, template_id=template_id)
        if shown.isprintable():
            continue
        ordinary = ""
        if is_local and tag is not None:
            locale = locales.get(tag)
            ordinary = ordinary_in(locale.script, rtl=locale.direction == "rtl")
        for held in chain(forbidden_in(shown), unseen_in(shown, ordinary), meaningless_in(shown)):
            detail = f"column {column} holds {held}; kept"
            diagnostics.finding("hidden-characters", location, detail, locale=tag, template_id=template_id)


def _suspect(text: str) -> Iterator[tuple[str, str]]:
    for word in mixed_words(text):
        scripts = " and ".join(name.capitalize() for name in sorted(scripts_of(word)))
        yield (
            "mixed-scripts",
            f"{word!r} is spelled in {scripts} letters; kept, and no variant of a word in one",
        )
    if found := _MARK_IN_WORD.search(text) if "?" in text else None:
        yield "question-marks", f"{found[0]!r} may have been letters that an encoding lacks; kept"
