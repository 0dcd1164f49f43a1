"""Languages: what is listed here is what langcodes says; anything else is asked of it."""

import pytest
from langcodes import Language, tag_is_valid

from blend.schemas.languages import (
    country_name,
    english_name,
    is_country,
    is_language,
    is_script,
    known_names,
    own_name,
    script_name,
    turned_around,
)
from blend.schemas.locales import registry

NAMES, SCRIPTS, COUNTRIES = (known_names()[kind] for kind in ("languages", "scripts", "countries"))


@pytest.mark.parametrize("tag", NAMES)
def test_listed_languages_are_called_as_langcodes_calls_them(tag: str):
    language = Language.get(tag)
    assert tag_is_valid(tag)
    assert NAMES[tag] == [language.display_name(), language.autonym()]
    assert english_name(tag) == language.language_name("en")


@pytest.mark.parametrize("code", SCRIPTS)
def test_listed_scripts_are_called_as_langcodes_calls_them(code: str):
    script = Language.make(script=code)
    assert script.is_valid()
    assert SCRIPTS[code] == script.script_name()


@pytest.mark.parametrize("code", sorted(COUNTRIES))
def test_listed_countries_are_called_as_langcodes_calls_them(code: str):
    country = Language.make(territory=code)
    assert country.is_valid()
    assert country_name(code) == country.territory_name("en")


@pytest.mark.parametrize(
    ("tag", "right"),
    [("ge-KA", "ka-GE"), ("JP-ja", "ja-JP"), ("ka-GE", None), ("ko-KQ", None), ("de", None), ("zz-ZZ", None)],
)
def test_language_and_country_in_each_others_place(tag: str, right: str | None):
    assert turned_around(tag) == right


def test_packaged_locales_need_nothing_else():
    for locale in registry():
        assert locale.language in NAMES
        assert locale.script in SCRIPTS
        assert locale.parent in COUNTRIES


def test_others_are_asked_of_langcodes():
    assert is_language("pt-BR")
    assert not is_language("e0")
    assert (english_name("pt-BR"), own_name("sw"), script_name("Thai")) == (
        "Portuguese (Brazil)",
        "Kiswahili",
        "Thai",
    )
    assert is_country("PL")
    assert country_name("PL") == "Poland"
    assert not is_country("JB")
    assert is_script("Thai")
    assert not is_script("Lati")
