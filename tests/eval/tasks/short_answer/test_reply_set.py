"""Replies as models give them, in the languages of the regions: what a careful person reads is what is decided.

``replies.tsv``, ``denied_replies.tsv``, ``kept_replies.tsv`` and ``value_replies.tsv`` were written for these
tests. In ``replies.tsv`` a question of ``-`` is none and ``\\n`` a new line; a list of up to ten names the gold
answer if that is among its first three, and a longer one does not.
"""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.tasks.short_answer.short_answer_decisions import AskedIn, decide_short_answers
from blend.loaders.upstream.blend import read_blend
from blend.schemas.formats import AnswerFormat
from helpers.questions.short_answer_inputs import annotated, decision
from helpers.tiers import rest_nightly

ASKED = {"integer": "How many? (in Arabic numerals)", "HH:MM": "When? (HH:MM)", "MM/DD": "When? (MM/DD)"}


def rows(name: str) -> list[dict[str, str]]:
    with Path(__file__).with_name(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def decided(
    locale: str, gold: str, reply: str, *, question: str = "What?", prompt: str = "What?", rule: str = "default"
) -> Any:
    """The decision on a reply to a question with one gold answer."""
    annotations = annotated(gold, locale=locale, question=question)
    return decision(reply, annotations, prompt=prompt, rule=rule)


@pytest.mark.slow
def test_replies_are_read_as_a_careful_person_reads_them():
    found = []
    for line in rows("replies.tsv"):
        question = line["question"]
        of = decided(
            line["language"],
            line["gold"],
            line["reply"].replace("\\n", "\n"),
            question=question,
            prompt="" if question == "-" else question,
        )
        read = "correct" if of["correct"] else "refused" if of["why"] == "refused" else "wrong"
        if read != line["reads"]:
            found.append((line["form"], read))
    # What is left is sentences of many short clauses, which nothing tells from lists.
    assert Counter(form for form, _ in found) == {
        "sentence with commas": 5,
        "short sentences, late": 1,
        "adverbs": 1,
    }
    assert {read for _, read in found} == {"wrong"}


@pytest.mark.slow
def test_no_denied_answer_counts_and_no_right_one_is_lost():
    denied, kept = rows("denied_replies.tsv"), rows("kept_replies.tsv")
    assert len({row["language"] for row in denied}) >= 13
    counted = [row for row in denied if decided(row["language"], row["denied"], row["reply"])["correct"]]
    assert counted == []
    lost = [
        row for row in denied + kept if not decided(row["language"], row["answer"], row["reply"])["correct"]
    ]
    assert lost == []


@pytest.mark.slow
def test_values_in_words_are_read():
    said = rows("value_replies.tsv")
    assert len({row["locale"].partition("-")[0] for row in said}) == 13
    unread = [
        row
        for row in said
        if decided(row["locale"], row["gold"], row["reply"], question=ASKED[row["format"]])["why"] != "value"
    ]
    assert unread == []


@pytest.mark.parametrize(
    ("locale", "asked", "gold", "reply"),
    [
        # An article, a word of two kinds, a part of another word, and a number beside figures.
        ("es-ES", "integer", "1", "Depende de una familia a otra."),
        ("en-US", "integer", "1", "One of the things that people do there is wait."),
        ("fa-IR", "integer", "9", "نه، چنین چیزی نیست"),
        ("as-AS", "integer", "9", "সন্তান"),
        ("zh-CN", "integer", "1", "一般来说没有固定的时间"),
        ("en-US", "integer", "2", "Of the two systems, most begin at 6."),
        ("en-US", "HH:MM", "07:00", "seven"),
        ("en-US", "HH:MM", "07:00", "7:00 in the evening"),
        ("en-US", "HH:MM", "12:00", "in the afternoon"),
        ("es-ES", "HH:MM", "07:00", "a las 7 de la tarde"),
        ("en-US", "MM/DD", "05/04", "04/05"),
        ("en-GB", "MM/DD", "01/01", "03/21"),
    ],
)
def test_what_says_another_value_or_none(locale: str, asked: str, gold: str, reply: str):
    assert decided(locale, gold, reply, question=ASKED[asked])["why"] != "value"


@pytest.mark.parametrize("gold", ["2", "6"])
@pytest.mark.parametrize("reply", ["2–6", "2 to 6", "Between 2 and 6.", "between two and six"])
def test_a_range_is_accepted_by_its_bounds(reply: str, gold: str):
    assert decided("en-US", gold, reply, question=ASKED["integer"])["why"] == "value"


@pytest.mark.parametrize("reply", ["at least 18", "more than 18", "from 18 on", "over eighteen"])
def test_a_bound_is_accepted_as_its_number(reply: str):
    assert decided("en-US", "18", reply, question=ASKED["integer"])["why"] == "value"


def test_a_number_behind_a_hyphen_is_negative():
    found = [decided("en-US", gold, "2-6", question=ASKED["integer"])["correct"] for gold in ("2", "6", "-6")]
    assert found == [True, False, True]


PROMPT = "Read the following question.\n\nQuestion: {q}\nAnswer:"
REPLIES = ("{q} zorblax", "{{'question': '{q}', 'answer': ['zorblax']}}")


@pytest.mark.landing
@pytest.mark.parametrize("reply", REPLIES)
@pytest.mark.parametrize("language", ["local", "english"])
def test_a_repeated_question_gives_no_number_and_no_time(blend_data: Path, language: AskedIn, reply: str):
    tables = read_blend(blend_data)
    key = ["template_id", "locale"]
    texts = tables.questions.filter(pl.col("answer_format") != AnswerFormat.TEXT).select(
        *key, "language", "question", "en_question"
    )
    question = pl.col("question" if language == "local" else "en_question")
    fill = {"return_dtype": pl.String}
    responses = texts.select(
        *key,
        item_id=pl.concat_str("locale", "template_id"),
        prompt_id=pl.lit("p"),
        prompt=question.map_elements(lambda q: PROMPT.format(q=q), **fill),
        response=question.map_elements(lambda q: reply.format(q=q), **fill),
    )
    found = decide_short_answers(responses, tables.annotations.join(texts, on=key), language=language)
    scored = found.drop_nulls("correct")
    assert len(scored) > 1_000
    assert scored.filter("correct")["item_id"].to_list() == []


@pytest.mark.parametrize(
    ("response", "why"),
    [
        # Thoughts come first, as the prompt asks.
        ("Rice or tea, some say.\n{'question': 'What with rice?', 'answer': ['noodles']}", "no match"),
        ("Noodles, I think.\n{'question': 'What with noodles?', 'answer': ['rice']}", "words"),
        ('```json\n{"answer": "rice"}\n```', "words"),
        # Nothing stands behind the key: the thoughts are all there is.
        ("Rice.\n{'question': 'What?', 'answer': []}", "words"),
        ('{"answer": "zubrowka", "note": "rice"}', "no match"),
        ('{"Answer": "zubrowka", "note": "rice"}', "no match"),
        ('{"note": "zubrowka", "Answer": "rice", "other": "tea"}', "words"),
        ("{'answer': ['beef', 'it's rice'], 'note': 'none'} Hope this helps!", "words"),
        ('{"answer": "zubrowka"} Rice is common as well.', "no match"),
        ("{“answer”: “rice”}", "words"),
        # An object without an answer gives none.
        ('{"answer": null, "note": "rice"}', "no match"),
        ("{'answer': None, 'note': 'rice'}", "no match"),
        ('{"note": "rice"}', "no match"),
        ('```json\n{"response": "rice"}\n```', "no match"),
        ('Here: {"result": {"note": "rice"}}', "no match"),
        # Braces without a key are no object.
        ("{rice}", "words"),
    ],
)
def test_of_json_the_answer_counts(response: str, why: str):
    assert decided("en-US", "rice", response)["why"] == why


LENGTH = 200_000
ENDLESS = {
    "letters": "A" * LENGTH,
    "apostrophes": "'" * LENGTH,
    "marks": "!?" * (LENGTH // 2),
    "full stops": "." * LENGTH,
    "digits": "1" * LENGTH,
    "commas": "1," * (LENGTH // 2),
    "colons": "1:" * (LENGTH // 2),
    "markup": "\u202e<b>\x00\x1b[2J 7:30 " * (LENGTH // 16),
}


@pytest.mark.nightly
@pytest.mark.parametrize("rule", ["default", "paper"])
@pytest.mark.parametrize("kind", rest_nightly(ENDLESS, "letters"))
def test_an_endless_reply_is_judged_like_any(kind: str, rule: str):
    # There is no limit on the clock: what took a time that grows with the square of the length would not end.
    for question in ("What?", *ASKED.values()):
        found = decided("en-US", "ice cream", ENDLESS[kind], question=question, rule=rule)
        assert (found["correct"], found["why"] in ("no match", "hedged")) == (False, True)
