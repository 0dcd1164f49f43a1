"""Scored runs of the sample, with answers that stand in a file."""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.release_items import read_items
from blend.eval.runs.answers import answers_digest
from blend.eval.runs.run_directory import write_frame
from blend.eval.tasks import TASKS
from blend.loaders.files.content import file_sha256
from helpers.asking import recorded, score

HOSTILE = (
    "\u202egnp.exe <script>alert(1)</script> <img src=x onerror=alert(2)>\x07\x1b[31m مرحبا " + "A" * 1_000
)

MakeRun = Callable[..., Path]


@pytest.fixture(scope="session")
def make_run(sample_release: Path, tmp_path_factory: pytest.TempPathFactory) -> MakeRun:
    """Makes a scored run: a model of some name that is correct in a share of the templates."""

    def make(name: str, share: float, *, limit: int | None = None, hostile: bool = False) -> Path:
        out = tmp_path_factory.mktemp("runs") / "run"
        asked = read_items(sample_release, TASKS["multiple-choice"], style="json", limit=limit).asked
        rows = asked.gold.join(asked.items.select("item_id", "template_id"), on="item_id")
        answers = [
            {"item_id": row["item_id"], "response": HOSTILE if hostile else _letter(row, share)}
            for row in rows.iter_rows(named=True)
        ]
        said = pl.DataFrame(answers)
        run = recorded(sample_release, "multiple-choice", said, out, model=name, limit=limit)
        score(run, on_warning=lambda _: None)
        return out

    return make


@pytest.fixture(scope="session")
def short(sample_release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of short answers, asked in both languages, of which every third answer counts as correct."""
    folder = tmp_path_factory.mktemp("short") / "run"
    items = read_items(sample_release, TASKS["short-answer"], limit=4).asked.items
    answers = items.select("item_id", response=pl.format("جواب {}", "item_id"))
    recorded(sample_release, "short-answer", answers, folder, model="short", limit=4)
    # The layout that scripts rely on, with decisions of the test's own: how they come about is not at issue.
    decided = items.select("item_id", "locale", "template_id", "prompt_id", "region").with_columns(
        correct=pl.int_range(pl.len()) % 3 == 0
    )
    decisions = folder / "decisions.parquet"
    write_frame(decisions, decided.drop("region"))
    shares = decided.group_by("region", maintain_order=True).agg(pl.col("correct").mean(), n=pl.len())
    figures = [
        {"metric": "sem-b", "scope": "region", "key": region, "value": 100 * right, "low": None, "high": None}
        | {"n": n}
        for region, right, n in shares.iter_rows()
    ]
    scores = {"task": "short-answer", "signature": "blend-saq|rel:x", "rule": "default", "release": "x@1.0.0"}
    scores |= {"model": "short", "answers": answers_digest(folder / "answers")}
    scores["tables"] = {decisions.name: file_sha256(decisions)}
    text = json.dumps(scores | {"scores": figures})
    (folder / "scores.json").write_text(text, encoding="utf-8")
    return folder


def _letter(row: dict[str, object], share: float) -> str:
    digest = hashlib.sha256(f"{row['template_id']}|{row['item_id']}".encode()).digest()
    right = digest[0] / 256 < share
    index = row["answer"] if right else (row["answer"] + 1 + digest[1] % 3) % 4
    return f'{{"answer_choice": "{"ABCD"[index]}"}}'


@pytest.fixture(scope="session")
def good(make_run: MakeRun) -> Path:
    """A run of a model that is correct in about nine of ten items."""
    return make_run("good", 0.9)


@pytest.fixture(scope="session")
def poor(make_run: MakeRun) -> Path:
    """A run of a model that is correct in about four of ten items."""
    return make_run("poor <b>&</b>", 0.4)


@pytest.fixture(scope="session")
def evil(make_run: MakeRun) -> Path:
    """A run of a model that answers everything with what would break a page."""
    return make_run("evil", 0.0, hostile=True)


@pytest.fixture
def opened(chromium: str) -> Callable[..., AbstractContextManager[Any]]:
    """Opens a page in a browser; errors, and requests for anything else, fail the test."""
    from playwright.sync_api import sync_playwright

    @contextmanager
    def opened(page: Path, *, width: int = 1400, scheme: str = "light") -> Iterator[Any]:
        complaints: list[str] = []
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            tab.set_default_timeout(0)
            tab.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
            tab.on("pageerror", lambda error: complaints.append(str(error)))
            tab.on("dialog", lambda dialog: complaints.append(f"dialog {dialog.message}"))
            outside = lambda r: not r.url.startswith(("file:", "data:"))  # noqa: E731
            tab.on("request", lambda r: complaints.append(r.url) if outside(r) else None)
            tab.goto(page.as_uri())
            yield tab
            browser.close()
        assert complaints == []

    return opened
