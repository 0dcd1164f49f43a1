"""The published data of 16 regions: every irregularity that its description counts is found, no vote lost."""

from collections import Counter

import polars as pl
import pytest

from blend.loaders.upstream.blend import BlendTables
from blend.loaders.upstream.blend.prompts import read_prompts
from blend.schemas.locales import registry

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def raw(raw_tables: BlendTables) -> BlendTables:
    return raw_tables


@pytest.fixture(scope="module")
def clean(clean_tables: BlendTables) -> BlendTables:
    return clean_tables


def groups(tables: BlendTables) -> pl.DataFrame:
    rows = tables.annotations.select("locale", "template_id", "annotations").explode("annotations")
    return rows.drop_nulls("annotations").unnest("annotations")


def by_locale(findings: pl.DataFrame) -> dict[str, int]:
    """Number of findings by the upstream name of their region."""
    known = registry()
    return {known.get(tag).upstream: n for tag, n in Counter(findings["locale"]).items()}


def test_every_question_of_every_region_is_there(raw, clean):
    for tables in (raw, clean):
        for frame in (tables.questions, tables.annotations):
            counted = frame.group_by("locale").len()
            assert set(counted["locale"]) == {x.tag for x in registry() if "blend" in x.collections}
            assert set(counted["len"]) == {500}
    topics = clean.questions.filter(locale="su-JB")["topic"].value_counts().rows()
    assert dict(topics) == {
        "Food": 105,
        "Holidays/Celebration/Leisure": 92,
        "Sport": 88,
        "Education": 84,
        "Work life": 68,
        "Family": 63,
    }


def test_groups_votes_and_answers_are_those_of_the_files(raw, clean):
    # 35,380 local and 36,362 English strings; cleaning takes away 7 blanks and 33 variants that differed from
    # another one in outer white space or composition only.
    figures = {}
    for name, tables in (("raw", raw), ("clean", clean)):
        rows = groups(tables)
        local, english = rows["answers"].list.len().sum(), rows["en_answers"].list.len().sum()
        figures[name] = (rows.height, rows["count"].sum(), local, english)
    assert figures == {"raw": (28_293, 48_299, 35_380, 36_362), "clean": (28_293, 48_299, 35_350, 36_352)}


def test_cleaning_changes_texts_only(raw, clean):
    for tables in (raw, clean):
        assert tables.annotations.schema == raw.annotations.schema
    assert groups(clean)["count"].equals(groups(raw)["count"])
    without_reasons = [tables.annotations["idks"].struct.unnest().drop("others") for tables in (clean, raw)]
    assert without_reasons[0].equals(without_reasons[1])
    same = ["template_id", "locale", "topic", "source_label", "answer_format", "source_locale", "source"]
    assert clean.questions.select(same).equals(raw.questions.select(same))


def test_clean_texts_have_nothing_left_to_tidy(clean):
    rows = groups(clean)
    answers = pl.concat([rows["answers"].explode(), rows["en_answers"].explode()]).drop_nulls()
    questions = pl.concat([clean.questions["question"], clean.questions["en_question"]])
    for texts in (answers, questions):
        assert texts.equals(texts.str.normalize("NFC").str.strip_chars())
        assert not texts.str.contains(r"\p{Cc}").any()
    assert not answers.eq("").any()


def test_findings_are_as_many_as_the_data_has_irregularities(clean):
    # The data's description counts most of them; the others were counted by hand in the files.
    assert dict(clean.findings.group_by("kind").len().sort("kind").iter_rows()) == {
        "blank-answer": 7,
        "blank-question": 1,
        "control-character": 4,
        "free-text-reason": 161,
        "invisible-character": 91,
        "no-answers": 277,
        "no-variant": 28,
        "non-answers-above-annotators": 109,
        "not-nfc": 242,
        "other-answer-format": 1,
        "outer-white-space": 164,
        "placeholder-answer": 34,
        "repeated-first-variant": 118,
        "repeated-variant": 33,
        "unusual-source-label": 160,
        "votes-above-annotators": 1,
    }


def test_findings_name_file_question_and_region(clean):
    assert clean.findings.null_count().row(0) == (0, 0, 0, 0, 0)
    assert clean.findings.filter(kind="votes-above-annotators").rows() == [
        (
            "votes-above-annotators",
            "annotations/US_data.json:Na-ko-40",
            "en-US",
            "Na-ko-40",
            "annotations[0] has 6 votes of 5 annotators; kept",
        )
    ]
    controls = clean.findings.filter(kind="control-character")
    assert controls.select("source", "template_id").rows() == [
        ("annotations/Spain_data.json:Ta-pe-30", "Ta-pe-30"),
        ("questions/North_Korea_questions.csv:188", "Na-ko-40"),
        ("questions/North_Korea_questions.csv:373", "New-pe-06"),
        ("questions/South_Korea_questions.csv:188", "Na-ko-40"),
    ]


def test_questions_with_a_repeated_first_variant(clean):
    # 116 questions; two of them have two such variants each.
    found = clean.findings.filter(kind="repeated-first-variant")
    assert found.select("locale", "template_id").unique().height == 116


def test_prompts(blend_data):
    prompts, findings = read_prompts(blend_data)
    # 9 regions with 12 prompts, Algeria's two without slot left out; 6 with 4; Azerbaijan's two ids once each.
    assert prompts.height == 9 * 12 - 2 + 6 * 4 + 2
    assert by_locale(findings) == {"Algeria": 2, "Azerbaijan": 2}
