"""Inspect: our tasks decide there, item by item, as runs of our own do; and ``eval.yaml`` runs there."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from filelock import FileLock
from nets.commands import blend as command
from nets.kept_runs import RUNS, description, make_run

from blend.builders.publish import publish_release
from blend.eval.models import Decoding, draw_seeds
from blend.eval.release_items import read_items, read_run
from blend.eval.runs.run_directory import Run
from blend.eval.tasks import TASKS, task_of
from helpers.asking import ask, score
from helpers.hub.hub_server import Hub
from helpers.hub.hub_store import ALICE
from helpers.models.model_servers import SayingServer

pytestmark = [
    pytest.mark.integration,
    pytest.mark.nightly,
    pytest.mark.filterwarnings("ignore:.* name no option, and count as wrong"),
]

INSPECT = "inspect-ai==0.3.285"

UNFINISHED = {"text": "<think>Hm", "thought": None, "finish_reason": "length"}
"""What is said where a net keeps no answer."""

DRAWN = {"temperature": 1.0, "seed": 5}
"""How questions are asked that are asked several times."""


class Played(NamedTuple):
    """Kept answers of a net, for a server to say."""

    release: Path
    task: str
    options: dict[str, Any]
    """Options of asking."""
    kept: dict[tuple[str, int | None], tuple[str, str]]
    """What is said, and why it ends, by prompt and seed."""

    @property
    def is_drawn(self) -> bool:
        """Whether questions are asked several times."""
        return "samples" in self.options

    def server(self) -> SayingServer:
        return SayingServer(lambda prompt, seed: self.kept.get((prompt, seed)))


@pytest.fixture
def play(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[str], Played]:
    """Reads the answers that a net keeps."""

    def play(name: str) -> Played:
        about = description(name)
        release = request.getfixturevalue(f"{about['release']}_release")
        make_run(name, release, tmp_path / "kept")
        run = read_run(tmp_path / "kept")
        answers = {row["item_id"]: row for row in run.answers().to_dicts() if row["error"] is None}
        kept = {}
        for item in run.items().to_dicts():
            sample = item.get("sample")
            seed = None
            if sample is not None:
                (seed,) = draw_seeds([item["prompt"]], [sample], Decoding(seed=DRAWN["seed"]))
            answer = answers.get(item["item_id"], UNFINISHED)
            thought = f"<think>{answer['thought']}</think>" if answer["thought"] else ""
            kept[item["prompt"], seed] = (f"{thought}{answer['text']}", answer["finish_reason"] or "stop")
        return Played(release, about["task"], about["asked"], kept)

    return play


@pytest.fixture
def publish(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Puts a release on a Hub: ``org/blend``."""
    monkeypatch.setenv("HF_TOKEN", ALICE.token)
    return lambda release: publish_release(release, "org/blend", endpoint=hub.url)


@pytest.fixture(scope="session")
def inspect(root: Path, missing: Callable[[str], None]) -> Path:
    """Inspect, which has no place among our requirements, in an environment that sees our packages.

    It is kept in ``build/``, so that only the first run on a machine waits for it; ``make clean`` removes it.
    """
    ours = [path for path in sys.path if Path(path).name == "site-packages"]
    digest = hashlib.sha256(repr((sys.version, ours, (INSPECT,))).encode()).hexdigest()[:12]
    folder = root / "build" / "environments" / f"inspect-{digest}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            venv.create(folder, with_pip=True)
            (site,) = folder.glob("lib/*/site-packages")
            # So that editable installs among them are found as well, as this package is, and entry points.
            lines = (f"import site; site.addsitedir({path!r})\n" for path in ours)
            (site / "ours.pth").write_text("".join(lines))
            pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "-c", root / "constraints.txt"]
            made = subprocess.run([*pip, INSPECT], capture_output=True, text=True)
            if made.returncode != 0:
                missing(f"inspect ({made.stderr.strip().splitlines()[-1]})")
            (folder / "ready").touch()
    return folder / "bin" / "inspect"


