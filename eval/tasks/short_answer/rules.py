"""The rules of short answers: the default one, that of BLEnD, and that of SemEval-2026 Task 7.

The default rule compares whole words in their order, and numbers, times and dates by value. What a reply gives
as its answers is decided before: see `replies.Reply`.

The scorer of SemEval-2026 Task 7 looks for the lemmas of an accepted answer in those of the prediction. It
reads each language with a library of its own, in a container with Python 3.9; here the lemmatisers of
`_paper_rule` stand in for them.

References:
    Myung et al. (2024), BLEnD, section 4.1, and the scorer published with it.
"""

import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import accumulate, islice
from unicodedata import normalize

from blend.eval.tasks.short_answer.replies import (
    GAP,
    MAX_ANSWERS,
    AnswerMatch,
    Reply,
    Rule,
    Variant,
    denies,
)
from blend.eval.text.lemmatisers import TextReader, loaded, reader
from blend.eval.text.spoken_values import in_figures
from blend.schemas.errors import check_names
from blend.schemas.formats import AnswerFormat, Calendar, gregorian_day, understood

_VALUES = {
    AnswerFormat.INTEGER: (re.compile(r"-?\d[\d,.٫٬]*"),),
    AnswerFormat.TIME: (
        re.compile(
            r"(?:(?:오전|오후|아침|저녁|밤|새벽|上午|下午|早上|晚上|中午|凌晨|午前|午後)\s?)?\d{1,2}\s?[시点點时時]"
            r"(?:\s?(?:\d{1,2}\s?[분分]?|반|半))?"
            r"|\d{1,2}\s?h(?:\d{2})?\b"
            r"|\d{1,2}(?:[:.]\d{2})?(?:\s?[ap]\.?\s?m\b\.?)?",
            re.IGNORECASE,
        ),
    ),
    AnswerFormat.DATE: (
        re.compile(r"\d{1,2}/\d{1,2}"),
        re.compile(r"\d{1,2}\s?[월月]\s?\d{1,2}\s?[일日号號]"),
        re.compile(r"(?<![\d/])\d{1,2}(?:st|nd|rd|th)?\.?(?:\s(?:of|de|ga))?\s[^\W\d_]{1,20}"),
        re.compile(r"(?<!\w)[^\W\d_]{1,20}\s\d{1,2}(?:st|nd|rd|th)?(?![\d/])"),
    ),
}
"""What may be a value of a format inside a text, each looked for by itself: "on 8 May" is one day.
`formats.understood` says whether it is one."""

_LONGEST_VALUE = 40
"""Characters of the longest response that may be a value as a whole; numbers in digits may be longer."""


def _default_rule(local: str | None, names: Mapping[str, str | None], calendar: Calendar) -> Rule:
    """The default rule for one locale.

    An answer that has the format that the question asks for matches a reply that names the same value. Any
    other answer matches when its words stand in the reply, whole, in their order and next to each other;
    else when its lemmas do. Blanks and hyphens between words do not count: ``ice cream`` is ``icecream``. An
    answer without words matches nothing.

    A reply's first three answers count, and none if it lists more than ten. What it denies, declines to say or
    repeats of the question does not count. A reply that is nothing but an answer matches it in any case, and a
    local answer to a question in English matches no other reply.

    Args:
        local: Primary subtag of the local language; null where only English counts.
        names: Primary subtag to lemmatiser, null for words only.
        calendar: Calendar of the region: a day in either calendar is the same.
    """
    spoken = local or "en"
    english = reader("en", names["en"])
    readers = {True: english}
    if local is not None:
        readers[False] = english if local == "en" else reader(local, names[local])

    def match(reply: Reply, variants: Iterable[Variant], answer_format: AnswerFormat) -> AnswerMatch | None:
        stated = () if reply.hedged else _first_values(reply.own, answer_format, spoken)
        values = {day for value in stated for day in _meanings(value, answer_format, calendar)}
        for index, is_english, answer in variants:
            if is_english not in readers:
                # Natives' own word; in a sentence it could be an English one.
                if _is_whole(answer, reply, english):
                    return AnswerMatch(index, answer, "words")
                continue
            language = "en" if is_english else spoken
            # An answer with a value is compared by it alone: its digits can stand in another value as well.
            value = understood(answer, answer_format, language) if answer_format in _VALUES else None
            if value is None:
                why = _named(answer, reply, readers[is_english], spoken)
            else:
                is_stated = not values.isdisjoint(_meanings(value, answer_format, calendar))
                why = "value" if is_stated else None
            if why is not None:
                return AnswerMatch(index, answer, why)
        return None

    return match


