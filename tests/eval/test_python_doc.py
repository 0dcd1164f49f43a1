"""Evaluation from Python: the examples of docs/evaluation.md, and all from the Hub, in a terminal."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from blend.eval.models.model_loading import make_tiny_model
from helpers.hub.hub_releases import make_release
from helpers.hub.hub_server import Hub
from helpers.terminal import at_a_terminal

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.landing
@pytest.mark.integration  # a model computes
def test_the_examples_print_what_the_page_says(root: Path, sample_release: Path, tmp_path: Path):
    page = (root / "docs" / "evaluation.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(page.partition("\n## From Python\n")[2])
    assert {kind for kind, _ in blocks} == {"python", "text"}
    (tmp_path / "release").symlink_to(sample_release)
    make_tiny_model(tmp_path / "tiny")
    script = "\nprint('----')\n".join(content for kind, content in blocks if kind == "python")
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8"
    )
    assert (run.returncode, run.stderr) == (0, "")
    printed = run.stdout.split("----\n")
    number = -1
    for kind, content in blocks:
        number += kind == "python"
        if kind == "text":
            assert content.rstrip("\n") in printed[number]
    assert (tmp_path / "report.html").is_file()


SCRIPT = """
import blend

run = blend.run_task("org/blend@v1.2.0", "multiple-choice", model="org/name", out="runs/name")
scores = blend.score_run(run)
print(run)


class Mine:
    def generate(self, prompts):
        return ["rice" for prompt in prompts]


mine = blend.run_task("org/blend@v1.2.0", "short-answer", model=Mine(), out="runs/mine", limit=2)
print(blend.score_run("runs/mine"))
again = blend.run_task("org/blend@v1.2.0", "multiple-choice", model="org/name", out="runs/name")
print(again.outcome.n_asked)
"""


@pytest.mark.nightly
@pytest.mark.integration
def test_release_and_model_on_the_hub(hub: Hub, tmp_path: Path):
    environment = hub.environment(tmp_path / "home")
    release = make_release(tmp_path / "release", "1.2.0")
    publish = [sys.executable, "-m", "blend", "publish", release, "org/blend"]
    subprocess.run(publish, env=os.environ | environment, check=True, capture_output=True)
    make_tiny_model(tmp_path / "tiny")
    files = {path.name: path.read_bytes() for path in (tmp_path / "tiny").iterdir()}
    hub.store.create("org/name", private=False, author="alice").commit(files)
    printed, shown = at_a_terminal([sys.executable, "-c", SCRIPT], cwd=tmp_path, environment=environment)
    found = re.fullmatch(
        r"<Run: multiple-choice of blend-sample@1\.2\.0, asked of org/name, (\d+) of \1 items answered>\n"
        r"<ScoredRun: Mine on blend-sample@1\.2\.0, short-answer, rule default>\n0\n",
        printed,
    )
    assert found is not None, printed
    assert re.search(rf"ask +\S+ +{found[1]}/{found[1]} ", shown), shown
