"""Localising: templates and translations to questions that name their country.

A template is English text with ``{country}`` where a country is named and ``{nationality}`` where an
adjective of nationality stands. Names carry their article: ``{country}`` is filled with ``the UK`` or ``South
Korea``, so a template never writes an article of its own before it. The fill is grammatical at the start of a
sentence (``The UK``), in the possessive (``the UK's``, ``the Philippines'``) and after an indefinite article
(``an American``).
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import polars as pl

from blend.schemas.errors import RowError, raise_all
from blend.schemas.frames import FINDINGS, KEY, QUESTIONS
from blend.schemas.languages import article_by_sound
from blend.schemas.locales import Locale, Registry, in_english, registry
from blend.schemas.prompts import COUNTRY, NATIONALITY, slots_of
from blend.schemas.sheets import moved_questions, rows_off
from blend.schemas.texts import clean

_Finding = tuple[str, str | None, str | None, str | None, str]
_Key = tuple[str, str]
_Row = Mapping[str, Any]
"""A template, or a translation, by column."""


class _Localised(NamedTuple):
    """Questions, and what could not become one."""

    questions: pl.DataFrame
    """`frames.QUESTIONS`, ordered by template and locale."""
    dropped: pl.DataFrame
    """`frames.FINDINGS`: questions left out, translations that nothing asks for, and those of an English
    text that has changed since, which are kept; with reasons."""


def prompt_question(en_question: str, locale: Locale) -> str:
    """A published English question, naming the region as it is printed in a prompt.

    BLEnD's English questions name regions without article (``in US``); a prompt reads ``in the US``.

    Args:
        en_question: English text that names the locale's region, with or without article, possibly several
            times and in the possessive. A text that does not name it keeps its words.
        locale: Locale asked about.

    Returns:
        The same text with ``locale.prompt_name`` for each name, capitalised where a sentence starts, with
        single blanks and no outer white space.
    """
    return fill(slot_country(en_question, _region_names(locale)), locale)


def _region_names(locale: Locale) -> tuple[str, ...]:
    """The names, without article, by which published English questions call a locale's region."""
    return locale.region_name, locale.prompt_name.removeprefix("the ")


def localise(
    templates: pl.DataFrame,
    locales: Iterable[Locale],
    translations: pl.DataFrame,
    *,
    known: Registry | None = None,
) -> _Localised:
    """Every template in every locale, in English and in the local language.

    Args:
        templates: `frames.TEMPLATES`, one row per template.
        locales: Locales to make questions for.
        translations: `frames.TRANSLATIONS`: the questions in the local languages, country named, each once. The
            English text is the local one in a locale that speaks English and has no translation.
        known: Locales that templates may come from, for ``source_label``; the packaged registry when absent.

    Returns:
        The questions. A template without translation makes no question in that locale and is a finding
        (``no-translation``), so is one that needs an adjective that the locale lacks (``no-nationality``), a
        translation of no given template and locale (``unused-translation``), and one of another English text
        than the template's now (``outdated-translation``), which is kept with that English as ``en_question``;
        and a locale's translations that seem to stand a row off in their file (``moved-column``), kept as well.

    Raises:
        RowError, RowErrors: If a translation has a slot left.
        UnknownNameError: If a template comes from a locale that is not known.
    """
    wanted = {locale.tag: locale for locale in locales}
    known = registry() if known is None else known
    raise_all([*_unfilled_slots(translations)])
    translated = {(row["template_id"], row["locale"]): row for row in translations.iter_rows(named=True)}
    rows: list[dict[str, Any]] = []
    findings: list[_Finding] = []
    for template, locale in product(templates.to_dicts(), wanted.values()):
        key = template["template_id"], locale.tag
        translation = translated.get(key)
        if (left_out := _why_not(template, locale, translation)) is not None:
            kind, detail = left_out
            findings.append((kind, template["source"], key[1], key[0], detail))
            continue
        en_question = fill(template["text"], locale)
        own = {"question": en_question, "en_question": en_question}
        if translation is not None:
            # What was translated: beside the English of now it would pass for its translation when this file is
            # localised again.
            was = _translated_english(translation, locale) or en_question
            text, source = clean(translation["question"]), translation["source"]
            own = {"question": text, "en_question": was, "source": source}
            if was != en_question:
                what = f"translates {was!r}, which is {en_question!r} now"
                detail = f"{what}; kept beside the English that it translates"
                findings.append(("outdated-translation", source, key[1], key[0], detail))
        origin = template["source_locale"]
        label = known.get(origin).label if origin else ""
        of_locale = {"locale": locale.tag, "language": locale.language, "source_label": label}
        rows.append({**template, **of_locale, **own})
    findings += _unused(translated, set(templates["template_id"]), set(wanted))
    findings += _moved(translated, {(row["template_id"], row["locale"]): row["en_question"] for row in rows})
    return _Localised(
        questions=pl.DataFrame(rows, schema=QUESTIONS).sort(KEY),
        dropped=pl.DataFrame(findings, schema=FINDINGS, orient="row").sort("template_id", "locale", "kind"),
    )


