"""Short answers: what the default rule mends, how lemmatisers are chosen, and what is said of wrong choices."""

import polars as pl
import pytest

from blend.eval.text import languages, lemmatisers_of
from blend.eval.text.lemmatisers import LEMMATISERS, lemmatiser_names
from helpers.messages import wrong
from helpers.questions.short_answer_inputs import annotated, decision


def why(response: str | None, answers: pl.DataFrame, rule: str = "default", **options: str) -> str:
    return str(decision(response, answers, prompt="What?\nAnswer:", rule=rule, **options)["why"])


@pytest.mark.parametrize(
    ("answer", "response", "paper", "default"),
    [
        ("tea", "steak", "containment", "no match"),
        (" ", "anything at all", "containment", "no match"),
        ("Thanksgiving Day", "THANKSGIVING DAY!", "lemmas", "words"),
        ("milk chocolate", "chocolate milk", "lemmas", "no match"),
        ("ice cream", "icecream", "no match", "words"),
        ("apple", "Answer: apples.", "containment", "lemmas"),
    ],
)
def test_what_the_rules_say(answer: str, response: str, paper: str, default: str):
    answers = annotated(answer)
    assert why(response, answers, "paper") == paper
    assert why(response, answers) == default


def test_the_default_rule_takes_three_answers_and_the_published_one_all():
    names = ("rice", "bread", "soup", "cake", "salad", "pizza", "candy", "soda", "nachos", "coffee", "tea")
    for answer, default in (("soup", "words"), ("cake", "no match")):
        assert why(", ".join(names[:10]), annotated(answer)) == default
        assert why(", ".join(names[:10]), annotated(answer), "paper") == "containment"
    assert why(", ".join(names), annotated("rice")) == "hedged"
    # A reply that is nothing but an answer of people's is that answer.
    assert why(", ".join(names), annotated(", ".join(names))) == "words"


@pytest.mark.parametrize(
    ("response", "default"),
    [
        ("Nasi goreng.", "words"),
        ('["Nasi Goreng"]', "words"),
        ("fried rice", "words"),
        ("Turron", "words"),
        # In a sentence a local word may be an English one; other scripts are no answer to an English question.
        ("They eat nasi goreng.", "no match"),
        ("김치", "no match"),
    ],
)
def test_natives_words_count_for_english_questions_where_they_are_the_whole_reply(response: str, default: str):
    groups = (["nasi goreng"], ["fried rice"]), (["turrón", "김치"], ["nougat"])
    answers = annotated(*groups, locale="id-ID")
    assert why(response, answers, language="english") == default
    if default != "no match" and response != "fried rice":
        assert why(response, answers, "paper", language="english") == "no match"


def test_no_language_needs_an_extra_by_default():
    for language, names in languages().items():
        assert LEMMATISERS[names[0]](language).split("a b")
    assert lemmatisers_of("gn") == ("words",)


WRONG_LEMMAS = {
    "en=kiwi": "unknown lemmatiser of 'en' 'kiwi'; choose one of: none, simplemma, snowball",
    "fr=simplemma": "`lemmas=fr=simplemma`: write a language of the answers (en), = and a lemmatiser; "
    "or 'none' or 'default' for all",
}


@pytest.mark.parametrize("lemmas", WRONG_LEMMAS)
def test_what_is_said_of_a_wrong_choice(lemmas: str):
    assert wrong(lambda: lemmatiser_names(lemmas, ["en"])) == WRONG_LEMMAS[lemmas]


def test_what_is_said_of_an_unknown_rule():
    answers = annotated("a")
    assert wrong(lambda: why("a", answers, "papre")) == (
        "unknown rule 'papre'; did you mean 'paper'? choose one of: default, paper, semeval"
    )
