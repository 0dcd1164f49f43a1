"""Answer phrases: the words with which a reply names the option it chooses, in every language at once.

``answer_phrases.toml`` holds them by language. A reply may be in any language, whatever that of the question,
so all languages are one list. Behind them stands what a reply denies by such words (`without_denied`).
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from blend.schemas.models import toml_tables

PACKAGED = "answer_phrases.toml"

KINDS = (
    "answer", "final", "option", "described", "is", "choose", "ends", "chosen", "join", "doubt", "retract",
    "deny", "denied", "but", "do",
)  # fmt: skip
"""Keys of a language.

``answer`` are nouns for the answer, ``final`` those for the last one; ``option`` is what may stand directly
before a letter (*option B*, *la B*), ``described`` what may stand beside the noun (*correct*), ``is`` what
links noun and letter; ``choose`` chooses the letter behind it (*I choose*), ``chosen`` the one before it (*is
correct*); ``ends`` may follow a letter that is announced (*입니다*, *because*); ``join`` stands between two
letters (*or*); ``doubt`` are negations and hedges, ``retract`` takes a choice back; ``deny`` denies the letter
directly behind it (*not*), ``denied`` the one directly before (*가 아니라*), and ``but`` leads on from that;
``do`` are verbs whose object an option is (*people eat*).
"""

_BEFORE = ("answer", "final", "option", "described", "is", "choose", "join", "deny", "do")

_ACCENTS = re.compile("[\u0300-\u036f]")
_UNSEEN = re.compile(
    "[\u00ad\u200b-\u200f\u061c\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufe0e\ufe0f\u0640]"
)
_ALIKE = str.maketrans("ıيىك’‘ʼ＇", "iییک''''")
# Scripts without blanks between words, those whose words take endings, and those whose words take prefixes (in
# Arabic the article).
_WITHOUT_BLANKS = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
_WITH_ENDINGS = re.compile("[\u1200-\u137f\uac00-\ud7af]")
_WITH_PREFIXES = re.compile("[\u0600-\u06ff\u1200-\u137f\uac00-\ud7af]")
_MARKS = "\"'*_`()[]{}<>.,;:!?…«»“”„。、，！？؟،؛।።፣-–—"


def folded(text: str) -> str:
    """A text in the form in which it is compared: compatibility forms, accents and invisible characters off.

    Full-width letters become ordinary ones. Case stays, as it tells *B* from *b*. A capital letter and its
    small one are one character each, so places in the text and in its lower case are the same.
    """
    if text.isascii():
        return text
    plain = _UNSEEN.sub("", _ACCENTS.sub("", unicodedata.normalize("NFKD", text)))
    return unicodedata.normalize("NFC", plain).translate(_ALIKE)


class _Phrases:
    """Phrases of one kind, found at the start of a text or in it; the text is `folded` and in lower case."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self.wanted = {folded(phrase).lower() for phrase in phrases}
        self._lengths = _longest_first(self.wanted)
        self._words = frozenset(phrase for phrase in self.wanted if _is_word(phrase))
        self._parts = self.wanted - self._words
        self._ascii_parts = {part for part in self._parts if part.isascii()}

    def without_start(self, text: str) -> str | None:
        """The text behind the longest phrase that it starts with; null if it starts with none."""
        for length in self._lengths:
            if text[:length] in self.wanted and _ends_there(text[:length], text[length:]):
                return text[length:]
        return None

    def within(self, text: str) -> bool:
        """Whether any of the phrases stands in a text, as words where the script has blanks."""
        if not self._words.isdisjoint([word.strip(_MARKS) for word in text.split()]):
            return True
        parts = self._ascii_parts if text.isascii() else self._parts
        return any(_stands_in(part, text) for part in [part for part in parts if part in text])

    def last(self, text: str) -> int:
        """Where the last of the phrases in a text ends; of none, the end of the text."""
        ends = [at + len(phrase) for phrase in self.wanted if (at := _last(phrase, text)) is not None]
        return max(ends, default=len(text))


class _Endings:
    """Phrases of several kinds, found at the end of a text that is `folded` and in lower case."""

    def __init__(self, phrases: Mapping[str, _Phrases]) -> None:
        self._kinds: dict[str, list[str]] = defaultdict(list)
        for kind, of_kind in phrases.items():
            for phrase in of_kind.wanted:
                self._kinds[phrase].append(kind)
        self._lengths = _longest_first(self._kinds)

    def of(self, text: str) -> dict[str, str]:
        """The text before the longest phrase of every kind that it ends with, by kind."""
        found: dict[str, str] = {}
        for length in self._lengths:
            before, phrase = text[:-length], text[-length:]
            if phrase in self._kinds and starts_as_word(phrase, before):
                found = {**dict.fromkeys(self._kinds[phrase], before), **found}
        return found


def _longest_first(phrases: Iterable[str]) -> list[int]:
    """The lengths of phrases."""
    return sorted({len(phrase) for phrase in phrases}, reverse=True)


def _is_word(phrase: str) -> bool:
    return phrase == phrase.strip(_MARKS) and " " not in phrase and not _is_part(phrase)


def _is_part(phrase: str) -> bool:
    """Whether a phrase is found inside of words as well."""
    return bool(_WITHOUT_BLANKS.match(phrase) or _WITH_ENDINGS.match(phrase))


def starts_as_word(phrase: str, before: str) -> bool:
    """Whether a word that starts a phrase does not begin in what stands before it; prefixes may."""
    joined = _WITHOUT_BLANKS.match(phrase) or _WITH_PREFIXES.match(phrase)
    return bool(joined) or not (phrase[0].isalpha() and before[-1:].isalpha())


