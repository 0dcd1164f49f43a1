"""A new culture of docs/annotating.md: its commands, with two scripted annotators and one in a browser."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.hub.hub_server import Hub
from helpers.label_studio.annotator_in_browser import Annotator, annotator
from helpers.label_studio.studio_fixtures import StudioForTests, chosen, typed

pytestmark = pytest.mark.integration  # a real Label Studio, a real browser, processes

BLOCK = re.compile(r'^```(bash|csv)(?: title="(\S+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
FOOD, WORK = "answer/wo-SN/start-01", "answer/wo-SN/start-09"


def follow(part: str, folder: Path, environment: dict[str, str]) -> None:
    """Write the files and run the commands of a part of the page, in a folder."""
    for kind, file, content in BLOCK.findall(part):
        if kind == "csv":
            (folder / file).write_text(content, encoding="utf-8")
            continue
        command = ["bash", "-euo", "pipefail", "-c", content]
        run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert run.returncode == 0, f"{content}\n{run.stdout}\n{run.stderr}"


def answer(studio: StudioForTests, person: Annotator) -> None:
    """Two people by program, one in the browser."""
    tasks = studio.tasks("wolof answer wo-SN")
    awa, moussa = studio.person("awa"), studio.person("moussa")
    studio.annotate(tasks[FOOD], awa, typed("mburu", "kafe"))
    studio.annotate(tasks[FOOD], moussa, typed("Mburu"))
    studio.annotate(tasks[WORK], awa, typed("18:00"))
    studio.annotate(tasks[WORK], moussa, chosen("no-answer"))
    person.sign_up("fatou@example.org")
    person.begin(studio.project("wolof answer wo-SN"))
    first = person.question()
    assert first == "Lan la nit ñi ci Senegaal di faral di ndekkee?"
    person.type_answers("mbuuru")
    person.submit()
    person.next_question(first)
    person.type_answers("17:30")
    person.submit()


def review(studio: StudioForTests, person: Annotator) -> None:
    """One review in the browser, one by program."""
    (food, work) = sorted(studio.tasks("wolof review wo-SN").items())
    assert food[0].startswith("review/wo-SN/start-01/")
    person.begin(studio.project("wolof review wo-SN"))
    person.drag("mbuuru", onto="mburu")
    person.submit()
    (proposed,) = studio.sdk.tasks.get(str(work[1])).predictions
    studio.annotate(work[1], studio.person("awa"), *proposed.result)


def test_a_newcomer_can_follow_the_page(
    label_studio: StudioForTests, hub: Hub, root: Path, tmp_path: Path, chromium: str
):
    page = (root / "docs" / "annotating.md").read_text(encoding="utf-8")
    page = page.partition("\n## A new culture in a day\n")[2].partition("\n## ")[0]
    before, answered, reviewed, released = re.split(r"^### (?:4|5|6)\. ", page, flags=re.MULTILINE)
    work = tmp_path / "work"
    work.mkdir()
    environment = os.environ | {"LABEL_STUDIO_URL": label_studio.url} | hub.environment(tmp_path / "home")
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    follow(before, work, environment)
    with annotator(chromium, label_studio.url) as person:
        answer(label_studio, person)
        follow(answered, work, environment)
        review(label_studio, person)
    follow(reviewed + released, work, environment)
    repository = hub.repository("alice/wolof")
    assert list(repository.tags) == ["v0.1.0"]
    lines = (work / "wolof" / "collected" / "reviews" / "wo-SN.jsonl").read_text(encoding="utf-8").splitlines()
    first = next(row for row in map(json.loads, lines) if row["template_id"] == "start-01")
    assert sorted(map(sorted, (group["answers"] for group in first["groups"]))) == [
        ["Mburu", "mburu", "mbuuru"], ["kafe"],
    ]  # fmt: skip
    released_files = [path for path in (work / "release").rglob("*") if path.is_file()]
    assert not any(b"example.org" in path.read_bytes() for path in released_files)
