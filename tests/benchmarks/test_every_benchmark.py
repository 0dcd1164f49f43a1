"""Every benchmark runs in small, so that none is found broken on the day that its figures are wanted."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.integration,
    pytest.mark.nightly,
]  # processes, some for a minute

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"

SMALL: dict[str, Sequence[str]] = {
    "asking_speed": ["--items", "20"],
    "annotation_scale": ["{out}", "--locales", "2", "--questions", "20"],
    "build_scale": ["--cases", "1", "--growth", "4", "6", "--templates", "20", "--chart", "{out}.svg"],
    "diff_scale": ["30000"],
    "constant_answers": ["{shared}/data/blend", "--locales", "en-US", "--answers", "3"],
    "corrected_scores": ["--worlds", "2", "--labels", "50"],
    "cultural_prompts_scale": ["--groups", "4"],
    "food_build": ["--sizes", "300", "--generator", "{shared}/tools/make_wikidata_fixture.py"],
    "interval_coverage": ["--simulations", "10"],
    "item_analysis": ["--worlds", "1", "--items", "60", "--compact", "200", "--models", "6", "10"],
    "make_regions": ["3", "{out}"],
    "model_speed": ["--questions", "4", "--threads", "1"],
    "option_risk": ["{shared}/data/blend", "--fit", "{out}"],
    "plan_widths": ["{shared}/data/blend", "--draws", "20", "--pilots", "2"],
    "probing": ["--dishes", "1", "--models", "bert-base", "--dishes-file",
                "{shared}/data/fmlama/data_filter/en/en_dishes.jsonl", "--tokenizers", "{shared}/models"],
    "publish_scale": ["--cases", "1"],
    "published_procedure": ["{shared}/data/blend"],
    "question_browser_scale": ["--templates", "1", "--thought", "3", "--openings", "1"],
    "ray_scale": ["all", "--small"],
    "recorded_judge": ["{shared}/data/blend", "--templates", "60", "--recalls", "0.7", "--false-alarms", "0.1"],
    "reliability_scale": ["--questions", "10"],
    "report_scale": ["--templates", "1"],
    "score_scale": ["--items", "2000"],
    "shard_scale": ["all", "--small"],
    "short_answer_scale": ["{shared}/data/blend"],
    "validate_scale": ["--cases", "1"],
    "wikidata_dump": ["--triples", "30000"],
    "writing_speed": ["--rounds", "1", "--limit", "1", "--threads", "1"],
}  # fmt: skip
"""Arguments with which a benchmark is done soon, by name."""


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_it_runs(name: str, shared: Path, tmp_path: Path, missing: Callable[[str], None]):
    if name == "ray_scale" and find_spec("ray") is None:
        missing("Ray")
    assert name in SMALL, f"say in {Path(__file__).name} how benchmarks/{name}.py runs in small"
    arguments = [text.format(shared=shared, out=tmp_path / "out") for text in SMALL[name]]
    # Figures are worth nothing beside other tests; one thread is the least that disturbs them.
    alone = {**os.environ, "POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(FOLDER / f"{name}.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=FOLDER.parent, env=alone)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() or name == "make_regions"
