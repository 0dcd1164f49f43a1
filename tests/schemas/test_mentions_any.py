"""Whether a text names any region."""

import pytest

from blend.schemas.locales import Registry, names_any, registry


@pytest.mark.parametrize(
    "text",
    [
        "british museum",
        "Koreans",
        "south korea",
        "uk",
        "U.K.",
        "us",
        "US army",
        "seoul",
        "mexico city international airport",
        "korean-style",
        # The country that Assam lies in, which is not a locale of its own.
        "india",
        "new delhi",
    ],
)
def test_names(text):
    assert names_any(text, registry())


@pytest.mark.parametrize(
    "text", ["tell us", "rice", "londoner", "washington monument", "turkey", "", "use", "chinaware"]
)
def test_no_names(text):
    assert not names_any(text, registry())


NAMES = sorted({name for one in registry() for name in (*one.names, *one.nationalities, *one.capitals)})


@pytest.mark.parametrize("form", ["{}", "the {}", "({})", "{}-style", "x/{}!", "x {} x"])
def test_every_name_in_any_case_and_its_plural(form):
    missed = [
        text
        for name in NAMES
        for text in map(form.format, (name, name.lower(), name.upper(), f"{name}s"))
        # Without capitals and beside other words it may be the English word.
        if not names_any(text, registry()) and name.lower() != "us"
    ]
    assert missed == []


def test_the_registry_decides():
    assert not names_any("korean rice", Registry([registry().get("el-GR")]))
    assert names_any("athens", Registry([registry().get("el-GR")]))
