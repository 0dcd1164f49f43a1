"""Languages: for each, how its answers are read, which spellings are one word, and what is not claimed."""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from unicodedata import category

from blend.schemas.errors import UnknownNameError
from blend.schemas.models import toml_tables
from blend.schemas.texts import respell


@dataclass(frozen=True, slots=True)
class _LanguageText:
    """Reading of the texts of a language."""

    lemmatisers: tuple[str, ...]
    """Names of `lemmatisers.LEMMATISERS` that know the language, the default first; it needs no extra."""
    done: str
    """What is done by default, beyond case, width and digits of any script."""
    not_claimed: str
    """What is left as it is, or done by a rule of thumb."""


@cache
def languages() -> Mapping[str, _LanguageText]:
    """Primary subtag to how texts are read, ``languages.toml``; all languages of the packaged locales."""
    text = files("blend.eval.text").joinpath("languages.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    return {
        language: _LanguageText(
            tuple(entry["lemmatisers"]),
            entry["done"].format_map(tables["phrases"]),
            entry["not_claimed"].format_map(tables["phrases"]),
        )
        for language, entry in tables["language"].items()
    }


OTHER = _LanguageText(
    ("words",),
    "Nothing beyond what all languages have.",
    "No lemmas: inflected forms of a word are different words.",
)
"""How languages are read that nobody described: those of a release's own locales."""


def language_text(language: str) -> _LanguageText:
    """Find how the texts of a language are read, by its BCP 47 tag."""
    return languages().get(primary(language), OTHER)


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


PACKAGED = "religions.toml"


def same_religion(answer: str, language: str) -> tuple[str, ...]:
    """Other words for a religion or its members, where an answer is one: ``Christian`` of ``Christianity``.

    Args:
        answer: An answer of annotators.
        language: Primary subtag.
    """
    return _religions(language).get(normalised(answer, language).strip(), ())


@cache
def _religions(language: str) -> dict[str, tuple[str, ...]]:
    """Each word, normalised, with the others of its list."""
    text = files("blend.eval.text").joinpath(PACKAGED).read_text(encoding="utf-8")
    lists: list[list[str]] = toml_tables(text, source=PACKAGED).get(language, [])
    return {
        normalised(word, language): tuple(other for other in words if other != word)
        for words in lists
        for word in words
    }
