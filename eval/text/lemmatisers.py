"""Lemmatisers: from a text to its words, and from words to what a dictionary lists them under.

Those of optional packages are loaded when they are first used; a missing one is an error that names the extra,
and nothing stands in for it in silence.
"""

import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

from blend.eval.text import SOUNDS, affix_list, lemmatisers_of, normalised, primary, words_of
from blend.schemas.errors import InputError, MissingExtraError, check_names

Split = Callable[[str], Sequence[str]]
Lemmas = Callable[[Sequence[str]], Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Lemmatiser:
    """Lemmatiser of one language's texts."""

    name: str
    """Name as given to ``lemmas``."""
    version: str
    """Version of what decides its results; empty for rules of this package."""
    split: Split
    """From a text to its words, in order."""
    lemmas: Lemmas
    """From words to their lemmas, one each, in order."""

    @property
    def signature(self) -> str:
        """Name and version, as they stand in a signature."""
        return f"{self.name}-{self.version}" if self.version else self.name


def _same(words: Sequence[str]) -> Sequence[str]:
    return words


def _installed(module: str, name: str, extra: str) -> Any:
    try:
        with warnings.catch_warnings():
            # Where no bytecode is kept yet, Python says of jieba's source that it is written for an older one.
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and not module.startswith(error.name):
            raise
        raise MissingExtraError(f"the lemmatiser {name}", extra=extra) from None


def _each(lemma: Callable[[str], str]) -> Lemmas:
    """A lemma per word; each distinct word is looked up once, and what is too long for a word not at all."""
    known = lru_cache(maxsize=1 << 17)(lemma)
    return lambda words: [known(word) if len(word) <= _LONGEST_WORD else word for word in words]


_LONGEST_WORD = 200
"""Characters up to which something is a word; models that repeat a letter for a megabyte keep stemmers busy."""

_PIECE = 10_000
"""Characters that an analyser of sentences is given at a time: some refuse more, some take very long."""


def _pieces(text: str) -> list[str]:
    return [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]


_NO_FORMS = {
    "en": frozenset(
        {"boxing", "fencing", "gan", "goods", "humanities", "maria", "na", "seventh", "sox", "stuffing", "ta"}
    )
}
"""Words that the dictionary of a language takes for forms of another: Maria of mare, seventh of seven."""


def _simplemma(language: str) -> _Lemmatiser:
    import simplemma

    no_forms = _NO_FORMS.get(language, frozenset())

    def lemma(word: str) -> str:
        if word.lower() in no_forms:
            return word
        return str(simplemma.lemmatize(word, lang=language))

    return _Lemmatiser("simplemma", version("simplemma"), words_of, _each(lemma))


def _snowball(language: str) -> _Lemmatiser:
    import Stemmer

    stemmer = Stemmer.Stemmer(_SNOWBALL[language])
    return _Lemmatiser("snowball", version("PyStemmer"), words_of, _each(stemmer.stemWord))


_SNOWBALL = {
    "ar": "arabic", "el": "greek", "en": "english", "es": "spanish", "eu": "basque", "fa": "persian",
    "fr": "french", "ga": "irish", "id": "indonesian", "sv": "swedish", "ta": "tamil",
}  # fmt: skip
"""Language to snowball's name for it."""


def _affixes(language: str) -> _Lemmatiser:
    listed = affix_list(language)
    if not listed.dictionary:
        return _Lemmatiser("affixes", listed.version, words_of, _each(listed.stem))
    import simplemma

    def lemma(word: str) -> str:
        """The dictionary's lemma of the longest form that it knows, but of words to keep; else the stem."""
        plain = listed.without_article(word)
        for form in listed.forms(plain):
            if form in listed.keep:
                return form
            if simplemma.is_known(form, lang=language):
                return str(simplemma.lemmatize(form, lang=language))
        return listed.stem(plain)

    return _Lemmatiser("affixes", f"{listed.version}-simplemma-{version('simplemma')}", words_of, _each(lemma))


# Longer ones stand before those that end them: the first that fits is taken off.
_PARTICLES = (
    "이라고", "라고", "에서는", "에서도", "에서", "에게", "으로", "로", "부터", "까지", "처럼",
    "보다", "입니다", "이에요", "예요", "에는", "에도", "에", "의", "도", "만", "은", "는",
    "이", "가", "을", "를", "과", "와",
)  # fmt: skip
_SOUND_BEFORE = {
    "은": "consonant", "이": "consonant", "을": "consonant", "과": "consonant", "이에요": "consonant",
    "는": "vowel", "가": "vowel", "를": "vowel", "와": "vowel", "예요": "vowel",
    "으로": "consonant but l", "로": "vowel or l",
}  # fmt: skip
"""Particles of two forms, to what each stands behind, a name of `SOUNDS`."""
_LEAST_STEM = 2


def _without_particle(word: str) -> str:
    """The word without the particle at its end, if at least two syllables are left and the form agrees."""
    for particle in _PARTICLES:
        stem = word.removesuffix(particle)
        if stem != word and len(stem) >= _LEAST_STEM and _agrees(particle, stem):
            return stem
    return word


def _agrees(particle: str, stem: str) -> bool:
    """Whether a particle has the form that a word asks for; nobody can tell how foreign letters are read."""
    is_korean = "가" <= stem[-1] <= "힣"
    return particle not in _SOUND_BEFORE or not is_korean or SOUNDS[_SOUND_BEFORE[particle]](stem)


_UNSPACED = r"\u3005\u3041-\u3096\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_RUNS = re.compile(rf"[{_UNSPACED}]|[^{_UNSPACED}]+")


def _by_character(text: str) -> list[str]:
    """Every ideograph and hiragana as a word of its own, runs of other letters and digits as one."""
    return [word for run in words_of(text) for word in _RUNS.findall(run)]


def _opencc(_: str) -> _Lemmatiser:
    converter = _installed("opencc", "opencc", "opencc").OpenCC("t2s")
    return _Lemmatiser("opencc", version("opencc"), lambda text: _by_character(converter.convert(text)), _same)


def _jieba(_: str) -> _Lemmatiser:
    jieba = _installed("jieba", "jieba", "jieba")
    jieba.setLogLevel("ERROR")  # it reports on standard error that it has read its dictionary

    def split(text: str) -> list[str]:
        return [word for piece in _pieces(text) for word in jieba.cut(piece)]

    return _Lemmatiser("jieba", version("jieba"), split, _same)


def _hausastemmer(_: str) -> _Lemmatiser:
    module = _installed("hausastemmer", "hausastemmer", "hausastemmer")

    def split(text: str) -> list[str]:
        return [word.strip("-") for word in text.split()]

    return _Lemmatiser("hausastemmer", version("hausastemmer"), split, _each(module.stem))


def _kiwi(_: str) -> _Lemmatiser:
    analyser = _installed("kiwipiepy", "kiwi", "kiwipiepy").Kiwi(num_workers=1)

    def split(text: str) -> list[str]:
        # Particles (J…), endings (E…) and punctuation (S… but for numbers and foreign letters) are no words.
        return [
            token.lemma
            for piece in _pieces(text)
            for token in analyser.tokenize(piece)
            if token.tag[0] not in "JE" and (token.tag[0] != "S" or token.tag in ("SN", "SL", "SH"))
        ]

    return _Lemmatiser("kiwi", version("kiwipiepy"), split, _same)


def _sudachi(_: str) -> _Lemmatiser:
    _installed("sudachidict_core", "sudachi", "sudachipy")
    dictionary = _installed("sudachipy", "sudachi", "sudachipy").Dictionary().tokenizer()

    def split(text: str) -> list[str]:
        return [
            token.dictionary_form()
            for piece in _pieces(text)
            for token in dictionary.tokenize(piece)
            if token.part_of_speech()[0] not in ("助詞", "助動詞", "補助記号", "空白")
        ]

    versions = f"{version('sudachipy')}-{version('sudachidict-core')}"
    return _Lemmatiser("sudachi", versions, split, _same)


LEMMATISERS: dict[str, Callable[[str], _Lemmatiser]] = {
    "words": lambda _: _Lemmatiser("words", "", words_of, _same),
    "simplemma": _simplemma,
    "snowball": _snowball,
    "affixes": _affixes,
    "particles": lambda _: _Lemmatiser("particles", "1", words_of, _each(_without_particle)),
    "characters": lambda _: _Lemmatiser("characters", "1", _by_character, _same),
    "opencc": _opencc,
    "jieba": _jieba,
    "hausastemmer": _hausastemmer,
    "kiwi": _kiwi,
    "sudachi": _sudachi,
}
"""Name to what makes a lemmatiser for a language (primary subtag)."""


NO_LEMMAS = "none"
DEFAULT_LEMMAS = "default"


_REMEMBERED = 1 << 14
"""Texts that a reader remembers: answers that are compared again and again, and not all replies of a run."""


class TextReader:
    """Reads the texts of one language; what it has read last it remembers."""

    def __init__(self, language: str, lemmatiser: _Lemmatiser | None) -> None:
        self.language = language
        self.lemmatiser = lemmatiser
        self._reading = lru_cache(maxsize=_REMEMBERED)(self._fresh)

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
    lemmas: str, languages: Collection[str], *, preferred: Mapping[str, str] | None = None
) -> dict[str, str | None]:
    """The lemmatiser of every language by what ``lemmas`` says.

    Args:
        lemmas: ``none``, ``default``, or names by language separated by commas, ``ko=kiwi`` (``ar=none`` for
            none there); the others take the default.
        languages: BCP 47 tags.
        preferred: Defaults that differ from the registry's, by primary subtag.

    Returns:
        Primary subtag to name, null for ``none``.

    Raises:
        UnknownNameError: If a name is none, or not offered for the language; lists those that are.
        InputError: If a language is named that is not among them.
    """
    known = sorted({primary(language) for language in languages})
    if lemmas == NO_LEMMAS:
        return dict.fromkeys(known)
    names: dict[str, str | None] = {tag: (preferred or {}).get(tag) or lemmatisers_of(tag)[0] for tag in known}
    if lemmas == DEFAULT_LEMMAS:
        return names
    for part in lemmas.split(","):
        language, _, name = part.strip().partition("=")
        if language not in known:
            raise InputError(
                f"`lemmas={part}`: write a language of the answers ({', '.join(known)}), = and a lemmatiser; "
                f"or {NO_LEMMAS!r} or {DEFAULT_LEMMAS!r} for all"
            )
        check_names(f"lemmatiser of {language!r}", [name], (NO_LEMMAS, *lemmatisers_of(language)))
        names[language] = None if name == NO_LEMMAS else name
    return names


def reader(language: str, name: str | None) -> TextReader:
    """A reader for a language (primary subtag) with a lemmatiser by name, or without one.

    Raises:
        MissingExtraError: If the lemmatiser's package is not installed; says what to install.
    """
    return TextReader(language, None if name is None else loaded(language, name))


@lru_cache(maxsize=64)
def loaded(language: str, name: str) -> _Lemmatiser:
    """A lemmatiser for a language, loaded once.

    Raises:
        MissingExtraError: As `reader`.
    """
    return LEMMATISERS[name](language)
