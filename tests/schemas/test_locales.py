"""The registry says the truth about its 34 locales, and refuses entries that do not hold."""

from functools import partial
from pathlib import Path

import langcodes
import pytest

from blend.loaders.files.toml import parse_toml
from blend.schemas.errors import RowError, UnknownNameError
from blend.schemas.languages import own_name
from blend.schemas.locales import Locale, LocaleFile, Registry, language_name, names_any, registry
from helpers.messages import message_of

BLEND = (
    *("en-GB", "en-US", "ko-KR", "ar-DZ", "zh-CN", "id-ID", "es-ES", "fa-IR"),
    *("es-MX", "as-AS", "el-GR", "am-ET", "ha-NG", "az-AZ", "ko-KP", "su-JB"),
)
SEMEVAL_ONLY = (
    *("ar-EG", "ar-MA", "ar-SA", "bg-BG", "en-AU", "en-SG", "es-EC", "eu-PV", "fr-FR", "ga-IE"),
    *("ja-JP", "ms-SG", "sv-SE", "ta-LK", "ta-SG", "tl-PH", "zh-SG", "zh-TW"),
)
# The order of the authors' scripts, on which the published multiple-choice construction depends.
UPSTREAM = (
    *("UK", "US", "South_Korea", "Algeria", "China", "Indonesia", "Spain", "Iran", "Mexico", "Assam"),
    *("Greece", "Ethiopia", "Northern_Nigeria", "Azerbaijan", "North_Korea", "West_Java"),
)
# Region codes that mean something else in ISO 3166 (AS American Samoa, NG all of Nigeria), or nothing.
NOT_ISO = {"AS": "IN", "NG": "NG", "JB": "ID", "PV": "ES"}

ENTRY = """[[locale]]
tag = "eo-ZA"
language = "eo"
region = "ZA"
region_name = "Zamenhofia"
upstream = "Zamenhofia"
prompt_name = "Zamenhofia"
nationalities = ["Zamenhofian"]
aliases = []
native_name = "Zamenhofio"
direction = "ltr"
script = "Latn"
parent = "PL"
split = "ZA"
"""


def test_blend_then_semeval_in_order():
    assert registry().tags[:34] == (*BLEND, *SEMEVAL_ONLY)
    assert [locale.upstream for locale in registry()][:16] == list(UPSTREAM)
    assert [locale.tag for locale in registry() if "blend" in locale.collections] == list(BLEND)
    assert all("semeval-2026-7" in locale.collections for locale in list(registry())[:34])


def test_upstream_names_are_the_file_names(blend_data: Path):
    stems = {path.name.removesuffix("_data.json") for path in (blend_data / "annotations").iterdir()}
    assert {locale.upstream for locale in registry() if "blend" in locale.collections} == stems


@pytest.mark.parametrize("locale", registry(), ids=lambda locale: locale.tag)
def test_codes_are_known_to_langcodes(locale: Locale):
    assert langcodes.tag_is_valid(locale.language)
    territory = langcodes.Language.make(language=locale.language, territory=locale.parent)
    # Korean in North Korea, Chinese in Taiwan: the likely script of the language in that country.
    assert territory.maximize().script == locale.script
    assert (locale.direction == "rtl") == (locale.script == "Arab")
    # What CLDR calls the country is one of our names, unless the region is a part of the country.
    if locale.region not in NOT_ISO:
        assert territory.territory_name("en") in locale.names
    assert locale.parent == NOT_ISO.get(locale.region, locale.region)
    assert own_name(locale.language)


def test_split_names_suit_the_hub_and_differ():
    splits = [locale.split for locale in registry()]
    assert len(set(splits)) == len(splits)
    assert not [split for split in splits if "-" in split]
    shared = {locale.split: locale.region for locale in registry() if locale.split != locale.region}
    assert shared == {"SG_en": "SG", "SG_ms": "SG", "SG_ta": "SG", "SG_zh": "SG"}


def test_language_name_of_no_language():
    assert message_of(UnknownNameError, lambda: language_name("korean")) == (
        "unknown language tag 'korean'; the nearest of the 22 there are: ko, en, ta"
    )


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("ko-KP", "ko-KP"),
        ("North_Korea", "ko-KP"),
        ("KP", "ko-KP"),
        ("UK", "en-GB"),
        ("GB", "en-GB"),
        ("SG_ta", "ta-SG"),
        ("Tamil_Singapore", "ta-SG"),
        ("msa-SG", "ms-SG"),
        ("eu-ES", "eu-PV"),
        ("Arabic_Egypt", "ar-EG"),
    ],
)
def test_find(name: str, tag: str):
    assert registry().find(name).tag == tag


