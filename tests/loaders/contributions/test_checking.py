"""Checking contributions: every problem at its row and line, for one folder and for all."""

import shutil
from pathlib import Path

import pytest

import blend
from blend.loaders.contributions import check_contributions

LOADERS = Path(__file__).parents[1]
VALID = LOADERS / "valid" / "contributions"
TEN_WAYS = LOADERS / "broken" / "contributions" / "broken_in_ten_ways"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(VALID, tmp_path / "everyday" / "contributions"))


@pytest.fixture
def ten_ways(folder: Path) -> Path:
    shutil.copytree(TEN_WAYS / "mina-ko", folder / "mina-ko", dirs_exist_ok=True)
    shutil.rmtree(folder / "mina-ko" / "reviews")
    return folder


def test_what_is_right_passes(folder: Path):
    check = check_contributions(folder)
    assert (check.passes, check.contributors) == (True, ("abel-am", "jun-ko", "mina-ko"))
    assert [str(problem) for problem in check.problems] == [
        (
            "questions.csv:2: question 'food-01' in ko-KR says the same as in jun-ko/questions.csv:2"
            "; left out here; delete one of the two, or leave both."
        )
    ]
    assert blend.check_contributions(str(folder)) == check


def test_only_one_folder_and_what_it_contradicts(ten_ways: Path):
    (ten_ways / "abel-am" / "contributor.toml").unlink()
    (ten_ways / "jun-ko" / "contributor.toml").write_text('credit = "none"\n')
    everything = check_contributions(ten_ways.parent)
    assert {problem.contributor for problem in everything.errors} == {"abel-am", "jun-ko", "mina-ko"}
    jun = check_contributions(ten_ways / "jun-ko")
    assert jun.contributors == ("jun-ko",)
    # Abel's and Mina's own errors are not Jun's; that Mina words the question otherwise is, in his file.
    assert {problem.contributor for problem in jun.errors} == {"jun-ko"}
    assert [problem.what for problem in jun.errors if problem.file == "jun-ko/questions.csv"] == [
        "question 'food-01' in ko-KR says something else than in mina-ko/questions.csv:2"
    ]


def test_what_all_share_is_told_to_everybody(folder: Path):
    (folder / "templates.csv").write_text("template_id,topic,text\n")
    check = check_contributions(folder / "abel-am")
    assert [(problem.contributor, problem.where, problem.what) for problem in check.errors] == [
        ("", "templates.csv:1", "column 'source_locale' is missing")
    ]


def test_the_folder_itself_and_files_of_other_kinds(folder: Path):
    for path in (folder / "jun-ko").rglob("*"):
        if path.is_file() and path.suffix != ".toml":
            path.unlink()
    (folder / "mina-ko" / "contributor.toml").write_text('credit = "none"\nname = Mina\n')
    (folder / "abel-am" / "responses" / "am-ET.jsonl").write_text(
        '\n{"template_id": "food-01", "annotator": "b01"}\n'
    )
    check = check_contributions(folder)
    assert [(problem.where, problem.row) for problem in check.errors] == [
        ("responses/am-ET.jsonl:2", 2),
        ("the folder", None),
        ("contributor.toml", None),
    ]


def test_annotators_are_named_as_the_contributor_names_them(folder: Path):
    with (folder / "mina-ko" / "responses" / "ko-KR.csv").open("a") as file:
        file.write("food-01,a01,빵,,,,\n")
    (problem,) = check_contributions(folder).errors
    assert problem.what == ("annotator 'a01' answers 'food-01' in ko-KR also in mina-ko/responses/ko-KR.csv:2")


def test_a_line_break_in_a_name_hides_nothing(folder: Path):
    (folder / "mina-ko" / "no\nte.txt").write_text("")
    (folder / "mina-ko" / "responses" / "es-MX\nb.csv").write_text(
        "template_id,annotator,answer_1\nfood-01,a,b\n"
    )
    shutil.copytree(folder / "abel-am", folder / "ev\nil")
    (folder / "jun-ko" / "contributor.toml").unlink()
    assert {
        (problem.contributor, problem.file, problem.row) for problem in check_contributions(folder).errors
    } >= {
        ("mina-ko", "mina-ko/no\nte.txt", None),
        ("mina-ko", "mina-ko/responses/es-MX\nb.csv", None),
        ("ev\nil", "ev\nil", None),
        ("jun-ko", "jun-ko/contributor.toml", None),
    }


def test_a_link_is_one_problem_among_others_and_never_followed(folder: Path, tmp_path: Path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "ko-KR.csv").write_text("key\n1234\n")
    shutil.rmtree(folder / "mina-ko" / "responses")
    (folder / "mina-ko" / "responses").symlink_to(tmp_path / "secret")
    (folder / "abel-am" / "contributor.toml").unlink()
    (folder / "prompts.csv").unlink()
    (folder / "prompts.csv").symlink_to(tmp_path / "secret" / "ko-KR.csv")
    (folder / "rosa-es").symlink_to(tmp_path / "secret")
    check = check_contributions(folder)
    what = "a link, which is not followed"
    assert [(problem.file, problem.what, problem.fix) for problem in check.errors if problem.what == what] == [
        ("prompts.csv", what, "put the file there"),
        ("mina-ko/responses", what, "put the folder there"),
        ("rosa-es", what, "put the folder there"),
    ]
    others = [problem.file for problem in check.errors if problem.what != what]
    assert others == ["abel-am/contributor.toml"]
    assert "1234" not in repr(check)
    jun = check_contributions(folder / "jun-ko")
    assert [problem.file for problem in jun.errors] == ["prompts.csv"]
