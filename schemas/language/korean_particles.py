"""Korean particles: the form that follows a word, by whether its last syllable ends in a consonant."""

import re

# Unicode numbers syllables by initial, vowel and final consonant, the final fastest: 27 of them and, as 0,
# none.
_FIRST, _LAST, _FINALS = ord("가"), ord("힣"), 28
_RIEUL = 8

_PAIRS = (("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"))
_FORMS = {form: pair for pair in _PAIRS for form in pair}

_AFTER = re.compile(r"^(으로|로|이에요|예요|[은는이가을를과와])(?![가-힣])")
"""A particle with two forms at the start of a text, with nothing more of its word behind it."""


def variable_particle(text: str) -> str | None:
    """The particle with two forms that a text starts with, or null: ``"는 음식"`` gives ``"는"``."""
    match = _AFTER.match(text)
    return match[1] if match else None


def agreeing(word: str, following: str) -> str:
    """The text behind a word with its first particle in the form that the word asks for.

    ``agreeing("김치찌개", "은 음식")`` is ``"는 음식"``. Behind a word that ends in no Korean syllable
    the text stays as it is, since nobody can tell how the word is read.
    """
    particle = variable_particle(following)
    final = _final(word)
    if particle is None or final is None:
        return following
    rest = following[len(particle) :]
    # Behind ㄹ this one takes the short form, as behind a vowel.
    if particle in ("으로", "로"):
        return ("로" if final in (0, _RIEUL) else "으로") + rest
    if particle in ("이에요", "예요"):
        return ("이에요" if final else "예요") + rest
    closed, opened = _FORMS[particle]
    return (closed if final else opened) + rest


def _final(word: str) -> int | None:
    """Number of the last syllable's final consonant, 0 without one; null if it is not a Korean syllable."""
    code = ord(word[-1]) if word else 0
    return (code - _FIRST) % _FINALS if _FIRST <= code <= _LAST else None