@pytest.fixture
def inspect_eval(inspect: Path, tmp_path: Path) -> Callable[..., Path]:
    """Runs a task in Inspect and gives its log."""

    def inspect_eval(task: str, server: SayingServer, *options: str, **variables: str) -> Path:
        own = {"STUB_BASE_URL": server.url, "STUB_API_KEY": "none"}
        own |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path / "data")}
        command = [
            *(inspect, "eval", task, "--model", "openai-api/stub/tiny", *options),
            *("--display", "none", "--log-dir", tmp_path / "logs", "--log-format", "json"),
        ]
        run = subprocess.run(
            command, cwd=tmp_path, env=os.environ | own | variables, capture_output=True, text=True, timeout=900
        )
        assert run.returncode == 0, run.stdout + run.stderr
        convert = [inspect, "log", "convert", tmp_path / "logs", "--to", "eval", "--output-dir"]
        convert += [tmp_path / "eval"]
        subprocess.run(convert, cwd=tmp_path, env=os.environ | own, check=True, stdout=subprocess.DEVNULL)
        (log,) = (tmp_path / "eval").glob("*.eval")
        return log

    return inspect_eval


def task_options(release: str | Path, played: Played) -> list[str]:
    """The options of Inspect by which it asks what is played."""
    options = {"release": str(release), **played.options}
    drawn = ["--epochs", str(options.pop("samples", 1)), "--temperature", "1", "--seed", str(DRAWN["seed"])]
    given = [part for name, value in options.items() for part in ("-T", f"{name}={json.dumps(value)}")]
    return [*given, *(drawn if played.is_drawn else ())]


def decided(run: Run | Path) -> tuple[dict[str, float], list[Any]]:
    """What is decided on every item, and all figures of a run."""
    scored = score(run, on_warning=lambda _: None)
    value = "f1" if scored.task.name == "free-listing" else "correct"
    decisions = scored.decisions().select("item_id", pl.col(value).cast(pl.Float64))
    return dict(decisions.rows()), scored.frame.rows()


def decided_there(log: dict[str, Any]) -> dict[str, float]:
    """What Inspect's log says of every item, named as ours are."""
    found = {}
    for sample in log["samples"]:
        (score,) = sample["scores"].values()
        repeat = f"#{sample['epoch'] - 1}" if sample["epoch"] > 1 else ""
        found[f"{sample['id']}{repeat}"] = score["value"]
    return found


def as_json(log: Path) -> Path:
    """The same log in Inspect's other format."""
    return log.parents[1] / "logs" / f"{log.stem}.json"


def read_json(log: Path) -> dict[str, Any]:
    return dict(json.loads(as_json(log).read_text(encoding="utf-8")))


