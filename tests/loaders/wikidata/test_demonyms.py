"""Demonyms over HTTP: what Wikidata calls nationalities becomes the file that a recipe reads."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.builders.cultural_prompts import build_prompts
from blend.loaders.topics import read_forms, read_topics
from blend.loaders.wikidata.demonyms import FORMS_NAME, OTHERS_NAME, ask_demonyms, write_demonyms
from blend.schemas.errors import InputError
from blend.schemas.languages import nationalities
from blend.schemas.recipe import CulturalOptions
from helpers.wikidata.wikidata_endpoint import QUICK

FACTS = """
    Q155 P297 "BR"
    Q155 P1549 "Brasilianerin"@de
    Q155 P1549 "Brasilianer"@de
    Q155 P1549 "Brasilianisch"@de
    Q155 P1549 "brasileiro"@pt-br
    Q155 P1549 "Brazilian"@en
    Q784 P297 "DM"
    Q784 P1549 "Dominicaner"@de
    Q786 P297 "DO"
    Q786 P1549 "Dominikaner"@de
    Q145 P297 "GB"
    Q145 P1549 "  Bri\u0074e\u0308  "@de
    Q145 P1549 " "@de
    Q664 P297 "NZ"
    Q31 P1549 "Belgier"@de
    Q1 P297 "ZZ"
    Q1 P1549 "Niemand"@de
"""
"""A country without a form, a form without a code, a code that the table does not have; space around a form."""


@pytest.fixture
def found(serve: Callable[[str], Any]) -> Any:
    return ask_demonyms(["de", "pt-BR"], endpoint=serve(FACTS).url, policy=QUICK)


def test_forms_are_those_of_the_countries_of_a_nationality(found: Any):
    assert found.forms == {
        "de": {
            "Brazilian": ("Brasilianer", "Brasilianerin", "Brasilianisch"),
            "British": ("Britë",),
            # Two countries whose people have one name in English.
            "Dominican": ("Dominicaner", "Dominikaner"),
        },
        "pt-BR": {"Brazilian": ("brasileiro",)},
    }
    demonyms = list(dict.fromkeys(one.demonym for one in nationalities()))
    assert list(found.missing("pt-BR")) == [name for name in demonyms if name != "Brazilian"]


def test_what_is_written_is_what_a_recipe_reads(found: Any, tmp_path: Path):
    assert write_demonyms(tmp_path, found) == [FORMS_NAME, OTHERS_NAME]
    assert (tmp_path / FORMS_NAME).read_text() == (
        "de\tBrazilian\tBrasilianer\nde\tBritish\tBritë\nde\tDominican\tDominicaner\npt-BR\tBrazilian\tbrasileiro\n"
    )
    assert (tmp_path / OTHERS_NAME).read_text() == (
        "de\tBrazilian\tBrasilianerin\nde\tBrazilian\tBrasilianisch\nde\tDominican\tDominikaner\n"
    )
    topics = tmp_path / "prompts" / "qa"
    topics.mkdir(parents=True)
    (topics / "topics.tsv").write_text("physics\tSchall\n")
    (topics / "templates.tsv").write_text("_\tde\tEin {nationality} fragt nach {topic}.\n")
    prompts = build_prompts(
        read_topics(tmp_path / "prompts"),
        CulturalOptions(nationalities=("BR", "JP")),
        forms=read_forms(tmp_path / FORMS_NAME),
    )
    assert prompts.prompts["prompt"].to_list() == ["Ein Brasilianer fragt nach Schall."]
    assert prompts.findings["detail"].to_list() == ["no name of 'Japanese' in 'de'; not asked about there"]


def test_what_is_not_a_language_is_told_before_anybody_is_asked():
    with pytest.raises(InputError) as told:
        ask_demonyms(["german!"], endpoint="http://127.0.0.1:9")
    assert str(told.value) == ("languages: 'german!' is not a BCP 47 tag; write tags such as en, zh or zh-hans")
