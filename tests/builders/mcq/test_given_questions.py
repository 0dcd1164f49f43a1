"""Questions that a source has with their options: as they are, or in a balanced order that can be undone."""

from collections import Counter
from pathlib import Path

import pytest

from blend.builders.mcq import build_mcq
from blend.builders.mcq.published_mcqs import given_rows
from blend.loaders.upstream.semeval import read_semeval
from blend.schemas.arrow_types import published
from blend.schemas.frames import MCQ_ROWS
from blend.schemas.locales import registry
from blend.schemas.recipe import McqOptions
from blend.schemas.rows import LETTERS, MultipleChoiceQuestion
from helpers.messages import wrong
from helpers.semeval_files import write_semeval


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


def test_no_question_is_made_of_answers_without_votes(files: Path):
    tables = read_semeval(files)
    told = wrong(lambda: build_mcq(tables.questions, tables.annotations, options=McqOptions(), seed=0))
    assert told == (
        "annotations: votes are unknown (null), and multiple-choice questions are made by votes; leave "
        "such rows out"
    )
