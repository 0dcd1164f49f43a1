"""Multiple-choice questions as published: the specification beside the golden results, section 1."""

import hashlib
import json
from collections import Counter

import polars as pl
import pytest

from blend.builders.mcq import build_mcq
from blend.schemas.frames import MCQ_ROWS, MCQS
from blend.schemas.locales import registry
from blend.schemas.recipe import McqOptions
from helpers.questions.mcq_inputs import frames_of

PAPER = McqOptions(mode="paper")
UPSTREAM = {locale.tag: locale.upstream for locale in registry()}


@pytest.fixture(scope="module")
def build(once, raw_tables):
    """As published, of the texts as published."""
    tables = (raw_tables.questions, raw_tables.annotations)
    return once.value("paper-mcqs", lambda: build_mcq(*tables, options=PAPER, seed=0))


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.integration
def test_questions_kept(build, golden):
    # Kept questions either yield something or are short; the others were objected to.
    objected = build.dropped.filter(pl.col("reason").is_in(["not-applicable", "non-answers", "few-votes"]))
    kept = build.mcqs["template_id"].unique()
    short = build.dropped.filter(pl.col("reason") == "short")["template_id"].unique()
    assert sorted([*kept, *short]) == read(golden / "kept_questions.json")
    first = objected.unique("template_id")["reason"].value_counts()
    assert dict(first.iter_rows()) == {"not-applicable": 183, "non-answers": 114, "few-votes": 116}


SEQUENCE = ["mcq_id", "template_id", "locale", "options", "option_locales", "answer"]


@pytest.mark.integration
def test_counts_and_checksum_of_the_sequence(build, golden):
    expected = read(golden / "mcq_counts_by_country.json")
    digest = hashlib.sha256()
    for mcq_id, template_id, locale, options, tags, answer in build.mcqs.select(SEQUENCE).iter_rows():
        names = [UPSTREAM[tag] for tag in tags]
        row = [mcq_id, template_id, UPSTREAM[locale], options, names, "ABCD"[answer]]
        digest.update(f"{json.dumps(row, ensure_ascii=False, separators=(',', ':'))}\n".encode())
    assert digest.hexdigest() == expected["mcq_sequence_sha256"]
    assert build.n_mcqs == expected["total"]
    assert build.mcqs["template_id"].n_unique() == expected["questions_with_mcqs"]
    per_country = {UPSTREAM[tag]: n for tag, n in build.summary.select("locale", "mcqs").iter_rows()}
    assert per_country == expected["per_country"]


@pytest.mark.integration
def test_published_rows(build, golden):
    rows = {row["mcq_id"]: row for batch in build.batches() for row in batch.iter_rows(named=True)}
    assert len(rows) == build.n_mcqs
    for expected in read(golden / "mcq_rows_sample.json"):
        row = rows[expected["MCQID"]]
        assert row["template_id"] == expected["ID"]
        assert row["country"] == expected["country"]
        assert row["choices"] == json.dumps(expected["choices"], ensure_ascii=False)
        assert row["choice_countries"] == json.dumps(expected["choice_countries"], ensure_ascii=False)
        assert row["answer_idx"] == expected["answer_idx"]
        # All but the question, which is about the UK in every published row.
        instruction = expected["prompt"].index(" Without any explanation")
        assert row["prompt"] == row["question"] + expected["prompt"][instruction:]
        assert registry().get(row["locale"]).prompt_name in row["question"]


@pytest.mark.integration
def test_every_question_is_accounted_for(build):
    total = build.summary.select(total=pl.col("questions") + pl.col("dropped"))
    assert total["total"].unique().to_list() == [500]
    # Six of the seven pairs without right answer belong to questions that are short anyway.
    assert Counter(build.dropped["reason"])["out-of-format"] == 1


# Small cases

FRUIT = {
    "en-GB": [("apple", 3)],
    "en-US": [("pear", 3)],
    "ko-KR": [("plum", 3)],
    "ar-DZ": [("dates", 2), ("figs", 2)],
}


def paper(answers, *, question="What is a snack in the UK?", **more):
    questions, annotations = frames_of({"T-1": answers}, **more)
    asked = questions.with_columns(question=pl.lit(question), en_question=pl.lit(question))
    return build_mcq(asked, annotations, options=PAPER, seed=0)


def test_every_combination_lettered_in_text_order():
    build = paper(FRUIT)
    rows = build.mcqs
    assert rows.schema == MCQS
    assert rows["mcq_id"].to_list() == ["T-1_0", "T-1_1", "T-1_2", "T-1_3", "T-1_4"]
    # Ties among the right answers: Algeria is asked twice, and never shown both.
    assert rows["locale"].to_list() == ["en-GB", "en-US", "ko-KR", "ar-DZ", "ar-DZ"]
    assert rows["options"].to_list()[3:] == [
        ["apple", "dates", "pear", "plum"],
        ["apple", "figs", "pear", "plum"],
    ]
    assert rows["answer"].to_list() == [0, 2, 3, 1, 1]
    assert next(build.batches()).schema == MCQ_ROWS


@pytest.mark.parametrize(
    ("changed", "idks", "reason", "detail"),
    [
        ({}, {"not-applicable": 1}, "not-applicable", "1 vote for not applicable"),
        ({}, {"idk": 1, "others": [{"reason": "not sure", "count": 2}]}, "non-answers", "3 non-answers"),
        ({"ko-KR": [("plum", 1)]}, {}, "few-votes", "1 vote for the first answer"),
    ],
)
def test_one_objection_drops_the_question_everywhere(changed, idks, reason, detail):
    build = paper({**FRUIT, **changed}, idks={"ko-KR": idks})
    assert build.n_mcqs == 0
    assert build.dropped.select("reason", "detail").rows() == [(reason, f"ko-KR objects: {detail}")] * 4


def test_a_low_first_answer_without_an_english_variant_does_not_object():
    assert paper({**FRUIT, "ko-KR": [([], 1), ("plum", 2)]}).n_mcqs == 5


def test_a_locale_without_usable_answer_makes_the_question_short_instead_of_an_error():
    # The published code stops with a KeyError here.
    build = paper({**FRUIT, "ko-KR": []})
    assert build.n_mcqs == 0
    assert build.dropped["reason"].to_list() == ["short"] * 4
    assert build.dropped["detail"][0] == "2 distractors for en-GB, 3 are needed in every locale"


def test_a_top_answer_out_of_format_leaves_no_right_answer():
    answers = {"en-GB": [("many", 3), ("2", 2)], "en-US": [("3", 3)], "ko-KR": [("4", 3)], "ar-DZ": [("5", 3)]}
    build = paper(answers, question="How many? (Arabic numerals)")
    assert build.dropped.rows() == [
        ("T-1", "en-GB", "out-of-format", "no top answer has the question's format")
    ]
    assert build.n_mcqs == 3
