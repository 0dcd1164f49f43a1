"""Languages and countries: whether they stand in each other's place."""

import pytest

from blend.schemas.languages import turned_around


@pytest.mark.parametrize(
    ("tag", "right"),
    [("ge-KA", "ka-GE"), ("JP-ja", "ja-JP"), ("ka-GE", None), ("ko-KQ", None), ("de", None), ("zz-ZZ", None)],
)
def test_language_and_country_in_each_others_place(tag: str, right: str | None):
    assert turned_around(tag) == right
