"""Faults of multiple-choice questions, each with its whole message."""

import json

import pytest

FIX = "correct the source and rebuild the release"
MCQ = "data/multiple-choice-questions/test-00000.parquet"
CONFIG = "multiple-choice-questions"
ID = "edu-01_US_1cdddca4"
SHOWN = {"say good morning": "US", "stand up": "Iran", "pray": "West_Java", "bow and greet": "South_Korea"}
"""Answers that these regions gave, the first one right."""


def first(rows):
    """The question about edu-01 in the US, called `ID`, with the answers of `SHOWN` as its options."""
    (row,) = (row for row in rows if (row["ID"], row["country"]) == ("edu-01", "US"))
    countries = dict(zip("ABCD", SHOWN.values(), strict=True))
    row.update(MCQID=ID, answer=0, answer_idx="A", options=list(SHOWN), option_regions=["US", "IR", "JB", "KR"])
    row["choice_countries"] = json.dumps(countries)
    show(row)
    return row


def changed(**values):
    return lambda rows: first(rows).update(values)


def show(row):
    """Let choices and prompt show the options of a row, so that only the options are wrong."""
    options = dict(zip("ABCD", row["options"], strict=True))
    head = row["prompt"].split("\n")[0]
    row["choices"] = json.dumps(options, ensure_ascii=False)
    row["prompt"] = "\n".join(
        [head, "", *(f"{letter}. {text}" for letter, text in options.items()), "", "Answer:"]
    )


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("answer_idx", "B", "answer_idx is 'B', but the answer is option 'A'"),
        (
            "choices",
            '{"B": "say good morning", "A": "stand up", "C": "pray", "D": "bow and greet"}',
            "choices is not the JSON text of the letters and options",
        ),
        ("choices", "say good morning", "choices is not the JSON text of the letters and options"),
        ("choices", "[]", "choices is not the JSON text of the letters and options"),
        (
            "choices",
            '{"A": "say good morning", "A": "stand up", "B": "stand up", "C": "pray", "D": "bow and greet"}',
            "choices is not the JSON text of the letters and options",
        ),
    ],
)
def test_texts_that_do_not_agree(release, column: str, value: str, said: str):
    release.change(CONFIG, "test", changed(**{column: value}))
    assert release.problems("mcq-texts") == [f"error: {MCQ}:{ID}: {said}; rebuild the release"]


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("in the US", "in the UK"),
        ("C. pray\n", "C. sing\n"),
        ("D. bow and greet\n", "D. bow and greet\nE. sing\n"),
        ("Answer:", "Answer: A"),
    ],
)
def test_prompts_that_do_not_agree(release, old: str, new: str):
    def change(rows):
        row = first(rows)
        row["prompt"] = row["prompt"].replace(old, new)

    release.change(CONFIG, "test", change)
    said = "prompt is not the published prompt with the question and its options"
    assert release.problems("mcq-texts") == [f"error: {MCQ}:{ID}: {said}; rebuild the release"]


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        (
            "country",
            "Iran",
            ["country is 'Iran', the correct option's is 'US'", "country is 'Iran', that of en-US is 'US'"],
        ),
        (
            "choice_countries",
            '{"A": "US", "B": "Iran", "C": "West_Java", "D": "North_Korea"}',
            ["choice_countries has 'North_Korea' for option D, option_regions 'KR'"],
        ),
        ("choice_countries", '{"A": "US"}', ["choice_countries is not a JSON text with the letters A to D"]),
        (
            "locale",
            "ko-KR",
            [
                "country is 'US', that of ko-KR is 'South_Korea'",
                "the correct option's region is 'US', that of ko-KR is 'KR'",
            ],
        ),
    ],
)
def test_regions_that_do_not_agree(release, column: str, value: str, said: list[str]):
    release.change(CONFIG, "test", changed(**{column: value}))
    assert release.problems("mcq-regions") == [f"error: {MCQ}:{ID}: {one}; rebuild the release" for one in said]


@pytest.mark.slow
def test_a_right_option_that_nobody_gave(release):
    def change(rows):
        first(rows)["options"][0] = "sing the anthem"

    release.change(CONFIG, "test", change)
    assert release.problems("correct-answers") == [
        f"error: {MCQ}:{ID}: the correct option 'sing the anthem' is not an answer of en-US to edu-01; {FIX}"
    ]


@pytest.mark.slow
def test_a_right_option_in_another_case_is_the_same(release):
    def change(rows):
        first(rows)["options"][0] = "Say  Good Morning"

    release.change(CONFIG, "test", change)
    assert release.problems("correct-answers") == []


