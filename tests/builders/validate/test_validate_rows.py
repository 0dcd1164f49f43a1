"""Faults of rows, ids, questions, votes and personal data, each with its whole message."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.validate import CHECKS, validate_release
from blend.builders.validate.checked_release import Batch
from blend.schemas.manifest import TableInfo
from blend.schemas.personal_data import personal_data

FIX = "correct the source and rebuild the release"
KR = "data/annotations/KR-00000.parquet"
MCQ = "data/multiple-choice-questions/test-00000.parquet"
SAQ = "data/short-answer-questions/KR-00000.parquet"


@pytest.mark.slow
def test_rows_that_are_not_what_their_model_says(release):
    def change(rows):
        rows[0]["grouping"] = "guessed"
        rows[1]["topic"] = " "
        rows[2]["annotations"][0]["count"] = 0
        rows[3]["en_question"] = None
        rows[4]["topic"] = ""

    release.change("annotations", "KR", change)
    ids = [row["ID"] for row in release.rows("annotations", "KR")]
    assert release.problems("rows") == [
        (
            f"error: {KR}:{ids[0]}: column grouping: input should be 'reviewed', 'proposed' or 'upstream', "
            f"not 'guessed'; {FIX}"
        ),
        f"error: {KR}:{ids[1]}: column topic: string should match pattern '\\S', not ' '; {FIX}",
        (
            f"error: {KR}:{ids[2]}: column annotations.0.count: input should be greater than or equal to 1, "
            f"not 0; {FIX}"
        ),
        f"error: {KR}:{ids[3]}: column en_question: input should be a valid string, not None; {FIX}",
        f"error: {KR}:{ids[4]}: column topic: string should have at least 1 character, not ''; {FIX}",
    ]


@pytest.mark.slow
def test_options_that_are_not_distinct(release):
    def change(rows):
        rows[0]["options"][1] = rows[0]["options"][2]

    release.change("multiple-choice-questions", "test", change)
    row = release.rows("multiple-choice-questions", "test")[0]
    assert release.problems("rows") == [
        f"error: {MCQ}:{row['MCQID']}: options are not distinct: {tuple(row['options'])}; {FIX}"
    ]


@pytest.mark.slow
def test_a_row_in_the_wrong_split(release):
    release.change("annotations", "KR", lambda rows: rows[0].update(locale="ko-KP"))
    assert release.problems("splits") == [
        (
            f"error: {KR}:edu-01: ko-KP in language 'ko' stands in split KR, which is that of ko-KR in 'ko'; "
            "rebuild the release"
        )
    ]


@pytest.mark.slow
def test_a_locale_that_nobody_registered(release):
    def change(rows):
        for row in rows:
            row["locale"] = "ko-XX"

    release.change("annotations", "KR", change)
    assert (
        "info: release.json: ko-XX is in no registry: script and regions of its 40 rows are not checked; "
        "give the locales that the release was built with"
    ) in release.problems("splits")


@pytest.mark.slow
def test_an_id_that_occurs_twice(release):
    release.change("annotations", "KR", lambda rows: [*rows, rows[3]])
    row_id = release.rows("annotations", "KR")[3]["ID"]
    assert release.problems("ids") == [f"error: {KR}:{row_id}: the id occurs again; first in {KR}; {FIX}"]


@pytest.mark.slow
def test_a_topic_that_differs_from_other_splits(release):
    release.change("short-answer-questions", "KR", lambda rows: rows[0].update(Topic="Sport"))
    assert release.problems("alignment")[0] == (
        f"error: {SAQ}:edu-01: Topic is 'Sport', in most splits this id has 'Education'; {FIX}"
    )


@pytest.mark.slow
def test_annotations_of_other_questions(release):
    def change(rows):
        rows[0]["question"] = "무엇?"
        rows[1]["ID"] = "new-01"

    lost = release.rows("annotations", "KR")[1]["ID"]
    release.change("annotations", "KR", change)
    assert release.problems("questions") == [
        f"error: {KR}:new-01: there is no such row in short-answer-questions; {FIX}",
        f"error: short-answer-questions:{lost}: there is no such row of ko-KR in annotations; {FIX}",
        f"error: {KR}:edu-01: question differs from Question of short-answer-questions; {FIX}",
    ]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What do pupils do?", "Translation does not name South Korea"),
        ("What do pupils in Mexico do?", "Translation names Mexico, not South Korea"),
    ],
)
def test_a_question_that_names_no_country_or_another(release, text: str, said: str):
    def change(rows):
        rows[0]["Translation"] = text

    release.change("short-answer-questions", "KR", change)
    told = [problem for problem in release.problems("questions") if problem.startswith("warning")]
    assert told == [f"warning: {SAQ}:edu-01: {said}; {FIX}"]


@pytest.mark.slow
def test_a_question_in_english_names_the_country_as_well(release):
    def change(rows):
        rows[0]["Question"] = "What do pupils in Mexico do?"

    release.change("short-answer-questions", "US", change)
    told = [problem for problem in release.problems("questions") if problem.startswith("warning")]
    assert told == [
        (
            "warning: data/short-answer-questions/US-00000.parquet:edu-01: Question names Mexico, not the US; "
            f"{FIX}"
        )
    ]


@pytest.mark.slow
def test_multiple_choice_questions_of_other_questions(release):
    def change(rows):
        rows[0]["question"] = "What do pupils in the UK do?"
        rows[1]["topic"] = "Food"
        rows[2]["ID"] = "new-01"

    rows = release.rows("multiple-choice-questions", "test")
    ids, tag = [row["MCQID"] for row in rows], rows[2]["locale"]
    release.change("multiple-choice-questions", "test", change)
    asked = "What do pupils in the US do when their teacher walks into the classroom?"
    assert sorted(release.problems("questions")) == sorted(
        [
            f"error: {MCQ}:{ids[0]}: asks 'What do pupils in the UK do?', not {asked!r}; {FIX}",
            f"error: {MCQ}:{ids[1]}: topic is 'Food', that of its question edu-01 'Education'; {FIX}",
            f"error: {MCQ}:{ids[2]}: {tag} has no question new-01 in short-answer-questions; {FIX}",
        ]
    )


@pytest.mark.slow
def test_groups_in_another_order(release):
    release.change("annotations", "KR", lambda rows: rows[0]["annotations"].reverse())
    assert release.problems("votes") == [
        f"error: {KR}:edu-01: groups are not in the order of their votes: [1, 5]; {FIX}"
    ]


@pytest.mark.slow
def test_more_votes_than_annotators(release):
    def change(rows):
        for row in rows[:3]:
            row["grouping"] = "upstream"
        rows[0]["annotations"][0]["count"] = 6
        rows[1]["annotations"][0]["count"] = 6
        rows[2]["idks"].update(idk=4, others=[{"reason": "몰라요", "count": 2}])
        rows[3]["annotations"][0]["count"] = 7  # how many were asked is not known here

    release.change("annotations", "KR", change)
    release.edit(
        "reports/findings.jsonl",
        lambda text: (
            text + '{"stage": "read blend", "kind": "votes-above-annotators", "locale": "ko-KR", '
            '"template_id": "edu-01"}\n'
        ),
    )
    assert release.problems("votes") == [
        (
            f"error: {KR}:edu-02: an answer has 6 votes of 5 annotators, and reports/findings.jsonl does not "
            f"record it; {FIX}"
        ),
        (
            f"error: {KR}:{release.rows('annotations', 'KR')[2]['ID']}: 6 non-answers of 5 annotators, and "
            f"reports/findings.jsonl does not record it; {FIX}"
        ),
        (
            f"warning: {KR}:edu-01: an answer has 6 votes of 5 annotators, as in the source "
            "(votes-above-annotators in reports/findings.jsonl)"
        ),
    ]


@pytest.mark.slow
def test_personal_data_in_a_reason_is_named_and_not_shown(release):
    secrets = ["kim.minsu@example.org", "+82 10-1234-5678", "https://example.org/kim", "@kim_minsu"]

    def change(rows):
        for row, secret in zip(rows, secrets, strict=False):
            row["idks"]["others"] = [{"reason": f"물어보세요: {secret}", "count": 1}]

    release.change("annotations", "KR", change)
    problems = release.problems("personal-data")
    fix = "remove it from the responses, and rebuild the release"
    kinds = ["an e-mail address", "a phone number", "a web address", "an @handle"]
    ids = [row["ID"] for row in release.rows("annotations", "KR")]
    assert problems == [
        f"error: {KR}:{row_id}: column idks.others.reason holds {kind} (not shown); {fix}"
        for row_id, kind in zip(ids, kinds, strict=False)
    ]
    assert not any(secret in problem for problem in problems for secret in secrets)


@pytest.mark.slow
def test_an_address_among_the_answers_is_for_a_person_to_judge(release):
    release.change(
        "annotations", "KR", lambda rows: rows[0]["annotations"][0]["answers"].append("www.naver.com")
    )
    assert release.problems("personal-data") == [
        (
            f"warning: {KR}:edu-01: column annotations.answers holds a web address (not shown); "
            "remove it from the responses, and rebuild the release"
        )
    ]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("not sure", []),
        ("between 1990-2005", []),
        ("2024-11-05 or 05.11.2024", []),
        ("2,000,000 rupiah", []),
        ("half @ home", []),
        ("100% (50/50)", []),
        ("call 010-1234-5678", ["a phone number"]),
        ("٠٥٥ ١٢٣٤ ٥٦٧٨", ["a phone number"]),
        ("a.b@c.de, www.c.de", ["an e-mail address", "a web address"]),
        ("ask @a_b and @c_d", ["an @handle", "an @handle"]),
    ],
)
def test_what_counts_as_personal_data(text: str, kinds: list[str]):
    assert personal_data(text) == kinds


@given(st.from_regex(r"[a-z]{1,9}@[a-z]{1,9}\.(org|com)", fullmatch=True), st.text(), st.text())
def test_an_address_is_found_in_any_text(address: str, before: str, after: str):
    assert "an e-mail address" in personal_data(f"{before} {address} {after}")


@pytest.mark.nightly
@pytest.mark.slow
def test_nulls_are_told_once_and_stop_no_other_check(release):
    """Every column of every table is null in some row, and lists and structs hold nulls."""
    for config, split in (
        ("annotations", "KR"),
        ("short-answer-questions", "KR"),
        ("multiple-choice-questions", "test"),
    ):

        def change(rows):
            for row, column in zip(rows, rows[0], strict=False):
                row[column] = None
            for row in rows[15:16]:
                row.update({name: [None] for name, value in row.items() if isinstance(value, list)})
            return rows

        release.change(config, split, change)
    checks = {name: check for name, check in CHECKS.items() if name != "loading"}
    report = validate_release(release.path, checks=checks)
    assert next(check for check in report.checks if check.check == "rows").errors > 25


@given(st.lists(st.sampled_from(["a", None]), max_size=3), st.sampled_from([None, "b"]))
def test_only_rows_without_any_null_are_complete(texts, text):
    schema = {"ID": pl.String, "groups": pl.List(pl.Struct({"answers": pl.List(pl.String), "text": pl.String}))}
    rows = pl.DataFrame({"ID": ["1"], "groups": [[{"answers": texts, "text": text}]]}, schema=schema)
    table = TableInfo(config="c", split="s", rows=1, content_sha256="0" * 64, schema_sha256="0" * 64, files=())
    expected = 1 if text is not None and None not in texts else 0
    assert len(Batch(table, "f", rows).complete().rows) == expected
