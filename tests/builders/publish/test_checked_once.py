"""A release that was checked on this machine is not checked again, as long as not a byte of it changes."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.builders.validate import CHECKS, validate_release
from blend.schemas.locales import registry
from helpers.hub.hub_releases import REPO, altered, digests, held, published, with_another_number
from helpers.hub.hub_server import Hub

pytestmark = [
    pytest.mark.integration,
    # The Hub client sends file contents in a way that its HTTP library wants changed.
    pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning"),
]

QUICK = {name: check for name, check in CHECKS.items() if name != "loading"}


@pytest.fixture
def n_checked(publish: Any) -> Callable[[Path], int]:
    """A function that says how many checks a dry run makes."""

    def n_checked(release: Path) -> int:
        made = [0]

        def on_progress(step: str, done: int, total: int) -> None:
            if step == "check the release":
                made[0] = total

        publish(release, dry_run=True, on_progress=on_progress)
        return made[0]

    return n_checked


PUBLISH = """
import sys
from blend.builders.publish import publish_release
print(publish_release(sys.argv[1], "org/blend").plan.action)
print(*sorted({"polars", "pyarrow", "numpy"} & set(sys.modules)))
"""


@pytest.mark.nightly
def test_a_release_that_was_validated_is_published_without_a_library_of_frames(
    hub: Hub, releases: Path, tmp_path: Path
):
    before = digests(releases / "1.0.0")
    validate_release(releases / "1.0.0", checks=QUICK)
    command = [sys.executable, "-c", PUBLISH, str(releases / "1.0.0")]
    environment = os.environ | hub.environment(tmp_path / "home")
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "publish\n\n"), run.stderr
    # What is remembered is neither in the directory nor on the Hub.
    assert digests(releases / "1.0.0") == before
    assert held(hub.repository(REPO)) == published(releases / "1.0.0", hub.url)


@pytest.mark.landing
def test_only_checks_that_were_not_made_are_made(releases: Path, n_checked: Any):
    for name in ("files", "card"):
        validate_release(releases / "1.0.0", checks={name: CHECKS[name]})
    assert n_checked(releases / "1.0.0") == len(QUICK) - 2


@pytest.mark.landing
def test_a_changed_byte_is_another_release(refusal: Any, releases: Path, tmp_path: Path, n_checked: Any):
    assert n_checked(releases / "1.0.0") == len(QUICK)
    changed = altered(releases / "1.0.0", tmp_path / "changed", "README.md", with_another_number)
    assert refusal(changed).startswith(
        f"{changed}: not sound, and a published version never changes: README.md"
    )


@pytest.mark.landing
def test_checks_of_ones_own_and_other_locales_are_not_remembered(releases: Path, n_checked: Any):
    validate_release(releases / "1.0.0", checks=dict.fromkeys(QUICK, lambda release: ()))
    validate_release(releases / "1.0.0", checks=QUICK, locales=registry())
    assert n_checked(releases / "1.0.0") == len(QUICK)


@pytest.mark.landing
def test_a_release_that_changes_while_it_is_checked_is_not_remembered(
    releases: Path, tmp_path: Path, n_checked: Any
):
    release = altered(releases / "1.0.0", tmp_path / "release", "README.md", bytes)

    def change(step: str, done: int, total: int) -> None:
        if done == total:
            text = (release / "release.json").read_text(encoding="utf-8")
            (release / "release.json").write_text(text + " ", encoding="utf-8")

    assert validate_release(release, checks=QUICK, on_progress=change).passes()
    assert n_checked(release) == len(QUICK)
