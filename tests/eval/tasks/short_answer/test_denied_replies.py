"""What a reply denies or sets aside is not its answer, however it is marked; what it answers still is.

``denied_replies.tsv`` and ``kept_replies.tsv`` were written for this test.
"""

import csv
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.tasks.short_answer.short_answer_decisions import decide_short_answers

FOLDER = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def is_correct(language: str, gold: str, reply: str) -> bool:
    group: dict[str, Any] = {"answers": [gold], "en_answers": [], "count": 1}
    key = {"template_id": "t", "locale": language}
    annotation = {"language": language, "en_question": "What?", "annotations": [group]}
    idks = {"idk": 0, "no-answer": 0, "not-applicable": 0}
    asked = {"item_id": "i", "prompt_id": "p", "prompt": "What?", "response": reply}
    decided = decide_short_answers(
        pl.DataFrame([key | asked]), pl.DataFrame([key | annotation | {"idks": idks}])
    )
    return bool(decided["correct"].item())


@pytest.mark.slow
def test_no_denied_answer_counts():
    denied = rows("denied_replies.tsv")
    assert len(denied) >= 60
    assert len({row["language"] for row in denied}) >= 13
    wrong = [row["reply"] for row in denied if is_correct(row["language"], row["denied"], row["reply"])]
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["denied_replies.tsv", "kept_replies.tsv"])
def test_no_right_answer_is_lost(name: str):
    lost = [row["reply"] for row in rows(name) if not is_correct(row["language"], row["answer"], row["reply"])]
    assert lost == []
