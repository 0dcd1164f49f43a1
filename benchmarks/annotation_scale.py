"""Annotation at full size: push, pull and reliability of 16 locales, on a Label Studio of this machine.

``python benchmarks/annotation_scale.py FOLDER`` starts the server that ``make .venv-label-studio/installed``
made, with its data in the folder, and prints one line per step: seconds, seconds of processor (ours, and the
server's), and the ratio of their sum to that of the first pull. 500 questions are asked per locale, and as many
are collected; then five people have answered each question. Linux only: it reads the server in ``/proc``.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import read_project
from blend.builders.annotation.pseudonyms import new_key
from blend.builders.annotation.server.pulling import pull_project
from blend.builders.annotation.server.pushing import push_project
from blend.builders.annotation.server.relying import project_reliability
from blend.loaders.label_studio.client import label_studio
from blend.loaders.label_studio.inventory import inventory
from blend.schemas.language.locales import registry
from helpers.label_studio.studio_server import serving

PEOPLE = 5
VARIABLE = "LABEL_STUDIO_API_KEY"
_ANSWERS = ("rice", "bread", "tea", "soup", "noodles", "fruit", "eggs", "milk")


def main() -> None:
    """Measure every step once, in this order, on one server."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the server keeps its data")
    parser.add_argument("--locales", type=int, default=16)
    parser.add_argument("--questions", type=int, default=500, help="questions per locale")
    options = parser.parse_args()
    folder, n = options.folder, options.questions
    n_answers = options.locales * n * PEOPLE
    folder.mkdir(parents=True, exist_ok=True)
    with serving(folder / "server") as server:
        os.environ[VARIABLE] = server.token
        path = _write_project(folder / "project", server.url, options.locales, n)
        measure = Measured(server.process)
        push = f"push of {options.locales} locales, {n} questions, 2 stages"
        measure(push, lambda: push_project(check_project(path)))
        measure("push of the same again", lambda: push_project(check_project(path)))
        _answer(path)
        pull = f"pull of {n_answers:,} annotations"
        measure(pull, lambda: pull_project(read_project(path)))
        measure("pull without news", lambda: pull_project(read_project(path)))
        measure("reliability, from the pull folder", lambda: project_reliability(check_project(path)))
    measure.show(beside=pull)


class Measured:
    """What steps take.

    Args:
        server: Number of the server's process group.
    """

    def __init__(self, server: int) -> None:
        self._server = server
        self._steps: dict[str, tuple[float, float, float]] = {}

    def __call__(self, name: str, step: Callable[[], object]) -> None:
        """Do a step once."""
        before = (time.perf_counter(), time.process_time(), self._server_s())
        step()
        after = (time.perf_counter(), time.process_time(), self._server_s())
        self._steps[name] = (after[0] - before[0], after[1] - before[1], after[2] - before[2])

    def show(self, *, beside: str) -> None:
        """Print all steps, with the ratio to one of them."""
        _, ours, theirs = self._steps[beside]
        print(f"{'':46}{'seconds':>9}{'ours':>8}{'server':>8}{'ratio':>7}")
        for name, (wall, own, server) in self._steps.items():
            print(f"{name:46}{wall:9.1f}{own:8.1f}{server:8.1f}{(own + server) / (ours + theirs):7.2f}")

    def _server_s(self) -> float:
        """Processor seconds of the server so far."""
        ticks = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == self._server:
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


def _write_project(folder: Path, url: str, n_locales: int, n_questions: int) -> Path:
    tags = [locale.tag for locale in registry()][:n_locales]
    (folder / "collected").mkdir(parents=True, exist_ok=True)
    topics = ["Food", "Work life", "Family", "Sport", "Education"]
    names = [f"q-{number:03}" for number in range(n_questions)]
    rows = [f'{name},{topics[n % 5]},,"What is number {n} in {{country}}?"' for n, name in enumerate(names)]
    _write_csv(folder / "collected" / "templates.csv", "template_id,topic,source_locale,text", rows)
    asked = []
    for tag in tags:
        country = registry().get(tag).region_name
        asked += [
            f'{name},{tag},"What is number {n} in {country}?","What is number {n} in {country}?"'
            for n, name in enumerate(names)
        ]
    _write_csv(folder / "collected" / "questions.csv", "template_id,locale,question,en_question", asked)
    if not (folder / "annotators.key").exists():
        (folder / "annotators.key").write_text(new_key())
    path = folder / "project.toml"
    lines = [
        'name = "benchmark"',
        'stages = ["collect", "answer"]',
        f"topics = {json.dumps(topics)}",
        f"questions_per_topic = {n_questions // len(topics)}",
        *(f'[[locales]]\nlocale = "{tag}"' for tag in tags),
        f'[server]\nurl = "{url}"',
    ]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def _write_csv(path: Path, header: str, rows: list[str]) -> None:
    path.write_text("\n".join([header, *rows, ""]), encoding="utf-8")


def _answer(path: Path) -> None:
    """Let five people answer every question: tasks are imported anew, with annotations, which is quicker."""
    project = read_project(path).project
    with label_studio(project.server.url, variable=VARIABLE) as studio:
        sdk = studio._sdk
        people = [
            sdk.users.create(
                email=f"person{n}@example.org", username=f"person{n}", password=f"only-a-test-{n}"
            ).id
            for n in range(PEOPLE)
        ]
        names = [f"{project.name}/answer/{settings.locale}" for settings in project.locales]
        for remote, *_ in inventory(studio, names).values():
            studio.delete_tasks(remote.project.id, [task.id for task in remote.tasks])
            answered = [
                {"data": dict(task.data), "annotations": list(_given(task.id, people))} for task in remote.tasks
            ]
            studio.import_tasks(remote.project.id, answered)


def _given(task: int, people: list[int]) -> Iterator[dict[str, Any]]:
    for number, person in enumerate(people):
        texts = [_ANSWERS[(task + number * step) % len(_ANSWERS)] for step in (1, 2, 3)]
        value = {"from_name": "answers", "to_name": "question", "type": "textarea", "value": {"text": texts}}
        yield {"completed_by": person, "result": [value], "lead_time": 10.0 + number}


if __name__ == "__main__":
    main()
