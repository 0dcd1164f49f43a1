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
from blend.eval.text import languages
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
    lines, found = rows("replies.tsv"), []
    for line in lines:
        question, reply = line["question"], line["reply"].replace("\\n", "\n")
        asked = {"question": question, "prompt": "" if question == "-" else question}
        of = decided(line["language"], line["gold"], reply, **asked)
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
    refused = {line["language"].partition("-")[0] for line in lines if line["reads"] == "refused"}
    assert refused == set(languages())


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
        asked_in=pl.lit(language),
        prompt_id=pl.lit("p"),
        prompt=question.map_elements(lambda q: PROMPT.format(q=q), **fill),
        response=question.map_elements(lambda q: reply.format(q=q), **fill),
    )
    found = decide_short_answers(responses, tables.annotations.join(texts, on=key))
    scored = found.drop_nulls("correct")
    assert len(scored) > 1_000
    assert scored.filter("correct")["item_id"].to_list() == []


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
