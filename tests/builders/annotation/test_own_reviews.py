"""Reviews that people wrote as files: what of them counts beside pulled ones, and what is told of the rest."""

from pathlib import Path
from typing import Any

import pytest

from blend.builders.annotation.counting import stage_of
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.starting import check_project
from blend.loaders.responses import read_responses
from helpers.label_studio.annotation_projects import write_project
from helpers.label_studio.exported import write_lines
from helpers.messages import wrong

RESPONSES = [
    {"template_id": "food-01", "annotator": "a1", "answers": ["밥", "국"]},
    {"template_id": "food-01", "annotator": "a2", "answers": ["빵"]},
    {"template_id": "work-01", "annotator": "a1", "answers": ["18:00"]},
]
STAGES = {"stages": '["answer", "review"]', "wanted": "2"}


@pytest.fixture
def file(tmp_path: Path) -> ProjectFile:
    """Three answers to a question in Korean, and a time."""
    file = write_project(tmp_path, "trial", "http://localhost:1", ["ko-KR"], **STAGES)
    write_lines(file.collected / "responses/ko-KR.jsonl", RESPONSES)
    return file


def review(*answers: str, who: str = "r02") -> dict[str, Any]:
    """A review that puts every answer into a group of its own."""
    groups = [{"answers": [answer], "en_answers": ["x"]} for answer in answers]
    template_id = "work-01" if answers == ("18:00",) else "food-01"
    return {"template_id": template_id, "reviewer": who, "groups": groups}


def by_people(file: ProjectFile, *reviews: dict[str, Any]) -> Path:
    """Reviews in a file of people's own."""
    path = file.collected / "reviews/ko-KR.own.jsonl"
    write_lines(path, reviews)
    return path


def test_of_two_reviews_the_one_of_more_answers_counts(file: ProjectFile):
    for theirs, ours, who in ((["밥", "국", "빵"], ["밥"], "p-1"), (["밥"], ["빵"], "r02")):
        write_lines(file.collected / "reviews/ko-KR.jsonl", [review(*theirs, who="p-1")])
        own = by_people(file, review("18:00"), review(*ours))
        tables = read_responses(file.collected)
        assert tables.reviews.select("template_id", "reviewer").rows() == [("food-01", who), ("work-01", "r02")]
        (detail,) = tables.findings.filter(kind="reviewed-in-a-file")["detail"]
        assert any(detail in told for told in check_project(file.path).diagnostics)
    own.rename(own.with_name("ko-KR.r02.jsonl"))
    assert wrong(lambda: read_responses(file.collected)) == (
        "reviews/ko-KR.r02.jsonl:2: question 'food-01' in ko-KR is also reviewed in reviews/ko-KR.jsonl:1; "
        "delete one of the two; beside what `blend annotate sync` writes, name the other file ko-KR.own.jsonl, "
        "and pull again"
    )


def test_a_review_of_a_dropped_question_is_kept_and_not_read(file: ProjectFile):
    by_people(file, review("18:00"), review("밥", "국", "빵"))
    write_lines(file.collected / "responses/ko-KR.jsonl", RESPONSES[:2])
    for path in file.collected.glob("*.csv"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if not line.startswith("work-01,")), encoding="utf-8")
    where = "reviews/ko-KR.own.jsonl:1"
    detail = "review of 'work-01', which is not asked in ko-KR any more; not read, and kept until it is"
    for reviewing in (False, True):
        tables = read_responses(file.collected, reviewing=reviewing)
        assert tables.reviews["template_id"].to_list() == ["food-01"]
        assert tables.findings.filter(kind="not-asked").select("source", "detail").rows() == [(where, detail)]
    assert f"{where}: {detail}" in check_project(file.path).diagnostics


def test_reviews_of_answers_that_are_gone_stop_a_build_alone(file: ProjectFile):
    by_people(file, review("밥", "떡", "빵"))
    checked = check_project(file.path)
    assert (
        "reviews/ko-KR.own.jsonl:1: decides on '떡', which nobody answers any more; passed over, until "
        "`blend reviews propose` and `blend reviews accept --update` review the question again"
    ) in checked.diagnostics
    (kept,) = checked.material.reviews["groups"].to_list()
    assert [group["answers"] for group in kept] == [["밥"], ["빵"]]
    by_people(file, review("떡"))
    (alone, *_) = check_project(file.path).diagnostics
    assert alone.endswith("any more; passed over; delete that review, which decides on nothing else")
    assert "nobody answered '떡'" in wrong(lambda: read_responses(file.collected))
    # Nobody of the locale has any answer left.
    (file.collected / "responses/ko-KR.jsonl").unlink()
    assert check_project(file.path).material.reviews.is_empty()


@pytest.mark.slow
def test_no_page_for_what_a_file_decides_in_full(file: ProjectFile):
    def pages() -> list[str]:
        made = stage_of("review").tasks(file.project, file.locale("ko-KR"), check_project(file.path).material)
        return [task.data["template_id"] for task in made]

    for answers, made in ((("밥", "국"), ["food-01"]), (("밥", "국", "빵"), [])):
        own = by_people(file, review(*answers))
        assert pages() == made
    # A page whose review was pulled stays, so that it can be corrected there.
    own.rename(file.collected / "reviews/ko-KR.jsonl")
    assert pages() == ["food-01"]
