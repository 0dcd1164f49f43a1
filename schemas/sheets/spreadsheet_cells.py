"""Spreadsheets: what one makes of a text that looks like a time, a date or a number, and the way back."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from blend.schemas.language.answer_formats import AnswerFormat, understood

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# As they begin in English, German, Spanish, French, Italian, Portuguese, Dutch, Swedish and Indonesian.
_MONTH = re.compile(
    "|".join(_MONTHS)
    + "|mär|mrz|mai|okt|dez|ene|abr|ago|dic|fév|avr|juin|juil|aoû|déc|gen|mag|giu|lug|set|ott|fev|out|mei|maa"
    "|maj|agu|des"
)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::00(?:\.0+)?)?(?: ?([AaPp])\.?[Mm]\.?)?")
_NUMBER = re.compile(r"-?\d{1,20}(?:[.,]\d{1,20})?")  # more digits than a spreadsheet keeps
_ISO_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]00:00(?::00)?)?")
_WRITTEN_DAY = re.compile(r"(\d{1,2})([./-])(\d{1,2})(?:\2(\d{2}|\d{4}))?\.?")
_NAMED_DAY = re.compile(r"(?:(\d{1,2})[ -])?([A-Za-z]{3,9})\.?(?:[ -](\d{1,2}))?(?:[ ,-]+\d{2,4})?")

_SECONDS = re.compile(r"\d{1,2}:\d{2}:\d{2}(?: ?[AaPp]\.?[Mm]\.?)?")
_MIDNIGHT = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}[ T]0?0:00(?::00)?")
_HYPHENED_DAY = re.compile(rf"(?:\d{{1,2}}-)?(?:{_MONTH.pattern})\.?(?:-\d{{2,4}})?", re.IGNORECASE)
_PART_OF_DAY = re.compile(r"0[.,]\d{4,}")

# By name, since any word would do for a hashtag (#WOW!): in English, Danish and Norwegian, Dutch, Finnish,
# French, German, Italian, Polish, Czech, Hungarian, Portuguese, Russian, Spanish, Swedish and Turkish.
_ERRORS = re.compile(
    "#(?:"
    r"(?:NAME|NAVN|NAAM|NIMI|NOM|NOME|NAZWA|NÁZEV|NÉV|ИМЯ|¿NOMBRE|NAMN|AD)\?"
    "|(?:NULL|NUL|NULLO|NULO|¡NULO|NULLA|LEEG|TYHJÄ|ZERO|ПУСТО|SKÄRNING|BOŞ"
    "|¡?DIV/0|DIVISION/0|DEEL/0|JAKO/0|DZIEL/0|DĚLENÍ_NULOU|ZÉRÓOSZTÓ|ДЕЛ/0|SAYI/0"
    "|VALUE|VÆRDI|VERDI|WAARDE|ARVO|VALEUR|WERT|VALORE|VALOR|¡VALOR|ARG|HODNOTA|ÉRTÉK|ЗНАЧ|VÄRDEFEL|DEĞER"
    "|¡?REF|REFERENCE|VERW|VIITTAUS|BEZUG|RIF|ADR|ODKAZ|HIV|ССЫЛКА|REFERENS|BAŞV"
    "|¡?NUM|NÚM|GETAL|LUKU|NOMBRE|ZAHL|LICZBA|ČÍSLO|SZÁM|ЧИСЛО|OGILTIGT|SAYI"
    "|SPILL|CALC|¡CALC|ERROR|PUUTTUU|SAKNAS)!"
    "|N/A|I/T|N/B|N/D|Н/Д|NV"
    r")|Err:\d+"
)
_FORMULA_LEFT = re.compile(
    r"=\s*(?:[-+(]\s*)*(?:"
    r"(?:'[^']+'!|[\w.]+!)?\$?[A-Z]{1,3}\$?\d{1,7}(?!\w)"  # a cell, $A$2 or Sheet1!A2
    r"|[^\W\d][\w.]*\("  # a function, SUM(
    r"|\d[\d.,]*\s*[-+*/^&]\s*[\d(]"  # a sum, 1+2
    r")"
    r"|=[-+][^\W\d_]{3}"  # -kimchi, which is taken for one
)

_WORD = re.compile(r"[^\W\d_]+")
_FORMULA = ("=", "+", "-", "@")
_IN_NUMBERS = frozenset({"a", "p", "m", "am", "pm", "e", "true", "false"})

_DAY_ONE = date(1899, 12, 30)
"""The day from which spreadsheets count days, as LibreOffice and, since March 1900, Excel do."""
_DAYS = range(20_000, 80_000)
"""Numbers taken for days: the years 1954 to 2119."""


def may_be_rewritten(text: str) -> bool:
    """Whether a spreadsheet may take a text for a formula, a number, a time, a date or a truth value.

    Short texts in other scripts than Latin count as well if they have a digit: ``6월 5일`` is a date in Korea.
    """
    if text.startswith(_FORMULA) or text.lower() in ("true", "false"):
        return True
    words = _WORD.findall(text.lower())
    is_short = not words or len(text) <= _LONGEST
    return is_short and any(map(str.isdigit, text)) and all(map(_may_be_in_a_date, words))


_LONGEST = 40
"""Characters of the longest text with words that may be a time or a date."""


def _may_be_in_a_date(word: str) -> bool:
    return _MONTH.match(word) is not None or word in _IN_NUMBERS or not word[0].isascii()


def is_broken(cell: str) -> bool:
    """Whether a cell of a sheet holds a formula, or the error that a spreadsheet shows in place of one."""
    return cell.startswith("=") or left_of_formula(cell) is not None


def left_of_formula(text: str) -> str | None:
    """Say in words which formula or error a spreadsheet has left as a text; null where there surely is none.

    ``=)``, ``=rice`` and ``#1`` are what people write, ``=A2`` and ``#NAME?`` are not.
    """
    text = text.strip()
    if not text.startswith(("=", "#", "Err:")):  # which most texts do not, and that is told fastest
        return None
    if _ERRORS.fullmatch(text):
        return f"the error {text}"
    return f"the formula {text}" if _FORMULA_LEFT.match(text) else None


def is_destroyed(text: str) -> bool:
    """Whether question marks stand where letters were, as in a spreadsheet's CSV whose encoding lacks them.

    Most words are nothing but question marks, of which there are several: ``??? ??`` and ``???? (HH:MM) ??``.
    """
    if text.count("?") < 2:
        return False
    words = text.split()
    return 2 * sum(not word.strip("?.,;:!()\"'") and "?" in word for word in words) > len(words)


def surely_rewritten(text: str) -> bool:
    """Whether a text has the form that a spreadsheet gives a time or a day, and hardly anybody types.

    ``16:00:00``, ``29-Jul`` and ``0.666666667``; not ``2026-07-29``, which people write as well.
    """
    text = text.strip()
    if _PART_OF_DAY.fullmatch(text):
        return _minutes(text) is not None
    has_digit = any(map(str.isdigit, text))
    return has_digit and any(form.fullmatch(text) for form in (_SECONDS, _MIDNIGHT, _HYPHENED_DAY))


def may_have_been(cell: str) -> Iterator[str]:
    """Texts that a spreadsheet may have turned into what stands in a cell.

    Many, and most of them wrong: for callers that know by other means which one was there.
    """
    yield cell
    if cell in ("TRUE", "FALSE"):
        yield from (cell.lower(), cell.capitalize())
    if (minutes := _minutes(cell)) is not None:
        yield from _clocks(*divmod(minutes, 60))
    for month, day in _days(cell):
        yield from _dates(month, day)
    if _NUMBER.fullmatch(cell):
        yield from _numbers(cell)


def in_format(cell: str, answer_format: AnswerFormat) -> str | None:
    """The text that a person typed into a cell for an answer in this format, or null if nobody can tell.

    Whatever is no number, time or date stays as it is, whether or not it has the format. ``0.75`` is ``18:00``
    where a time is asked for; ``5/10/2026`` may be two days, and is null.
    """
    if answer_format is AnswerFormat.TEXT or understood(cell, answer_format) is not None:
        return cell
    minutes = _minutes(cell)
    if answer_format is AnswerFormat.TIME and minutes is not None:
        return "{:02}:{:02}".format(*divmod(minutes, 60))
    days = set(_days(cell))
    if answer_format is AnswerFormat.DATE and len(days) == 1:
        return "{:02}/{:02}".format(*days.pop())
    rewritten = minutes is not None or days or _NUMBER.fullmatch(cell)
    return None if rewritten else cell


def _minutes(cell: str) -> int | None:
    """Minutes since midnight that a cell shows: as a time of day, or as the part of a day."""
    if found := _CLOCK.fullmatch(cell):
        hour, minute, half = int(found[1]), int(found[2]), (found[3] or "").lower()
        if half:
            hour = hour % 12 + (12 if half == "p" else 0)
        return hour * 60 + minute if hour < 24 and minute < 60 else None
    if not _NUMBER.fullmatch(cell) or not 0 <= (part := float(cell.replace(",", "."))) < 1:
        return None
    minutes = round(part * 24 * 60)
    # A spreadsheet shows at least this many digits of the part that a minute is of a day.
    return minutes if abs(part * 24 * 60 - minutes) < 0.01 and minutes < 24 * 60 else None


def _clocks(hour: int, minute: int) -> Iterator[str]:
    """A time of day in the notations that people use."""
    for hours in (str(hour), f"{hour:02}"):
        for point in (":", "."):
            yield f"{hours}{point}{minute:02}"
            yield f"{hours}{point}{minute:02}:00"
    twelve, half = hour % 12 or 12, "p" if hour >= 12 else "a"
    for hours in (str(twelve), f"{twelve:02}"):
        number = (f"{hours}:{minute:02}", f"{hours}.{minute:02}", *([hours] if not minute else []))
        for mark in (f"{half}m", f"{half}.m.", f"{half}.m"):
            for clock in number:
                for text in (f"{clock} {mark}", f"{clock}{mark}"):
                    yield from (text, text.upper())


def _days(cell: str) -> Iterator[tuple[int, int]]:
    """Months and days that a cell may show, whatever the year."""
    yield from ((month, day) for month, day in _shown_days(cell) if 1 <= month <= 12 and 1 <= day <= 31)


def _shown_days(cell: str) -> Iterator[tuple[int, int]]:
    if found := _ISO_DAY.fullmatch(cell):
        yield int(found[2]), int(found[3])
    elif found := _WRITTEN_DAY.fullmatch(cell):
        one, other = int(found[1]), int(found[3])
        yield from {(one, other), (other, one)}
    elif (found := _NAMED_DAY.fullmatch(cell)) and found[2][:3].lower() in _MONTHS:
        day = found[1] or found[3]
        if day is not None:
            yield _MONTHS.index(found[2][:3].lower()) + 1, int(day)
    elif cell.isascii() and cell.isdecimal() and len(cell) == 5 and int(cell) in _DAYS:
        day_shown = _DAY_ONE + timedelta(days=int(cell))
        yield day_shown.month, day_shown.day


def _dates(month: int, day: int) -> Iterator[str]:
    """A day of the year in the notations that people use."""
    for one, other in ((month, day), (day, month)):
        for mark in "/-.":
            yield f"{one}{mark}{other}"
            yield f"{one:02}{mark}{other:02}"
            yield f"{one}{mark}{other:02}"
        yield f"{one}.{other}."
        yield f"{one:02}.{other:02}."


def _numbers(cell: str) -> Iterator[str]:
    """A number in the notations that people use."""
    value = float(cell.replace(",", "."))
    yield from (f"{value:.1f}", f"{value:.2f}", f"{value:.3f}")
    yield f"{value * 100:g}%"
    if value == int(value):
        number = int(value)
        yield from (str(number), f"0{number}", f"00{number}", f"+{number}", f"{number:,}", f"{number}.")
        yield from (f"{number:,}".replace(",", "."), f"{number:,}".replace(",", " "))
        return
    yield from (cell.replace(",", "."), cell.replace(".", ","))