def _meanings(value: str, answer_format: AnswerFormat, calendar: Calendar) -> set[str]:
    """A value, and of a day the Gregorian one if it is of the region's own calendar."""
    if answer_format is not AnswerFormat.DATE or calendar == "gregory":
        return {value}
    month, _, day = value.partition("/")
    return {value, gregorian_day(int(month), int(day), calendar) or value}


def _named(answer: str, reply: Reply, of: TextReader, spoken: str) -> str | None:
    """By which step a reply names an answer, as one language reads both, or null."""
    if _is_whole(answer, reply, of):
        return "words"
    if reply.hedged:
        return None
    read = reply.asserts
    if reply.own != reply.asserts and _step(reply.prompt, answer, of):
        read = reply.own
    elif denies(answer, spoken):
        # "No religion": here a negation is the answer.
        read = reply.text
    return _step(read, answer, of)


def _is_whole(answer: str, reply: Reply, of: TextReader) -> bool:
    """Whether a reply is nothing but an answer."""
    words = of.words(answer)
    return bool(words) and words == of.words(reply.text)


def _step(text: str, answer: str, of: TextReader) -> str | None:
    """By which step a text with gaps names an answer, as one language reads both, or null."""
    words, lemmas = _read(text, of)
    if words.holds(of.words(answer)):
        return "words"
    wanted = of.lemmas(answer)
    return "lemmas" if wanted and lemmas.holds(wanted) else None


# A reply is compared with all answers to its question before the next one is read.
@lru_cache(maxsize=16)
def _read(text: str, of: TextReader) -> tuple["_Run", "_Run"]:
    """The words and the lemmas of a text with gaps; no lemmas where none are wanted."""
    parts = [part for part in text.split(GAP) if part]
    lemmas = [of.lemmas(part) for part in parts]
    return _Run([of.words(part) for part in parts]), _Run([part for part in lemmas if part is not None])


