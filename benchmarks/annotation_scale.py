"""What it takes to bring many questions to a real Label Studio, and people's answers back.

Every step is a process of its own, ``blend annotate sync`` with start and imports; its processor time is its
own, the server's is not counted. People's answers are entered in bulk: the tasks are imported again with their
annotations, as nobody could type three thousand of them.

Seconds say as much of a machine as of a program, so that processor time is a multiple of what a plain client
takes in the same run: one that imports what is needed to ask the server, to check and to count, gets all
projects, tasks and annotations, and does nothing with them. The limits are those that the project has set
itself for two locales, 500 questions and three annotators.

    make .venv-label-studio/installed
    python benchmarks/annotation_scale.py
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from helpers.label_studio.annotation_projects import LOCALES, write_project, write_questions
from helpers.label_studio.studio_fixtures import VARIABLE, StudioForTests, connected, typed
from helpers.label_studio.studio_server import make_fresh, serving

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("blend", "builders", "loaders", "schemas")
LIMITS = {"plain clients": 4, "peak, MB": 250, "requests": 30}

PLAIN = """
import json, sys
import httpx, polars, pydantic
from label_studio_sdk.core.client_wrapper import SyncClientWrapper

_, url, token = sys.argv
held = []
with httpx.Client(timeout=120) as client:
    asked = SyncClientWrapper(base_url=url, api_key=token, httpx_client=client, max_retries=0).httpx_client

    def get(path, **query):
        held.append(json.loads(asked.request(f"api/{path}", method="GET", params=query).content))
        return held[-1]

    get("version/")
    for project in get("projects/", page_size=1000)["results"]:
        get("tasks/", project=project["id"], page_size=5000, fields="task_only")
        get(f"projects/{project['id']}/export", export_type="JSON", download_all_tasks="true")
"""
"""A client that gets everything, and does nothing with it."""

COUNTED = """
import os, re, sys
import httpx

path, sent, send, end = sys.argv.pop(1), [], httpx.Client.send, os._exit

def counted(client, request, **options):
    sent.append(request.url)
    return send(client, request, **options)

def ended(code):
    # Of this process alone: what the kernel tells a parent includes the parent's own.
    peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]
    with open(path, "w") as file:
        file.write(f"{len(sent)} {peak}")
    end(code)

httpx.Client.send, os._exit = counted, ended
from blend.__main__ import main
main()
"""
"""The command, which ends at once, with its requests and its peak written to a file."""

FOODS = ("soup", "tea", "bread", "rice", "noodles", "cake", "fruit", "meat", "fish", "salad")
TASTES = ("red", "blue", "green", "sweet", "cold", "dry", "old", "new", "warm", "salty")


def main() -> None:
    """Push, pull and sync, and print what each took beside its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=500, help="questions in each of two locales")
    parser.add_argument("--annotators", type=int, default=3, help="people who answer every question")
    asked = parser.parse_args()
    # As pip does with packages: modules that are compiled anew for each command make up a fifth of a sync.
    subprocess.run((sys.executable, "-m", "compileall", "-qq", *PACKAGES), cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_fresh(folder / "fresh")
        with serving(folder / "server") as running, connected(running) as studio:
            os.environ |= {VARIABLE: running.token, "NO_PROXY": "127.0.0.1"}
            steps(studio, folder, asked.questions, asked.annotators)


class Measured(NamedTuple):
    """What a step took."""

    processor_s: float
    peak_mb: float
    requests: int


def steps(studio: StudioForTests, folder: Path, questions: int, annotators: int) -> None:
    """Push questions, have them answered, pull the answers; a second lead, by a copy, syncs instead."""
    first, second = folder / "first", folder / "second"
    first.mkdir()
    wanted = {"stages": '["answer", "review"]', "wanted": str(annotators)}
    project = write_project(first, "scale", studio.url, **wanted).path
    asked = {
        f"q-{n:04}": ("Food", f"What do people in {{country}} eat with {taste(n)} on day {n}?")
        for n in range(questions)
    }
    write_questions(first / "collected", asked)
    print(f"| step | processor, s | {' | '.join(LIMITS)} |\n|---|{'---:|' * (len(LIMITS) + 1)}")
    pushed = measured(project, "--only", "push")
    for tag in LOCALES:
        answer(studio, f"scale answer {tag}", [studio.person(f"p{n}") for n in range(annotators)])
    shutil.copytree(first, second)
    plain_s = used(sys.executable, "-c", PLAIN, studio.url, studio.token)
    told("push", pushed, plain_s)
    told("pull", measured(project, "--only", "pull"), plain_s)
    told("sync", measured(second / "project.toml"), plain_s)
    told("the same again", measured(second / "project.toml"), plain_s)
    print(f"| limit | | {' | '.join(str(limit) for limit in LIMITS.values())} |")


def taste(number: int) -> str:
    """Two words; a hundred differ."""
    return f"{TASTES[number % 10]} {FOODS[number // 10 % 10]}"


def answer(studio: StudioForTests, title: str, people: list[int]) -> None:
    """Replace the tasks of a project by the same with an annotation of every person."""
    project = studio.project(title)
    held = json.loads(b"".join(studio.sdk.projects.exports.download_sync(project, download_all_tasks=True)))
    studio.sdk.tasks.delete_all_tasks(project)
    tasks = [{"data": task["data"], "annotations": given(task["data"], people)} for task in held]
    studio.sdk.projects.import_tasks(project, request=tasks)


def given(data: dict[str, Any], people: list[int]) -> list[dict[str, Any]]:
    """What people answer to a task: the first of them two things, of which others say one."""
    number = int(data["template_id"].removeprefix("q-"))
    texts = [
        [taste(number + person % 2), *([taste(number + 3)] if person == 0 else [])] for person in range(99)
    ]
    return [
        {"completed_by": who, "lead_time": 12.5, "result": [typed(*texts[order])]}
        for order, who in enumerate(people)
    ]


def measured(project: Path, *options: str) -> Measured:
    """What ``blend annotate sync`` takes."""
    written = project.with_name("measured")
    processor_s = used(sys.executable, "-c", COUNTED, str(written), "annotate", "sync", str(project), *options)
    requests, peak_kb = map(int, written.read_text().split())
    return Measured(processor_s, peak_kb / 1024, requests)


def used(*command: str) -> float:
    """Processor time of a process in seconds."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command[3:])} has ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime


def told(step: str, took: Measured, plain_s: float) -> None:
    """Print a row."""
    ratio = took.processor_s / plain_s
    print(
        f"| {step} | {took.processor_s:.2f} | {ratio:.1f} | {took.peak_mb:.0f} | {took.requests} |", flush=True
    )


if __name__ == "__main__":
    main()
