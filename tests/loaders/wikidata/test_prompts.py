"""Prompt templates: the packaged ones are sound, and what is not is said."""

import polars as pl
import pytest

from blend.loaders.wikidata.prompts import check_templates, packaged_templates, parse_templates
from blend.schemas.arrow_types import published
from blend.schemas.errors import RowError, RowErrors
from blend.schemas.languages import agreeing
from blend.schemas.rows import TEMPLATES, TripleTemplate

LANGUAGES = ("en", "zh", "ar", "ko", "ru", "he", "es", "fr", "de", "ja", "id", "fa", "el", "tr")


def frame(*rows: tuple[str, str, str]) -> pl.DataFrame:
    full = [(*row, row[1].startswith("country"), False) for row in rows]
    return pl.DataFrame(full, schema=TEMPLATES, orient="row")


def test_five_of_each_kind_in_every_language():
    templates = packaged_templates()
    assert tuple(templates["language"].unique(maintain_order=True)) == LANGUAGES
    for language in LANGUAGES:
        here = templates.filter(pl.col("language") == language)
        wanted = [f"{kind}_{number}" for kind in ("hasParts", "country") for number in range(1, 6)]
        assert here["relation"].to_list() == wanted
        assert here["template"].n_unique() == 10
    assert len(published(templates, TripleTemplate)) == 140


def test_packaged_templates_have_no_known_fault():
    assert check_templates(packaged_templates()).rows() == []


@pytest.mark.parametrize(
    ("row", "kind", "detail"),
    [
        (("en", "hasParts_1", "[X] has [Z]."), "wrong-placeholders", "holds [X] [Z] instead of [X] [Y]"),
        (
            ("en", "hasParts_1", "[X] has [Y] in [C]."),
            "wrong-placeholders",
            "holds [C] [X] [Y] instead of [X] [Y]",
        ),
        (("en", "country_1", "[X] has [Y]."), "wrong-placeholders", "holds [X] [Y] instead of [C] [X] [Y]"),
        (("en", "hasParts_1", "Bread."), "wrong-placeholders", "holds nothing instead of [X] [Y]"),
        (
            ("de", "country_3", "In der Landesküche ([C]) enthält das Gericht [X] [Y]."),
            "placeholders-together",
            "two placeholders stand side by side, so that their words run together",
        ),
        (("en", "hasParts_1", "[X] has [Y]"), "no-full-stop", "does not end in '.'"),
        (("zh", "hasParts_1", "[X]有[Y]."), "no-full-stop", "does not end in '。'"),
        (
            ("zh", "hasParts_1", "[X]有[Y]。。"),
            "wrong-punctuation",
            "'。。' is doubled or has a blank before it",
        ),
        (
            ("en", "hasParts_1", "[X] has  [Y]."),
            "wrong-punctuation",
            "'  ' is doubled or has a blank before it",
        ),
        (
            ("he", "country_1", "ב [C] ,[X]: [Y]."),
            "wrong-punctuation",
            "' ,' is doubled or has a blank before it",
        ),
        (("ar", "country_1", "في [C], [X]: [Y]."), "wrong-punctuation", "has the comma ',' instead of '،'"),
        (("fr", "hasParts_1", "[X] est prépare\u0301 avec [Y]."), "odd-character", "is not in Unicode NFC"),
        (("en", "hasParts_1", " [X] has [Y]."), "odd-character", "starts or ends with a blank"),
        (("ko", "hasParts_1", "[X]: [Y]\u05b8."), "odd-character", "a mark U+05B8 stands on no letter"),
        (
            ("ko", "hasParts_1", "[X]는 [Y] 요리입니다."),
            "variable-particle",
            "the particle 는 depends on the word before it",
        ),
        (
            ("ko", "hasParts_1", "[X]에는 [Y]로 맛을 냅니다."),
            "variable-particle",
            "the particle 로 depends on the word before it",
        ),
    ],
)
def test_faults_are_found(row: tuple[str, str, str], kind: str, detail: str):
    found = check_templates(frame(row)).select("kind", "source", "detail").rows()
    assert found == [(kind, f"{row[0]}:{row[1]}", detail)]


def test_a_repeated_template_is_found():
    found = check_templates(frame(("en", "hasParts_1", "[X]: [Y]."), ("en", "hasParts_2", "[X]: [Y].")))
    assert found.select("kind", "source", "detail").rows() == [
        ("repeated-template", "en:hasParts_2", "the same text as hasParts_1")
    ]


@pytest.mark.parametrize(
    ("word", "following", "agreed"),
    [
        ("김치", "은 맵다", "는 맵다"),
        ("떡국", "는 맵다", "은 맵다"),
        ("떡국", "가 있다", "이 있다"),
        ("떡국", "와 밥", "과 밥"),
        ("쌀", "으로 만든", "로 만든"),
        ("콩", "로 만든", "으로 만든"),
        ("쌀", "예요.", "이에요."),
        ("두부", "이에요.", "예요."),
        ("떡국", "에는 무", "에는 무"),
        ("떡국", " 는 무", " 는 무"),
        ("김치", "이라는 음식", "이라는 음식"),
        ("", "는", "는"),
    ],
)
def test_agreeing(word: str, following: str, agreed: str):
    assert agreeing(word, following) == agreed


def test_broken_template_files():
    with pytest.raises(RowError) as error:
        parse_templates("[en", source="own.toml")
    assert str(error.value).startswith("own.toml: not TOML: ")
    broken = '[e]\nhasParts = []\n[fr]\nhasParts = ["a"]\n[de]\nhasParts = "a"\ncountry = [1]\n'
    with pytest.raises(RowErrors) as errors:
        parse_templates(broken, source="own.toml")
    assert str(errors.value) == (
        "4 problems:\n"
        "own.toml, table e: the name is not a BCP 47 tag; name the table en, zh, pt-br …\n"
        "own.toml, table fr: not a table of templates; "
        "give it the lists hasParts and country and nothing else\n"
        'own.toml, table de, key hasParts: not a list of text; write ["…", "…"]\n'
        'own.toml, table de, key country: not a list of text; write ["…", "…"]'
    )
