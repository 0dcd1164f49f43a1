"""Matching: how the options of a template compare with a right answer, and how many should outdo it.

A right answer stands out if it is always the one that sounds like the region asked about, or always the
smallest number. So each wishes for a number of distractors above it, more typical of its region or larger
than it is, and finds some options more alike than others.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.builders.mcq.answers import TemplateAnswers
from blend.builders.mcq.companions import Companions
from blend.builders.mcq.digests import digest
from blend.builders.mcq.flags import Flags
from blend.builders.mcq.options import Option
from blend.builders.mcq.orders import Keys
from blend.builders.mcq.said import Said, said_texts
from blend.builders.mcq.together import N_DISTRACTORS
from blend.builders.mcq.typical import Typicality
from blend.schemas.formats import AnswerFormat, magnitude

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

MARKS = '()[]{},;:/\\"!?&+'
"""Punctuation marks that make an option look unlike others."""

_SCALES = (AnswerFormat.INTEGER, AnswerFormat.TIME, AnswerFormat.DATE)
_FAR = {AnswerFormat.TIME: 6 * 60, AnswerFormat.DATE: 3 * 31}
"""Minutes, and days of a year of 31-day months, from which on a time or date is less plausible."""
_FAR_RATIO = 10
"""How many times as large or small a less plausible integer is."""
_LONG_RATIO = 2
"""How many times as long an option is that is unlike, or that a right answer is unlike to."""
_TICKETS = (*(0,) * 6, *(1,) * 6, *(2,) * 6, 3)
"""How many larger numbers a right answer draws from. Not every wish can be granted, few larger ones more rarely
than many: with these shares a right answer is the largest about as often as the smallest on the 16 regions."""
_TEXT_TICKETS = (1, 2, 3)
"""More typical texts that a right answer draws from; without any, it is the first that a guesser takes."""


@dataclass(frozen=True, slots=True)
class Matches:
    """How the options of a template compare with some right answers.

    One row per right answer, and one column per option in tables of shape ``(n_golds, n_options)``.
    """

    above: Flags
    """Those that outdo it: more typical of the region asked about, or larger."""
    below: Flags
    """Those that it outdoes; the others are like it."""
    doubtful: Flags
    """Those that may well be right: given there to other questions, or between the numbers given."""
    unlike: Keys
    """How unlike each is: 0 for alike, 1 for another length, 2 for another format or far away, 3 for both, or
    for no number beside a number; and 4 more for a doubtful one."""
    wanted: Numbers
    """How many distractors should outdo it, the first choice first; shape ``(n_golds, 4)``."""
    by_value: Flags
    """Whether it is a number, time or date; shape ``(n_golds,)``."""
    names_region: Flags
    """Whether it gives its region away; shape ``(n_golds,)``."""

    def at(self, rows: Numbers) -> "Matches":
        """Those of some right answers."""
        return Matches(*(getattr(self, field.name)[rows] for field in fields(self)))


def matches(
    answers: TemplateAnswers,
    options: Sequence[Option],
    golds: Sequence[Option],
    known: "Known",
    *,
    seed: int,
) -> Matches:
    """How the options of a template compare with each of some right answers.

    Args:
        answers: What the locales bring to the template.
        options: The options, by number.
        golds: Right answers of any locales.
        known: What the locales answer to other templates.
        seed: Seed of the wishes.
    """
    looks = _Looks(options)
    on_scales = [_value(gold.text) for gold in golds]
    typical = np.zeros((len(golds), len(options)), np.int64)
    doubtful = np.zeros(typical.shape, np.bool_)
    unlike = looks.unlike([gold.text for gold in golds])
    if answers.answer_format is AnswerFormat.TEXT:
        said = [[Said(one.text, one.locale.tag) for one in ones] for ones in (golds, options)]
        typical = known.typicality.compared(answers.template_id, *said)
        doubtful = known.companions.doubtful(answers.template_id, said[0], [one.text for one in options])
    for row, (gold, (scale, value)) in enumerate(zip(golds, on_scales, strict=True)):
        if scale is not None:
            given = _values(answers, gold)
            typical[row], doubtful[row], unlike[row] = looks.beside_number(scale, value, given)
    return Matches(
        above=typical > 0,
        below=typical < 0,
        doubtful=doubtful,
        unlike=(unlike + 4 * doubtful).astype(np.uint64),
        wanted=_wishes(golds, [scale is not None for scale, _ in on_scales], seed, answers.template_id),
        by_value=np.array([scale is not None for scale, _ in on_scales], np.bool_),
        names_region=np.array([gold.names_region for gold in golds], np.bool_),
    )


def _values(answers: TemplateAnswers, gold: Option) -> Set[str]:
    ours = (one for one in answers.locales if one.locale.region == gold.locale.region)
    return {gold.text}.union(*(answer.values for one in ours for answer in one.acceptable))


class Known(NamedTuple):
    """What the locales answer to all templates."""

    typicality: Typicality
    companions: Companions

    @classmethod
    def of(cls, questions: pl.DataFrame, annotations: pl.DataFrame) -> "Known":
        """From `schemas.frames.QUESTIONS` and `schemas.frames.ANNOTATIONS`."""
        said = said_texts(annotations)
        return cls(Typicality(said), Companions(questions, said))


class _Looks:
    """What can be seen of options without knowing what they mean."""

    def __init__(self, options: Sequence[Option]) -> None:
        self._texts = [option.text for option in options]
        self._magnitudes: dict[AnswerFormat, Floats] = {}

    def unlike(self, golds: Sequence[str]) -> Numbers:
        """How unlike the options are to texts, by length and format; shape ``(n_golds, n_options)``."""
        lengths, of_golds = _lengths(self._texts), _lengths(golds)[:, None]
        shorter, longer = np.minimum(lengths, of_golds), np.maximum(lengths, of_golds)
        differ = _shapes(self._texts) != _shapes(golds)[:, None]
        unlike: Numbers = 2 * differ + (longer >= _LONG_RATIO * shorter)
        return unlike

    def beside_number(
        self, scale: AnswerFormat, value: float, given: Set[str]
    ) -> tuple[Numbers, Flags, Numbers]:
        """Whether options are larger than a number, doubtful beside it, and how unlike they are.

        Args:
            scale: Its scale.
            value: Its place there.
            given: All that the answers of its region to the question can mean, the number among them.
        """
        if scale not in self._magnitudes:
            self._magnitudes[scale] = _magnitudes(self._texts, scale)
        values = self._magnitudes[scale]
        # Who says 20:00 and 21:00 would not call 20:30 wrong.
        known = [number for text in given if (number := magnitude(text, scale)) is not None]
        doubtful = (values >= min(known)) & (values <= max(known))
        unlike = np.where(np.isnan(values), 3, 2 * _is_far(values, value, scale))
        return np.sign(np.nan_to_num(values - value)).astype(np.int64), doubtful, unlike


def _wishes(golds: Sequence[Option], by_value: Sequence[bool], seed: int, template_id: str) -> Numbers:
    """How many distractors should outdo each right answer, see `Matches.wanted`."""
    keys = [(seed, template_id, "above", gold.locale.tag, gold.text) for gold in golds]
    drawn = (
        _drawn(_TICKETS, key) if is_number else (*_drawn(_TEXT_TICKETS, key), 0)
        for key, is_number in zip(keys, by_value, strict=True)
    )
    return np.array(list(drawn), np.int64).reshape(-1, N_DISTRACTORS + 1)


def _drawn(tickets: Sequence[int], key: tuple[object, ...]) -> tuple[int, ...]:
    """The different tickets in the order in which digests draw them."""
    order = sorted(range(len(tickets)), key=lambda i: digest(*key, i))
    return tuple(dict.fromkeys(tickets[i] for i in order))


def _lengths(texts: Sequence[str]) -> Numbers:
    return np.array([len(text) for text in texts], np.int64)


def _shapes(texts: Sequence[str]) -> Numbers:
    return np.array([_shape(text) for text in texts], np.int64)


@lru_cache(maxsize=1 << 16)
def _shape(text: str) -> int:
    marked, digits = any(c in MARKS for c in text), any(c.isdigit() for c in text)
    return 4 * marked + 2 * digits + text.endswith(".")


def _magnitudes(texts: Sequence[str], scale: AnswerFormat) -> Floats:
    found = (magnitude(text, scale) for text in texts)
    return np.array([np.nan if value is None else value for value in found], np.float64)


def _value(text: str) -> tuple[AnswerFormat, float] | tuple[None, float]:
    """The scale of a number, time or date, and its place there."""
    for scale in _SCALES:
        value = magnitude(text, scale)
        if value is not None:
            return scale, value
    return None, 0.0


def _is_far(values: Floats, value: float, scale: AnswerFormat) -> Flags:
    if scale is AnswerFormat.INTEGER:
        sizes = np.abs(values) + 1, np.full(len(values), abs(value) + 1)
        far: Flags = np.maximum(*sizes) > _FAR_RATIO * np.minimum(*sizes)
    else:
        far = np.abs(values - value) > _FAR[scale]
    return far
