"""Localised questions read as a person would write them."""

import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.templates.localise import fill, localise, prompt_question, slot_country
from blend.loaders.recipes import sample_path
from blend.schemas.errors import RowError
from blend.schemas.frames import FINDINGS, QUESTIONS, TEMPLATES, TRANSLATIONS
from blend.schemas.locales import Locale, registry
from helpers.messages import message_of

LOCALES = registry()
TOLD = tomllib.loads(Path(__file__).with_name("told.toml").read_text(encoding="utf-8"))


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


def templates_of(*texts: str, source_locale: str | None = "su-JB") -> pl.DataFrame:
    rows = [
        (f"T-{number}", "Food", source_locale, text, "text", f"sheet.csv:{number + 1}")
        for number, text in enumerate(texts, start=1)
    ]
    return pl.DataFrame(rows, schema=TEMPLATES, orient="row")


def translations_of(*rows: tuple[str, str, str], of: str | None = None) -> pl.DataFrame:
    placed = [(*row, f"translations.csv:{number}", of) for number, row in enumerate(rows, start=2)]
    return pl.DataFrame(placed, schema=TRANSLATIONS, orient="row")


def locales_of(*tags: str) -> list[Locale]:
    return [LOCALES.get(tag) for tag in tags]


def test_localise():
    questions, dropped = localise(
        templates_of("What is eaten in {country}?"),
        locales_of("ko-KR", "en-GB", "en-US", "fa-IR"),
        translations_of(
            ("T-1", "ko-KR", " 한국에서는  무엇을 먹나요? "), ("T-1", "en-US", "What do US folks eat?")
        ),
    )
    assert questions.schema == QUESTIONS
    columns = ("locale", "language", "question", "en_question", "source_label", "source_locale", "source")
    label = ("Sundanese (West Java)", "su-JB")
    british = "What is eaten in the UK?"
    korean = ("한국에서는 무엇을 먹나요?", "What is eaten in South Korea?")
    assert questions.select(columns).rows() == [
        ("en-GB", "en", british, british, *label, "sheet.csv:2"),
        ("en-US", "en", "What do US folks eat?", "What is eaten in the US?", *label, "translations.csv:3"),
        ("ko-KR", "ko", *korean, *label, "translations.csv:2"),
    ]
    assert dropped.schema == FINDINGS
    assert dropped.rows() == [
        ("no-translation", "sheet.csv:2", "fa-IR", "T-1", "no Persian translation of: What is eaten in Iran?")
    ]


def test_a_locale_without_adjective():
    locale = LOCALES.get("en-GB").model_copy(update={"nationalities": ()})
    questions, dropped = localise(templates_of("Is {nationality} tea hot?"), [locale], translations_of())
    assert questions.schema == QUESTIONS
    assert questions.is_empty()
    assert dropped.select("kind", "detail").rows() == [
        ("no-nationality", "the template needs an adjective of nationality: Is {nationality} tea hot?")
    ]


@pytest.mark.parametrize(
    "english", [None, " ", "Which  dish is eaten in {country}?", "Which dish is eaten in South Korea?"]
)
def test_a_translation_of_what_is_asked_is_not_told(english: str | None):
    translations = translations_of(("T-1", "ko-KR", "무엇을 먹나요?"), of=english)
    _, dropped = localise(templates_of("Which dish is eaten in {country}?"), locales_of("ko-KR"), translations)
    assert dropped.is_empty()


def test_a_translation_of_english_that_has_changed_is_kept_and_told():
    was = "Which dish is eaten in South Korea?"
    translations = translations_of(("T-1", "ko-KR", "무엇을 먹나요?"), of=was)
    templates = templates_of("Which drink is served in {country}?")
    questions, dropped = localise(templates, locales_of("ko-KR"), translations)
    assert questions["question"].to_list() == ["무엇을 먹나요?"]
    now = "Which drink is served in South Korea?"
    detail = f"translates {was!r}, which is {now!r} now; kept beside the English that it translates"
    assert dropped.rows() == [("outdated-translation", "translations.csv:2", "ko-KR", "T-1", detail)]
    # What was made may be the next translations: it is told until somebody writes the new English.
    assert questions["en_question"].to_list() == [was]
    again = localise(templates, locales_of("ko-KR"), questions)
    assert again.questions["en_question"].to_list() == [was]
    assert again.dropped["detail"].to_list() == [detail]
    mended = localise(templates, locales_of("ko-KR"), questions.with_columns(en_question=pl.lit(now)))
    assert mended.questions["en_question"].to_list() == [now]
    assert mended.dropped.is_empty()