def _unfilled_slots(translations: pl.DataFrame) -> Iterator[RowError]:
    for text, source in translations.select("question", "source").iter_rows():
        for slot in slots_of(clean(text))[:1]:
            what, where = f"the translation holds the slot {slot}", f"{source}, column question"
            fix = "write the country's name, in the form that the sentence needs"
            yield RowError(what, where=where, fix=fix)


def _why_not(template: _Row, locale: Locale, translation: _Row | None) -> tuple[str, str] | None:
    """The kind of the finding about why there is no question, and its detail; null where there is one."""
    if NATIONALITY in template["text"] and not locale.nationalities:
        return "no-nationality", f"the template needs an adjective of nationality: {template['text']}"
    if translation is None and not in_english(locale):
        text = fill(template["text"], locale)
        return "no-translation", f"no {locale.language_name} translation of: {text}"
    return None


def _translated_english(translation: _Row, locale: Locale) -> str:
    """The English text that was translated; empty where nobody wrote it down."""
    was = clean(translation["en_question"] or "")
    # One that needs an adjective which the locale lacks stays as it is.
    return was if NATIONALITY in was and not locale.nationalities else fill(was, locale)


def _moved(translated: Mapping[_Key, _Row], english: Mapping[_Key, str]) -> Iterator[_Finding]:
    """Locales whose translations fit the English of the row above or below theirs in the file better."""
    for locale in sorted({tag for _, tag in translated}):
        asked = [(key, one) for key, one in translated.items() if key[1] == locale and key in english]
        if off := rows_off([(clean(one["question"]), english[key]) for key, one in asked]):
            yield "moved-column", asked[0][1]["source"], locale, None, moved_questions(locale, off)


def _unused(
    translated: Mapping[_Key, _Row], template_ids: Container[str], tags: Container[str]
) -> Iterator[_Finding]:
    for (template_id, tag), translation in translated.items():
        if template_id not in template_ids or tag not in tags:
            missing = f"template {template_id}" if template_id not in template_ids else f"locale {tag}"
            detail = f"{missing} is not among those to localise; the translation is left out"
            yield "unused-translation", translation["source"], tag, template_id, detail


_ARTICLE = r"(?:\b[Tt]he\s+)?"
# A bare apostrophe is a possessive after a plural only; elsewhere it closes a quotation.
_POSSESSIVE = r"(?P<possessive>(?:['’]s|(?<=s)['’])(?!\w))?"
_COUNTRY_SLOT = re.compile(_ARTICLE + re.escape(COUNTRY) + r"(?P<possessive>['’]s(?!\w))?")
_NATIONALITY_SLOT = re.compile(r"(?:\b(?P<article>[Aa])n?\s+)?" + re.escape(NATIONALITY))
_SENTENCE_START = re.compile(r"(?:^|[.?!]['\"’”)\]]*\s+)['\"‘“(\[]*$")
# A full stop here ends no sentence.
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx)\.\s+$", re.IGNORECASE)


def fill(text: str, locale: Locale) -> str:
    """A template's text with the slots filled for a locale.

    Args:
        text: English text with `SLOTS`, any number of each.
        locale: Whose names to use: ``prompt_name`` for the country, the first of ``nationalities``.

    Returns:
        The text without slots, single-spaced. An article before the country slot is swallowed.

    Raises:
        LookupError: If the text needs a nationality and the locale has none.
    """
    filled = _COUNTRY_SLOT.sub(lambda match: _country(match, locale), text)
    filled = _NATIONALITY_SLOT.sub(lambda match: _nationality(match, locale), filled)
    return clean(filled)


def slot_country(text: str, names: Iterable[str]) -> str:
    """The text with ``{country}`` for every name, its article swallowed and its possessive regular.

    Args:
        text: English text.
        names: Names without article. Longer ones win, and a name is only found as whole words.
    """
    return _named(tuple(names)).sub(
        lambda match: COUNTRY + ("'s" if match["possessive"] else ""),
        text,
    )


def at_sentence_start(before: str) -> bool:
    """Whether what follows the text ``before`` starts a sentence."""
    return bool(_SENTENCE_START.search(before)) and not _ABBREVIATION.search(before)


def _country(match: re.Match[str], locale: Locale) -> str:
    name = locale.prompt_name
    if at_sentence_start(match.string[: match.start()]):
        name = name[0].upper() + name[1:]
    return name + _possessive(name) if match["possessive"] else name


def _possessive(name: str) -> str:
    """The Philippines' islands, but the US's states: an abbreviation in S is not a plural."""
    return "'" if name.endswith("s") else "'s"


def _nationality(match: re.Match[str], locale: Locale) -> str:
    if not locale.nationalities:
        raise LookupError(f"{locale.tag} has no adjective of nationality")
    adjective = locale.nationalities[0]
    article = match["article"]
    if not article:
        return adjective
    return f"{article}{article_by_sound(adjective).removeprefix('a')} {adjective}"


@lru_cache(maxsize=256)
def _named(names: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    choice = "|".join(map(re.escape, longest_first))
    return re.compile(rf"{_ARTICLE}(?<![\w-])(?:{choice})(?![\w-]){_POSSESSIVE}")
