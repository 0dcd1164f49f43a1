"""Labels on disk: written and read as they were, and every fault by its place."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import blend
from blend.eval.runs.run_directory import Run, read_run
from blend.eval.tasks.short_answer.people_labels import LABELS, PeopleLabel, read_labels, write_labels
from blend.schemas.errors import RowError, RowErrors


class Tea:
    """Says the same to everything."""

    def generate(self, prompts: list[str]) -> list[str]:
        return ["tea"] * len(prompts)


@pytest.fixture(scope="module")
def run(mini_release: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("labels")
    made = blend.run_task(mini_release, "short-answer", model=Tea(), out=folder / "run", limit=3)
    return read_run(made.directory)


def label(run: Run, row: int, **values: Any) -> PeopleLabel:
    item = run.items("item_id", "locale", "template_id").row(row, named=True)
    rest = {"stratum": "wrong/wrong", "probability": 0.125, "verdict": "correct", "annotators": "mina|oto"}
    return PeopleLabel.model_validate({**item, **rest, **values})


def test_what_is_written_is_read(run: Run):
    labels = [label(run, 0), label(run, 3, stratum='a "b"\tc', probability=1 / 3, verdict="refused")]
    write_labels(run, labels)
    read = read_labels(run)
    assert read is not None
    assert read.schema == LABELS
    assert [PeopleLabel.model_validate(row) for row in read.iter_rows(named=True)] == labels
    (run.directory / "labels.tsv").unlink()
    assert read_labels(run) is None


def broken(run: Run, *rows: dict[str, str]) -> str:
    given = {name: str(value) for name, value in label(run, 0).model_dump().items()}
    frame = pl.DataFrame([{**given, **row} for row in rows])
    frame.write_csv(run.directory / "labels.tsv", separator="\t")
    with pytest.raises((RowError, RowErrors)) as caught:
        read_labels(run)
    (run.directory / "labels.tsv").unlink()
    return str(caught.value)


def test_messages(run: Run):
    first = label(run, 0)
    assert broken(run, {"verdict": "maybe"}) == (
        "labels.tsv:2, column verdict: 'maybe' is not possible (Input should be 'correct', 'partly', "
        "'wrong' or 'refused'); correct it"
    )
    assert broken(run, {"probability": "0"}) == (
        "labels.tsv:2, column probability: '0' is not possible (Input should be greater than 0); correct it"
    )
    assert broken(run, {"item_id": "nobody"}) == (
        f"labels.tsv:2, column item_id: the run has no item 'nobody' of {first.locale} and {first.template_id}"
        "; read the sheets again: blend eval judged"
    )
    assert broken(run, {}, {}) == (
        f"labels.tsv:3, column item_id: '{first.item_id}' has a second label; delete this row or labels.tsv:2"
    )
