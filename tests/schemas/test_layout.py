"""Paths of a manifest: which can be those of a file in a release."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.schemas.manifest import leads_out

NAMES = st.text(alphabet="abcxyz_-.019", min_size=1, max_size=8).filter(
    lambda name: name.strip(".") and name.partition(".")[0] not in ("con", "prn", "aux", "nul")
)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../release.json",
        "data/../../x",
        "data/./x",
        "data//x",
        "data/",
        "C:/x",
        "data/x:y",
        "data\\x",
        "data/\0",
        "NUL",
        "data/aux.parquet",
    ],
)
def test_what_leads_out(path: str):
    assert leads_out(path)


@pytest.mark.parametrize(
    "path",
    ["release.json", "data/annotations/KR-00000-of-00001.parquet", ".gitattributes", "a..b/c", "console"],
)
def test_what_stays(path: str):
    assert not leads_out(path)


@given(st.lists(NAMES, min_size=1, max_size=4))
def test_names_joined_by_slashes_stay(names: list[str]):
    assert not leads_out("/".join(names))
