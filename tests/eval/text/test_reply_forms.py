"""Reply forms: every language's inflected answers are accepted alike, and no other answer is.

``reply_forms`` has a file per language: its grammar, the forms as frames around a column of the words, and at
least 40 everyday answers with every form written out. ``-`` stands where a word has no such form.
"""

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from blend.eval.tasks.short_answer.short_answer_decisions import decide_short_answers
from blend.eval.text import languages
from helpers.tiers import rest_nightly

LEAST_ACCEPTED, MOST_FALSE = 0.9, 0.01
"""Of the replies of a form, and of their pairs with other answers."""

FOLDER = Path(__file__).parent / "reply_forms"
LANGUAGES = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))
KINDS = {"bare", "sentence", "plural", "definite", "article", "case", "polite"}
"""What a form is a kind of, its first word."""
N_OTHERS = 6
"""Other answers that a reply is compared with: those whose rows follow its own at growing distances."""


class Reply(NamedTuple):
    """A reply that names one answer."""

    gold: str
    """The answer, as an annotator writes it."""
    form: str
    """How the reply puts it: a kind, with the case or the like in parentheses."""
    text: str
    """The reply."""


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


@cache
def replies(language: str) -> tuple[Reply, ...]:
    """The replies of a language, form by form."""
    table = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    columns = cells(table["words"]["columns"])
    words = [
        dict(zip(columns, cells(line), strict=True)) for line in table["words"]["rows"].strip().splitlines()
    ]
    return tuple(
        Reply(row["gold"], form, frame.format(**row))
        for form, frame in table["forms"].items()
        for row in words
        if not any(f"{{{column}}}" in frame and row[column] == "-" for column in columns)
    )


def accepted_for(language: str, asked: Sequence[Reply], golds: Sequence[str]) -> list[set[str]]:
    """The answers for which each reply is accepted, of its own and `N_OTHERS` others."""
    annotations = pl.DataFrame(
        {
            "template_id": golds,
            "locale": language,
            "language": language,
            "en_question": "What?",
            "annotations": [[{"answers": [gold], "en_answers": [], "count": 1}] for gold in golds],
            "idks": [{"idk": 0, "no-answer": 0, "not-applicable": 0}] * len(golds),
        }
    )
    rows = [
        (str(index), golds[(golds.index(reply.gold) + step * (step + 1) // 2) % len(golds)], reply.text)
        for index, reply in enumerate(asked)
        for step in range(N_OTHERS + 1)
    ]
    responses = pl.DataFrame(rows, ["index", "template_id", "response"], orient="row").with_columns(
        pl.concat_str("index", "template_id", separator="-").alias("item_id"),
        locale=pl.lit(language),
        prompt_id=pl.lit("p"),
        prompt=pl.lit(""),
        asked_in=pl.lit("local"),
    )
    found = decide_short_answers(responses.drop("index"), annotations).filter("correct")
    matched: list[set[str]] = [set() for _ in asked]
    for item_id, gold in found.select("item_id", "template_id").iter_rows():
        matched[int(item_id.partition("-")[0])].add(gold)
    return matched


def test_every_language_that_is_read_has_its_forms():
    assert set(LANGUAGES) == set(languages())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_forty_answers_in_every_form(language: str):
    asked = replies(language)
    assert len({reply.gold for reply in asked}) >= 40
    assert {"bare", "sentence", "polite"} <= {reply.form.partition(" ")[0] for reply in asked} <= KINDS


@pytest.mark.nightly
@pytest.mark.parametrize("language", rest_nightly(LANGUAGES, "am", "ko"))
def test_right_answers_are_accepted_in_every_form_and_others_are_not(language: str):
    asked = replies(language)
    matched = accepted_for(language, asked, list(dict.fromkeys(reply.gold for reply in asked)))
    for form in dict.fromkeys(reply.form for reply in asked):
        of_form = [
            (reply.gold, found) for reply, found in zip(asked, matched, strict=True) if reply.form == form
        ]
        assert sum(gold in found for gold, found in of_form) >= LEAST_ACCEPTED * len(of_form), form
        n_false = sum(len(found - {gold}) for gold, found in of_form)
        assert n_false <= MOST_FALSE * N_OTHERS * len(of_form), form
