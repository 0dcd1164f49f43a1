"""Matching: how the options of a template compare with a right answer, and how many should outdo it.

A right answer stands out if it is always the one that sounds like the region asked about, or always the
smallest number. So each wishes for a number of distractors above it, more typical of its region or larger
than it is, and finds some options more alike than others.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from blend.builders.mcq.answers import Option, TemplateAnswers, digest
from blend.builders.mcq.companions import Companions, Forms
from blend.builders.mcq.typical import Said, Signs, Typicality
from blend.builders.mcq.values import base_forms
from blend.schemas.formats import AnswerFormat, magnitude

N_DISTRACTORS: Final = 3
"""Distractors of a question."""

MARKS = '()[]{},;:/\\"!?&+'
"""Punctuation marks that make an option look unlike others."""

_SCALES = (AnswerFormat.INTEGER, AnswerFormat.TIME, AnswerFormat.DATE)
_FAR = {AnswerFormat.TIME: 6 * 60, AnswerFormat.DATE: 3 * 31}
"""Minutes, and days of a year of 31-day months, from which on a time or date is less plausible."""
_FAR_RATIO = 10
"""How many times as large or small a less plausible integer is."""
_LONG_RATIO = 2
"""How many times as long an option is that is unlike, or that a right answer is unlike to."""
_TICKETS = (0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3)
"""How many larger numbers a right answer draws from. Not every wish can be granted, few larger ones more rarely
than many: with these shares a right answer is the largest about as often as the smallest on the 16 regions."""
_TEXT_TICKETS = (1, 2, 3)
"""More typical texts that a right answer draws from; without any, it is the first that a guesser takes."""

Degrees = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Match:
    """How the options of a template compare with one right answer."""

    above: int
    """Those that outdo it, as bits: more typical of the region asked about, or larger."""
    below: int
    """Those that it outdoes, as bits; the others are like it."""
    doubtful: int
    """Those that may well be right, as bits: given there to other questions, or between the numbers given."""
    unlike: Degrees
    """How unlike each is, by number of the option: 0 for alike, 1 for another length, 2 for another format or
    far away, 3 for both, or for no number beside a number; and 4 more for a doubtful one."""
    wanted: tuple[int, ...]
    """How many distractors should outdo it, the first choice first."""
    by_value: bool
    """Whether it is a number, time or date."""
    names_region: bool
    """Whether it gives its region away."""


def matches(
    answers: TemplateAnswers,
    options: Sequence[Option],
    golds: Sequence[Option],
    known: "Known",
    *,
    seed: int,
) -> list[Match]:
    """How the options of a template compare with each of some right answers.

    Args:
        answers: What the locales bring to the template.
        options: The options, by number.
        golds: Right answers of any locales.
        known: What the locales answer to other templates.
        seed: Seed of the wishes.
    """
    looks = _Looks(options)
    said = [[Said(one.text, one.locale.tag) for one in ones] for ones in (golds, options)]
    if answers.answer_format is not AnswerFormat.TEXT:
        typical: npt.NDArray[np.int64] = np.zeros((len(golds), len(options)), dtype=np.int64)
        beside: list[set[Forms]] = [set() for _ in golds]
    else:
        typical = known.typicality.compared(answers.template_id, *said)
        beside = [known.companions.of(answers.template_id, gold.locale.tag, gold.text) for gold in golds]
    return [
        looks.match(
            gold,
            signs,
            Accepted(_values(answers, gold), texts),
            (seed, answers.template_id, "above", gold.locale.tag, gold.text),
        )
        for gold, signs, texts in zip(golds, typical, beside, strict=True)
    ]


class Accepted(NamedTuple):
    """What people of a region gave."""

    values: Set[str]
    """All that its answers to the question can mean, see `builders.mcq.values.values`."""
    elsewhere: Set[Forms]
    """What it gave to other questions and may have meant here, `Companions.of`."""


def _values(answers: TemplateAnswers, gold: Option) -> Set[str]:
    ours = (one for one in answers.locales if one.locale.region == gold.locale.region)
    return {gold.text}.union(*(answer.values for one in ours for answer in one.acceptable))


class Known(NamedTuple):
    """What the locales answer to all templates."""

    typicality: Typicality
    companions: Companions


class _Looks:
    """What can be seen of options without knowing what they mean."""

    def __init__(self, options: Sequence[Option]) -> None:
        texts = [option.text for option in options]
        self._forms = [base_forms(text) for text in texts]
        self._lengths = np.array([len(text) for text in texts], dtype=np.int64)
        self._shapes = np.array([_shape(text) for text in texts], dtype=np.int64)
        self._magnitudes = {scale: np.array(_magnitudes(texts, scale), dtype=np.float64) for scale in _SCALES}

    def match(self, gold: Option, typical: Signs, accepted: Accepted, key: tuple[object, ...]) -> Match:
        """The comparison with one right answer.

        Args:
            gold: The right answer.
            typical: Which options are more typical than it is, `Typicality.compared`.
            accepted: What its region gave.
            key: What decides its wishes.
        """
        doubtful = np.array([forms in accepted.elsewhere for forms in self._forms], dtype=bool)
        scale, value = _value(gold.text)
        if scale is None:
            length = len(gold.text)
            shorter, longer = np.minimum(self._lengths, length), np.maximum(self._lengths, length)
            unlike = 2 * (self._shapes != _shape(gold.text)) + (longer >= _LONG_RATIO * shorter)
            signs, wanted = typical, (*_drawn(_TEXT_TICKETS, key), 0)
        else:
            values = self._magnitudes[scale]
            # Who says 20:00 and 21:00 would not call 20:30 wrong.
            known = [number for text in accepted.values if (number := magnitude(text, scale)) is not None]
            doubtful = (values >= min(known)) & (values <= max(known))
            unlike = np.where(np.isnan(values), 3, 2 * _is_far(values, value, scale))
            signs, wanted = np.sign(np.nan_to_num(values - value)).astype(np.int64), _drawn(_TICKETS, key)
        return Match(
            above=_bits(signs > 0),
            below=_bits(signs < 0),
            doubtful=_bits(doubtful),
            unlike=(unlike + 4 * doubtful).astype(np.uint64),
            wanted=wanted,
            by_value=scale is not None,
            names_region=gold.names_region,
        )


def _drawn(tickets: Sequence[int], key: tuple[object, ...]) -> tuple[int, ...]:
    """The different tickets in the order in which digests draw them."""
    order = sorted(range(len(tickets)), key=lambda i: digest(*key, i))
    return tuple(dict.fromkeys(tickets[i] for i in order))


def _shape(text: str) -> int:
    marked, digits = any(c in MARKS for c in text), any(c.isdigit() for c in text)
    return 4 * marked + 2 * digits + text.endswith(".")


def _magnitudes(texts: Sequence[str], scale: AnswerFormat) -> list[float]:
    found = (magnitude(text, scale) for text in texts)
    return [np.nan if value is None else value for value in found]


def _value(text: str) -> tuple[AnswerFormat, float] | tuple[None, float]:
    """The scale of a number, time or date, and its place there."""
    for scale in _SCALES:
        value = magnitude(text, scale)
        if value is not None:
            return scale, value
    return None, 0.0


def _is_far(values: npt.NDArray[np.float64], value: float, scale: AnswerFormat) -> npt.NDArray[np.bool_]:
    if scale is AnswerFormat.INTEGER:
        sizes = np.abs(values) + 1, np.full(len(values), abs(value) + 1)
        far: npt.NDArray[np.bool_] = np.maximum(*sizes) > _FAR_RATIO * np.minimum(*sizes)
    else:
        far = np.abs(values - value) > _FAR[scale]
    return far


def _bits(flags: npt.NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
