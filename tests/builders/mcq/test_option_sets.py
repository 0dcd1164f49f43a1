"""Sets of option numbers as the bits of a whole number."""

from hypothesis import given
from hypothesis import strategies as st

from blend.builders.mcq.option_sets import numbers_in, option_set, union

SETS = st.sets(st.integers(0, 200))


@given(SETS, SETS)
def test_bits_say_what_sets_of_numbers_say(a: set[int], b: set[int]):
    in_a, in_b = option_set(a), option_set(b)
    assert numbers_in(in_a) == sorted(a)
    assert numbers_in(in_a & in_b) == sorted(a & b)
    assert numbers_in(union([in_a, in_b])) == sorted(a | b)
    assert numbers_in(in_a & ~in_b) == sorted(a - b)
    assert in_a.bit_count() == len(a)
