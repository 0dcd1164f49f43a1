"""Texts for readers of several nationalities: those of the goldens, and runs made of tables of texts."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from blend.eval.release_items import read_run
from blend.eval.runs.run_directory import Run
from blend.eval.tasks.cultural_prompts.cultural_items import keep_texts

SURVEYS = {
    "hofstede": "distances_hofstede_raw_with_demonymns.csv",
    "wvs": "wvs_250_dims_with_demonyms.csv",
}


@pytest.fixture(scope="session")
def golden_texts(shared: Path) -> list[dict[str, object]]:
    """The responses of the goldens as rows of a table of texts."""
    lines = (shared / "golden" / "extrinsic" / "responses.jsonl").read_text().splitlines()
    return [
        {
            "split": row["task"],
            "category": row["topic_category"],
            "topic": row["topic"],
            "group": row["nationality"],
            "sample": row["sample"],
            "text": row["text"],
        }
        for row in map(json.loads, lines)
    ]


@pytest.fixture(scope="session")
def surveys(shared: Path) -> dict[str, Path]:
    """The two surveys of the paper."""
    return {name: shared / "data" / "extrinsic" / file for name, file in SURVEYS.items()}


@pytest.fixture
def table(tmp_path: Path) -> Callable[[Sequence[dict[str, object]]], Path]:
    """Writes rows as a table of texts."""

    def written(rows: Sequence[dict[str, object]], name: str = "texts.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return written


@pytest.fixture
def run_of(tmp_path: Path, table: Callable[..., Path]) -> Callable[[Sequence[dict[str, object]]], Run]:
    """Makes a run of rows of a table of texts."""

    def made(rows: Sequence[dict[str, object]], name: str = "run") -> Run:
        keep_texts(table(rows, f"{name}.jsonl"), tmp_path / name)
        return read_run(tmp_path / name)

    return made
