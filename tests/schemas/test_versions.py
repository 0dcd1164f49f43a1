"""Versions and their tags."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.schemas.manifest import numbers_of, tag_of, version_of

NUMBERS = st.tuples(*[st.integers(min_value=0, max_value=10**6)] * 3)


@given(NUMBERS)
def test_a_version_is_its_numbers_and_its_tag(numbers: tuple[int, int, int]):
    version = ".".join(map(str, numbers))
    assert numbers_of(version) == numbers
    assert version_of(tag_of(version)) == version


@pytest.mark.parametrize(
    "tag", ["v1.2", "1.2.3", "v1.2.3.4", "v01.2.3", "v1.2.x", "v1.2.3\n", "v١.٢.٣", "final"]
)
def test_what_is_not_the_tag_of_a_version(tag: str):
    assert version_of(tag) is None