def test_translations_that_nothing_asks_for():
    _, dropped = localise(
        templates_of("What is eaten in {country}?"),
        locales_of("en-GB"),
        translations_of(("T-1", "ko-KR", "한국?"), ("T-9", "en-GB", "What?")),
    )
    why = "is not among those to localise; the translation is left out"
    assert dropped.rows() == [
        ("unused-translation", "translations.csv:2", "ko-KR", "T-1", f"locale ko-KR {why}"),
        ("unused-translation", "translations.csv:3", "en-GB", "T-9", f"template T-9 {why}"),
    ]


@pytest.mark.parametrize("case", TOLD["translations"], ids=lambda case: case["message"])
def test_wrong_translations(case: dict[str, Any]):
    translations = translations_of(*map(tuple, case["rows"]))
    templates = templates_of("What is eaten in {country}?")
    told = message_of(RowError, lambda: localise(templates, locales_of("ko-KR"), translations))
    assert told == case["message"]


@pytest.mark.parametrize(("by", "told"), [(0, None), (1, "above"), (-1, "below")])
def test_translations_a_row_off_are_told(by: int, told: str | None):
    with sample_path() as folder:
        templates = pl.read_csv(folder / "templates.csv")
        asked = pl.read_csv(folder / "questions.csv").filter(locale="ko-KR")
    of_templates = templates_of(*templates["text"]).with_columns(template_id=templates["template_id"])
    translations = asked.select(
        *("template_id", "locale"),
        question=pl.Series([asked["question"][(row - by) % len(asked)] for row in range(len(asked))]),
        source=pl.format("translations.csv:{}", pl.int_range(2, len(asked) + 2)),
        en_question=pl.lit(""),
    )
    dropped = localise(of_templates, [LOCALES.get("ko-KR")], translations).dropped.filter(kind="moved-column")
    detail = (
        f"column question: the questions of ko-KR fit the English of the row {told} theirs better than their "
        "own; kept, was one of the columns moved?"
    )
    wanted = [("translations.csv:2", "ko-KR", detail)] if told else []
    assert dropped.select("source", "locale", "detail").rows() == wanted


# Slots are filled the way a person would write the sentence.


@pytest.mark.parametrize(
    ("template", "tag", "filled"),
    [
        ("What is eaten in {country}?", "en-GB", "What is eaten in the UK?"),
        ("What is eaten in {country}?", "ko-KP", "What is eaten in North Korea?"),
        ("{country} exports what?", "en-GB", "The UK exports what?"),
        ("“{country} exports what?”", "en-GB", "“The UK exports what?”"),
        ("Think. {country} exports what?", "eu-PV", "Think. The Basque Country exports what?"),
        ("In the {country}, what is eaten?", "en-US", "In the US, what is eaten?"),
        ("In the {country}, what is eaten?", "ko-KR", "In South Korea, what is eaten?"),
        ("The {country} eats what?", "ko-KR", "South Korea eats what?"),
        ("What is {country}'s best dish?", "en-US", "What is the US's best dish?"),
        ("What is {country}’s best dish?", "tl-PH", "What is the Philippines' best dish?"),
        ("What is {country}'s best dish?", "am-ET", "What is Ethiopia's best dish?"),
        ("What is a {nationality} dish?", "en-GB", "What is a British dish?"),
        ("What is a {nationality} dish?", "en-US", "What is an American dish?"),
        ("A {nationality} dish?", "az-AZ", "An Azerbaijani dish?"),
        ("What is the best {nationality} dish?", "su-JB", "What is the best West Javanese dish?"),
        ("Is it hot ,\tin  {country} ? ", "ar-DZ", "Is it hot , in Algeria ?"),
    ],
)
def test_fill(template: str, tag: str, filled: str):
    assert fill(template, LOCALES.get(tag)) == filled


def test_fill_without_an_adjective():
    locale = LOCALES.get("ko-KR").model_copy(update={"nationalities": ()})
    assert fill("in {country}", locale) == "in South Korea"
    with pytest.raises(LookupError, match="ko-KR has no adjective of nationality"):
        fill("{nationality} food", locale)


def test_names_are_whole_words_and_the_longest():
    names = ("Korea", "South Korea", "US")
    assert (
        slot_country("South Korea, US and USB in Koreatown", names)
        == "{country}, {country} and USB in Koreatown"
    )
    assert slot_country("the US' and 'US'", names) == "{country}' and '{country}'"
    assert slot_country("the Philippines' fruit", ["Philippines"]) == "{country}'s fruit"
