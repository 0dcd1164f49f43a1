"""Starting: nothing is replaced, and only what people must say themselves is missing."""

from pathlib import Path

import pytest

from blend.loaders.contributions import check_contributions
from blend.loaders.contributions.contributors import write_collection, write_contributor
from blend.loaders.files.rows import read_table
from blend.schemas.errors import ArgumentError, InputError
from helpers.messages import message_of


@pytest.fixture
def everyday(tmp_path: Path) -> Path:
    write_collection(tmp_path / "everyday")
    return tmp_path / "everyday"


def test_a_contributor_has_only_to_fill_in(everyday: Path):
    written = write_contributor(everyday, "mina-ko", ["ko-KR", "en-GB"])
    assert written == [
        "contributions/mina-ko/annotators.csv",
        "contributions/mina-ko/contributor.toml",
        "contributions/mina-ko/questions.csv",
        "contributions/mina-ko/responses/en-GB.csv",
        "contributions/mina-ko/responses/ko-KR.csv",
    ]
    rows = [row.values for row in read_table(everyday / "contributions" / "mina-ko" / "questions.csv")]
    breakfast = "What do people in the UK mostly eat for breakfast?"
    assert [row["locale"] for row in rows] == ["ko-KR", "ko-KR", "en-GB", "en-GB"]
    assert (rows[2]["question"], rows[2]["en_question"]) == (breakfast, breakfast)
    assert [str(problem) for problem in check_contributions(everyday).problems] == [
        (
            "contributor.toml, key agreed: '' is not a date such as 2026-11-30; correct it: Day on which the "
            'contributor agreed to the text in CONSENT.md, as in "2026-11-30"'
        ),
        "questions.csv:2, column question: the value is blank; fill it in",
        "questions.csv:3, column question: the value is blank; fill it in",
    ]


def test_nothing_is_replaced(everyday: Path):
    write_contributor(everyday, "mina-ko", ["ko-KR"])
    assert message_of(InputError, lambda: write_contributor(everyday, "mina-ko", ["ko-KR"])) == (
        f"{everyday}/contributions/mina-ko: holds 'annotators.csv', 'contributor.toml', 'questions.csv' and 1 "
        "more and is not empty, so nothing is written there; choose another `contributor` or empty it yourself"
    )
    assert message_of(InputError, lambda: write_collection(everyday)) == (
        f"{everyday}: holds '.github/workflows/contributions.yml', 'contributions/CONSENT.md', "
        "'contributions/templates.csv', 'recipe.toml' already, so nothing is written there; "
        "choose another `folder`, or move that away"
    )


def test_a_collection_in_a_repository_that_has_files(tmp_path: Path):
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "contributions").mkdir()
    assert len(write_collection(tmp_path)) == 5
    assert (tmp_path / "README.md").read_text() == "mine"


def test_a_name_that_no_folder_can_have(everyday: Path):
    assert message_of(ArgumentError, lambda: write_contributor(everyday, "Mina Kim", ["ko-KR"])) == (
        "'Mina Kim' cannot be a contributor's folder; choose small letters a to z, digits, and hyphens between "
        "them, as in mina-ko"
    )
