"""Option sets: options of a template, by number, as the bits of a whole number.

A template of a thousand locales has thousands of options, and for each of them it is known beside which others
it may not stand. As bits that takes a small part of the memory of a set of numbers, and it is one operation to
tell what is in two of them (``a & b``), in either (``a | b``) or in the first alone (``a & ~b``), and whether
option ``i`` is in one (``a >> i & 1``).
"""

from collections.abc import Iterable

OptionSet = int
"""Bit ``i`` is set for option ``i``; 0 is the empty set."""


_FEW = 8
"""Options that are found one after the other."""


def option_set(numbers: Iterable[int]) -> OptionSet:
    """Make a set of option numbers."""
    found = 0
    for number in numbers:
        found |= 1 << number
    return found


def union(sets: Iterable[OptionSet]) -> OptionSet:
    """Make a set of all options that are in any of some sets."""
    found = 0
    for one in sets:
        found |= one
    return found


def numbers_in(options: OptionSet) -> list[int]:
    """List the numbers of the options in a set, in order."""
    # Bit by bit where there are few: quicker than to write them all out.
    if options.bit_count() <= _FEW:
        found = []
        while options:
            lowest = options & -options
            found.append(lowest.bit_length() - 1)
            options ^= lowest
        return found
    return [number for number, bit in enumerate(reversed(f"{options:b}")) if bit == "1"]
