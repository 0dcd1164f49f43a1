"""Localising: templates and translations to questions that name their country."""

from blend.builders.slots import fill, slot_country
from blend.schemas.locales import Locale


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
    return fill(slot_country(en_question, region_names(locale)), locale)


def region_names(locale: Locale) -> tuple[str, ...]:
    """The names, without article, by which published English questions call a locale's region."""
    return locale.region_name, locale.prompt_name.removeprefix("the ")
