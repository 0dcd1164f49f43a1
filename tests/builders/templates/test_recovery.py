"""Templates come back from the questions that were made of them."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from blend.builders.templates.localise import localise
from blend.builders.templates.recovery import recover_templates
from blend.loaders.upstream.blend import BlendTables
from blend.schemas.formats import AnswerFormat, format_of
from blend.schemas.frames import TEMPLATES, TRANSLATIONS
from blend.schemas.locales import registry

LOCALES = registry()

# Words that no registered name or adjective contains, with the shapes that slots may stand next to.
PLAIN = st.sampled_from(["food", "What", "is", "eaten", "e.g.", "(tea)", "Football", "2", "'salt'", "US-style"])
COUNTRY = st.sampled_from(
    ["{country}", "{country},", "{country}'s best", "({country})", "{country}?", "Is it so? {country}"]
)
NATIONALITY = st.sampled_from(["{nationality} food", "a {nationality} dish", "A {nationality}?"])


def templates_of(*texts: str) -> pl.DataFrame:
    rows = [
        {
            "template_id": f"T-{i:02}",
            "topic": "Food",
            "source_locale": "ko-KR",
            "text": text,
            "answer_format": format_of(text).value,
            "source": f"sheet.csv:{i + 2}",
        }
        for i, text in enumerate(texts)
    ]
    return pl.DataFrame(rows, schema=TEMPLATES)


def questions_of(templates: pl.DataFrame) -> pl.DataFrame:
    translated = [
        (template_id, locale.tag, f"{template_id} {locale.native_name}", f"{locale.tag}.csv:{row}", None)
        for row, template_id in enumerate(templates["template_id"], start=2)
        for locale in LOCALES
    ]
    translations = pl.DataFrame(translated, schema=TRANSLATIONS, orient="row")
    questions, dropped = localise(templates, LOCALES, translations)
    assert dropped.is_empty()
    return questions


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.one_of(PLAIN, COUNTRY, NATIONALITY), max_size=6), COUNTRY, st.booleans())
def test_localised_templates_are_recovered(words: list[str], slot: str, first: bool):
    text = " ".join([slot, *words] if first else [*words, slot])
    templates = templates_of(text)
    questions = questions_of(templates)
    assert len(questions) == len(LOCALES)
    recovered = recover_templates(questions)
    assert recovered.templates["text"].to_list() == [text]
    assert recovered.rewordings.is_empty()


@pytest.mark.slow
@settings(deadline=None)
@given(st.randoms())
def test_row_order_is_irrelevant(rng):
    questions = questions_of(
        templates_of("Which {nationality} dish is best in {country}?", "Is {country}'s tea hot?")
    )
    order = rng.sample(range(len(questions)), len(questions))
    for left, right in zip(recover_templates(questions), recover_templates(questions[order]), strict=True):
        assert_frame_equal(left, right)


def test_adjectives_in_fixed_terms_stay():
    text = "Is American football or Korean barbecue known in {country}?"
    assert recover_templates(questions_of(templates_of(text))).templates["text"].to_list() == [text]


def test_rewordings_keep_both_texts():
    questions = questions_of(templates_of("Which middle school is best in {country}?"))
    british = pl.col("locale") == "en-GB"
    american = pl.col("locale") == "en-US"
    questions = questions.with_columns(
        en_question=pl.when(british)
        .then(pl.lit("Which secondary school is best in UK?"))
        .when(american)
        .then(pl.lit("Which middle school is best in US? "))
        .otherwise("en_question")
    )
    rewordings = recover_templates(questions).rewordings
    assert rewordings.select("locale", "kind", "text", "template").rows() == [
        (
            "en-GB",
            "wording",
            "Which secondary school is best in {country}?",
            "Which middle school is best in {country}?",
        ),
        (
            "en-US",
            "white space",
            "Which middle school is best in {country}? ",
            "Which middle school is best in {country}?",
        ),
    ]


def test_ties_are_settled_by_the_text():
    questions = questions_of(templates_of("Is B eaten in {country}?")).head(2)
    questions = questions.with_columns(en_question=pl.Series(["Is B so?", "Is A so?"]))
    assert recover_templates(questions).templates["text"].to_list() == ["Is A so?"]


@pytest.mark.integration
def test_published_questions_agree_but_for_23_rewordings(raw_tables: BlendTables):
    # The counts by region are those of the data's own description; the three of en-US are trailing blanks.
    recovered = recover_templates(raw_tables.questions)
    assert len(recovered.templates) == 500
    by_locale = dict(recovered.rewordings["locale"].value_counts().rows())
    assert by_locale == {
        "en-GB": 6,
        "fa-IR": 3,
        "en-US": 3,
        "id-ID": 2,
        "as-AS": 2,
        "ha-NG": 2,
        "su-JB": 2,
        "el-GR": 1,
        "am-ET": 1,
        "az-AZ": 1,
    }
    white_space = recovered.rewordings.filter(kind="white space")
    assert white_space["locale"].to_list() == ["en-US"] * 3
    assert recovered.templates["text"].str.contains("{country}", literal=True).all()
    assert not recovered.templates["text"].str.contains("{nationality}", literal=True).any()
    formats = dict(recovered.templates["answer_format"].value_counts().rows())
    assert formats[AnswerFormat.TIME] == 13
    assert formats[AnswerFormat.DATE] == 4
