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


def test_the_registry_decides():
    assert not names_any("korean rice", Registry([registry().get("el-GR")]))
    assert names_any("athens", Registry([registry().get("el-GR")]))
