"""Personal data: what in a text may tell who somebody is, and what people agreed to tell about themselves."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from string import punctuation
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from blend.schemas.errors import RowError
from blend.schemas.languages import is_language
from blend.schemas.models import FrozenModel, Row, Text
from blend.schemas.recipe import Line, WebAddress, check_license
from blend.schemas.texts import fold

# Tried once per run of characters, not at each of them: that would take quadratic time in a long word.
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_HANDLE = re.compile(r"(?<![\w.@/])@\w[\w.]{1,}")
_FEWEST_DIGITS = 8
_NUMBER = re.compile(r"\+?[(]?\d(?:[\s().\-/]{0,2}\d){7,}")

_YEARS = re.compile(r"\d{4}\s?[-/]\s?\d{4}")
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}")

_PATTERNS: Final = {
    "an e-mail address": _MAIL,
    "a web address": _ADDRESS,
    "an @handle": _HANDLE,
    "a phone number": _NUMBER,
}
"""What may tell who somebody is, the surest first; a stretch of text counts once."""


_US_PHONE = re.compile(r"[(]?\d{3}[)]?[ .-]\d{3}[ .-]\d{4}")
_NAME = re.compile(r"[^\W\d_]+(?:[ .'-]+[^\W\d_]+)+\.?")
"""Several words of letters alone; a name if each begins with a capital."""


def pseudonym(text: str) -> str:
    """A text that stands for a person and does not tell who it is, as it is.

    Raises:
        ValueError: If it holds an e-mail address, is a phone number, or reads like a name; says what to write
            instead, not what was written.
    """
    if _MAIL.search(text):
        raise ValueError("an e-mail address tells who somebody is; write a pseudonym, for example a01")
    if _US_PHONE.fullmatch(text.strip()) or (_NUMBER.fullmatch(text.strip()) and _is_dialled(text.strip())):
        raise ValueError("a phone number tells who somebody is; write a pseudonym, for example a01")
    words = re.findall(r"[^\W\d_]+", text)
    if _NAME.fullmatch(text.strip()) and all(word[0].isupper() for word in words):
        raise ValueError("this reads like the name of a person; write a pseudonym, for example a01")
    return text


_BETWEEN_NAMES = re.compile(r"\s*[,;/&+|]\s*|\s+(?:and|og|och|und|en|et|e|y|i|и|ja|ve|dan)\s+")
_ONE_NAME = re.compile(r"[^\W\d_]{2,}(?:-[^\W\d_]+)*\.?")
_LOOKALIKES = str.maketrans("авекмнорстухіѕјοανιρ", "abekmhopctyxisjoavip")
"""Cyrillic and Greek small letters, and the Latin ones that look like them."""


@lru_cache(maxsize=65536)
def as_read(pseudonym: str) -> str:
    """What a pseudonym has in common with the same one in another spelling.

    Case and accents do not count, nor signs and blanks around it and between letters and digits, zeros before a
    number, ``O`` beside a digit for 0, and letters of another script that look alike: ``F-01.`` and ``f1`` are
    one.
    """
    text = fold(pseudonym).translate(_LOOKALIKES).strip(punctuation + " ")
    text = re.sub(r"(?<=\d)o|o(?=\d)", "0", text)
    text = re.sub(r"(?<=[^\W\d_])[\s_.-]+(?=\d)|(?<=\d)[\s_.-]+(?=[^\W\d_])", "", text)
    return " ".join(re.sub(r"(?<!\d)0+(?=\d)", "", text).split())


def several_pseudonyms(text: str) -> list[str]:
    """The pseudonyms that one cell lists, ``ka01, ka02``; none where it holds a single one.

    They are formed alike, each with letters and digits, so that ``rater 7`` and ``team-3/b`` are one person; or
    each is a word that begins with a capital, ``Anna, Jógvan``.
    """
    names = _BETWEEN_NAMES.split(text.strip())
    if len(names) > 1 and all(_ONE_NAME.fullmatch(name) and not name[0].islower() for name in names):
        return names
    parts = [part for part in re.split(r"[\s,;/&+|]+", text.strip()) if part]
    forms = {re.sub(r"\d+", "0", re.sub(r"[^\W\d_]", "a", part)) for part in parts}
    form = min(forms, default="")
    return parts if len(parts) > 1 and len(forms) == 1 and "a" in form and "0" in form else []


MODEL_PREFIX: Final = "chat:"
"""How a language model is named where the pseudonym of a person could stand; its own name follows."""

MODEL: Final = "model"
"""Stands there for a language model whose name was not recorded, as that of all verdicts of the package."""


def is_model(who: str) -> bool:
    """Whether a language model is named where the pseudonym of a person could stand."""
    return who == MODEL or who.startswith(MODEL_PREFIX)


Pseudonym = Annotated[str, Field(min_length=1, pattern=r"\S"), AfterValidator(pseudonym)]
"""Who did something, by a name that tells nobody who it is."""


ACCOUNT_PSEUDONYM = re.compile(r"p-[0-9a-f]{12}")
"""How whoever has an account of Label Studio is called, in all that was pulled from there."""

EVENTS = "events.jsonl"
"""File of a pull folder with everything that people did, as it was seen."""

KEY = "key"
"""Event of its first line, by which the key of the pseudonyms is known again."""

_DIGITS_OF_PHONES: Final = range(9, 16)
"""How many digits a phone number in an answer has; the most are those of ITU-T E.164."""


def contact_data(text: str, *, is_answer: bool) -> list[str]:
    """The e-mail addresses and phone numbers in a text, as `personal_data` calls them; never the data.

    Args:
        text: What somebody typed.
        is_answer: See `personal_data`.
    """
    if "@" not in text and sum(map(str.isdecimal, text)) < _FEWEST_DIGITS:
        return []  # nearly all answers
    kinds = personal_data(text, is_answer=is_answer)
    return [kind for kind in kinds if kind in ("an e-mail address", "a phone number")]


_SHORT_NUMBER = re.compile(r"(?<![\w.,:])\d(?:[ .-]?\d){5,6}(?![\w:]|[.,]\d)")


def may_be_dialled(text: str) -> bool:
    """Whether a text holds a number of six or seven digits, as local telephone numbers are, and no date."""
    return _SHORT_NUMBER.search(_DATE.sub(" ", _YEARS.sub(" ", text))) is not None


def _is_dialled(number: str) -> bool:
    digits = [int(character) for character in number if character.isdecimal()]
    # Nobody dials three zeros: a number of somebody in a list begins with them.
    is_dialled = digits[0] == 0 and any(digits[:3])
    return (number.startswith("+") or is_dialled) and len(digits) in _DIGITS_OF_PHONES


_NUMBER_IN_WORDS = re.compile(r"(?<!\d)\d(?:[ -]?\d){5,}(?!\d)")
_TWO_WORDS = re.compile(r"(?=\b([^\W\d_]+) ([^\W\d_]+))")
_WORDS_BEFORE_NUMBER = re.compile(r"\b([^\W\d_]+) ([^\W\d_]+)\W{1,3}\d(?: ?\d){5,7}(?![\d-])")


def own_words(text: str, *, where: str, of_answers: bool) -> Iterator[RowError]:
    """The problems of somebody's own words by which a person can be reached; never the data.

    As `contact_data`, and a name (two capitalised words in a row) with a number of six or more digits.

    Args:
        text: What somebody typed, which releases repeat.
        where: What messages call the place.
        of_answers: Whether it speaks of answers, and so perhaps of prices and countries; then such a number
            has eight digits at most, and stands right behind the name.
    """
    kinds = contact_data(text, is_answer=of_answers)
    if not kinds and _NUMBER_IN_WORDS.search(text):
        pairs = (_WORDS_BEFORE_NUMBER if of_answers else _TWO_WORDS).findall(text)
        kinds = ["a name with a number"] if any(a[0].isupper() and b[0].isupper() for a, b in pairs) else []
    for kind in kinds:
        fix = "say why in other words: a release repeats them"
        yield RowError(f"holds {kind} (not shown)", where=where, fix=fix)


def personal_data(text: str, *, is_answer: bool = False) -> list[str]:
    """The kinds of personal data in a text, one per place; never the data.

    Args:
        text: What somebody typed.
        is_answer: Whether it answers a question. Elsewhere a number of eight or more digits counts, unless it
            is a date or two years; prices and hours are answers, so that a number among them is a phone's only
            if it begins with ``+`` or 0 and has 9 to 15 digits.
    """
    kinds: list[str] = []
    for kind, pattern in _PATTERNS.items():
        found = [match[0] for match in pattern.finditer(text)]
        if pattern is _NUMBER:
            found = list(filter(_is_dialled if is_answer else _is_no_date, found))
        kinds += [kind] * len(found)
        text = pattern.sub(" ", text)
    return kinds


def _is_no_date(number: str) -> bool:
    return not (_YEARS.fullmatch(number) or _DATE.fullmatch(number))


_LONGEST_CODE = 3


def _without_contact(name: str) -> str:
    if kinds := personal_data(name, is_answer=True):
        raise ValueError(f"{kinds[0]} is nothing to publish; write the name alone")
    return name


def _license(text: str) -> str:
    try:
        check_license(text, where="")
    except RowError as error:
        raise ValueError(f"{error.what}; {error.fix}") from None
    return text


def _language(tag: str) -> str:
    # KO is ko: the case of a language's code means nothing.
    tag = tag.lower() if tag.isalpha() and len(tag) <= _LONGEST_CODE else tag
    if not is_language(tag):
        raise ValueError(f"{tag!r} is not a language tag; write one such as ko or pt-BR, or empty the cell")
    return tag


def _past(day: date) -> date:
    # A day begins 14 hours earlier in the east than in UTC.
    if day > (datetime.now(UTC) + timedelta(hours=14)).date():
        raise ValueError(f"{day} is still to come; write the day on which you agreed")
    return day


_Credited = Annotated[Line, AfterValidator(pseudonym)]
"""A pseudonym as it may stand on a card."""


class Contributor(FrozenModel):
    """Who adds a folder to a collection, and how they want to be credited."""

    credit: Literal["name", "pseudonym", "none"]
    """How the release may call the contributor: by ``name``, by ``pseudonym``, or ``none`` for not at all."""
    name: Annotated[Line, AfterValidator(_without_contact)] | None = Field(default=None, examples=["Mina Kim"])
    """Name as it may be published; only with ``credit = "name"``."""
    pseudonym: _Credited | None = Field(default=None, examples=["mk"])
    """Pseudonym as it may be published; only with ``credit = "pseudonym"``."""
    orcid: Annotated[str, Field(pattern=r"^\d{4}-\d{4}-\d{4}-\d{3}[\dX]$")] | None = Field(
        default=None, examples=["0000-0002-1825-0097"]
    )
    """ORCID iD; only with ``credit = "name"``."""
    url: WebAddress | None = Field(default=None, examples=["https://example.org/kim"])
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

    annotator: Pseudonym
    """Pseudonym of the annotator, as in the contributor's responses."""
    native_language: Annotated[str, AfterValidator(_language)] | None = None
    """BCP 47 tag of the annotator's native language, for example ``su``; null when not told."""
    years_in_region: Annotated[int, Field(ge=0, le=120)] | None = None
    """Years that the annotator has lived in the region; null when not told."""
    age_band: Literal["18-24", "25-34", "35-44", "45-54", "55-64", "65+"] | None = None
    """Age in one of the bands, for example ``25-34``; null when not told."""
