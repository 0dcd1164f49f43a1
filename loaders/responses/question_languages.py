"""Languages of questions and prompts: texts in another language, or about another country, than they should be.

Nobody has to know a language for it: words are looked up in dictionaries (`base_forms`), and countries by their
names in the language.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence, Set
from functools import lru_cache
from typing import TypeVar

from blend.loaders.files.checked import Placed
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.responses.links import AskedQuestion
from blend.schemas.language.base_forms import share_known
from blend.schemas.language.characters import scripts_of
from blend.schemas.language.languages import country_name, english_name
from blend.schemas.language.locales import Locale, Registry
from blend.schemas.language.nationalities import nationalities
from blend.schemas.language.region_mentions import in_english
from blend.schemas.rows.published_rows import Prompt

AnyText = TypeVar("AnyText", AskedQuestion, Prompt)

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
_SHOWN_OF_END = 20
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ENDS = re.compile(r"[^\w\s,;:-]\W*$")
"""How sentences end: in a mark, of whatever script."""


def find_other_languages(
    questions: Sequence[Placed[AskedQuestion]], locales: Registry, diagnostics: Diagnostics
) -> None:
    """Note questions that are hardly in the language of their column, or name another country, not their own.

    And those that were cut off, so that they alone do not end like a sentence.
    """
    _find_cut_off(questions, diagnostics)
    scripts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for _, row in questions:
        scripts[_language(locales.get(row.locale))].update(_scripts(row))
    for location, row in _by_language(questions, locales):
        locale = locales.get(row.locale)
        key = {"locale": row.locale, "template_id": row.template_id}
        other = _other_language(row, locale, scripts[_language(locale)])
        for column, what in (("question", other), ("en_question", foreign(row.en_question, _ENGLISH))):
            if what is not None:
                diagnostics.finding("other-language", location, f"column {column}: {what}; kept", **key)
        if not in_english(locale) and (country := _other_country(row.question, locale, locales)):
            found = f"column question: names {country!r}, but not {locale.native_name!r}; kept"
            diagnostics.finding("other-country", location, found, **key)


def _other_language(row: AskedQuestion, locale: Locale, usual: Counter[str]) -> str | None:
    """Say that a local question is in another script than most in its language, or in another language."""
    if in_english(locale):
        return None
    if (scripts := _scripts(row)) and usual.total() > _FEW and usual.most_common(1)[0][0] not in scripts:
        return f"is not in the script of the other questions in {english_name(locale.language)}"
    return foreign(row.question, _language(locale))


def _scripts(row: AskedQuestion) -> Set[str]:
    return scripts_of(_BRACKETS.sub(" ", row.question))


def find_foreign_prompts(
    prompts: Sequence[Placed[Prompt]], locales: Registry, diagnostics: Diagnostics
) -> None:
    """Note prompts that are hardly in the language of their column."""
    for location, row in _by_language(prompts, locales):
        language = _language(locales.get(row.locale))
        for column, text, own in (("prompt", row.prompt, language), ("en_prompt", row.en_prompt, _ENGLISH)):
            if what := foreign(text, own):
                detail = f"column {column}: {what}; kept"
                diagnostics.finding("other-language", location, detail, locale=row.locale)


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


def _find_cut_off(questions: Sequence[Placed[AskedQuestion]], diagnostics: Diagnostics) -> None:
    """Note questions that end in a letter or comma where most others of their column end in a mark."""
    by_locale: defaultdict[str, list[Placed[AskedQuestion]]] = defaultdict(list)
    for placed in questions:
        by_locale[placed.row.locale].append(placed)
    for column in ("question", "en_question"):
        for rows in by_locale.values():
            open_ended = [one for one in rows if not _ENDS.search(getattr(one.row, column).strip())]
            for location, row in open_ended if 2 * len(open_ended) < len(rows) else ():
                end = getattr(row, column).strip()[-_SHOWN_OF_END:]
                detail = f"column {column}: ends in {end!r}, the others in a mark; kept, was it cut off?"
                key = {"locale": row.locale, "template_id": row.template_id}
                diagnostics.finding("cut-off", location, detail, **key)


def _by_language(rows: Sequence[Placed[AnyText]], locales: Registry) -> list[Placed[AnyText]]:
    """Rows of one language after the other, since of dictionaries few are kept (`base_forms`)."""
    return sorted(rows, key=lambda placed: _language(locales.get(placed.row.locale)))


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
    return _any_of(own), _any_of(others - own)


def _any_of(names: Collection[str]) -> re.Pattern[str]:
    forms = sorted(map(_form, names), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(forms)})")


def _form(name: str) -> str:
    """What finds the name of a country where a word begins, in another case as well."""
    if not scripts_of(name) <= _INFLECTED:
        return re.escape(name)  # particles may follow
    if len(name) > _SHORTEST and name.isalpha():
        return rf"{name[:-2]}\w*"
    return rf"{re.escape(name)}(?!\w)"
