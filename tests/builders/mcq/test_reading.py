"""Who has read the options of questions: counted, left out where nobody has, and words on the card."""

from pathlib import Path

import polars as pl
import pytest

from blend.builders.cards.read_options import read_options
from blend.builders.mcq import build_mcq
from blend.builders.mcq.verdicts.exclusions import Exclusions
from blend.builders.mcq.verdicts.reading import (
    READING,
    QuestionReadings,
    Reading,
    unread_findings,
    unread_summary,
)
from blend.loaders.responses.shipped import shipped_exclusions, shipped_readings
from blend.schemas.frames import EXCLUSIONS, FILLERS, KEY
from blend.schemas.locales import registry
from blend.schemas.recipe import McqOptions
from helpers.questions.mcq_inputs import FRUIT, build_of, frames_of, loss_of, shown_to

MORE = {**FRUIT, "es-MX": [("mango", 3)]}


def verdicts(tag: str, *options: str, native: str | None = None) -> pl.DataFrame:
    rows = [
        {
            "template_id": "T-1",
            "locale": tag,
            "option": option,
            "kind": "ok",
            "reviewer": "r1",
            "native": native,
        }
        for option in options
    ]
    return pl.DataFrame(rows, EXCLUSIONS)


def of(build, tag: str) -> dict[str, int]:
    return build.reading.row(by_predicate=pl.col("locale") == tag, named=True)


def test_every_option_shown_counts_once_by_its_best_reader():
    read = pl.concat([verdicts("en-GB", "apple", "pear"), verdicts("en-GB", "pear", native="yes")])
    build = build_of(FRUIT, exclusions=read)
    assert of(build, "en-GB") == {
        "locale": "en-GB", "mcqs": 1, "with_unread": 1, "options": 4, "natives": 1, "others": 1,
        "model": 0, "by_question": 0, "nobody": 2,
    }  # fmt: skip
    assert of(build, "en-US")["nobody"] == 4
    assert dict(unread_findings(build.reading))["en-GB"] == (
        "1 of 1 multiple-choice questions show options that nobody has read: 2 of 4"
    )
    assert unread_summary(build.reading.head(2)) == (
        "2 of 2 multiple-choice questions show options that nobody has read (en-GB 1 of 1, en-US 1 of 1)"
    )


@pytest.mark.slow
@pytest.mark.parametrize("unread", ["warn", "keep"])
def test_unread_options_are_shown_unless_the_recipe_drops_them(unread: str):
    read = verdicts("en-GB", "apple", "pear", "plum", "dates")
    shown = build_of(MORE, exclusions=read, options=McqOptions(unread=unread))
    assert shown.frame().equals(build_of(MORE, options=McqOptions()).frame())
    dropping = build_of(MORE, exclusions=read, options=McqOptions(unread="drop"))
    assert shown_to(dropping, "en-GB") == {("en-US", "pear"), ("ko-KR", "plum"), ("ar-DZ", "dates")}
    assert loss_of(dropping, "en-US") == ("unread", "nobody has read the top answer")
    assert (of(dropping, "en-GB")["nobody"], len(dropping.reading)) == (0, 1)


def test_reviewed_fillers_have_been_read():
    row = {"template_id": "T-1", "locale": None, "option": "Mango", "region": "MX", "reviewer": "r1", "why": ""}
    three = {tag: FRUIT[tag] for tag in ("en-GB", "en-US", "ko-KR")}
    read = verdicts("en-GB", "apple", "pear", "plum")
    build = build_of(
        three, exclusions=read, fillers=pl.DataFrame([row], FILLERS), options=McqOptions(unread="drop")
    )
    assert ("es-MX", "mango") in shown_to(build, "en-GB")
    assert of(build, "en-GB")["others"] == 4


