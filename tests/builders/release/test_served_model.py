"""The whole way with a model that is really served: read, killed, gone on, checked by a person, built, told."""

import csv
import io
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.loaders.releases.reports import read_model_report
from blend.loaders.responses.verdicts import read_verdicts
from helpers.in_process import run
from helpers.models.guided_server import GuidedServer
from helpers.models.tiny_models import CHAT_TEMPLATE, make_model
from helpers.questions.lunch import lunch, options_in

pytestmark = pytest.mark.integration

READER = "chat:tiny@prompt-1"
CONFIDENCE = 0.8
"""From where on the model is sure: it is of some options, and not of others."""


@pytest.fixture(scope="module")
def server(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuidedServer]:
    # Its tokenizer, and room for the instruction, which has more tokens than that model sees.
    folder = tmp_path_factory.mktemp("served") / "tiny"
    make_model("LlamaConfig", shared / "models" / "tiny-gpt2", folder, max_position_embeddings=4096)
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE)
    with GuidedServer(folder).serving() as server:
        yield server


def judge(server: GuidedServer, recipe: Path) -> list[str]:
    out = recipe.with_name("verdicts.tsv")
    arguments = ("--model", "tiny", "--base-url", server.url, "--out", out, "--concurrency", "1")
    return ["questions", "judge", str(recipe), *map(str, arguments)]


def killed_after(server: GuidedServer, n_served: int, arguments: list[str]) -> None:
    """Run ``blend``, and kill it while it waits for one reply more."""
    stuck, held = threading.Event(), threading.Event()
    served_first = iter(range(n_served))

    def wait(reply: dict[str, Any]) -> dict[str, Any]:
        if next(served_first, None) is None:
            stuck.set()
            held.wait()
        return reply

    server.change = wait
    process = subprocess.Popen([sys.executable, "-m", "blend", *arguments])
    while not stuck.wait(timeout=1):
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    held.set()
    server.change = lambda reply: reply


@pytest.mark.nightly
def test_from_the_models_verdicts_to_a_release_that_says_what_they_are_worth(
    server: GuidedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    recipe = lunch(tmp_path, n_templates=2, verdicts="verdicts.tsv", model_confidence=CONFIDENCE)
    verdicts, release = tmp_path / "verdicts.tsv", tmp_path / "release"

    killed_after(server, 3, judge(server, recipe))
    before = read_verdicts(verdicts).select("question", "option").rows()
    assert len(before) == 3 * 7
    server.requests.clear()
    added = run(*judge(server, recipe))
    # What came is not asked again; the question that nobody took the reply of is.
    asked = options_in([body for _, body in server.requests])
    by_model = read_verdicts(verdicts)
    assert by_model.select("question", "option").rows() == [*before, *asked]
    assert f"{len(asked)} verdicts added" in added
    assert len({*before, *asked}) == len(by_model)
    assert set(by_model["reader"]) == {READER}
    said = [entry for reply in server.written for entry in json.loads(reply).values()]
    stated = {(one["verdict"], one["confidence"]) for one in said}
    assert set(by_model.select("verdict", "confidence").rows()) <= stated
    is_sure = pl.col("confidence") >= CONFIDENCE
    assert by_model.select(is_sure.n_unique()).item() == 2

    # What it is unsure of comes to a person, and what it has read as well, to compare.
    british = by_model.filter(locale="en-GB")
    run("questions", "options", recipe, "--locale", "en-GB", "--unread", "--out", tmp_path / "unread.csv")
    unread = {row["option"] for row in read(tmp_path / "unread.csv")}
    assert unread <= set(british.filter(~is_sure)["option"])
    run("questions", "options", recipe, "--locale", "en-GB", "--all", "--out", tmp_path / "sheet.csv")
    rows = [{**row, "verdict": "ok"} for row in read(tmp_path / "sheet.csv")]
    with (tmp_path / "back.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    run("questions", "accept", tmp_path / "back.csv", "--out", verdicts, "--reviewer", "r7", "--native")
    assert f"│ en-GB │ {len(rows)}".split()[1] in run("questions", "agreement", verdicts)

    run("build", recipe, "--out", release)
    report = read_model_report(release)
    assert report is not None
    sure = british.filter(is_sure)
    assert (report.together.reviewer, report.together.natives, report.together.others) == (READER, len(sure), 0)
    accepted = report.together.of("en-GB", "ok")
    assert accepted is not None
    # The person accepts everything, so that all that the model refuses is a false alarm.
    assert (accepted.options, accepted.refused) == (len(sure), sure.filter(pl.col("kind") != "ok").height)
    assert READER in run("questions", "agreement", release)
    assert f" {READER}, beside people on {len(sure)} options" in (release / "README.md").read_text("utf-8")
    run("validate", release)


def read(sheet: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(sheet.read_text("utf-8-sig"))))
