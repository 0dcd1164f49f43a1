"""Normalising: one spelling for what keyboards, scripts and hurry write in several, and the words of a text."""

import re
from collections.abc import Callable
from functools import lru_cache
from unicodedata import category

from blend.schemas.spelling import respell


def normalised(text: str, language: str) -> str:
    """The text as compared: folded, digits of any script as 0-9, variants of spelling unified.

    Beyond `spelling.respell`, which says what is unified in which language and why: in Hausa hooked letters
    that a keyboard without them writes with an apostrophe or as their look-alikes; in Hausa and Assamese the
    apostrophe inside a word, which is a letter; in Persian the blank before an ending or behind a prefix that
    is written joined, apart or with a non-joiner, and the non-joiner before an enclitic, which is a blank.

    Args:
        text: Any text.
        language: BCP 47 tag.
    """
    further = _FURTHER.get(language.partition("-")[0].lower())
    return respell(text, language) if further is None else further(text, language)


@lru_cache(maxsize=1 << 16)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a normalised text, in order; punctuation and blanks part words, marks belong to them."""
    # Vowel signs and other marks are not alphanumeric; without them a word of many scripts falls to pieces.
    return tuple("".join(c if c.isalnum() or category(c)[0] == "M" else " " for c in text).split())


_APOSTROPHES = "'’‘ʼ`´"
_HOOKED = {"b": "ɓ", "d": "ɗ", "k": "ƙ", "y": "ƴ"}
_BEFORE_LETTER = re.compile(rf"(?<!\w)[{_APOSTROPHES}]([dky])(?=\w)|(?<=\w)[{_APOSTROPHES}]([bdky])(?=\w)")
_APOSTROPHE_LETTER = "\N{MODIFIER LETTER APOSTROPHE}"
_APOSTROPHE_INSIDE = re.compile(rf"(?<=\w)[{_APOSTROPHES}](?=\w)")
_LOOK_ALIKES = str.maketrans({"ɖ": "ɗ", "ķ": "ƙ"})


def _hausa(text: str, language: str) -> str:
    plain = respell(text, language).translate(_LOOK_ALIKES)
    hooked = _BEFORE_LETTER.sub(lambda letter: _HOOKED[letter[1] or letter[2]], plain)
    # An apostrophe is a sound: ma'aikaci is not ma and aikaci.
    return _APOSTROPHE_INSIDE.sub(_APOSTROPHE_LETTER, hooked)


def _assamese(text: str, language: str) -> str:
    # An apostrophe stands for a vowel: ম'ম is one word.
    return _APOSTROPHE_INSIDE.sub(_APOSTROPHE_LETTER, respell(text, language))


_FA_PREFIX = re.compile(r"(?<!\w)(ن?می) (?=\w)")
_FA_ENDING = re.compile(r"(?<=\w) (ها(?:ی|یی|یم|یت|یش)?|تر(?:ین)?)(?!\w)")
_FA_ENCLITIC = re.compile(r"\u200c(?=(?:ا?ی|اش|ام|ات|اند|ست|[شمت]ان)(?!\w))")


def _persian(text: str, language: str) -> str:
    # Joined, an enclitic behind a final h would look like a plural: خانه‌ای, a house, like خان‌های, khans.
    apart = _FA_ENCLITIC.sub(" ", text)
    plain = respell(apart, language)  # without non-joiners, so that what they part is joined
    return _FA_ENDING.sub(r"\1", _FA_PREFIX.sub(r"\1", plain))


_FURTHER: dict[str, Callable[[str, str], str]] = {"as": _assamese, "fa": _persian, "ha": _hausa}