def ends_as_word(text: str, after: str) -> bool:
    """Whether a word that ends a text ends there, but for endings in scripts whose words take them."""
    return _is_part(text) or _ends_there(text, after)


def _ends_there(phrase: str, after: str) -> bool:
    return bool(_WITHOUT_BLANKS.match(phrase)) or not (phrase[-1].isalpha() and after[:1].isalpha())


def _stands_in(part: str, text: str) -> bool:
    if _is_part(part):
        return True
    places = (found.start() for found in re.finditer(re.escape(part), text))
    return any(starts_as_word(part, text[:at]) and _ends_there(part, text[at + len(part) :]) for at in places)


def _last(phrase: str, text: str) -> int | None:
    """Where a phrase stands last in a text, as a word where the script has blanks."""
    at = text.rfind(phrase)
    while at >= 0:
        end = at + len(phrase)
        if starts_as_word(phrase, text[max(0, at - 1) : at]) and ends_as_word(phrase, text[end : end + 1]):
            return at
        at = text.rfind(phrase, 0, end - 1)
    return None


class _AnswerPhrases(NamedTuple):
    """The phrases of all languages, by what they do; see `KINDS`."""

    before: _Endings
    """The kinds that stand before a letter: all but the following."""
    ends: _Phrases
    chosen: _Phrases
    join: _Phrases
    doubt: _Phrases
    retract: _Phrases
    denied: _Phrases
    but: _Phrases


@lru_cache(maxsize=1)
def answer_phrases() -> _AnswerPhrases:
    """The packaged phrases, ready to be found."""
    tables = _tables().values()
    phrases = {kind: _Phrases({phrase.lower() for table in tables for phrase in table[kind]}) for kind in KINDS}
    return _AnswerPhrases(
        _Endings({kind: phrases[kind] for kind in _BEFORE}),
        *(phrases[kind] for kind in ("ends", "chosen", "join", "doubt", "retract", "denied", "but")),
    )


def _tables() -> Mapping[str, Mapping[str, list[str]]]:
    text = files("blend.eval.tasks.multiple_choice").joinpath(PACKAGED).read_text(encoding="utf-8")
    return toml_tables(text, source=PACKAGED)


_QUOTING = " \t\"'*_`([{“”„«»「」『』【】)]}"
_SENTENCE_END = re.compile(r"[!?\n！？]")
_COMMAS = ",،、，"
_WORD_STARTS = re.compile(r"(?<!\w)(?=\w)")
# Without its accent the Irish "or" is "no", and a Persian word that ends in "not" is none.
_NO_DENIAL = re.compile(r"(?<![a-z])[a-d] no$|[\u0600-\u06ff]نه$")
_WINDOW = 60
"""Characters before and behind a letter in which it is denied."""


def without_denied(text: str, choices: Sequence[tuple[int, int]], phrases: _AnswerPhrases) -> str:
    """The text with a colon in place of choices that it denies and of what leads on: *not A but*, *A가 아니라*.

    Args:
        text: A reply, folded.
        choices: Where letters or options stand in it, in order.
        phrases: The phrases of all languages.
    """
    if len(choices) < 2:
        return text  # Whoever reads it asks for words of doubt beside it.
    low = text.lower()
    denied = 0
    for number, (start, end) in enumerate(choices):
        span = _denial(low, start, end, phrases) if start >= denied else None
        if span is not None:
            first, behind = span
            denied = _end_of_denial(low, behind, choices[number + 1 :], phrases)
            text = text[:first] + ":".ljust(denied - first) + text[denied:]
    return text


def _denial(low: str, start: int, end: int, phrases: _AnswerPhrases) -> tuple[int, int] | None:
    """Where a letter is denied, with what denies it; null if it is not."""
    first = max(0, start - _WINDOW)
    before = low[first:start].rstrip(_QUOTING)
    endings = phrases.before.of(before)
    option = endings.get("option", before).rstrip(_QUOTING)
    if "deny" not in endings:
        before, endings = option, phrases.before.of(option)
    rest = phrases.denied.without_start(low[end : end + _WINDOW].lstrip(_QUOTING))
    behind = end if rest is None else min(end + _WINDOW, len(low)) - len(rest)
    if "deny" in endings and not _NO_DENIAL.search(before):
        return first + len(endings["deny"]), behind
    # "گزینه A نیست": the word for option goes too, unless it is that for the answer: "उत्तर A नहीं, C".
    return None if rest is None else (start if option.strip() else first, behind)


def _end_of_denial(low: str, end: int, following: Sequence[tuple[int, int]], phrases: _AnswerPhrases) -> int:
    """The end of what leads on to the next choice: *not A or B* denies both, *not A, B* only one."""
    at = end
    for start, behind in following:
        gap = low[at:start].strip(_QUOTING)
        if phrases.join.without_start(gap.strip(_COMMAS)) == "":
            end = at = behind
        elif not gap.strip(_COMMAS):
            at = behind
        else:
            # A list without *or* is denied as a whole where *but* follows it.
            rest = _behind_but(low[at : min(start, at + _WINDOW)], phrases)
            return end if rest is None else min(start, at + _WINDOW) - len(rest)
    # Of "not A, B" the comma goes, too.
    following_start = next((start for start, _ in following if start >= end), end)
    return end if low[end:following_start].strip(_QUOTING + _COMMAS) else following_start


def _behind_but(gap: str, phrases: _AnswerPhrases) -> str | None:
    """What stands behind *but* between two choices, in the sentence of the first; null without such a word."""
    for word in _WORD_STARTS.finditer(_SENTENCE_END.split(gap)[0]):
        rest = phrases.but.without_start(gap[word.start() :])
        if rest is not None:
            return rest
    return None
