"""Recovering templates from questions that were localised already."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

import polars as pl

from blend.builders.templates.localise import region_names
from blend.builders.templates.slots import slot_country, slot_nationality
from blend.schemas.formats import format_of
from blend.schemas.frames import KEY, REWORDINGS, TEMPLATES
from blend.schemas.locales import Locale, Registry, registry
from blend.schemas.texts import clean


class Recovered(NamedTuple):
    """Templates, and the questions that depart from them."""

    templates: pl.DataFrame
    """`template_columns.TEMPLATES`, ordered by id."""
    rewordings: pl.DataFrame
    """`template_columns.REWORDINGS`, ordered by template and locale."""


def recover_templates(questions: pl.DataFrame, *, locales: Registry | None = None) -> Recovered:
    """The templates behind localised English questions, by majority over the locales.

    Every name of a question's own region becomes ``{country}``. The region's adjective of nationality becomes
    ``{nationality}`` in those templates only in which this lets more locales agree, so that ``American
    football`` stays what it is.

    Args:
        questions: `frame_columns.QUESTIONS`; only the English texts are compared.
        locales: Known locales; the packaged registry when absent.

    Returns:
        One template per id: the text that most locales have, among equally many the first in code-point order,
        with single blanks. Every question whose text with slots is not exactly the majority's is a rewording.

    Raises:
        UnknownNameError: If a question's locale is not known.
    """
    known = registry() if locales is None else locales
    templates: list[dict[str, object]] = []
    rewordings: list[dict[str, object]] = []
    for same_template in questions.sort(KEY).partition_by("template_id", maintain_order=True):
        rows = same_template.to_dicts()
        texts = _slotted([(row["en_question"], known.get(row["locale"])) for row in rows])
        majority = _majority(texts)
        templates.append(_template(rows, clean(majority)))
        rewordings += [
            _rewording(row, text, majority) for row, text in zip(rows, texts, strict=True) if text != majority
        ]
    return Recovered(pl.DataFrame(templates, schema=TEMPLATES), pl.DataFrame(rewordings, schema=REWORDINGS))


def _slotted(texts: list[tuple[str, Locale]]) -> list[str]:
    """The texts with slots, by the reading under which most of them agree; the plainer one if as many do."""
    readings: list[Callable[[str, Locale], str]] = [_country_only, _country_and_nationality]
    return max(([read(*text) for text in texts] for read in readings), key=_agreement)


def _country_only(text: str, locale: Locale) -> str:
    return slot_country(text, region_names(locale))


def _country_and_nationality(text: str, locale: Locale) -> str:
    # The country first: "Basque" is a part of "the Basque Country".
    text = _country_only(text, locale)
    for adjective in locale.nationalities[:1]:
        text = slot_nationality(text, adjective)
    return text


def _agreement(texts: list[str]) -> int:
    return max(Counter(texts).values())


def _majority(texts: list[str]) -> str:
    return min(Counter(texts).items(), key=lambda item: (-item[1], item[0]))[0]


def _template(rows: list[dict[str, str]], text: str) -> dict[str, object]:
    first: Mapping[str, str | None] = rows[0]
    return {
        "template_id": first["template_id"],
        "topic": _majority([row["topic"] for row in rows]),
        "source_locale": first["source_locale"],
        "text": text,
        "answer_format": format_of(text).value,
        "source": first["source"],
    }


def _rewording(row: Mapping[str, str], text: str, majority: str) -> dict[str, object]:
    return {
        "template_id": row["template_id"],
        "locale": row["locale"],
        "kind": "white space" if clean(text) == clean(majority) else "wording",
        "text": text,
        "template": majority,
        "source": row["source"],
    }
