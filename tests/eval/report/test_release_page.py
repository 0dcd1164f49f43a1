"""The page of a release: every question, what each region answers, and findings."""

import base64
import json
import re
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.report.pages import build_release_page
from blend.loaders.releases.tables import read_config, read_findings
from blend.schemas.manifest import FINDINGS_NAME
from helpers.in_process import run
from helpers.messages import wrong


@pytest.fixture(scope="module")
def page(sample_release: Path) -> str:
    return build_release_page(sample_release)


@pytest.fixture(scope="module")
def questions(page: str) -> list[dict[str, Any]]:
    packed = re.search(r'id="release-data">(.*?)</script>', page)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed), -15))["questions"]


def test_every_question_stands_with_its_votes(questions: list[dict[str, Any]], sample_release: Path):
    rows = read_config(sample_release, "annotations").sort("template_id", maintain_order=True)
    assert [(one["id"], one["title"], one["prompt"]) for one in questions] == rows.select(
        "template_id", "en_question", "question"
    ).rows()
    votes = [[votes for _, _, votes, _ in one["candidates"]] for one in questions]
    assert votes == [[group["count"] for group in groups] for groups in rows["annotations"]]
    notes = pl.Series([one["note"] for one in questions])
    unknown = notes.filter(rows["idks"].struct.field("idk") == 2)
    assert unknown.len() > 0
    assert unknown.str.starts_with("2 don’t know").all()
    assert notes.str.ends_with("not scored as a short answer").any()


def test_findings_stand_with_their_question(page: str, questions: list[dict[str, Any]], sample_release: Path):
    found = list(read_findings(sample_release / FINDINGS_NAME))
    about_one = [finding for finding in found if finding["template_id"] and finding["locale"]]
    assert 0 < sum(len(one["findings"]) for one in questions) <= len(about_one)
    for kind, n in Counter(finding["kind"] for finding in found).items():
        row = page.split(f'data-label="kind"><bdi>{kind}</bdi>')[1].partition("</tr>")[0]
        assert f'data-label="how often"><bdi>{n:,}</bdi>' in row


def test_it_is_refused(sample_release: Path, tmp_path: Path, food_release: Path):
    def refused(release: Path, page: Path) -> str:
        return wrong(lambda: run("show", release, "--html", page))

    assert (
        refused(sample_release, tmp_path) == f"{tmp_path}: is not a regular file; move it away, or name a file"
    )
    assert re.fullmatch(
        rf"{food_release}: holds no questions that people answered, which the page shows, but "
        r"food-[-a-z, ]*; leave --html out to see a row of each",
        refused(food_release, tmp_path / "page.html"),
    )
