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


def numbers_in(bits: int) -> Iterator[int]:
    """The numbers in a set that is given as bits, the smallest first."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