class _Run:
    """Words of texts in a row, joined, with the places where one starts; a gap parts the texts."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        words = [word for text in texts for word in (*text, GAP)]
        self._joined = "".join(words)
        self._starts = {0, *accumulate(map(len, words))}

    def holds(self, words: Sequence[str]) -> bool:
        """Whether the words stand here next to each other, starting and ending where words do."""
        wanted = "".join(words)
        if not wanted or wanted not in self._joined:
            return False
        starts = (start for start in self._starts if self._joined.startswith(wanted, start))
        return any(start + len(wanted) in self._starts for start in starts)


def _first_values(text: str, answer_format: AnswerFormat, language: str) -> Sequence[str]:
    """The first values of a format that a text names, as many as answers count."""
    if answer_format not in _VALUES:
        return ()
    parts = [part for part in text.split(GAP) if part]
    # Numbers as they are written first. Then in figures: of times and days what stands beside them counts, and
    # English is read in every language.
    as_written = (None,) if answer_format is AnswerFormat.INTEGER else ()
    for one in (*as_written, *dict.fromkeys((language, "en"))):
        read = parts if one is None else [in_figures(part, answer_format, one) for part in parts]
        values = (value for part in read for value in _values_in(part, answer_format, language))
        if first := list(islice(dict.fromkeys(values), MAX_ANSWERS)):
            return first
    return ()


def _values_in(text: str, answer_format: AnswerFormat, language: str) -> Iterator[str]:
    """The values of a format that a text names, or that it is as a whole: ``seven``, ``일곱 개``."""
    all_of_it = (text,) if len(text) <= _LONGEST_VALUE else ()
    inside = (match[0] for pattern in _VALUES[answer_format] for match in pattern.finditer(text))
    for found in (*all_of_it, *inside):
        value = understood(found, answer_format, language)
        if value is not None:
            yield value


# The published rules.

_LEMMATISERS: Mapping[str, str] = {
    "am": "words", "ar": "simplemma", "as": "words", "az": "words", "el": "simplemma", "en": "simplemma",
    "es": "simplemma", "eu": "snowball", "fa": "snowball", "ha": "hausastemmer", "id": "simplemma",
    "ko": "particles", "ms": "simplemma", "su": "words", "sv": "simplemma", "ta": "snowball", "tl": "simplemma",
    "zh": "jieba",
}  # fmt: skip
"""What the published scorer, or its stand-in for English, uses where it can be installed. The other languages
keep what the published decisions were compared with: a new default is none of this rule."""

_MISSING = frozenset(
    {
        "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>",
        "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
    }
)  # fmt: skip
"""Responses that count as missing, since pandas reads them so."""

_PUNCTUATION = str.maketrans({"：": ":", "、": ",", "，": ",", "。": "."})
_LABEL = re.compile(r"(\w+:)\s")
_ACUTE = "\u0301"
_ENGLISH = re.compile(
    # Abbreviations and initials keep their full stops, contractions are two tokens.
    r"(?:Mr|Mrs|Ms|Dr|Prof|St|Mt|Jr|Inc|Ltd|Co|vs)\.(?=\s)|(?:[^\W\d_]\.){2,}"
    r"|[^\W\d_]+?(?=n['’]t\b)|n['’]t\b|['’](?:s|m|re|ve|d|ll)\b"
    # A unit is a token of its own; times, dates and names such as covid-19 and A+ are one.
    r"|\d+(?:[./:,]\d+)*(?=(?:km/h|kmh|km|cm|mm|m|kg|mg|g|lb|oz|ft|in|mph|am|pm)\b)"
    r"|\d+(?:[./:,~]\d+)+\w*|[^\W\d_]+-\d+|[^\W\d_]\+|\w+|[^\w\s]"
)
"""Tokens of English texts, to which spaCy's rules, which the published scorer uses, come down in answers: the
published decisions come out, and of a million pairs of published answers four are decided otherwise."""


def _paper_rule(
    local: str | None, names: Mapping[str, str | None], _calendar: Calendar, *, lower: bool = False
) -> Rule:
    """The published rule for one locale.

    An answer matches when it is contained in the response as written, or with hyphens as blanks, or with blanks
    as hyphens; else when all its lemmas are among the response's, in any order. All texts are compared in
    NFC, which changes no published decision; outer blanks of an answer count, as published.

    Args:
        local: Primary subtag of the local language; null where only English counts.
        names: Primary subtag to lemmatiser, null for containment only.
        _calendar: Of the region; this rule knows no days.
        lower: Whether case does not count: the accepted answers of SemEval-2026 Task 7 have capitals.
    """
    readers = {
        english: _token_sets(language, name)
        for english, language in ((True, "en"), (False, local))
        if language is not None and (name := names[language]) is not None
    }

    def match(reply: Reply, variants: Iterable[Variant], _format: AnswerFormat) -> AnswerMatch | None:
        if reply.response in _MISSING:
            return None
        plain = _normalised_response(reply.response, reply.prompt)
        for index, is_english, as_given in variants:
            variant = as_given.lower() if lower else as_given
            answer = _composed(variant)
            # As published: anywhere in the response, inside words as well.
            if answer in plain or answer.replace("-", " ") in plain or answer.replace(" ", "-") in plain:
                return AnswerMatch(index, variant, "containment")
            tokens = readers.get(is_english)
            if tokens is not None and tokens(answer) <= tokens(plain):
                return AnswerMatch(index, variant, "lemmas")
        return None

    return match


def _normalised_response(response: str, prompt: str) -> str:
    """The response in NFC, without the prompt, a label that it ends with, outer blanks and full stops."""
    prompt = _composed(prompt)
    text = normalize("NFC", response)
    text = text.replace(prompt, "") if prompt else text
    text = text.translate(_PUNCTUATION).lower()
    label = _LABEL.match(text)
    if label and label[1][:-1] in prompt.translate(_PUNCTUATION).lower():
        text = text.replace(label[1], "")
    return text.strip().strip(".").lower()


@lru_cache(maxsize=1 << 16)
def _composed(text: str) -> str:
    """The text in NFC: a release composes answers that were published decomposed, and models write either."""
    return normalize("NFC", text)


def _token_sets(language: str, name: str) -> Callable[[str], frozenset[str]]:
    """What finds the lemmas of a text, which it remembers."""
    lemmatiser = loaded(language, name)
    # Word by word as the published scorer takes them; other lemmatisers are given words without punctuation.
    split = _ENGLISH.findall if language == "en" else lemmatiser.split

    @cache
    def tokens(text: str) -> frozenset[str]:
        return frozenset(
            normalize("NFD", lemma).replace(_ACUTE, "").lower()
            for lemma in lemmatiser.lemmas(split(text))
            if lemma not in string.punctuation
        )

    return tokens


SEMEVAL = "semeval"
"""Name of the rule."""


_RULES: dict[str, tuple[Callable[..., Rule], Mapping[str, str]]] = {
    "default": (_default_rule, {}),
    "paper": (_paper_rule, _LEMMATISERS),
    SEMEVAL: (partial(_paper_rule, lower=True), _LEMMATISERS),
}


def rule_named(name: str) -> tuple[Callable[..., Rule], Mapping[str, str]]:
    """A rule, and the lemmatisers that it takes by default where they are not the registry's."""
    check_names("rule", [name], _RULES)
    return _RULES[name]