@pytest.mark.slow
def test_a_wrong_option_that_nobody_of_its_region_gave(release):
    def change(rows):
        first(rows)["options"][1] = "wave at the goldfish"

    release.change(CONFIG, "test", change)
    said = f"{MCQ}:{ID}: the distractor 'wave at the goldfish' is not an answer of region IR to edu-01; {FIX}"
    assert release.problems("wrong-answers") == [f"error: {said}"]
    row = "edu-01,wave at the goldfish,proposed,IR,r1"
    (release.path / "verdicts.csv").write_text(f"template_id,option,verdict,with,reader\n{row}\n", "utf-8")
    release.edit_manifest(lambda manifest: manifest["recipe"]["mcq"].update(verdicts="verdicts.csv"))
    assert release.problems("wrong-answers") == []


@pytest.mark.slow
def test_answers_of_a_region_without_sound_annotations_are_not_judged(release):
    (release.path / "data/annotations/US-00000.parquet").unlink()
    assert release.problems("correct-answers") == []
    assert release.problems("wrong-answers") == []


@pytest.mark.slow
def test_a_wrong_option_that_is_acceptable(release):
    def change(rows):
        row = first(rows)
        row["options"][1], row["options"][2] = "Good-Morning song", "a song"
        show(row)

    release.change(CONFIG, "test", change)
    assert release.problems("mcq-texts") == []
    overlap = (
        f"{MCQ}:{ID}: the distractor 'Good-Morning song' overlaps the acceptable answer 'say good morning'"
    )
    said = [overlap, f"{MCQ}:{ID}: the distractors 'Good-Morning song' and 'a song' overlap"]
    assert release.problems("overlaps") == [f"error: {one}; {FIX}" for one in said]

    def decide(manifest):
        manifest["recipe"]["mcq"]["judge"]["decisions"] = "decided.tsv"

    release.edit_manifest(decide)
    fix = "look whether a reviewer decided so in decided.tsv"
    assert release.problems("overlaps") == [f"warning: {one}; {fix}" for one in said]
    release.edit_manifest(lambda manifest: manifest["recipe"]["mcq"].update(mode="paper"))
    fix = "paper mode lets it through, default mode does not"
    assert release.problems("overlaps") == [f"warning: {one}; {fix}" for one in said]


@pytest.mark.slow
def test_a_wrong_option_without_words(release):
    def change(rows):
        first(rows)["options"][1] = "…"

    release.change(CONFIG, "test", change)
    assert release.problems("overlaps") == [
        (
            f"error: {MCQ}:{ID}: the distractor '…' has no letter or digit, so that nothing can be said "
            f"about it; {FIX}"
        )
    ]


@pytest.mark.slow
def test_numbers_overlap_by_value_and_not_by_digits(release):
    rows = release.rows(CONFIG, "test")
    row = next(row for row in rows if row["ID"] == "hol-08")
    wrong = next(i for i in range(4) if i != row["answer"])
    right = row["options"][row["answer"]]

    def put(text):
        def change(rows):
            next(other for other in rows if other["MCQID"] == row["MCQID"])["options"][wrong] = text

        release.change(CONFIG, "test", change)

    put(f"{right}00")
    assert release.problems("overlaps") == []
    put(f"{right}.0")
    assert release.problems("overlaps") == [
        (
            f"error: {MCQ}:{row['MCQID']}: the distractor '{right}.0' overlaps the acceptable answer "
            f"'{right}'; {FIX}"
        )
    ]


@pytest.mark.slow
def test_positions_that_give_the_answer_away(release):
    def change(rows):
        of_us = [row for row in rows if row["country"] == "US"]
        for row in of_us:
            row["answer"] = 0
        return rows

    n_us = sum(row["country"] == "US" for row in release.rows(CONFIG, "test"))
    release.change(CONFIG, "test", change)
    said = f"the correct answers about the US (en-US) are not spread evenly: A {n_us}, B 0, C 0, D 0"
    assert release.problems("positions") == [f"warning: {CONFIG}: {said}; rebuild the release"]
    release.edit_manifest(lambda manifest: manifest["recipe"]["mcq"].update(mode="paper"))
    assert release.problems("positions") == [f"info: {CONFIG}: {said}"]


@pytest.mark.nightly
@pytest.mark.slow
def test_rows_of_a_wrong_shape_are_left_to_the_check_of_rows(release):
    def change(rows):
        first(rows).update(options=["a", "b"], option_regions=["US", "KR"], answer=7)

    release.change(CONFIG, "test", change)
    for check in ("mcq-texts", "mcq-regions"):
        assert release.problems(check) == []
    assert len(release.problems("rows")) == 3
    release.problems("overlaps")
    release.problems("correct-answers")
