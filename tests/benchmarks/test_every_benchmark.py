"""Every benchmark runs in small, so that none is found broken on the day that its figures are wanted."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

pytestmark = [pytest.mark.integration, pytest.mark.nightly]  # processes, some for a minute

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"

SMALL: dict[str, Sequence[str]] = {
    "annotation_scale": ["--questions", "5"],
    "build_scale": ["--cases", "1", "--growth", "4", "6", "--templates", "20"],
    "collection_regions": ["{shared}/data/blend", "--fit", "{out}"],
    "constant_answers": ["{shared}/data/blend", "--locales", "en-US", "--answers", "3"],
    "corrected_scores": ["--worlds", "2", "--labels", "50"],
    "cultural_prompts_scale": ["--groups", "4"],
    "gpu_speed": ["--device", "cpu", "--layers", "2", "--width", "64", "--questions", "4"],
    "interval_coverage": ["--simulations", "10"],
    "make_regions": ["3", "{out}"],
    "model_speed": ["--questions", "4", "--threads", "1"],
    "probing": ["--dishes", "1", "--models", "bert-base", "--dishes-file",
                "{shared}/data/fmlama/data_filter/en/en_dishes.jsonl", "--tokenizers", "{shared}/models"],
    "publish_scale": ["--runs", "1", "--answers-after-ms", "1"],
    # It makes the published questions.
    "published_procedure": ["{shared}/data/blend", "--check",
                            "{shared}/golden/blend/mcq_counts_by_country.json"],
    "score_scale": ["--items", "2000"],
    "server_speed": ["--questions", "20", "--concurrency", "4"],
    "wikidata_dump": ["--triples", "30000"],
}  # fmt: skip
"""Arguments with which a benchmark is done soon, by name."""


COMMANDS = sorted(path.stem for path in FOLDER.glob("*.py") if "__main__" in path.read_text("utf-8"))


@pytest.mark.parametrize("name", COMMANDS)
def test_it_runs(name: str, shared: Path, tmp_path: Path):
    assert name in SMALL, f"say in {Path(__file__).name} how benchmarks/{name}.py runs in small"
    arguments = [text.format(shared=shared, out=tmp_path / "out") for text in SMALL[name]]
    # Figures are worth nothing beside other tests; one thread is the least that disturbs them.
    alone = {**os.environ, "POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(FOLDER / f"{name}.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=FOLDER.parent, env=alone)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() or name == "make_regions"
