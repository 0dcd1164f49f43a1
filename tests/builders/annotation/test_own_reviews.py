"""Reviews that people wrote as files: what of them counts beside a pull, and what is told of the rest."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.annotation.beside import Beside, passed_over, that_counts
from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.stages import stage_of
from blend.builders.annotation.stages.model import WORK, Reading
from blend.loaders.files.diagnostics import Placed
from blend.loaders.responses import read_responses
from blend.schemas.errors import BlendError
from blend.schemas.frames import FINDINGS
from blend.schemas.rows import Review
from helpers.label_studio.annotation_projects import write_project
from helpers.label_studio.exported import write_lines

RESPONSES = [
    {"template_id": "food-01", "annotator": "a1", "answers": ["밥", "국"]},
    {"template_id": "food-01", "annotator": "a2", "answers": ["빵"]},
    {"template_id": "work-01", "annotator": "a1", "answers": ["18:00"]},
]
ASKED = frozenset({("food-01", "ko-KR")})


@pytest.fixture
def file(tmp_path: Path) -> ProjectFile:
    """Three answers to a question in Korean."""
    file = write_project(
        tmp_path, "trial", "http://localhost:1", ["ko-KR"], stages='["answer", "review"]', wanted="2"
    )
    write_lines(file.collected / "responses/ko-KR.jsonl", RESPONSES)
    return file


def review(*answers: str, who: str = "r02", template_id: str = "food-01") -> dict[str, Any]:
    """A review that puts every answer into a group of its own."""
    groups = [{"answers": [answer], "en_answers": ["x"]} for answer in answers]
    return {"template_id": template_id, "reviewer": who, "groups": groups}


def reading(*reviews: dict[str, Any]) -> Reading:
    return Reading({"reviews": list(reviews)}, pl.DataFrame(schema=FINDINGS), pl.DataFrame(schema=WORK))


def beside(*reviews: dict[str, Any], asked: frozenset[tuple[str, str]] = ASKED) -> Beside:
    placed = {
        (row["template_id"], "ko-KR"): Placed(
            f"reviews/ko-KR.own.jsonl:{number}", Review.model_validate({**row, "locale": "ko-KR"})
        )
        for number, row in enumerate(reviews, start=1)
    }
    return Beside((), asked, placed)


@pytest.mark.parametrize(
    ("server", "own", "counts", "why"),
    [
        (["밥", "국", "빵"], ["밥"], "server", ", since it decides on 2 further answers"),
        (["밥"], ["밥", "국"], "file", ", since it decides on 1 further answer"),
        (["밥", "국"], ["국", "빵"], "file", ""),
        # Nobody gives these any more.
        (["밥", "죽", "떡"], ["밥", "국"], "file", ", since it decides on 1 further answer"),
    ],
)
def test_of_two_reviews_the_one_of_more_answers_counts(
    server: Sequence[str], own: Sequence[str], counts: str, why: str
):
    theirs, ours = review(*server, who="p-1"), review(*own)
    held = that_counts(reading(theirs), "ko-KR", beside(ours), {"ko-KR": RESPONSES})
    assert held.rows["reviews"] == ([theirs] if counts == "server" else [])
    place = "in reviews/ko-KR.own.jsonl:1"
    told = {
        "server": f"r02 reviewed the question {place}, p-1 on the server, which counts{why}",
        "file": f"p-1 reviewed the question on the server, r02 {place}, which counts{why}",
    }
    assert held.findings.select("kind", "detail").rows() == [
        ("reviewed-in-a-file", f"{told[counts]}; left out")
    ]


def test_a_build_takes_the_one_that_a_pull_takes(file: ProjectFile):
    reviews = file.collected / "reviews"
    clock = review("18:00", template_id="work-01")
    for theirs, ours, who in ((["밥", "국", "빵"], ["밥"], "p-1"), (["밥"], ["빵"], "r02")):
        write_lines(reviews / "ko-KR.jsonl", [review(*theirs, who="p-1")])
        write_lines(reviews / "ko-KR.own.jsonl", [clock, review(*ours)])
        tables = read_responses(file.collected)
        assert tables.reviews.select("template_id", "reviewer").rows() == [("food-01", who), ("work-01", "r02")]
        assert len(tables.findings.filter(kind="reviewed-in-a-file")) == 1
        check_project(file.path)
    (reviews / "ko-KR.own.jsonl").rename(reviews / "ko-KR.r02.jsonl")
    with pytest.raises(BlendError) as raised:
        read_responses(file.collected)
    assert str(raised.value) == (
        "reviews/ko-KR.r02.jsonl:2: question 'food-01' in ko-KR is also reviewed in reviews/ko-KR.jsonl:1; "
        "delete one of the two; beside what `blend annotate sync` writes, name the other file ko-KR.own.jsonl, "
        "and pull again"
    )


def test_a_review_of_a_dropped_question_is_kept_and_not_read(file: ProjectFile):
    own = file.collected / "reviews/ko-KR.own.jsonl"
    write_lines(own, [review("18:00", template_id="work-01"), review("밥", "국", "빵")])
    write_lines(file.collected / "responses/ko-KR.jsonl", RESPONSES[:2])
    asked = {path: path.read_text(encoding="utf-8") for path in file.collected.glob("*.csv")}
    for path, text in asked.items():
        kept = [line for line in text.splitlines(keepends=True) if not line.startswith("work-01,")]
        path.write_text("".join(kept), encoding="utf-8")
    detail = "review of 'work-01', which is not asked in ko-KR any more; not read, and kept until it is"
    for reviewing in (False, True):
        tables = read_responses(file.collected, reviewing=reviewing)
        assert tables.reviews["template_id"].to_list() == ["food-01"]
        (finding,) = tables.findings.filter(kind="not-asked").select("source", "detail").rows()
        assert finding == ("reviews/ko-KR.own.jsonl:1", detail)
    assert f"reviews/ko-KR.own.jsonl:1: {detail}" in check_project(file.path).diagnostics
    told = passed_over(beside(review("18:00", template_id="work-01")), {})
    assert told.select("kind", "source", "detail").rows() == [
        ("not-asked", "reviews/ko-KR.own.jsonl:1", detail)
    ]
    for path, text in asked.items():
        path.write_text(text, encoding="utf-8")
    write_lines(file.collected / "responses/ko-KR.jsonl", RESPONSES)
    assert len(read_responses(file.collected).reviews) == 2


def test_reviews_of_answers_that_are_gone_stop_a_build_alone(file: ProjectFile):
    write_lines(file.collected / "reviews/ko-KR.own.jsonl", [review("밥", "떡", "빵")])
    detail = (
        "reviews/ko-KR.own.jsonl:1: decides on '떡', which nobody answers any more; passed over, until "
        "`blend reviews propose` and `blend reviews accept --update` review the question again"
    )
    checked = check_project(file.path)
    assert detail in checked.diagnostics
    (kept,) = checked.material.reviews["groups"].to_list()
    assert [group["answers"] for group in kept] == [["밥"], ["빵"]]
    told = passed_over(beside(review("밥", "떡", "빵")), {"ko-KR": RESPONSES})
    assert told.select("kind", "source", "detail").rows() == [
        ("lost-answer-in-a-file", "reviews/ko-KR.own.jsonl:1", detail)
    ]
    # A review on the server that counts in its place leaves nothing to do.
    assert passed_over(beside(review("떡")), {"ko-KR": RESPONSES}, ASKED).is_empty()
    (alone,) = passed_over(beside(review("떡")), {"ko-KR": RESPONSES})["detail"]
    assert alone.endswith("any more; passed over; delete that review, which decides on nothing else")
    with pytest.raises(BlendError, match="nobody answered '떡'"):
        read_responses(file.collected)
    # Nobody of the locale has any answer left.
    (file.collected / "responses/ko-KR.jsonl").unlink()
    assert check_project(file.path).material.reviews.is_empty()


@pytest.mark.slow
def test_no_page_for_what_a_file_decides_in_full(file: ProjectFile):
    def pages() -> list[str]:
        made = stage_of("review").tasks(file.project, file.locale("ko-KR"), check_project(file.path).material)
        return [task.data["template_id"] for task in made]

    write_lines(file.collected / "reviews/ko-KR.own.jsonl", [review("밥", "국")])
    assert pages() == ["food-01"]
    write_lines(file.collected / "reviews/ko-KR.own.jsonl", [review("밥", "국", "빵")])
    assert pages() == []
    # A page whose review was pulled stays, so that it can be corrected there.
    (file.collected / "reviews/ko-KR.own.jsonl").rename(file.collected / "reviews/ko-KR.jsonl")
    assert pages() == ["food-01"]
    assert json.loads((file.collected / "reviews/ko-KR.jsonl").read_text(encoding="utf-8"))["reviewer"] == "r02"
