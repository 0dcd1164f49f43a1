"""The published data of 16 regions: every irregularity that its description counts is found, no vote lost."""

import pytest

from blend.loaders.upstream.blend import BlendTables

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def clean(clean_tables: BlendTables) -> BlendTables:
    return clean_tables


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
