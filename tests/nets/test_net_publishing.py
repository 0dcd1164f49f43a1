"""The net of publishing: two versions go to a Hub, killed at each step, with a reader beside them.

It knows commands, the Hub's clients and requests, and files, and no module, so that it holds what readers see
while the code under it changes. ``publishing/journey.txt`` says, line for line, what could be read after each
kill, and which commits, tags, files and rows stood on the Hub in the end. Record it anew by
``pytest tests/nets/test_net_publishing.py --record``.

The Hub answers as ``http://hub.test``, to clients that reach it through a proxy: no port gets into what is
compared. Rows are recorded by their digest, files by their path, since the bytes of Parquet depend on the
library that writes it and cards name versions. That each file holds what was built is compared.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from huggingface_hub import HfApi

from helpers.hub.hub_server import Hub, Moment
from nets.publishing.reader import digests

pytestmark = [pytest.mark.landing, pytest.mark.integration]

RECORDED = Path(__file__).parent / "publishing" / "journey.txt"
READER = Path(__file__).parent / "publishing" / "reader.py"

REPO = "org/blend"
RECIPE = """\
name = "net-of-publishing"
version = "{version}"
license = "cc-by-4.0"
locales = [{locales}]
[[sources]]
kind = "sample"
"""
FOUR = ("ko-KR", "en-US", "fa-IR", "es-MX")
VERSIONS = {"1.0.0": FOUR, "1.1.0": (*FOUR, "zh-CN")}
"""A release and the next, which adds files and changes a table."""

REQUESTS = {
    "creation": "POST /api/repos/create",
    "first file": "PUT /large/.*",
    "commit": f"POST /api/datasets/{REPO}/commit/.*",
    "tag": f"POST /api/datasets/{REPO}/tag/.*",
}
"""What changes the Hub, in the order in which any client must ask for it."""
KILLS: tuple[tuple[Moment, str], ...] = (
    ("before", "creation"),
    ("after", "creation"),
    ("after", "first file"),
    ("body", "commit"),
    ("after", "commit"),
    ("after", "tag"),
)
"""One of each; the moment before a request is the one after the last."""
WORDS = {"before": "before", "body": "in the middle of", "after": "after"}


class Journey:
    """A Hub, who publishes on it, who reads from it, and the lines that tell of both."""

    def __init__(self, folder: Path, hub: Hub) -> None:
        self.folder = folder
        self.hub = hub
        self.address, hub.url = hub.url, "http://hub.test"
        self.proxy = {"HTTP_PROXY": self.address}
        self.reader = subprocess.Popen(
            [sys.executable, str(READER), REPO],
            env={**os.environ, **hub.environment(folder / "reader", account=None), **self.proxy},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, *arguments: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "blend", *map(str, arguments)],
            env={**os.environ, **self.hub.environment(self.folder / "home"), **self.proxy},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def blend(self, *arguments: Any) -> str:
        process = self.start(*arguments)
        out, errors = process.communicate()
        assert process.returncode == 0, errors
        return out

    def killed(self, version: str, moment: Moment, request: str) -> None:
        """Publish, and die by SIGKILL at a request."""
        started: Queue[subprocess.Popen[str]] = Queue()

        def kill() -> None:
            process = started.get()
            process.kill()
            process.wait()

        # What has not been answered when the client dies is dropped: it must not take effect later.
        self.hub.fail(REQUESTS[request], moment=moment, action=kill, drop=True)
        process = self.start("publish", version, REPO)
        started.put(process)
        _, errors = process.communicate()
        assert process.returncode == -signal.SIGKILL, f"it never came to the {request}: {errors}"
        self.hub.faults.clear()

    def seen(self) -> dict[str, list[Any]]:
        """What the reader has seen until now, and sees now, by name of branch or tag."""
        assert self.reader.stdin is not None
        assert self.reader.stdout is not None
        self.reader.stdin.write("\n")
        self.reader.stdin.flush()
        found: dict[str, list[Any]] = json.loads(self.reader.stdout.readline())
        return found


@pytest.fixture
def journey(tmp_path: Path, hub: Hub) -> Iterator[Journey]:
    journey = Journey(tmp_path, hub)
    yield journey
    journey.reader.communicate()


def test_two_versions_are_published_whole_whatever_is_killed(
    journey: Journey, tmp_path: Path, hold_text: Callable[[str, Path, str], None]
):
    steps: list[str] = []
    looks: list[dict[str, list[Any]]] = []
    for version, locales in VERSIONS.items():
        make_release(journey, version, locales)
        for moment, request in KILLS:
            if request != "creation" or version == "1.0.0":
                journey.killed(version, moment, request)
                steps.append(f"publish {version}, killed {WORDS[moment]} the {request}")
                looks.append(journey.seen())
        journey.blend("publish", version, REPO)
        steps.append(f"publish {version}")
        looks.append(journey.seen())

    names = {json.dumps(looks[-1][f"v{version}"][-1]): version for version in VERSIONS}
    names[json.dumps({"files": {}, "rows": {}})] = "nothing"
    lines = [
        *("What could be read after each step:", *story(steps, looks, names)),
        *("", "What the reader beside it saw, in order:", *seen_in_order(looks[-1], names)),
        *("", "Commits:", *commits(journey.address)),
        *(line for version in VERSIONS for line in contents(version, looks[-1][f"v{version}"][-1])),
    ]
    hold_text("Publishing", RECORDED, "\n".join(lines) + "\n")
    for version in VERSIONS:
        check_pulled(journey, version, looks[-1][f"v{version}"][-1]["files"])
    journey.blend("diff", "1.0.0", "pulled-1.0.0", "--exit-code")
    journey.blend("validate", "pulled-1.1.0")


def make_release(journey: Journey, version: str, locales: tuple[str, ...]) -> None:
    """Build a version with the command, on top of the one before."""
    listed = ", ".join(f'"{locale}"' for locale in locales)
    before = "" if version == "1.0.0" else 'previous = "1.0.0"\n'
    (journey.folder / "recipe.toml").write_text(before + RECIPE.format(version=version, locales=listed))
    journey.blend("build", "recipe.toml", "--out", version)


def story(steps: list[str], looks: list[dict[str, list[Any]]], names: dict[str, str]) -> Iterator[str]:
    """What branches and tags held after each step."""
    for step, look in zip(steps, looks, strict=True):
        now = [f"{name} is {named(states[-1], names)}" for name, states in look.items()]
        yield f"  {step}: {', '.join(now) or 'no repository'}"


def seen_in_order(look: dict[str, list[Any]], names: dict[str, str]) -> Iterator[str]:
    """All that a branch or a tag ever was for the reader."""
    for name, states in look.items():
        yield f"  {name}: {', then '.join(named(state, names) for state in states)}"


def named(state: Any, names: dict[str, str]) -> str:
    """The version that a reader has, or how it is neither whole nor nothing."""
    return names.get(json.dumps(state), f"NOT WHOLE {json.dumps(state)}")


def commits(address: str) -> Iterator[str]:
    """Title, tags and description of each, oldest first, as the Hub lists them."""
    api = HfApi(endpoint=address)
    tags = {tag.target_commit: tag.name for tag in api.list_repo_refs(REPO, repo_type="dataset").tags}
    for commit in reversed(api.list_repo_commits(REPO, repo_type="dataset")):
        yield f"  {commit.title} ({tags.get(commit.commit_id, 'no tag')}) by {', '.join(commit.authors)}"
        yield from (f"    {line}".rstrip() for line in commit.message.splitlines())


def contents(version: str, state: dict[str, Any]) -> Iterator[str]:
    """Files and rows of a version, as the reader got them."""
    yield from ("", f"Files of {version}:", *(f"  {path}" for path in state["files"]))
    yield from ("", f"Rows of {version}:")
    for config, splits in state["rows"].items():
        yield from (f"  {config} {split}: {rows}" for split, rows in splits.items())


def check_pulled(journey: Journey, version: str, published: dict[str, str]) -> None:
    """What is pulled is what the reader got, and what was built but for the address of the repository."""
    journey.blend("pull", f"{REPO}@v{version}", f"pulled-{version}")
    assert digests(journey.folder / f"pulled-{version}") == published
    built = digests(journey.folder / version)
    assert built.keys() == published.keys()
    assert {path for path in built if built[path] != published[path]} == {"README.md", "release.json"}
