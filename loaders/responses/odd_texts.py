"""Odd texts: what nobody sees, what an encoding spoilt, another language or another country.

Nobody has to know a language for it: words are looked up in dictionaries (`languages`), and countries by their
names in the language.
"""

import html
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from blend.loaders.files.diagnostics import Diagnostics, Finding, Placed, about
from blend.loaders.responses.response_rows import AskedQuestion, ResponseRows
from blend.schemas.errors import RowError
from blend.schemas.languages import country_name, english_name, nationalities, share_known
from blend.schemas.locales import Locale, Registry, in_english, is_named, others_named
from blend.schemas.models import Row
from blend.schemas.prompts import COUNTRY, NATIONALITY, slots_of
from blend.schemas.rows import Response, Review
from blend.schemas.texts import (
    clean,
    forbidden_in,
    meaningless_in,
    mixed_words,
    ordinary_in,
    scripts_of,
    unseen_in,
)

_MARK_IN_WORD = re.compile(r"[^\W\d_]+\?+[^\W\d_]+|(?<!\S)\?{2,}(?!\S)")
"""Question marks within a word, or in its place."""
_LINE_ENDS = re.compile("[\t-\r\x1c-\x1f\x85\u2028\u2029]")
"""Control characters that are white space."""

_LATER_BYTE = r"[^\x00-\x7f\u00c0-\u00ff\s]"
_OF_UTF8 = re.compile(
    rf"[\u00c2-\u00df]{_LATER_BYTE}|[\u00e0-\u00ef]{_LATER_BYTE}{{2}}|[\u00f0-\u00f4]{_LATER_BYTE}{{3}}"
)
"""What a letter of UTF-8, of two to four bytes, looks like where it was read as cp1252."""
_CODE_PAGES = {
    **dict.fromkeys(("bs", "cs", "hr", "hu", "pl", "ro", "sk", "sl", "sq"), "cp1250"),
    **dict.fromkeys(("az", "tr"), "cp1254"),
    **dict.fromkeys(("et", "lt", "lv"), "cp1257"),
}
"""By language in Latin letters, the code page of its spreadsheets that shares most letters with cp1252."""
_SIGN_IN_WORD = re.compile(r"(?<=[A-Za-z\u00c0-\u024f])[‹›£¤¬±÷¢¥¦§¨¯¸¶¼½¾†‡‰„‚”“](?=[A-Za-z\u00c0-\u024f])")
"""Signs that stand where cp850 has letters, such as ``›`` for ``ø``."""
_OF_A_PAGE = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?>|&(?:[A-Za-z]{2,8}|#\d+|#x[0-9A-Fa-f]+);")

_Text = tuple[str, str, bool]
"""Column, text, and whether it is in the local language."""


def odd_texts(rows: ResponseRows, known: Registry) -> Iterator[Finding]:
    """Texts with control characters, with invisible ones that their script does not need, and the like.

    And those with words of two scripts that look alike, which equal no word that is spelled in one, and with
    question marks where a spreadsheet may have had letters.

    Line feeds and tabs are blanks to everybody, and are none of them. Answers that a review repeats are told
    where they were typed.
    """
    placed_rows: Iterator[Placed[Any]] = chain.from_iterable(table.rows for table in rows)
    for placed in placed_rows:
        for column, text, is_local in _texts_of(placed.row):
            shown = clean(text)
            locale = known.get(placed.row.locale) if is_local else None
            for kind, what in _suspect(shown, locale, is_typed="prompt" not in column):
                yield about(kind, placed, f"column {column}: {what}")
            if not shown.isprintable():
                ordinary = "" if locale is None else ordinary_in(locale.script, rtl=locale.direction == "rtl")
                for held in chain(forbidden_in(shown), unseen_in(shown, ordinary), meaningless_in(shown)):
                    yield about("hidden-characters", placed, f"column {column} holds {held}; kept")


def on_one_line(
    questions: Sequence[Placed[AskedQuestion]], diagnostics: Diagnostics
) -> list[Placed[AskedQuestion]]:
    """The questions as a release holds them: in NFC, and with a blank for each line end or tab."""
    return [placed._replace(row=_on_one_line(placed, diagnostics)) for placed in questions]


def _on_one_line(placed: Placed[AskedQuestion], diagnostics: Diagnostics) -> AskedQuestion:
    found = dict[str, str]()
    for column, text, _ in _texts_of(placed.row):
        if held := dict.fromkeys(_LINE_ENDS.findall(text)):
            codes = ", ".join(f"U+{ord(char):04X}" for char in held)
            diagnostics.oddity("control-character", placed, f"column {column} holds {codes}; now a blank")
        elif not unicodedata.is_normalized("NFC", text):
            diagnostics.oddity("not-nfc", placed, f"column {column} is not in Unicode NFC; composed")
        else:
            continue
        found[column] = clean(text)
    return placed.row.model_copy(update=found) if found else placed.row


_COLUMNS = {
    "question": True,
    "en_question": False,
    "prompt": True,
    "en_prompt": False,
    "topic": False,
    "text": False,
}
"""Columns of a text each, and whether it is in the local language."""


def _texts_of(row: Row) -> Iterator[_Text]:
    """The texts of a row that somebody wrote."""
    if isinstance(row, Response):
        yield from ((f"answer_{number}", answer, True) for number, answer in enumerate(row.answers, start=1))
        yield "reason", row.reason or "", True
    elif isinstance(row, Review):
        yield from (("groups.en_answers", text, False) for group in row.groups for text in group.en_answers)
        yield from (("reasons", text, False) for text in row.reasons)
    else:
        there = type(row).model_fields
        yield from ((name, getattr(row, name), local) for name, local in _COLUMNS.items() if name in there)


def _suspect(text: str, locale: Locale | None, *, is_typed: bool) -> Iterator[tuple[str, str]]:
    for word in mixed_words(text):
        scripts = " and ".join(name.capitalize() for name in sorted(scripts_of(word)))
        what = f"{word!r} is spelled in {scripts} letters; kept, and no variant of a word in one"
        yield "mixed-scripts", what
    if found := _MARK_IN_WORD.search(text) if "?" in text else None:
        yield "question-marks", f"{found[0]!r} may have been letters that an encoding lacks; kept"
    page = None if locale is None else _CODE_PAGES.get(locale.language)
    for word in () if text.isascii() else text.split():
        meant = _OF_UTF8.sub(_as_utf8, word)
        if meant == word and page is not None:
            meant = word.translate(_misread(page))
        if meant != word:
            yield "wrong-encoding", f"{word!r} may be {meant!r}, read in a wrong encoding; kept"
        elif _SIGN_IN_WORD.search(word):
            yield "wrong-encoding", f"{word!r} has a sign within a word, as of a wrong encoding; kept"
    marks = _OF_A_PAGE.findall(text) if is_typed else ()
    if mark := next((one for one in marks if html.unescape(one) != one or one.startswith("<")), None):
        yield "html-markup", f"{mark!r} is spelled as on a web page; kept"


@cache
def _misread(page: str) -> Mapping[int, str]:
    """Letters of cp1252 and the other ones that a code page has in their places, such as ``č`` for ``è``."""
    codes = bytes(range(0x80, 0x100))
    letters = zip(codes.decode("cp1252", "replace"), codes.decode(page, "replace"), strict=True)
    return {
        ord(read): meant
        for read, meant in letters
        if read != meant and read.isalpha() and meant.isalpha()  # some places are empty
    }


def _as_utf8(found: re.Match[str]) -> str:
    """The letter that was read as several characters; the characters where they are none."""
    with suppress(UnicodeError):
        return found[0].encode("cp1252").decode("utf-8")
    return found[0]


_ENGLISH = "en"
_FEW = 5
"""Questions up to which nothing can be said of a language."""
_BRACKETS = re.compile(r"[(（][^)）]*[)）]|\{[^}]*\}|\d+")
"""What says nothing of the language: the form of an answer, ``(HH:MM)``, slots and numbers."""
_KNOWN = 0.5
"""Share of its words that a dictionary knows, at least, of a text in its language: of the 3,000 questions that
BLEnD asks in such languages all have it."""
_SURELY_KNOWN = 0.8
"""That share where there is no other dictionary to compare with."""
_FEWEST_WORDS = 3
"""Words from which that share says something."""
_INFLECTED = frozenset({"LATIN", "CYRILLIC", "GREEK"})
"""Scripts of languages in which the name of a country may end otherwise: *Avstrija*, *v Avstriji*."""
_SHORTEST = 5
"""Letters of the longest name of a country that is looked for as it is."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def other_languages(rows: ResponseRows, known: Registry) -> Iterator[Finding]:
    """Questions and prompts that are hardly in the language of their column.

    Of questions also those that name another country, not their own.
    """
    questions = rows.questions.rows
    usual = defaultdict[str, Counter[str]](Counter)
    for _, question in questions:
        usual[_language(known.get(question.locale))].update(scripts_of(_BRACKETS.sub(" ", question.question)))
    # One language after the other, since of dictionaries few are kept (`languages`).
    both: list[Placed[Any]] = [*questions, *rows.prompts.rows]
    for placed in sorted(both, key=lambda placed: _language(known.get(placed.row.locale))):
        locale = known.get(placed.row.locale)
        language = _language(locale)
        for column, text, is_local in _texts_of(placed.row):
            is_question = column == "question"
            if is_question and language == _ENGLISH:
                continue  # it is told of its English
            what = foreign(text, language if is_local else _ENGLISH)
            scripts, most = scripts_of(_BRACKETS.sub(" ", text)), usual[language].most_common(1)
            if is_question and scripts and usual[language].total() > _FEW and most[0][0] not in scripts:
                what = f"is not in the script of the other questions in {english_name(locale.language)}"
            if what is not None:
                yield about("other-language", placed, f"column {column}: {what}; kept")
            if is_question and (country := _other_country(text, locale, known)):
                detail = f"column question: names {country!r}, but not {locale.native_name!r}; kept"
                yield about("other-country", placed, detail)


def foreign(text: str, language: str) -> str | None:
    """Say of a text that it is hardly in a language, by the dictionary of it, or else by that of English."""
    # Names of places and people are in no dictionary; a sentence begins with a capital all the same.
    found = _WORD.findall(_BRACKETS.sub(" ", text))
    found = [*found[:1], *(word for word in found[1:] if not word[0].isupper())]
    if len(found) < _FEWEST_WORDS:
        return None
    own = share_known(found, language)
    is_foreign = own is not None and own < _KNOWN
    if language != _ENGLISH and (is_foreign or own is None):
        english = share_known(found, _ENGLISH) or 0
        # Many a short word of a language without a dictionary is one of English as well.
        if english > (_KNOWN if is_foreign else _SURELY_KNOWN):
            return "reads like English"
    return f"hardly reads like {english_name(language)}" if is_foreign else None


def _language(locale: Locale) -> str:
    return locale.language.partition("-")[0]


def _other_country(question: str, locale: Locale, locales: Registry) -> str | None:
    """Name the first other country that a question names, if it does not name its own."""
    own, others = _countries(locale, locales)
    if locale.native_name in question or own.search(question):  # nearly always
        return None
    found = others.search(question)
    return found[0] if found else None


@lru_cache(maxsize=256)
def _countries(locale: Locale, locales: Registry) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What finds the names of a locale's country in its language, and those of others."""
    own = {locale.native_name, country_name(locale.parent, locale.language)}
    codes = {other.parent for other in locales}
    if scripts_of(locale.native_name) <= _INFLECTED:
        codes |= {other.code for other in nationalities()}
    others = {country_name(code, locale.language) for code in codes - {locale.parent}}
    others |= {other.native_name for other in locales if other.language == locale.language}
    first, second = (
        re.compile(rf"(?<!\w)(?:{'|'.join(sorted(map(_form, names), key=len, reverse=True))})")
        for names in (own, others - own)
    )
    return first, second


def _form(name: str) -> str:
    """What finds the name of a country where a word begins, in another case as well."""
    if not scripts_of(name) <= _INFLECTED:
        return re.escape(name)  # particles may follow
    if len(name) > _SHORTEST and name.isalpha():
        return rf"{name[:-2]}\w*"
    return rf"{re.escape(name)}(?!\w)"


def other_countries(rows: ResponseRows, known: Registry) -> Iterator[RowError]:
    """English questions that name no country, or another one than their locale's.

    Where people are asked in English, what they read is such a question as well.

    Any English name of the region or of its people will do, whatever the wording. Without one, nobody could
    answer a multiple-choice question, and a model would be asked about nowhere.
    """
    texts = {row.template_id: row.text for _, row in rows.templates.rows}
    for location, row in rows.questions.rows:
        locale = known.get(row.locale)
        english = {"en_question": row.en_question} | ({"question": row.question} if in_english(locale) else {})
        for column, text in english.items():
            if slots_of(text) or is_named(text, locale):  # such a slot is told already
                continue
            others = others_named(text, known, locale)
            what = f"names {' and '.join(others)}, but not" if others else "does not name"
            wanted = fill_slots(texts.get(row.template_id, COUNTRY), locale)
            yield RowError(
                f"{what} {locale.prompt_name}, about which {row.locale} is asked",
                where=f"{location}, column {column}",
                fix=f"name it as its template does: {wanted!r}",
            )


def fill_slots(text: str, locale: Locale) -> str:
    """A template's text, or any other, with the region of a locale and its people in place of slots."""
    people = locale.nationalities[:1] or (NATIONALITY,)
    return text.replace(COUNTRY, locale.prompt_name).replace(NATIONALITY, people[0])
