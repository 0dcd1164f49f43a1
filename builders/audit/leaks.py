"""Leaks: what makes an option stand out before anybody has thought about the question, by cause.

A cause flags options. Most look for the odd one out: an option that alone differs from all others, which
are alike. A question of two options has none.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from blend.builders.audit.question_arrays import FloatArray, IntArray, QuestionArrays
from blend.builders.audit.solvers import Known, Solver, named_groups, names_region
from blend.schemas.texts import scripts_of

_FAR = 2
"""An option that is so many times as long as the next longest one stands out by its length."""

_MARKS = frozenset('()[]{},;:/\\"!?&+')


def _names_another(asked: QuestionArrays, known: Known) -> FloatArray:
    """Flags options that name another region that is asked about, and not the question's own."""
    named = named_groups(asked, known.locales)
    own = named[asked.group[asked.owner], asked.text]
    anyone: NDArray[np.bool_] = np.logical_or.reduce(named, axis=0)
    return (anyone[asked.text] & ~own).astype(np.float64)


def _much_longer(asked: QuestionArrays, _: Known) -> FloatArray:
    """Flags an option that has at least `_FAR` times as many characters as any other."""
    lengths = asked.lengths
    top, second = _top_two(asked, lengths)
    far: NDArray[np.bool_] = (lengths == top[asked.owner]) & (top >= _FAR * second)[asked.owner]
    return far.astype(np.float64)


def _much_shorter(asked: QuestionArrays, _: Known) -> FloatArray:
    """Flags an option that has at most one part in `_FAR` of the characters of any other."""
    lengths = asked.lengths
    # The shortest and the second shortest.
    top, second = (-found for found in _top_two(asked, -lengths))
    far: NDArray[np.bool_] = (lengths == top[asked.owner]) & (_FAR * top <= second)[asked.owner]
    return far.astype(np.float64)


def _odd_format(asked: QuestionArrays, _: Known) -> FloatArray:
    """Flags an option that alone has, or alone lacks, capitals or punctuation marks."""
    return _odd_one_out(asked, [_shape(text) for text in asked.texts])


def _odd_script(asked: QuestionArrays, _: Known) -> FloatArray:
    """Flags an option that alone is written in another script; options without letters say nothing."""
    scripts = [" ".join(sorted(scripts_of(text))) for text in asked.texts]
    lettered = np.array([script != "" for script in scripts])[asked.text]
    all_have_it = np.logical_and.reduceat(lettered, asked.starts)
    return np.where(all_have_it[asked.owner], _odd_one_out(asked, scripts), 0.0)


def _odd_number(asked: QuestionArrays, _: Known) -> FloatArray:
    """Flags an option that alone has digits, or alone has none."""
    return _odd_one_out(asked, [str(any(map(str.isdigit, text))) for text in asked.texts])


def repeated(asked: QuestionArrays, _: Known) -> FloatArray:
    """Flags options that another option of the question repeats, up to case and accents."""
    numbers = asked.owner * (int(asked.key.max()) + 1) + asked.key[asked.text]
    _, location, often = np.unique(numbers, return_inverse=True, return_counts=True)
    stands_twice: NDArray[np.bool_] = often[location] > 1
    return stands_twice.astype(np.float64)


LEAKS: Mapping[str, Solver] = {
    "names-region": Solver("an option names the region asked about, or its people", names_region),
    "names-another": Solver("an option names another region that the set asks about", _names_another),
    "much-longer": Solver("an option is at least twice as long as all others", _much_longer),
    "much-shorter": Solver("an option is at most half as long as all others", _much_shorter),
    "format": Solver("an option alone has, or lacks, capitals or punctuation", _odd_format),
    "script": Solver("an option alone is in another script", _odd_script),
    "number-or-words": Solver("an option alone has digits, or alone has none", _odd_number),
    "repeated-option": Solver("an option stands there twice", repeated),
}
"""The causes, by name; a score of 1 flags an option."""


def _top_two(asked: QuestionArrays, numbers: IntArray) -> tuple[IntArray, IntArray]:
    """The largest and the second largest number of every question; equal ones are two."""
    # Question by question (the last key sorts first), in each the largest first.
    ordered = numbers[np.lexsort((-numbers, asked.owner))]
    return ordered[asked.starts], ordered[asked.starts + 1]


def _odd_one_out(asked: QuestionArrays, labels: list[str]) -> FloatArray:
    """1 for an option whose label is its own while all the others share one; labels are by text."""
    _, codes = np.unique(np.array(labels), return_inverse=True)
    of_options = codes[asked.text].astype(np.int64)
    numbers = asked.owner * (int(codes.max()) + 1) + of_options
    different, location, often = np.unique(numbers, return_inverse=True, return_counts=True)
    # Question and label in one number; dividing gives the question back. Kinds: different labels of a question.
    kinds = np.bincount(different // (int(codes.max()) + 1), minlength=len(asked.starts))
    alone: NDArray[np.bool_] = (often[location] == 1) & ((kinds == 2) & (asked.sizes > 2))[asked.owner]
    return alone.astype(np.float64)


def _shape(text: str) -> str:
    return f"{any(map(str.isupper, text))} {not _MARKS.isdisjoint(text)} {text.endswith('.')}"
