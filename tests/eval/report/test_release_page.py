"""The page of a release: every question, what each region answers, options and findings."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.report.release_page import build_release_page
from blend.loaders.releases.reports import read_findings
from blend.loaders.releases.tables import read_config
from blend.schemas.errors import InputError
from blend.schemas.manifest import FINDINGS_NAME
from helpers.embedded_pages import texts_of, unpacked
from helpers.in_process import run


@pytest.fixture(scope="module")
def page(release: Path) -> str:
    return build_release_page(release)


def data_of(page: str) -> Any:
    return unpacked(re.search(r'id="release-data">(.*?)</script>', page)[1])


@pytest.mark.slow
def test_every_question_stands_with_its_votes(page: str, release: Path):
    data = data_of(page)
    rows = read_config(release, "annotations").sort("template_id", maintain_order=True)
    assert texts_of(data, data["ids"]) == rows["template_id"].to_list()
    assert texts_of(data, data["titles"]) == rows["en_question"].to_list()
    assert texts_of(data, data["prompts"]) == rows["question"].to_list()
    votes = [[one[2] for one in data["candidate_lists"][number]] for number in data["candidates"]]
    assert votes == [[group["count"] for group in groups] for groups in rows["annotations"]]
    notes = dict(
        zip(zip(rows["template_id"], rows["locale"], strict=True), texts_of(data, data["notes"]), strict=True)
    )
    unknown = rows.filter(pl.col("idks").struct.field("idk") == 2).row(0, named=True)
    assert notes[unknown["template_id"], unknown["locale"]].startswith("2 don’t know")
    assert any(note.endswith("not scored as a short answer") for note in notes.values())


def test_options_and_findings_stand_with_their_question(page: str, release: Path):
    data = data_of(page)
    mcqs = read_config(release, "multiple-choice-questions")
    assert sum(map(len, data["mcqs"])) == mcqs.height
    shown = Counter(
        (data["texts"][numbers[answer]], tuple(data["texts"][number] for number in numbers[:4]))
        for answer, *numbers in (mcq for of_question in data["mcqs"] for mcq in of_question)
    )
    assert shown == Counter(
        (row["options"][row["answer"]], tuple(row["options"])) for row in mcqs.iter_rows(named=True)
    )
    found = [finding for _, finding in read_findings(release / FINDINGS_NAME)]
    about_one = [finding for finding in found if finding["template_id"] and finding["locale"]]
    assert 0 < sum(map(len, data["findings"])) <= len(about_one)
    for kind, n in Counter(finding["kind"] for finding in found).items():
        assert f'<code>{kind}</code></td><td data-label="how often">{n:,}</td>' in page


@pytest.mark.slow
def test_it_is_refused(release: Path, tmp_path: Path, food_release: Path):
    with pytest.raises(InputError, match=rf"^{tmp_path}: is a directory; --html names an HTML file$"):
        run("show", release, "--html", tmp_path)
    held = r"food-[-a-z, ]*"
    expected = (
        rf"^{food_release}: holds no questions that people answered, which the page shows, but {held}; "
        r"leave --html out to see a row of each$"
    )
    with pytest.raises(InputError, match=expected):
        run("show", food_release, "--html", tmp_path / "page.html")