def test_a_filler_that_is_not_used_has_not_been_read():
    row = {"template_id": "T-1", "locale": None, "reviewer": "r1", "why": ""}
    fillers = [{**row, "option": "Mango", "region": "MX"}, {**row, "option": "pear", "region": "US"}]
    three = {tag: FRUIT[tag] for tag in ("en-GB", "en-US", "ko-KR")}
    found = of(build_of(three, fillers=pl.DataFrame(fillers, FILLERS)), "en-GB")
    # The US gave pear itself, which nobody has read.
    assert (found["options"], found["others"], found["nobody"]) == (4, 1, 3)


def test_a_model_counts_as_reader_where_no_person_has_read():
    by_model = verdicts("en-GB", "apple", "pear").with_columns(reviewer=pl.lit("chat:m1"))
    found = of(build_of(FRUIT, exclusions=pl.concat([by_model, verdicts("en-GB", "pear", "plum")])), "en-GB")
    assert {name: found[name] for name in ("others", "model", "nobody")} == {
        "others": 2,
        "model": 1,
        "nobody": 1,
    }


def test_a_question_whose_correct_answer_nobody_has_read_shows_an_unread_option():
    found = of(build_of(MORE, exclusions=verdicts("en-GB", "pear", "plum", "dates", "mango")), "en-GB")
    assert (found["mcqs"], found["with_unread"], found["nobody"]) == (1, 1, 1)


def test_the_readings_of_the_package_are_of_published_answers_in_the_same_words():
    template_id, tag, question = shipped_readings().row(0)
    questions, annotations = frames_of(
        {template_id: {tag: [("a", 3)], "en-AU": [("b", 3)], "el-GR": [("c", 3)]}}
    )
    reworded = questions.with_columns(en_question=pl.lit("What else?"))
    questions = questions.with_columns(en_question=pl.lit(question))
    own = annotations.with_columns(grouping=pl.lit("reviewed"))
    read = []
    for asked, given, shipped in (
        (questions, annotations, True),
        (reworded, annotations, True),
        (questions, own, True),
        (questions, annotations, False),
    ):
        exclusions = Exclusions(None, asked, registry(), shipped=shipped)
        reading = Reading(exclusions, QuestionReadings(asked, given, shipped=shipped))
        read.append(
            [reading.by(template_id, tag, text, origin) for text, origin in (("b", "en-AU"), ("c", "el-GR"))]
        )
    assert read == [[None, "by_question"], [None, None], [None, None], [None, None]]


PUBLISHED = {"ko-KR": [("a", 3)], "el-GR": [("b", 3)], "es-MX": [("c", 3)], "zh-CN": [("d", 3)]}


