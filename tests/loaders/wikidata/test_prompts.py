"""Prompt templates: the packaged ones are sound, and what is not is said."""

import polars as pl
import pytest

from blend.loaders.wikidata.prompts import check_templates, packaged_templates
from blend.schemas.arrow_types import published
from blend.schemas.rows import TEMPLATES, TripleTemplate

LANGUAGES = ("en", "zh", "ar", "ko", "ru", "he", "es", "fr", "de", "ja", "id", "fa", "el", "tr")


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
    ("relation", "template", "detail"),
    [
        ("hasParts_1", "[X] has [Z].", "holds [X] [Z] instead of [X] [Y]"),
        ("hasParts_1", "[X] has [Y] in [C].", "holds [C] [X] [Y] instead of [X] [Y]"),
        ("country_1", "[X] has [Y].", "holds [X] [Y] instead of [C] [X] [Y]"),
        ("hasParts_1", "Bread.", "holds nothing instead of [X] [Y]"),
    ],
)
def test_wrong_placeholders_are_found(relation: str, template: str, detail: str):
    row = ("en", relation, template, relation.startswith("country"), False)
    found = check_templates(pl.DataFrame([row], schema=TEMPLATES, orient="row"))
    assert found.select("kind", "source", "detail").rows() == [("wrong-placeholders", f"en:{relation}", detail)]
