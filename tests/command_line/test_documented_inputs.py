"""What the documents allow builds, and what it builds validates."""

import shutil
from pathlib import Path

import pytest

from blend.builders.release import build_release
from blend.builders.validate import CHECKS, validate_release
from blend.builders.validate.report import ValidationReport
from blend.loaders.releases.tables import read_config
from blend.schemas.recipe import Recipe

VALID = Path(__file__).parents[1] / "loaders" / "valid" / "responses"


def report_on(folder: Path, out: Path) -> ValidationReport:
    """What validation says of the release of a directory of raw responses."""
    recipe = Recipe.model_validate(
        {
            "name": "mine",
            "version": "1.0.0",
            "license": "cc-by-4.0",
            "sources": [{"kind": "responses", "location": str(folder)}],
        }
    )
    build_release(recipe, out)
    return validate_release(out, checks={name: check for name, check in CHECKS.items() if name != "loading"})


@pytest.mark.slow
def test_a_template_whose_authors_locale_is_not_known(tmp_path: Path):
    folder = shutil.copytree(VALID, tmp_path / "collected")
    templates = folder / "templates.csv"
    text = templates.read_text(encoding="utf-8").replace(",ko-KR,", ",,").replace(",am-ET,", ",,")
    assert ",Food,,What" in text
    templates.write_text(text, encoding="utf-8")

    report = report_on(folder, tmp_path / "release")

    assert [str(problem) for check in report.checks for problem in check.examples if check.errors] == []
    questions = read_config(tmp_path / "release", "short-answer-questions")
    assert set(questions["source_label"]) == {""}
    assert read_config(tmp_path / "release", "annotations")["source_locale"].null_count() == len(questions)