def published_about(template_id: str, tag: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A published question about one of the 16 regions in its own words, answered in four of them."""
    [asked] = shipped_readings().filter(template_id=template_id, locale=tag)["question"]
    questions, annotations = frames_of({template_id: PUBLISHED})
    own = pl.when(pl.col("locale") == tag).then(pl.lit(asked)).otherwise("en_question")
    return questions.with_columns(en_question=own), annotations


@pytest.mark.slow
def test_what_the_model_of_the_package_read_counts_as_read_by_no_person():
    template_id = shipped_readings().filter(locale="ko-KR")["template_id"][0]
    frames = published_about(template_id, "ko-KR")
    found = of(build_mcq(*frames, options=McqOptions(), seed=0), "ko-KR")
    assert {name: found[name] for name in ("natives", "others", "model", "by_question", "nobody")} == {
        "natives": 0, "others": 0, "model": 4, "by_question": 4, "nobody": 0,
    }  # fmt: skip


@pytest.mark.parametrize(("native", "by"), [("yes", "natives"), (None, "others")])
def test_a_persons_verdict_overrules_the_one_of_the_package(native: str | None, by: str):
    refusal = shipped_exclusions().filter(kind="also-right").row(0, named=True)
    about = [refusal[name] for name in ("template_id", "locale", "option")]
    asked = pl.DataFrame([refusal]).select(*KEY, en_question="question")
    accepted = verdicts(about[1], about[2], native=native).with_columns(template_id=pl.lit(about[0]))
    alone, overruled = (Exclusions(rows, asked, registry(), shipped=True) for rows in (None, accepted))
    assert about[2] in alone.of(*about[:2]).distractors
    assert about[2] not in overruled.of(*about[:2]).distractors
    nothing = QuestionReadings(asked, frames_of({"T-1": MORE})[1], shipped=False)
    assert Reading(alone, nothing).by(*about, "es-MX") == "model"
    assert Reading(overruled, nothing).by(*about, "es-MX") == by


def test_the_file_of_questions_read_is_complete(root: Path):
    rows = shipped_readings()
    assert rows.null_count().row(0) == (0, 0, 0)
    assert rows.select(KEY).rows() == sorted(set(rows.select(KEY).rows()))
    assert set(shipped_exclusions().select(*KEY, "question").rows()) <= set(rows.rows())
    readme = (root / "decisions" / "blend" / "README.md").read_text(encoding="utf-8")
    assert f"| `questions_read.tsv` | {rows.height:,} |" in readme


@pytest.mark.slow
@pytest.mark.nightly
def test_of_the_published_regions_every_option_was_read(clean_tables):
    build = build_mcq(clean_tables.questions, clean_tables.annotations, options=McqOptions(), seed=0)
    totals = build.reading.sum().row(0, named=True)
    assert {name: totals[name] for name in ("natives", "others", "nobody")} == {
        "natives": 0,
        "others": 0,
        "nobody": 0,
    }
    assert totals["model"] == totals["options"]
    assert totals["by_question"] > 10_000
    words = read_options(build.reading)
    assert words is not None
    assert words.text.startswith(
        "A language model has read every option of the multiple-choice questions, and no person any: "
    )
    dropping = build_mcq(
        clean_tables.questions, clean_tables.annotations, options=McqOptions(unread="drop"), seed=0
    )
    assert dropping.frame().equals(build.frame())


@pytest.mark.parametrize(
    ("natives", "others", "model", "nobody", "sentence"),
    [
        (0, 0, 0, 9, "Nobody has read the options of the multiple-choice questions before they were shown: "),
        (1, 7, 0, 1, "People have read 8 of the 9 options of the multiple-choice questions; among the rest "),
        (1, 2, 4, 2, "People have read 3 of the 9 options of the multiple-choice questions, and a language "),
        (
            0,
            0,
            9,
            0,
            "A language model has read every option of the multiple-choice questions, and no person ",
        ),
        (
            0,
            0,
            7,
            2,
            "A language model has read 7 of the 9 options of the multiple-choice questions, and no ",
        ),
        (9, 0, 0, 0, "Natives of the regions have read every option of the multiple-choice questions."),
        (
            4,
            5,
            0,
            0,
            "People have read every option of the multiple-choice questions, natives of the region 4 of 9.",
        ),
        (
            0,
            9,
            0,
            0,
            "People have read every option of the multiple-choice questions, no native of the region ",
        ),
    ],
)
def test_the_card_says_who_has_read(natives: int, others: int, model: int, nobody: int, sentence: str):
    row = ("ko-KR", 3, 1, 9, natives, others, model, 0, nobody)
    words = read_options(pl.DataFrame([row], READING, orient="row"))
    assert words is not None
    assert words.text.startswith(sentence)
    shares = [f"{100 * n / 9:.0f}" for n in (natives, others, model, nobody)]
    assert words.table.cells()[0][:6] == ["ko-KR", "9", *shares]
    assert read_options(pl.DataFrame(schema=READING)) is None


def test_the_card_tells_a_record_from_an_inference():
    words = read_options(pl.DataFrame([("ko-KR", 3, 0, 9, 0, 2, 7, 6, 0)], READING, orient="row"))
    assert words is not None
    assert words.text.startswith("People have read 2 of the 9 options")
    assert " Of 6 that is known by question alone: " in words.text
    assert words.table.cells() == [["ko-KR", "9", "0", "22", "78", "0"]]
