"""The default rule of short-answer scoring: whole words in their order, numbers, times and dates by value."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from blend.eval.scoring.short_answers.matching import Match
from blend.eval.text.reading import Reader, reader
from blend.schemas.formats import AnswerFormat, understood

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
`schemas.formats.understood` says whether it is one."""

_LONGEST_VALUE = 40
"""Characters of the longest response that may be a value as a whole; numbers in digits may be longer."""

# A word and a colon, not a time: "18:30" would lose its hour wherever the question shows a time as an example.
_LABEL = re.compile(r"\s*([^\W\d]\w*)\s*[:：]\s*")


class DefaultRule:
    """The default rule for one locale.

    An answer that has the format that the question asks for matches a response that names the same value. Any
    other answer matches when its words stand in the response, whole, in their order and next to each other;
    else when its lemmas do. Blanks and hyphens between words do not count: ``ice cream`` is ``icecream``. An
    answer without words matches nothing.
    """

    def __init__(self, local: str | None, names: Mapping[str, str | None]) -> None:
        """Take the lemmatisers by name; arguments as for `paper.PaperRule`."""
        english = reader("en", names["en"])
        self._local = local or "en"
        self._readers = {True: english}
        if local is not None:
            self._readers[False] = english if local == "en" else reader(local, names[local])

    def match(
        self, response: str, prompt: str, variants: Iterable[tuple[int, bool, str]], answer_format: AnswerFormat
    ) -> Match | None:
        """The first variant that a response matches; see `matching.Rule`."""
        text = _without_prompt(response, prompt)
        values = set(_values_in(text, answer_format, self._local))
        read = {english: _Read(text, of) for english, of in self._readers.items()}
        for index, is_english, answer in variants:
            spoken = "en" if is_english else self._local
            value = understood(answer, answer_format, spoken) if answer_format in _VALUES else None
            if value is not None:
                if value in values:
                    return Match(index, answer, "value")
                continue
            why = read[is_english].names(answer)
            if why is not None:
                return Match(index, answer, why)
        return None


class _Read:
    """A response as one language reads it."""

    def __init__(self, text: str, of: Reader) -> None:
        self._reader = of
        self._words = _Run(of.words(text))
        lemmas = of.lemmas(text)
        self._lemmas = None if lemmas is None else _Run(lemmas)

    def names(self, answer: str) -> str | None:
        """By which step the response names an answer, or null."""
        if self._words.holds(self._reader.words(answer)):
            return "words"
        lemmas = self._reader.lemmas(answer)
        return "lemmas" if self._lemmas and lemmas and self._lemmas.holds(lemmas) else None


class _Run:
    """Words in a row, joined, with the places where one starts."""

    def __init__(self, words: Sequence[str]) -> None:
        self._joined = "".join(words)
        self._starts = {0}
        end = 0
        for word in words:
            end += len(word)
            self._starts.add(end)

    def holds(self, words: Sequence[str]) -> bool:
        """Whether the words stand here next to each other, starting and ending where words do."""
        wanted = "".join(words)
        start = self._joined.find(wanted) if wanted else -1
        while start >= 0:
            if start in self._starts and start + len(wanted) in self._starts:
                return True
            start = self._joined.find(wanted, start + 1)
        return False


def _without_prompt(response: str, prompt: str) -> str:
    """The response without the prompt that some models repeat, and without a label of it at its start."""
    text = response.replace(prompt, " ") if prompt else response
    label = _LABEL.match(text)
    return text[label.end() :] if label and label[1].casefold() in prompt.casefold() else text


def _values_in(text: str, answer_format: AnswerFormat, language: str) -> Iterator[str]:
    """The values of a format that a text names, or that it is as a whole: ``seven``, ``일곱 개``."""
    patterns = _VALUES.get(answer_format, ())
    whole = (text,) if patterns and len(text) <= _LONGEST_VALUE else ()
    for found in (*whole, *(match[0] for pattern in patterns for match in pattern.finditer(text))):
        value = understood(found, answer_format, language)
        if value is not None:
            yield value
