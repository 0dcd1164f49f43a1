"""Questions that a source has with their options: as they are, or in a balanced order that can be undone."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from blend.builders.audit.release import audit_release
from blend.builders.mcq import build_mcq
from blend.builders.mcq.published_mcqs import given_rows
from blend.builders.release import build_release
from blend.builders.stats.dataset import stats_of_release
from blend.builders.validate import validate_release
from blend.loaders.recipes import semeval_recipe
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import read_config, read_findings
from blend.loaders.upstream.semeval import read_semeval
from blend.schemas.arrow_types import published
from blend.schemas.frames import MCQ_ROWS
from blend.schemas.locales import registry
from blend.schemas.recipe import McqOptions
from blend.schemas.rows import LETTERS, MultipleChoiceQuestion
from helpers.messages import wrong
from helpers.semeval_files import keys, write_semeval, write_trial


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_semeval(tmp_path_factory.mktemp("files") / "semeval")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_rebalanced_positions_differ_by_one_at_most_and_the_order_is_recorded(files: Path, seed: int):
    rows = read_semeval(files).mcqs
    moved = given_rows(rows, rebalance=True, seed=seed, locales=registry())
    assert moved.schema == MCQ_ROWS
    assert len(published(moved, MultipleChoiceQuestion)) == rows.height
    for tag in rows["locale"].unique():
        counts = Counter(moved.filter(locale=tag)["answer"])
        assert max(counts.values()) - min(counts[i] for i in range(4)) <= 1
    assert moved["mcq_id"].to_list() == rows["mcq_id"].to_list()
    for before, after in zip(rows.iter_rows(named=True), moved.iter_rows(named=True), strict=True):
        order = [LETTERS.index(letter) for letter in after["source_order"]]
        assert after["options"] == [before["options"][i] for i in order]
        assert after["options"][after["answer"]] == before["options"][before["answer"]]
        assert after["answer_idx"] == LETTERS[after["answer"]]


def built(files: Path, out: Path, **mcq: bool) -> Path:
    recipe = semeval_recipe(files).model_copy(update={"mcq": McqOptions(**mcq)})
    build_release(recipe, out, source_paths={files.name: files})
    return out


@pytest.mark.landing
def test_a_release_of_the_task(files: Path, tmp_path: Path):
    release = built(files, tmp_path / "release")
    rows = read_config(release, "multiple-choice-questions")
    assert dict(rows.select("mcq_id", "answer_idx").iter_rows()) == keys()
    report = validate_release(release)
    assert report.passes(), report
    assert {*finding_kinds(release)} >= {"unknown-votes", "semeval-split-row"}
    card = (release / "README.md").read_text(encoding="utf-8")
    assert "annotators behind answers, – where the source does not say how many" in card
    stats = stats_of_release(release).questions
    assert stats is not None
    assert stats.counts["votes"].to_list() == [None] * 5
    assert stats.counts["answer_groups"].sum() > 0
    assert stats.locale_means.filter(measure="agreement")["mean"].null_count() == 10
    assert wrong(lambda: audit_release(release)) == (
        f"{release}: the votes of answers are unknown (null), and the audit weighs answers by votes; audit a "
        "release whose annotations have them"
    )


def finding_kinds(release: Path) -> list[str]:
    return [one["kind"] for one in read_findings(release / "reports" / "findings.jsonl")]


def _without_short_answers_of_ireland(folder: Path) -> None:
    asked = write_semeval(folder) / "track_1_saq_input.tsv"
    lines = asked.read_text(encoding="utf-8").splitlines(keepends=True)
    asked.write_text("".join(line for line in lines if not line.startswith("ga-IE_")), encoding="utf-8")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("make", "n_mcqs", "n_unknown"),
    [
        (_without_short_answers_of_ireland, 72, 4),
        (lambda folder: (write_semeval(folder) / "final_1_saq_reference.tsv").unlink(), 72, 5),
        (lambda folder: write_semeval(folder, gold=False), 0, 5),
        (write_trial, 2, 6),
    ],
)
def test_what_is_not_there_is_a_finding_and_the_rest_is_built(
    tmp_path: Path, make: Callable[[Path], object], n_mcqs: int, n_unknown: int
):
    make(tmp_path / "files")
    release = built(tmp_path / "files", tmp_path / "release")
    tables = read_manifest(release).tables
    assert sum(of.rows for of in tables if of.config == "multiple-choice-questions") == n_mcqs
    assert finding_kinds(release).count("unknown-votes") == n_unknown
    assert validate_release(release).passes()


def test_no_question_is_made_of_answers_without_votes(files: Path):
    tables = read_semeval(files)
    told = wrong(lambda: build_mcq(tables.questions, tables.annotations, options=McqOptions(), seed=0))
    assert told == (
        "annotations: votes are unknown (null), and multiple-choice questions are made by votes; leave "
        "such rows out"
    )
