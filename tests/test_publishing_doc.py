"""docs/publishing.md: its commands, run in their order by a newcomer with an empty account."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.hub.hub_releases import digests, held, published
from helpers.hub.hub_server import Hub

pytestmark = [pytest.mark.integration, pytest.mark.nightly]


@pytest.mark.landing
def test_a_newcomer_can_follow_the_page(hub: Hub, root: Path, tmp_path: Path):
    page = (root / "docs" / "publishing.md").read_text(encoding="utf-8")
    commands = re.findall(r"^```bash\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    assert len(commands) == 4
    environment = {
        **os.environ,
        **hub.environment(tmp_path / "home"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    work = tmp_path / "work"
    work.mkdir()
    for block in commands:
        run = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block], cwd=work, env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, f"{block}\n{run.stdout}\n{run.stderr}"
    repository = hub.repository("alice/everyday")
    assert list(repository.tags) == ["v0.1.0", "v0.1.1"]
    assert (
        held(repository, "v0.1.0")
        == published(work / "release-0.1.0", hub.url, "alice/everyday")
        == digests(work / "copy")
    )
    assert (
        held(repository, "main")
        == held(repository, "v0.1.1")
        == published(work / "release-0.1.1", hub.url, "alice/everyday")
    )
