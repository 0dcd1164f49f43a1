"""Flags: sets of numbered options as rows of truth values, and as the bits of integers."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]
"""Whether an option is in a set: one column per option, one row per set."""


def flags(sets: Sequence[int], n: int) -> Flags:
    """Sets of the numbers below ``n``, given as bits, as rows of flags: shape ``(n_sets, n)``."""
    width = (n + 7) // 8
    packed = b"".join(bits.to_bytes(width, "little") for bits in sets)
    rows = np.frombuffer(packed, np.uint8).reshape(len(sets), width)
    return np.unpackbits(rows, axis=1, count=n, bitorder="little").view(np.bool_)


def meet(some: Flags, others: Flags) -> Flags:
    """Which sets of two tables have a number in common, shape ``(n_some, n_others)``.

    Not a product of matrices, for which NumPy's library starts threads that mostly wait.
    """
    found = np.zeros((len(some), len(others)), np.bool_)
    for here, there in zip(_words(some).T, _words(others).T, strict=True):
        found |= (here[:, None] & there) != 0
    return found


def _words(rows: Flags) -> npt.NDArray[np.uint64]:
    """The rows as bits, 64 to a number."""
    packed = np.packbits(rows, axis=1)
    words = np.zeros((len(rows), (packed.shape[1] + 7) // 8 * 8), np.uint8)
    words[:, : packed.shape[1]] = packed
    return words.view(np.uint64)


def numbers_in(bits: int) -> Iterator[int]:
    """The numbers in a set that is given as bits, the smallest first."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
