"""Languages, scripts and countries: whether there are such, and what they are called."""

import pytest

from blend.schemas.languages import (
    country_name,
    english_name,
    is_country,
    is_language,
    is_script,
    own_name,
    turned_around,
)


@pytest.mark.parametrize(
    ("tag", "right"),
    [("ge-KA", "ka-GE"), ("JP-ja", "ja-JP"), ("ka-GE", None), ("ko-KQ", None), ("de", None), ("zz-ZZ", None)],
)
def test_language_and_country_in_each_others_place(tag: str, right: str | None):
    assert turned_around(tag) == right


def test_names_and_codes():
    assert is_language("pt-BR")
    assert not is_language("e0")
    assert (english_name("pt-BR"), own_name("sw")) == ("Portuguese (Brazil)", "Kiswahili")
    assert is_country("PL")
    assert country_name("PL") == "Poland"
    assert not is_country("JB")
    assert is_script("Thai")
    assert not is_script("Lati")
