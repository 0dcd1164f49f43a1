"""The examples of docs/loading.md, run one after the other against a Hub."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.hub.hub_releases import make_release
from helpers.hub.hub_server import Hub
from helpers.own_process import END_AT_ONCE

pytestmark = pytest.mark.integration


@pytest.mark.nightly
def test_the_examples_run_as_they_stand(hub: Hub, root: Path, tmp_path: Path):
    page = (root / "docs" / "loading.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == 7
    release = make_release(tmp_path / "release", "1.2.0", locales=("ko-KR", "en-US", "fa-IR", "su-JB"))
    repository = hub.repository("org/blend")
    files = {path.relative_to(release).as_posix(): path for path in release.rglob("*") if path.is_file()}
    repository.tags["v1.2.0"] = repository.commit({name: path.read_bytes() for name, path in files.items()})
    checks = (
        "assert set(iran['locale']) == {'fa-IR'} < set(questions['locale'])",
        "assert json.loads(row_of_iran['choice_countries'])[row_of_iran['answer_idx']] == 'Iran'",
        "assert votes.height > 100 and len(here) and len(there) == len(answers)",
    )
    script = "\n".join([*blocks, "row_of_iran = iran[0]", *checks]) + END_AT_ONCE
    run = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | hub.environment(tmp_path / "home"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
