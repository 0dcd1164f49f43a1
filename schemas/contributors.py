"""Contributors: who adds a folder to a collection, and what annotators agreed to tell about themselves."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, field_validator

from blend.schemas.addresses import is_server_address
from blend.schemas.errors import RowError
from blend.schemas.languages import is_language
from blend.schemas.models import FrozenModel, Row, Text
from blend.schemas.personal_data import Pseudonym, personal_data
from blend.schemas.recipe import check_license
from blend.schemas.texts import escape_controls

AGE_BANDS: Final = ("18-24", "25-34", "35-44", "45-54", "55-64", "65+")
"""Bands in which annotators tell their age."""
_MOST_YEARS: Final = 120
_LONGEST_CODE = 3

_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")


def _without_contact(name: str) -> str:
    if kinds := personal_data(name, is_answer=True):
        raise ValueError(f"{kinds[0]} is nothing to publish; write the name alone")
    return name


def _visible(text: str) -> str:
    if escape_controls(text) != text or len(text.splitlines()) > 1:
        raise ValueError("a control character or line break is in it; type it again")
    return text


def _orcid(text: str) -> str:
    if not _ORCID.fullmatch(text):
        raise ValueError(f"{text!r} is no ORCID iD; write it as in 0000-0002-1825-0097, or leave the key out")
    return text


def _address(text: str) -> str:
    if not is_server_address(text):
        raise ValueError(f"{text!r} is no web address; write it in full, with https://, or leave the key out")
    return text


def _license(text: str) -> str:
    try:
        check_license(text, where="")
    except RowError as error:
        raise ValueError(f"{error.what}; {error.fix}") from None
    return text


def _past(day: date) -> date:
    # A day begins 14 hours earlier in the east than in UTC.
    if day > (datetime.now(UTC) + timedelta(hours=14)).date():
        raise ValueError(f"{day} is still to come; write the day on which you agreed")
    return day


class Contributor(FrozenModel):
    """Who adds a folder to a collection, and how they want to be credited."""

    credit: Literal["name", "pseudonym", "none"]
    """How the release may call the contributor: by ``name``, by ``pseudonym``, or ``none`` for not at all."""
    name: Annotated[Text, AfterValidator(_without_contact), AfterValidator(_visible)] | None = None
    """Name as it may be published; only with ``credit = "name"``."""
    pseudonym: Annotated[Pseudonym, AfterValidator(_visible)] | None = None
    """Pseudonym as it may be published; only with ``credit = "pseudonym"``."""
    orcid: Annotated[str, AfterValidator(_orcid)] | None = None
    """ORCID iD; only with ``credit = "name"``."""
    url: Annotated[str, AfterValidator(_address)] | None = None
    """Web page of the contributor; only with a credit."""
    license: Annotated[Text, AfterValidator(_license)]
    """Licence of what is contributed, by the identifier that the Hub knows, for example ``cc-by-4.0``."""
    agreed: Annotated[date, AfterValidator(_past)]
    """Day on which the contributor agreed to the text in CONSENT.md, as in ``2026-11-30``."""


class LocaleShare(FrozenModel):
    """What a contributor brought for a locale."""

    locale: str
    """Tag of the locale."""
    questions: int = 0
    """Questions that no earlier folder has."""
    responses: int = 0
    """Responses."""
    reviews: int = 0
    """Reviewed questions that no earlier folder has."""


class Contributed(FrozenModel):
    """What a contributor brought."""

    folder: str
    """Name of their folder."""
    contributor: Contributor
    """Who it is, as far as they agreed to tell."""
    locales: tuple[LocaleShare, ...]
    """What they brought, in the order of the tags."""


class AnnotatorProfile(Row):
    """What an annotator agreed to tell; never published, only counted over five or more annotators."""

    annotator: Annotated[Pseudonym, AfterValidator(_visible)]
    """Pseudonym of the annotator, as in the contributor's responses."""
    native_language: str | None = None
    """BCP 47 tag of the annotator's native language, for example ``su``; null when not told."""
    years_in_region: int | None = None
    """Years that the annotator has lived in the region; null when not told."""
    age_band: str | None = None
    """Age in one of the bands, for example ``25-34``; null when not told."""

    @field_validator("native_language", mode="before")
    @classmethod
    def _lower_case(cls, tag: str | None) -> str | None:
        # KO is ko: the case of a language's code means nothing.
        return tag.lower() if tag and len(tag) <= _LONGEST_CODE else tag

    @field_validator("native_language")
    @classmethod
    def _known_language(cls, tag: str | None) -> str | None:
        if tag is not None and not is_language(tag):
            raise ValueError(f"{tag!r} is no language tag; write one such as ko or pt-BR, or empty the cell")
        return tag

    @field_validator("years_in_region", mode="before")
    @classmethod
    def _whole_years(cls, years: str | int | None) -> int | None:
        if years is None or (isinstance(years, int) and not isinstance(years, bool)):
            number = years
        else:
            number = int(years) if re.fullmatch(r"[0-9]{1,3}", str(years).strip()) else -1
        if number is not None and not 0 <= number <= _MOST_YEARS:
            raise ValueError(
                f"{years!r} is no whole number of years from 0 to {_MOST_YEARS}; correct it, or empty the cell"
            )
        return number

    @field_validator("age_band")
    @classmethod
    def _known_band(cls, band: str | None) -> str | None:
        if band is not None and band not in AGE_BANDS:
            raise ValueError(
                f"{band!r} is no age band; choose one of {', '.join(AGE_BANDS)}, or empty the cell"
            )
        return band
