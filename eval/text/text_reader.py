"""Reading: texts of a language as words and lemmas, each distinct text once."""

from collections.abc import Collection, Mapping
from functools import lru_cache

from blend.eval.text.language_readers import check_lemmatiser, language_text, normalised, primary, words_of
from blend.eval.text.lemmatisers import LEMMATISERS, Lemmatiser
from blend.schemas.errors import InputError, UnknownNameError

NO_LEMMAS = "none"
DEFAULT_LEMMAS = "default"


REMEMBERED = 1 << 14
"""Texts that a reader remembers: answers that are compared again and again, and not all replies of a run."""


class TextReader:
    """Reads the texts of one language; what it has read last it remembers."""

    def __init__(self, language: str, lemmatiser: Lemmatiser | None) -> None:
        self.language = language
        self.lemmatiser = lemmatiser
        self._reading = lru_cache(maxsize=REMEMBERED)(self._fresh)

    def words(self, text: str) -> tuple[str, ...]:
        """The normalised words of a text, in order."""
        return self._reading(text)[0]

    def lemmas(self, text: str) -> tuple[str, ...] | None:
        """The lemmas of a text, in order; null where no lemmas are wanted."""
        return self._reading(text)[1]

    @property
    def signature(self) -> str:
        """Language and lemmatiser with its version, ``ko=kiwi-0.24.1``."""
        used = NO_LEMMAS if self.lemmatiser is None else self.lemmatiser.signature
        return f"{primary(self.language)}={used}"

    def _fresh(self, text: str) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
        plain = normalised(text, self.language)
        if self.lemmatiser is None:
            return words_of(plain), None
        split = tuple(self.lemmatiser.split(plain))
        # A lemma can be a capitalised name or be spelled with accents again.
        lemmas = [normalised(lemma, self.language) for lemma in self.lemmatiser.lemmas(split)]
        return words_of(plain), tuple(word for lemma in lemmas for word in words_of(lemma))


def lemmatiser_names(
    lemmas: str,
    languages: Collection[str],
    *,
    preferred: Mapping[str, str] | None = None,
    others: Collection[str] = (),
) -> dict[str, str | None]:
    """The lemmatiser of every language by what ``lemmas`` says.

    Args:
        lemmas: ``none``, ``default``, or names separated by commas: ``ko=kiwi`` for one language (``ar=none``
            for none there), ``simplemma`` for every language that it is offered for;
            the others take the default.
        languages: BCP 47 tags.
        preferred: Defaults that differ from the registry's, by primary subtag.
        others: Further languages that may be named: those of answers that are read elsewhere.

    Returns:
        Primary subtag to name, null for ``none``.

    Raises:
        UnknownNameError: If a name is none, or not offered for the language; lists those that are.
        InputError: If a language is named that is not among them.
    """
    wanted = sorted({primary(language) for language in languages})
    if lemmas == NO_LEMMAS:
        return dict.fromkeys(wanted)
    known = sorted({*wanted, *map(primary, others)})
    defaults = preferred or {}
    usual = {language: defaults.get(language) or language_text(language).lemmatisers[0] for language in wanted}
    names: dict[str, str | None] = {**usual}
    if lemmas == DEFAULT_LEMMAS:
        return names
    for part in lemmas.split(","):
        language, equals, name = part.strip().rpartition("=")
        in_general = (NO_LEMMAS, DEFAULT_LEMMAS) if equals else ()
        if name not in LEMMATISERS and name not in in_general:
            raise UnknownNameError("lemmatiser", name, [NO_LEMMAS, DEFAULT_LEMMAS, *LEMMATISERS])
        if not equals:
            fitting = [tag for tag in known if name in language_text(tag).lemmatisers]
            if not fitting:
                check_lemmatiser(name, wanted[0])
            names.update({tag: name for tag in fitting if tag in usual})
            continue
        if language not in known:
            raise InputError(
                f"`lemmas={part}`: no answer is in {language!r}; the languages are {', '.join(known)}"
            )
        if name in LEMMATISERS:
            check_lemmatiser(name, language)
        if language in usual:
            names[language] = {NO_LEMMAS: None, DEFAULT_LEMMAS: usual[language]}.get(name, name)
    return names


def reader(language: str, name: str | None) -> TextReader:
    """A reader for a language (primary subtag) with a lemmatiser by name, or without one.

    Raises:
        MissingExtraError: If the lemmatiser's package is not installed; says what to install.
    """
    return TextReader(language, None if name is None else loaded(language, name))


@lru_cache(maxsize=64)
def loaded(language: str, name: str) -> Lemmatiser:
    """A lemmatiser for a language, loaded once.

    Raises:
        MissingExtraError: As `reader`.
    """
    return LEMMATISERS[name](language)
