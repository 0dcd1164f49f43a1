"""Localised questions read as a person would write them."""

from pathlib import Path

import polars as pl
import pytest

from blend.builders.localise import prompt_question
from blend.schemas.locales import registry

LOCALES = registry()


@pytest.mark.parametrize(
    ("tag", "published", "printed"),
    [
        ("en-US", "What is eaten in US?", "What is eaten in the US?"),
        ("en-US", "What is eaten in the US?", "What is eaten in the US?"),
        ("en-US", "What is eaten in US? ", "What is eaten in the US?"),
        ("en-GB", "What is UK's most popular pet?", "What is the UK's most popular pet?"),
        ("en-GB", "UK has which pets? UK has many.", "The UK has which pets? The UK has many."),
        ("en-GB", "Is tea (e.g. UK blends) drunk?", "Is tea (e.g. the UK blends) drunk?"),
        ("ko-KR", "Who, in  South Korea, cooks?", "Who, in South Korea, cooks?"),
        ("tl-PH", "What is Philippines's best fruit?", "What is the Philippines' best fruit?"),
        ("tl-PH", "What is the Philippines' best fruit?", "What is the Philippines' best fruit?"),
        (
            "eu-PV",
            "Which sports are played in Basque Country?",
            "Which sports are played in the Basque Country?",
        ),
        ("en-US", "Why do US and 'US' differ in USB?", "Why do the US and 'the US' differ in USB?"),
        ("en-US", "What do they give us?", "What do they give us?"),
    ],
)
def test_prompt_names(tag: str, published: str, printed: str):
    assert prompt_question(published, LOCALES.get(tag)) == printed


@pytest.mark.integration
def test_all_published_questions_name_their_region_as_printed(blend_data: Path):
    seen = 0
    for locale in LOCALES:
        if "blend" not in locale.collections:
            continue
        questions = pl.read_csv(blend_data / "questions" / f"{locale.upstream}_questions.csv")
        for template_id, published in questions.select("ID", "Translation").iter_rows():
            printed = prompt_question(published, locale)
            # One question names its country twice: "Except the food original from …, which … in …?"
            assert printed.count(locale.prompt_name) == (2 if template_id == "Ki-pe-36" else 1)
            bare = locale.prompt_name.removeprefix("the ")
            assert printed.replace(locale.prompt_name, bare) == " ".join(published.split())
            seen += 1
    assert seen == 8000
