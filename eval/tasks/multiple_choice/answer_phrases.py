"""Answer phrases: the words with which a reply names the option it chooses, in every language at once.

``answer_phrases.toml`` holds them by language. A reply may be in any language, whatever that of the question,
so all languages are one table.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import product

from blend.schemas.models import packaged_tables


class _AnswerPhrases:
    """The packaged phrases with their kinds, found where a text begins, where it ends, or in it.

    Texts are `folded` and in lower case. A phrase counts as words, where its script has blanks between them.
    """

    def __init__(self) -> None:
        self._kinds: dict[str, set[str]] = defaultdict(set)
        for table in packaged_tables("answer_phrases.toml", __package__).values():
            for kind, phrases in table.items():
                for phrase in phrases:
                    self._kinds[folded(phrase.lower())].add(kind)
        # By kind, and whether a text is ASCII, in which the others need not be looked for.
        self._of_kind: dict[tuple[str, bool], list[str]] = defaultdict(list)
        for phrase, kinds in self._kinds.items():
            for kind, is_ascii in product(kinds, {False, phrase.isascii()}):
                self._of_kind[kind, is_ascii].append(phrase)
        self._longest_first = sorted({len(phrase) for phrase in self._kinds}, reverse=True)

    def before(self, text: str) -> dict[str, str]:
        """The text before the longest phrase of every kind that it ends with, by kind."""
        parted = ((text[-length:], text[:-length]) for length in self._longest_first)
        return self._rests(parted, starts_there)

    def after(self, text: str) -> dict[str, str]:
        """The text behind the longest phrase of every kind that it starts with, by kind."""
        parted = ((text[:length], text[length:]) for length in self._longest_first)
        return self._rests(parted, ends_there)

    def _rests(self, parted: Iterable[tuple[str, str]], is_word: Callable[[str, str], bool]) -> dict[str, str]:
        """Of phrases and what is left without them, longest first, the first that is left by each kind."""
        found: dict[str, str] = {}
        for phrase, rest in parted:
            if phrase in self._kinds and is_word(phrase, rest):
                found = dict.fromkeys(self._kinds[phrase], rest) | found
        return found

    def spans(self, kind: str, text: str) -> Iterator[tuple[int, int]]:
        """Where phrases of a kind stand in a text."""
        for phrase in [phrase for phrase in self._of_kind[kind, text.isascii()] if phrase in text]:
            start = text.find(phrase)
            while start >= 0:
                end = start + len(phrase)
                if _BEFORE_ENDING.match(phrase) or stands_alone(text, start, end):
                    yield start, end
                start = text.find(phrase, end)

    def within(self, kind: str, text: str) -> bool:
        """Whether a phrase of a kind stands in a text."""
        return any(True for _ in self.spans(kind, text))


answer_phrases = lru_cache(maxsize=1)(_AnswerPhrases)


def starts_there(phrase: str, before: str) -> bool:
    """Whether a phrase does not begin within a word; a prefix may stand before it in scripts that have them."""
    return bool(_AFTER_PREFIX.match(phrase)) or not (phrase[0].isalpha() and before[-1:].isalpha())


def ends_there(phrase: str, after: str) -> bool:
    """Whether a phrase does not end within a word; an ending may follow it in scripts that have them."""
    return bool(_BEFORE_ENDING.match(phrase)) or not (phrase[-1].isalpha() and after[:1].isalpha())


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a part of a text is not part of a word, to which vowel signs belong."""
    beside = text[max(0, start - 1) : start], text[end : end + 1]
    return not any(unicodedata.category(one or " ")[0] in "LMN" for one in beside)


def folded(text: str) -> str:
    """A text in the form in which it is compared: compatibility forms, accents and invisible characters off.

    Full-width letters become ordinary ones. Case stays, as it tells *B* from *b*. A capital letter and its
    small one are one character each, so places in the text and in its lower case are the same.
    """
    if text.isascii():
        return text
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", plain).translate(_ALIKE)


_UNSEEN = re.compile(
    "[\u0300-\u036f\u00ad\u200b-\u200f\u061c\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufe0e\ufe0f\u0640]"
)
_ALIKE = str.maketrans("ıيىك’‘ʼ＇", "iییک''''")
# Scripts without blanks between words, or whose words take endings; and with those whose words take prefixes
# (in Arabic the article).
_BEFORE_ENDING = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\u1200-\u137f\uac00-\ud7af]")
_AFTER_PREFIX = re.compile("[\u0600-\u06ff\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\u1200-\u137f\uac00-\ud7af]")
