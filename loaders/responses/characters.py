"""Characters: texts of raw responses that hold what nobody sees, or what no longer says what was typed."""

import html
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
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
_MARK_AT_EDGE = re.compile(r"(?<!\S)\?+([A-Za-z\u00c0-\u052f]+)(?!\S)|^([A-Za-z\u00c0-\u052f]+)\?$")
"""Question marks before a word, or one behind the only word, since several may ask: ``how are you?``.

In scripts of which an encoding may have some letters.
"""

_LINE_ENDS = re.compile("[\t-\r\x1c-\x1f\x85\u2028\u2029]")
"""Control characters that are white space."""

_OF_UTF8 = re.compile(r"[\u00c2-\u00f4][^\x00-\x7f\u00c0-\u00ff\s]{1,3}")
"""What a letter of UTF-8 looks like where it was read as cp1252."""
_CODE_PAGES = {
    **dict.fromkeys(("bs", "cs", "hr", "hu", "pl", "ro", "sk", "sl", "sq"), "cp1250"),
    **dict.fromkeys(("az", "tr"), "cp1254"),
    **dict.fromkeys(("et", "lt", "lv"), "cp1257"),
}
"""By language in Latin letters, the code page of its spreadsheets that shares most letters with cp1252."""
_SIGN_IN_WORD = re.compile(r"(?<=[A-Za-z\u00c0-\u024f])[‹›£¤¬±÷¢¥¦§¨¯¸¶¼½¾†‡‰„‚”“](?=[A-Za-z\u00c0-\u024f])")
"""Signs that stand where cp850 has letters, such as ``›`` for ``ø``."""
_OF_A_PAGE = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?>|&(?:[A-Za-z]{2,8}|#\d+|#x[0-9A-Fa-f]+);")
_LOST = "may have been letters that an encoding lacks; kept"

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
    _note_marks_at_edges(responses, diagnostics)
    for location, review in reviews:
        _note(_of_review(review), location, review.locale, review.template_id, locales, diagnostics)
    for location, prompt in prompts:
        _note(_of_prompt(prompt), location, prompt.locale, None, locales, diagnostics)


def _note_marks_at_edges(responses: Sequence[Placed[Response]], diagnostics: Diagnostics) -> None:
    """Note answers with question marks at a word that no answer of the locale has without them.

    Somebody who doubts writes a word that others write, too: ``coffee?``.
    """
    marked = [
        (placed, number, found)
        for placed in responses
        for number, answer in enumerate(placed.row.answers, start=1)
        if "?" in answer and (found := _MARK_AT_EDGE.search(clean(answer))) and not _MARK_IN_WORD.search(answer)
    ]
    if not marked:
        return
    words = {
        (row.locale, word)
        for _, row in responses
        for answer in row.answers
        for word in clean(answer).casefold().split()
    }
    for (location, row), number, found in marked:
        if (row.locale, (found[1] or found[2]).casefold()) not in words:
            detail = f"column answer_{number}: {found[0]!r} {_LOST}"
            key = {"locale": row.locale, "template_id": row.template_id}
            diagnostics.finding("question-marks", location, detail, **key)


def on_one_line(
    questions: Sequence[Placed[AskedQuestion]], diagnostics: Diagnostics
) -> list[Placed[AskedQuestion]]:
    """The questions as a release holds them: in NFC, and with a blank for each line end or tab."""
    return [Placed(location, _on_one_line(row, location, diagnostics)) for location, row in questions]


def _on_one_line(row: AskedQuestion, location: str, diagnostics: Diagnostics) -> AskedQuestion:
    found = dict[str, str]()
    for column, text, _ in _of_question(row):
        held = _LINE_ENDS.findall(text)
        if not held and unicodedata.is_normalized("NFC", text):
            continue
        found[column] = clean(text)
        kind, what = "not-nfc", "is not in Unicode NFC; composed"
        if held:
            codes = ", ".join(f"U+{ord(char):04X}" for char in dict.fromkeys(held))
            kind, what = "control-character", f"holds {codes}; now a blank"
        detail, key = f"column {column} {what}", {"locale": row.locale, "template_id": row.template_id}
        diagnostics.finding(kind, location, detail, **key)
    return row.model_copy(update=found) if found else row


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
        page = _CODE_PAGES.get(locales.get(tag).language) if is_local and tag is not None else None
        for kind, what in chain(_suspect(shown, page), () if "prompt" in column else _of_a_page(shown)):
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


def _suspect(text: str, page: str | None) -> Iterator[tuple[str, str]]:
    for word in mixed_words(text):
        scripts = " and ".join(name.capitalize() for name in sorted(scripts_of(word)))
        yield (
            "mixed-scripts",
            f"{word!r} is spelled in {scripts} letters; kept, and no variant of a word in one",
        )
    if found := _MARK_IN_WORD.search(text) if "?" in text else None:
        yield "question-marks", f"{found[0]!r} {_LOST}"
    if not text.isascii():
        for word in text.split():
            meant = _OF_UTF8.sub(_as_utf8, word)
            if meant == word and page is not None:
                meant = word.translate(_misread(page))
            if meant != word:
                yield "wrong-encoding", f"{word!r} may be {meant!r}, read in a wrong encoding; kept"
            elif _SIGN_IN_WORD.search(word):
                yield "wrong-encoding", f"{word!r} has a sign within a word, as of a wrong encoding; kept"


@cache
def _misread(page: str) -> Mapping[int, str]:
    """Letters of cp1252 and the other ones that a code page has in their places, such as ``č`` for ``è``."""
    letters = dict[int, str]()
    for code in range(0x80, 0x100):
        with suppress(UnicodeError):  # some places are empty
            read, meant = bytes([code]).decode("cp1252"), bytes([code]).decode(page)
            if read != meant and read.isalpha() and meant.isalpha():
                letters[ord(read)] = meant
    return letters


def _as_utf8(found: re.Match[str]) -> str:
    """The letter that was read as several characters; the characters where they are none."""
    for end in range(len(found[0]), 1, -1):
        with suppress(UnicodeError):
            letter = found[0][:end].encode("cp1252").decode("utf-8")
            if len(letter) == 1:
                return letter + found[0][end:]
    return found[0]


def _of_a_page(text: str) -> Iterator[tuple[str, str]]:
    for found in _OF_A_PAGE.findall(text):
        if html.unescape(found) != found or found.startswith("<"):
            yield "html-markup", f"{found!r} is spelled as on a web page; kept"
            return