def test_regions_with_several_languages_are_told_apart():
    labels = [registry().label(locale) for locale in registry()]
    assert len({*labels}) == len(labels)
    assert {"South Korea", "Singapore (SG_ms)"} < {*labels}


def test_unknown_names():
    told = (
        f"unknown locale 'ko-KQ'; did you mean 'ko-KR'? the nearest of the {len(registry())} there are: ko-KR, "
        "ko-KP, ta-LK, or describe a region of your own in a locale file (`locale_file`, see docs/recipe.md)"
    )
    look_ups = registry().find, registry().get, registry().rank
    assert {message_of(UnknownNameError, partial(look_up, "ko-KQ")) for look_up in look_ups} == {told}


def test_a_locale_of_ones_own_is_not_a_misspelt_one():
    assert message_of(UnknownNameError, lambda: registry().get("mt-MT")) == (
        "unknown locale 'mt-MT'; take one that `blend locales` lists, or describe a region of your own in a "
        "locale file (`locale_file`, see docs/recipe.md)"
    )


def test_what_shares_neither_language_nor_region_is_not_meant():
    with pytest.raises(UnknownNameError, match=r"^unknown locale 'eu-BC'; take one that `blend locales` lists"):
        registry().find("eu-BC")
    assert [registry().meant(name) for name in ("eu-BC", "su-BC", "eu-JB", "ko_KR")] == [
        "",
        "su-JB",
        "su-JB",
        "ko-KR",
    ]


def test_another_name_of_the_region_is_meant_before_a_tag_that_is_spelt_alike():
    names = {"en-UK": "en-GB", "en-uk": "en-GB", "EN-UK": "en-GB", "en-Britain": "en-GB", "es-Spain": "es-ES"}
    assert {name: registry().meant(name) for name in names} == names
    with pytest.raises(UnknownNameError, match=r"^unknown locale 'en-UK'; did you mean 'en-GB'\? "):
        registry().get("en-UK")


def test_shared_region_code_names_nobody():
    told = message_of(UnknownNameError, lambda: registry().find("SG"))
    assert told == "unknown locale 'SG'; choose one of: SG_en, SG_ms, SG_ta, SG_zh"


def own_locales(text: str) -> tuple[Locale, ...]:
    return parse_toml(text, LocaleFile, name="own.toml", what="locale file").locale


def test_extended_keeps_ranks():
    own = own_locales(ENTRY)
    extended = registry().extended(own)
    assert extended.tags == (*registry().tags, "eo-ZA")
    assert extended.rank("eo-ZA") == len(registry().tags)
    assert extended.find("Zamenhofia").collections == ()
    assert "eo-ZA" not in registry()


def test_extended_by_a_known_locale():
    assert message_of(RowError, lambda: registry().extended([registry().get("ko-KR")], source="own.toml")) == (
        "own.toml, entry 1 (ko-KR): ko-KR, which is known without a locale file, has the same tag; delete one "
        "of the two"
    )


@pytest.mark.parametrize(
    ("changes", "code", "split"),
    [
        ({'"Zamenhofia"': '"South_Korea"'}, "South_Korea", "ZA_eo"),
        ({'"eo-ZA"': '"eo-KR"', '"ZA"': '"KR"'}, "KR", "KR_eo"),
    ],
)
def test_extended_by_a_locale_with_a_known_name(changes: dict[str, str], code: str, split: str):
    text = ENTRY
    for old, new in changes.items():
        text = text.replace(old, new)
    (own,) = own_locales(text)
    assert message_of(RowError, lambda: registry().extended([own], source="own.toml")) == (
        f"own.toml, entry 1 ({own.tag}): ko-KR, which is known without a locale file, is called {code!r} as "
        f"well; give it a split (such as {split}), upstream name and codes of its own, or use ko-KR instead"
    )


def test_two_entries_with_one_code_are_refused():
    assert message_of(RowError, lambda: registry().extended(own_locales(ENTRY * 2), source="own.toml")) == (
        "own.toml, entry 2 (eo-ZA): entry 1 has the same tag; delete one of the two"
    )


# Whether a text names any region.


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
