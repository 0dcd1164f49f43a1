"""Normalising: one spelling for what keyboards, scripts and hurry write in several, and the words of a text."""

import re
from collections.abc import Callable
from functools import lru_cache
from unicodedata import category

from blend.schemas.spelling import respell


def normalised(text: str, language: str) -> str:
    """The text as compared: folded, digits of any script as 0-9, variants of spelling unified.

    Beyond `schemas.spelling.respell`, which says what is unified in which language and why: in Hausa hooked
    letters that a keyboard without them writes with an apostrophe or as their look-alikes, in Persian the blank
    before an ending or behind a prefix that is written joined, apart or with a non-joiner.

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
_LOOK_ALIKES = str.maketrans({"ɖ": "ɗ", "ķ": "ƙ"})


def _hausa(text: str, language: str) -> str:
    plain = respell(text, language).translate(_LOOK_ALIKES)
    return _BEFORE_LETTER.sub(lambda letter: _HOOKED[letter[1] or letter[2]], plain)


_FA_PREFIX = re.compile(r"(?<!\w)(ن?می) (?=\w)")
_FA_ENDING = re.compile(r"(?<=\w) (ها(?:ی|یی|یم|یت|یش)?|تر(?:ین)?)(?!\w)")


def _persian(text: str, language: str) -> str:
    plain = respell(text, language)  # without non-joiners, so that what they part is joined
    return _FA_ENDING.sub(r"\1", _FA_PREFIX.sub(r"\1", plain))


_FURTHER: dict[str, Callable[[str, str], str]] = {"ha": _hausa, "fa": _persian}
