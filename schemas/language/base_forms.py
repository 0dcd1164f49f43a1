"""Base forms of English words: "walk" of "walked", from simplemma's dictionary."""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simplemma import Lemmatizer

_CALLED_OTHERWISE = {"bs": "hbs", "hr": "hbs", "no": "nb"}
"""Languages of which simplemma has the dictionary under another tag."""


# As many as 16 regions use.
@lru_cache(maxsize=1 << 14)
def base_form(word: str) -> str:
    """Reduce an English word to its base form, as simplemma does."""
    return _lemmatiser().lemmatize(word, "en")


def share_known(found: Sequence[str], language: str) -> float | None:
    """The share of some words that the dictionary of a language knows; null where it has none."""
    from simplemma.strategies import DictionaryLookupStrategy
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    of = _CALLED_OTHERWISE.get(language, language)
    if not found or of not in SUPPORTED_LANGUAGES:
        return None
    lookup = DictionaryLookupStrategy(_Dictionaries())
    return sum(lookup.get_lemma(word, of) is not None for word in found) / len(found)


def forget_base_forms() -> None:
    """Give the memory of the dictionary back, some 20 MB; it is read again when a word is looked up."""
    base_form.cache_clear()
    _dictionary.cache_clear()


@cache
def _lemmatiser() -> "Lemmatizer":
    # Loaded when the first word is looked up.
    from simplemma import Lemmatizer
    from simplemma.strategies import DefaultStrategy

    # Words are kept above, and not a second time there, where it would be 65,536 of them.
    return Lemmatizer(0, lemmatization_strategy=DefaultStrategy(dictionary_factory=_Dictionaries()))


class _Dictionaries:
    """Dictionaries as simplemma asks for them; its own ones are kept until the process ends."""

    def get_dictionary(self, lang: str) -> Mapping[str, str]:
        return _dictionary(lang)


# That of English and of one further language: the one of Polish takes 460 MB.
@lru_cache(maxsize=2)
def _dictionary(lang: str) -> Mapping[str, str]:
    from simplemma.strategies import DefaultDictionaryFactory

    return DefaultDictionaryFactory(cache_max_size=0).get_dictionary(lang)
