"""Questions that fit one country only: the words in a template that other countries may have nothing for.

A benchmark asks the same question everywhere, so a question about Chuseok, the BBC or the king is not a
template. Nobody but a person can tell (Christmas is known in many countries), so the words are told, each with
the kind of name that it looks like. Everything here reads English spelling: capitals, and a few lists of words.
"""

import re

from blend.builders.templates.slots import at_sentence_start
from blend.schemas.prompts import ANY_SLOT

_PARENTHESES = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
_HINT = re.compile(r"\be\.g\.|HH:MM|MM/DD|Arabic numerals?")
# A name: capitalised words, joined by small ones as in "Eid ul Fitr" and "Bank of Korea", or by a possessive.
_WORD = r"[^\W\d_a-z](?:[\w'’.&-]*\w)?(?:(?<=s)['’](?=\s))?"
_NAME = re.compile(rf"(?<![\w'’.-]){_WORD}(?:\s+(?:(?:of|the|and|de|la|al|ul|el|for)\s+){{0,2}}{_WORD})*")
# Capitals of English spelling that name nothing particular to a country.
_COMMON_CAPITALS = """
I Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August
September October November December TV DVD PC AM PM OK HH MM DD Internet COVID-19 ID CEO GDP PhD
"""
_COMMON = frozenset(_COMMON_CAPITALS.split())
_INSTITUTIONS = """
Academy Administration Agency Army Assembly Association Authority Bank Board Bureau Cabinet Church College
Commission Committee Congress Corporation Council Court Department Emperor Exam Examination Federation
Foundation Government Hospital House Institute King Library Ministry Museum Navy Office Organization
Parliament Party Police President Prize Queen School Senate Service Society Supreme Treasury Union
University
"""
_INSTITUTION = re.compile(rf"\b(?:{'|'.join(_INSTITUTIONS.split())})\b")
_HOLIDAY = re.compile(
    r"\b(?:Day|Eve|New Year|Festival|Christmas|Easter|Ramadan|Eid|Lent|Carnival|Halloween|Thanksgiving|Diwali"
    r"|Holi|Hanukkah|Nowruz|Week|Fair|Jubilee)\b"
)
_PLACE = re.compile(
    r"\b(?:River|Lake|Mount|Mountains?|Islands?|Street|Square|Avenue|Bridge|Tower|Palace|Castle|Temple|Park"
    r"|Bay|Sea|Ocean|Valley|Desert|City|Province|Station|Airport|Stadium|America|Africa|Asia|Europe)\b"
)
# In small letters as well, these exist in some countries only.
_NATIONAL = re.compile(
    r"\b(?:king|queen|monarch|emperor|shah|sultan|royal(?:\s+family)?|prime minister|president|parliament"
    r"|congress|senate|national assembly|supreme court|governor|zip code|social security|conscription)\b"
)
_SPEAKER = re.compile(r"\b(?:we|us|our|ours|my|mine|here)\b", re.IGNORECASE)


def one_country_reasons(template: str) -> list[str]:
    """List why a template may fit one country only.

    Args:
        template: English text with slots for the author's own country.

    Returns:
        Reasons ``kind: what``, in the order of the text within each kind and none twice: ``institution``,
        ``holiday``, ``place``, ``abbreviation`` or ``proper noun`` for capitalised words that start no
        sentence, ``institution`` for national ones in small letters, ``script`` for words in other letters than
        Latin, ``speaker`` for words such as "we" and "here". Slots, format hints, weekdays and months do not
        count.
    """
    # What is left out still parts names and sentences, so it is blanked, not removed.
    text = _PARENTHESES.sub(_without_hint, ANY_SLOT.sub(_blanked, template))
    reasons = [reason for found in _NAME.finditer(text) for reason in _name_reasons(found)]
    reasons += [
        f"institution: {found[0]!r} is not found in every country" for found in _NATIONAL.finditer(text)
    ]
    reasons += [f"script: {word!r} is not in Latin letters" for word in _foreign_words(text)]
    reasons += [f"speaker: {found[0]!r} depends on who asks" for found in _SPEAKER.finditer(text)]
    return list(dict.fromkeys(reasons))


def _blanked(match: re.Match[str]) -> str:
    # A letter is no name by itself, and after it no sentence starts.
    return "x".ljust(len(match[0]), "_")


def _without_hint(match: re.Match[str]) -> str:
    return _blanked(match) if _HINT.search(match[0]) else match[0]


def _name_reasons(found: re.Match[str]) -> list[str]:
    name = found[0]
    if at_sentence_start(found.string[: found.start()]):
        # The first word is capitalised by its place; what follows it in capitals is a name.
        first, _, name = name.partition(" ")
        if not name:
            return _initial_reasons(first)
        name = _from_capital(name)
    words = [word for word in name.split() if word not in _COMMON and word.removesuffix("s") not in _COMMON]
    if not any(word[0].isupper() for word in words):
        return []
    return [f"{_kind(name)}: {name!r}"]


def _initial_reasons(word: str) -> list[str]:
    """A word at the start of a sentence is told only when its letters show that it is a name."""
    abbreviation = word.isupper() and len(word) > 1 and word not in _COMMON
    return [f"abbreviation: {word!r}"] if abbreviation else []


def _from_capital(name: str) -> str:
    """The name without the small words that it starts with."""
    words = name.split()
    while words and words[0][0].islower():
        del words[0]
    return " ".join(words)


def _kind(name: str) -> str:
    if _INSTITUTION.search(name):
        return "institution"
    if _HOLIDAY.search(name):
        return "holiday"
    if _PLACE.search(name):
        return "place"
    return "abbreviation" if name.isupper() and " " not in name else "proper noun"


def _foreign_words(text: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]+", text) if any(ord(char) > 0x24F for char in word)]
