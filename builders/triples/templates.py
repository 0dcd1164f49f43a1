"""Prompt templates about dishes, filled in."""

from blend.loaders.wikidata.prompt_checks import PLACEHOLDER
from blend.schemas.language.articles import in_a_sentence
from blend.schemas.language.korean_particles import agreeing
from blend.schemas.rows.triple_rows import PLACEHOLDERS


def fill(
    template: str, language: str, *, subject: str, country: str | None = None, part: str | None = None
) -> str:
    """A template with its placeholders filled; without ``part`` its placeholder stays for a model to fill.

    In Korean a particle directly behind a filled placeholder takes the form that the word asks for; in English
    a country gets its article ("in the United Kingdom"), whether its name comes with one or without.

    Args:
        template: Text with ``[X]``, ``[Y]`` and perhaps ``[C]``.
        language: Tag of the template's language.
        subject: Name of the dish.
        country: Name of the country; needed where the template names it.
        part: Name of the ingredient.

    Raises:
        ValueError: If the template names the country and none is given.
    """
    if PLACEHOLDERS["country"] in template and country is None:
        raise ValueError(f"{template!r} names the country; give one")
    place = None if country is None else in_a_sentence(country, language)
    # At the start of a sentence an English name is "The United Kingdom".
    if place is not None and template.startswith(PLACEHOLDERS["country"]):
        place = place[:1].upper() + place[1:]
    words = {PLACEHOLDERS["subject"]: subject, PLACEHOLDERS["country"]: place, PLACEHOLDERS["part"]: part}
    filled, rest = "", template
    # From left to right in one pass: a name that looks like a placeholder must not be filled in turn.
    while (match := PLACEHOLDER.search(rest)) is not None:
        word = words.get(match[0])
        shown = match[0] if word is None else word
        filled, rest = filled + rest[: match.start()] + shown, rest[match.end() :]
        if word is not None and language == "ko":
            rest = agreeing(word, rest)
    return filled + rest