@pytest.mark.filterwarnings("ignore:.*empty responses, which count as wrong")
@pytest.mark.parametrize(
    "name",
    ["mc-thoughts", "mc-repeats", "mc-confidence", "true-false-written", "short-answers", "free-listing"],
)
def test_inspect_decides_as_a_run_does(
    name: str, inspect_eval: Callable[..., Path], play: Callable[[str], Played], tmp_path: Path
):
    played = play(name)
    options = {**task_of(played.task).of_texts, **played.options, **(DRAWN if played.is_drawn else {})}
    with played.server().serving() as server:
        task = f"blend/{played.task.replace('-', '_')}"
        log = inspect_eval(task, server, *task_options(played.release, played))
        asked_there = sorted(server.asked, key=str)
        server.requests.clear()
        of_model = {"model": "tiny", "server": server.url, "chat": True, "out": tmp_path / "run"}
        ask(played.release, played.task, **of_model, **options)
        assert sorted(server.asked, key=str) == asked_there
    ours, figures = decided(tmp_path / "run")
    for form in (log, as_json(log)):
        read = ask(played.release, played.task, tmp_path / f"read{form.suffix}", answers=form, **played.options)
        assert decided(read) == (ours, figures)
    dumped = read_json(log)
    assert decided_there(dumped) == ours
    (result,) = dumped["results"]["scores"]
    shares = {name: metric["value"] for name, metric in result["metrics"].items()}
    assert shares.pop("stderr") > 0
    average = "mean" if played.task == "free-listing" else "accuracy"
    assert shares[average] == pytest.approx(sum(ours.values()) / len(ours), abs=1e-12)


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
def test_inspect_decides_on_a_release_from_the_hub(
    inspect_eval: Callable[..., Path],
    play: Callable[[str], Played],
    publish: Callable[[Path], None],
    hub: Hub,
    tmp_path: Path,
):
    played = play("mc-texts")
    publish(played.release)
    with played.server().serving() as server:
        of_hub = task_options("org/blend@v0.1.0", played)
        log = inspect_eval("blend/multiple_choice", server, *of_hub, **hub.environment(tmp_path / "home"))
        of_model = {"model": "tiny", "server": server.url, "chat": True, "out": tmp_path / "run"}
        ask(played.release, "multiple-choice", style="json", **of_model, **played.options)
    ours, figures = decided(tmp_path / "run")
    assert decided_there(read_json(log)) == ours
    read = ask(played.release, "multiple-choice", tmp_path / "read", answers=log, **played.options)
    assert decided(read) == (ours, figures)


def test_texts_for_readers_of_many_nationalities_are_written_in_inspect(
    inspect_eval: Callable[..., Path], shared: Path, tmp_path: Path
):
    recipe, release = RUNS.parent / "cultural_prompts" / "recipe.toml", tmp_path / "release"
    command("build", recipe, "--source-path", f"extrinsic={shared / 'data' / 'extrinsic'}", "--out", release)
    asked = ("-T", "limit=2", "-T", "samples=2", "-T", "nationalities=Thai,Brazilian", "--temperature", "0.7")
    with SayingServer(lambda prompt, seed: (f"{len(prompt)} and {seed}", "stop")).serving() as server:
        log = inspect_eval("blend/cultural_prompts", server, "-T", f"release={release}", *asked)
        asked_there = sorted(server.asked, key=str)
    nationalities = ("Thai", "Brazilian")
    of_task = {"limit": 2, "samples": 2, "nationalities": nationalities}
    run = ask(release, "cultural-prompts", tmp_path / "read", answers=log, **of_task)
    items = run.items("item_id", "prompt").join(run.gold("item_id", "sample"), on="item_id")
    drawn = [
        (prompt, draw_seeds([prompt], [sample], Decoding())[0])
        for prompt, sample in items.select("prompt", "sample").rows()
    ]
    assert asked_there == sorted(drawn, key=str)
    assert run.answers()["text"].null_count() == 0


# eval.yaml, without any code of ours


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
def test_inspect_runs_a_release_from_the_hub_without_us(
    inspect_eval: Callable[..., Path],
    mini_release: Path,
    publish: Callable[[Path], None],
    hub: Hub,
    tmp_path: Path,
):
    publish(mini_release)
    gold = read_items(mini_release, TASKS["multiple-choice"]).asked.gold
    correct = {item_id: "ABCD"[answer] for item_id, answer in gold.select("item_id", "answer").iter_rows()}

    def say(prompt: str, seed: int | None) -> tuple[str, str]:
        return f"ANSWER: {'ABCD'[len(prompt) % 4]}", "stop"

    with SayingServer(say).serving() as server:
        variables = hub.environment(tmp_path / "home")
        log = inspect_eval("hf/org/blend/multiple-choice", server, **variables)
        assert len({len(prompt) % 4 for prompt, _ in server.asked}) == 4
    samples = read_json(log)["samples"]
    assert len(samples) == len(correct)
    for sample in samples:
        (score,) = sample["scores"].values()
        assert (score["value"] == "C") == (score["answer"] == correct[sample["metadata"]["MCQID"]])
