"""Multiple-choice questions as published: the specification beside the golden results, section 1."""

import hashlib
import json
from collections import Counter

import polars as pl
import pytest

from blend.builders.judges.equivalence import LexicalJudge, Verdict
from blend.builders.mcq import build_mcq
from blend.schemas.frames import ANNOTATIONS, MCQ_ROWS, MCQS, QUESTIONS
from blend.schemas.locales import registry
from blend.schemas.recipe import McqOptions
from blend.schemas.texts import pluralise

PAPER = McqOptions(mode="paper")
RULES = (LexicalJudge(),)
UPSTREAM = {locale.tag: locale.upstream for locale in registry()}


@pytest.fixture(scope="module")
def published(raw_tables):
    return raw_tables


@pytest.fixture(scope="module")
def build(paper_build):
    return paper_build


@pytest.fixture(scope="module")
def mcqs(build):
    return build.mcqs


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
def test_choices_of_the_sample(build, golden):
    sample = read(golden / "mcq_sample.json")
    short = dict(build.dropped.filter(pl.col("reason") == "short").select("template_id", "detail").iter_rows())
    for template_id, expected in sample.items():
        rows = build.mcqs.filter(template_id=template_id)
        if expected["min_choices"] < 3:
            assert rows.is_empty()
            assert short[template_id].startswith(f"{pluralise(expected['min_choices'], 'distractor')} for ")
            continue
        for (tag,), part in rows.group_by("locale"):
            country = expected["countries"][UPSTREAM[tag]]
            assert right_and_wrong(part) == (set(country["answers"]), set(country["choices"].items()))
            assert len(part) == country["mcqs"]


def right_and_wrong(rows):
    """The correct answers of some questions, and countries and texts of their distractors."""
    right, wrong = set(), set()
    for options, tags, answer in rows.select("options", "option_locales", "answer").iter_rows():
        shown = [(UPSTREAM[tag], text) for tag, text in zip(tags, options, strict=True)]
        right.add(shown.pop(answer)[1])
        wrong.update(shown)
    return right, wrong


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
def test_every_question_is_accounted_for(build, published):
    pluralise = build.summary.select(total=pl.col("questions") + pl.col("dropped"))
    assert pluralise["total"].unique().to_list() == [500]
    # Six of the seven pairs without right answer belong to questions that are short anyway.
    assert Counter(build.dropped["reason"])["out-of-format"] == 1


# Small cases

TAGS = ("en-GB", "en-US", "ko-KR", "ar-DZ")


def frames_of(answers, *, question="What is a snack in the UK?", idks=None):
    """Questions and annotations of one template: by locale, texts or lists of variants with their votes."""
    asked = [
        {
            "template_id": "T-1",
            "topic": "Food",
            "source_label": "",
            "question": question,
            "en_question": question,
            "locale": tag,
            "language": tag[:2],
            "answer_format": "text",
        }
        for tag in answers
    ]
    annotated = [
        {
            "template_id": "T-1",
            "locale": tag,
            "annotations": [
                {"answers": ["-"], "en_answers": [text] if text is not None else [], "count": count}
                for text, count in groups
            ],
            "idks": {"idk": 0, "no-answer": 0, "not-applicable": 0, "others": [], **(idks or {}).get(tag, {})},
            "grouping": "upstream",
        }
        for tag, groups in answers.items()
    ]
    return pl.DataFrame(asked, schema=QUESTIONS), pl.DataFrame(annotated, schema=ANNOTATIONS)


def paper(answers, *, judges=RULES, **more):
    return build_mcq(*frames_of(answers, **more), options=PAPER, seed=0, judges=judges)


FRUIT = {
    "en-GB": [("apple", 3)],
    "en-US": [("pear", 3)],
    "ko-KR": [("plum", 3)],
    "ar-DZ": [("dates", 2), ("figs", 2)],
}


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


def test_one_objection_drops_the_question_everywhere():
    build = paper(FRUIT, idks={"ko-KR": {"not-applicable": 1}})
    assert build.n_mcqs == 0
    assert build.dropped["reason"].to_list() == ["not-applicable"] * 4
    assert build.dropped["detail"].unique().to_list() == ["ko-KR objects: 1 vote for not applicable"]


def test_reasons_in_free_text_are_non_answers():
    others = [{"reason": "not sure", "count": 2}]
    build = paper(FRUIT, idks={"en-US": {"idk": 1, "others": others}})
    assert build.dropped["detail"].unique().to_list() == ["en-US objects: 3 non-answers"]


def test_a_low_first_answer_objects_only_with_an_english_variant():
    low = {**FRUIT, "ko-KR": [("plum", 1)]}
    assert paper(low).dropped["reason"].unique().to_list() == ["few-votes"]
    unknown = {**FRUIT, "ko-KR": [(None, 1), ("plum", 2)]}
    assert paper(unknown).n_mcqs == 5


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


class Nutritionist:
    """Holds plums and dates for the same."""

    name = "nutritionist"

    def __init__(self):
        self.asked = []

    def verdicts(self, pairs):
        self.asked += pairs
        return [Verdict(set(pair) == {"plum", "dates"}, self.name) for pair in pairs]


def test_a_judge_rejects_what_the_strings_do_not_show():
    judge = Nutritionist()
    build = paper({**FRUIT, "zh-CN": [("grape", 3)]}, judges=(LexicalJudge(), judge))
    wrong = {tag: {text for _, text in right_and_wrong(of)[1]} for (tag,), of in build.mcqs.group_by("locale")}
    assert wrong == {
        # Korea's plums come first, so Algeria's dates give way to its figs.
        "en-GB": {"pear", "plum", "grape", "figs"},
        "en-US": {"apple", "plum", "grape", "figs"},
        "ko-KR": {"apple", "pear", "grape", "figs"},
        "ar-DZ": {"apple", "pear", "grape"},
        "zh-CN": {"apple", "pear", "plum", "figs"},
    }
    assert len(judge.asked) == len(set(judge.asked))
    assert build.deciders.select("judge", "same").rows() == [("nutritionist", 1)]
