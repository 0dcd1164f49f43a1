"""Replies in 16 languages, each as a careful person reads it: does it give the gold answer, or refuse?

``replies.tsv`` has a line per reply: language, form, question (``-`` for none), gold answer, reply (``\\n`` for
a new line) and what a person reads. It is written for this test. A list of up to ten names the gold answer if
that is among its first three, and a longer one does not.
"""

import csv
from collections import Counter
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from blend.eval.tasks.short_answer.short_answer_decisions import decide_short_answers

FILE = Path(__file__).with_name("replies.tsv")


@cache
def lines() -> list[dict[str, str]]:
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def read(line: dict[str, str]) -> str:
    key = {"locale": line["language"], "template_id": "t"}
    gold = {"answers": [line["gold"]], "en_answers": [], "count": 1}
    annotation = {"language": line["language"], "en_question": line["question"], "annotations": [gold]}
    idks = {"idk": 0, "no-answer": 0, "not-applicable": 0}
    prompt = "" if line["question"] == "-" else line["question"]
    response = {
        "item_id": "i",
        "prompt_id": "p",
        "prompt": prompt,
        "response": line["reply"].replace("\\n", "\n"),
    }
    decided = decide_short_answers(
        pl.DataFrame([key | response]), pl.DataFrame([key | annotation | {"idks": idks}])
    ).row(0, named=True)
    return "correct" if decided["correct"] else "refused" if decided["why"] == "refused" else "wrong"


def misread() -> list[tuple[str, str, str]]:
    """Replies that are read otherwise than a person reads them: language, form, and how they are read."""
    return [
        (line["language"], line["form"], found) for line in lines() if (found := read(line)) != line["reads"]
    ]


@pytest.mark.slow
def test_replies_are_read_as_a_careful_person_reads_them():
    found = misread()
    assert len(lines()) == 421
    # What is left is sentences of many short clauses, which nothing tells from lists.
    assert Counter(form for _, form, _ in found) == {
        "sentence with commas": 5,
        "short sentences, late": 1,
        "adverbs": 1,
    }
    assert {as_read for *_, as_read in found} == {"wrong"}
