"""Progress of reading: who waits at a terminal sees how many rows are read, and a log holds nothing of it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from blend.loaders.releases import read_manifest
from helpers.terminal import at_a_terminal
from helpers.tiers import rest_nightly

BLEND = str(Path(sys.executable).with_name("blend"))


def rows_of(release: Path, config: str) -> int:
    return sum(table.rows for table in read_manifest(release).tables if table.config == config)


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.parametrize(
    ("command", "configs"),
    rest_nightly(
        [
            ("stats", ("annotations", "short-answer-questions", "multiple-choice-questions")),
            ("audit", ("annotations", "multiple-choice-questions")),
        ],
        ("audit", ("annotations", "multiple-choice-questions")),
    ),
)
def test_rows_read_are_shown_at_a_terminal(command: str, configs: tuple[str, ...], sample_release: Path):
    _, shown = at_a_terminal([BLEND, command, sample_release])
    for config in configs:
        total = rows_of(sample_release, config)
        assert re.search(rf"read rows of {config} +\S+ +{total}/{total} ", shown), shown


@pytest.mark.nightly
@pytest.mark.integration
def test_rows_compared_are_shown_at_a_terminal(sample_release: Path, regions_release: Path):
    _, shown = at_a_terminal([BLEND, "diff", sample_release, regions_release])
    total = rows_of(regions_release, "multiple-choice-questions")
    assert re.search(rf"compare rows of multiple-choice-questions +\S+ +{total}/{total} ", shown), shown


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.parametrize("command", ["stats", "audit"])
def test_a_log_holds_nothing_of_it(command: str, sample_release: Path):
    run = subprocess.run([BLEND, command, str(sample_release)], capture_output=True, text=True, check=True)
    assert run.stderr == ""
