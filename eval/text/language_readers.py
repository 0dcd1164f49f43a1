"""Languages: for each, how its answers are read by default, what else is offered, and what is not claimed."""

from collections.abc import Mapping
from dataclasses import dataclass

from blend.schemas.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class LanguageText:
    """Reading of the texts of a language."""

    lemmatisers: tuple[str, ...]
    """Names of `lemmatisers.LEMMATISERS` that know the language, the default first; it needs no extra."""
    done: str
    """What is done by default, beyond case, width and digits of any script."""
    not_claimed: str
    """What is left as it is, or done by a rule of thumb."""


_DICTIONARY = "Dictionary forms by simplemma."
_UNKNOWN_WORDS = "A word that the dictionary lacks is its own lemma; words with two readings get one of them."
_AFFIXES = "Affixes of nouns by an own list."
_CLITICS = "Clitics by an own list; some verbs with and without their prefix are one."
_VERBS = "Other verbs, and nouns made with prefixes and suffixes, stay as they are."
_STEMS = "A stem can be that of several words."
_UNKNOWN_STEMS = (
    "A word that the dictionary lacks is read by the list alone; words with two readings get one of them."
)
_NO_LEMMAS = "No lemmas: inflected forms of a word are different words."

LANGUAGES: Mapping[str, LanguageText] = {
    "am": LanguageText(
        ("affixes", "words"),
        f"Letters that are pronounced alike (ha, sa, a, tsa rows) are one. {_AFFIXES}",
        f"Verbs stay as they are. {_STEMS}",
    ),
    "ar": LanguageText(
        ("affixes", "simplemma", "snowball", "stanza"),
        "Vowel signs and tatweel are left out, forms of alef are one. Article, conjunctions, prepositions, "
        f"pronouns and plurals by an own list, as far as a word is left that simplemma knows. {_DICTIONARY}",
        f"Dialects are read as Standard Arabic. {_UNKNOWN_STEMS}",
    ),
    "as": LanguageText(
        ("affixes", "words"),
        f"Bengali ra is read as Assamese ra; nukta letters are composed, and the apostrophe inside a word is a "
        f"letter. {_AFFIXES}",
        f"Verbs stay as they are; a word of one letter keeps its case. {_STEMS}",
    ),
    "az": LanguageText(
        ("affixes", "words"),
        f"Dotted and dotless i stay two letters in either case. {_AFFIXES}",
        f"Verbs, and possession of the first and second person singular, stay as they are. {_STEMS}",
    ),
    "bg": LanguageText(("simplemma", "stanza"), _DICTIONARY, _UNKNOWN_WORDS),
    "el": LanguageText(
        ("affixes", "simplemma", "snowball", "stanza"),
        f"Accents may be left out, as in capitals. {_AFFIXES}",
        f"Verbs stay as they are. {_STEMS}",
    ),
    "en": LanguageText(
        ("simplemma", "snowball", "stanza"),
        f"Accents of loan words may be left out. {_DICTIONARY}",
        f"British and American spellings are two. {_UNKNOWN_WORDS}",
    ),
    "es": LanguageText(
        ("affixes", "simplemma", "snowball", "stanza"),
        "Accents may be left out, except where they make another word; ñ is a letter. "
        f"{_DICTIONARY} Plurals by an own list.",
        f"The dictionary is asked without accents, so it knows fewer words. {_UNKNOWN_STEMS}",
    ),
    "eu": LanguageText(("affixes", "snowball", "stanza"), _AFFIXES, f"Verbs stay as they are. {_STEMS}"),
    "fa": LanguageText(
        ("affixes", "snowball", "simplemma", "stanza"),
        "Arabic forms of yeh and kaf are Persian; endings and prefixes that are written apart, joined or with "
        f"a non-joiner are joined, enclitics behind a non-joiner are words. {_AFFIXES}",
        "Spoken forms are not led back to written ones; verbs, and pronouns of the first and second person, "
        f"stay as they are. {_STEMS}",
    ),
    "fr": LanguageText(("simplemma", "snowball", "stanza"), _DICTIONARY, _UNKNOWN_WORDS),
    "ga": LanguageText(("simplemma", "snowball", "stanza"), _DICTIONARY, _UNKNOWN_WORDS),
    "ha": LanguageText(
        ("affixes", "words", "hausastemmer"),
        "Tone marks are left out; hooked letters written with an apostrophe or by look-alikes are hooked, and "
        f"the apostrophe inside a word is a letter. {_AFFIXES}",
        "Plain b, d, k, y stay distinct from hooked ones, since they make other words. Nouns that only their "
        "last vowel tells apart are one, and plurals that change inside are led back where they are listed. "
        f"{_STEMS}",
    ),
    "id": LanguageText(("affixes", "simplemma", "snowball", "stanza"), _CLITICS, f"{_VERBS} {_STEMS}"),
    "ja": LanguageText(
        ("characters", "sudachi", "stanza"),
        "Each ideograph and hiragana is a word, a run of katakana or Latin letters is one.",
        "No words: an answer matches inside a longer word of ideographs or hiragana.",
    ),
    "ko": LanguageText(
        ("affixes", "particles", "kiwi", "stanza"),
        "Particles, plural and copula are taken off where their form agrees, behind one syllable too. "
        f"{_AFFIXES}",
        f"Verbs are not led back to their dictionary form, as the lemmatiser kiwi does. {_STEMS}",
    ),
    "ms": LanguageText(("affixes", "simplemma"), _CLITICS, f"{_VERBS} {_STEMS}"),
    "su": LanguageText(
        ("affixes", "words"), f"é may be written e. {_AFFIXES}", f"Verbs stay as they are. {_STEMS}"
    ),
    "sv": LanguageText(
        ("affixes", "simplemma", "snowball", "stanza"), _AFFIXES, f"Verbs stay as they are. {_STEMS}"
    ),
    "ta": LanguageText(("affixes", "snowball", "stanza"), _AFFIXES, f"Verbs stay as they are. {_STEMS}"),
    "tl": LanguageText(
        ("affixes", "simplemma"),
        f"Stress marks are left out. {_AFFIXES}",
        f"Verbs stay as they are. {_STEMS}",
    ),
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
    """Find how the texts of a language are read, by its BCP 47 tag."""
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
