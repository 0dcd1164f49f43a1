"""Languages: for each, how its answers are read by default, what else is offered, and what is not claimed."""

from collections.abc import Mapping
from dataclasses import dataclass

from blend.schemas.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class LanguageText:
    """How the texts of a language are read."""

    lemmatisers: tuple[str, ...]
    """Names of `lemmatisers.LEMMATISERS` that know the language, the default first; it needs no extra."""
    done: str
    """What is done by default, beyond case, width and digits of any script."""
    not_claimed: str
    """What is left as it is, or done by a rule of thumb."""


_DICTIONARY = "Dictionary forms by simplemma."
_UNKNOWN_WORDS = "A word that the dictionary lacks is its own lemma; words with two readings get one of them."
_NO_LEMMAS = "No lemmas: inflected forms of a word are different words."

LANGUAGES: Mapping[str, LanguageText] = {
    "am": LanguageText(
        ("words",), "Letters that are pronounced alike (ha, sa, a, tsa rows) are one.", _NO_LEMMAS
    ),
    "ar": LanguageText(
        ("simplemma", "snowball", "stanza"),
        f"Vowel signs and tatweel are left out, forms of alef are one. {_DICTIONARY}",
        f"Dialects are read as Standard Arabic; clitics stay on their word. {_UNKNOWN_WORDS}",
    ),
    "as": LanguageText(
        ("words",), "Bengali ra is read as Assamese ra; nukta letters are composed.", _NO_LEMMAS
    ),
    "az": LanguageText(("words",), "Dotted and dotless i stay two letters in either case.", _NO_LEMMAS),
    "bg": LanguageText(("simplemma", "stanza"), _DICTIONARY, _UNKNOWN_WORDS),
    "el": LanguageText(
        ("simplemma", "snowball", "stanza"),
        f"Accents may be left out, as in capitals. {_DICTIONARY}",
        f"The dictionary is asked without accents, so it knows fewer words. {_UNKNOWN_WORDS}",
    ),
    "en": LanguageText(
        ("simplemma", "snowball", "stanza"),
        f"Accents of loan words may be left out. {_DICTIONARY}",
        f"British and American spellings are two. {_UNKNOWN_WORDS}",
    ),
    "es": LanguageText(
        ("simplemma", "snowball", "stanza"),
        f"Accents may be left out, except where they make another word; ñ is a letter. {_DICTIONARY}",
        f"The dictionary is asked without accents, so it knows fewer words. {_UNKNOWN_WORDS}",
    ),
    "eu": LanguageText(("snowball", "stanza"), "Stems by snowball.", "A stem can be that of several words."),
    "fa": LanguageText(
        ("snowball", "simplemma", "stanza"),
        "Arabic forms of yeh and kaf are Persian; endings and prefixes that are written apart, joined or with "
        "a non-joiner are joined. Stems by snowball.",
        "Spoken forms are not led back to written ones. A stem can be that of several words.",
    ),
    "fr": LanguageText(("simplemma", "snowball", "stanza"), _DICTIONARY, _UNKNOWN_WORDS),
    "ga": LanguageText(("simplemma", "snowball", "stanza"), _DICTIONARY, _UNKNOWN_WORDS),
    "ha": LanguageText(
        ("words", "hausastemmer"),
        "Tone marks are left out; hooked letters written with an apostrophe or by look-alikes are hooked.",
        "Plain b, d, k, y stay distinct from hooked ones, since they make other words. " + _NO_LEMMAS,
    ),
    "id": LanguageText(("simplemma", "snowball", "stanza"), _DICTIONARY, _UNKNOWN_WORDS),
    "ja": LanguageText(
        ("characters", "sudachi", "stanza"),
        "Each ideograph and hiragana is a word, a run of katakana or Latin letters is one.",
        "No words: an answer matches inside a longer word of ideographs or hiragana.",
    ),
    "ko": LanguageText(
        ("particles", "kiwi", "stanza"),
        "A particle behind two or more syllables is taken off where its form agrees.",
        "Verbs are not led back to their dictionary form; what looks like a particle is taken off too.",
    ),
    "ms": LanguageText(("simplemma",), _DICTIONARY, _UNKNOWN_WORDS),
    "su": LanguageText(("words",), "é may be written e.", _NO_LEMMAS),
    "sv": LanguageText(("simplemma", "snowball", "stanza"), _DICTIONARY, _UNKNOWN_WORDS),
    "ta": LanguageText(("snowball", "stanza"), "Stems by snowball.", "A stem can be that of several words."),
    "tl": LanguageText(("simplemma",), f"Stress marks are left out. {_DICTIONARY}", _UNKNOWN_WORDS),
    "zh": LanguageText(
        ("characters", "jieba", "opencc", "stanza"),
        "Each ideograph is a word.",
        "No words: an answer matches inside a longer word. Traditional characters in common use are read as "
        "simplified ones; `opencc` knows the rare ones too.",
    ),
}
"""Primary language subtag to how its texts are read; all languages of the packaged locales."""

OTHER = LanguageText(("words",), "Nothing beyond what all languages have.", _NO_LEMMAS)
"""How languages are read that nobody described: those of a release's own locales."""


def language_text(language: str) -> LanguageText:
    """How the texts of a language are read, by its BCP 47 tag."""
    return LANGUAGES.get(primary(language), OTHER)


def primary(language: str) -> str:
    """The primary subtag, ``zh`` of ``zh-Hant``."""
    return language.partition("-")[0].lower()


def check_lemmatiser(name: str, language: str) -> None:
    """Refuse a lemmatiser that does not know a language.

    Raises:
        UnknownNameError: Lists those that do.
    """
    offered = language_text(language).lemmatisers
    if name not in offered:
        raise UnknownNameError(f"lemmatiser of {primary(language)!r}", name, offered)
