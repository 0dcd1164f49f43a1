"""Scored runs of the sample, with answers that stand in a file."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pytest

from blend.builders.release import build_release
from blend.eval.recorded_answers import read_recorded
from blend.eval.release_items import read_items, read_run
from blend.eval.runs.answers import answers_digest, write_answers
from blend.eval.runs.run_directory import opened, write_frame
from blend.eval.scoring import score_answers, write_scores
from blend.eval.tasks import TASKS
from blend.loaders.recipes import sample_recipe

HOSTILE = (
    "\u202egnp.exe <script>alert(1)</script> <img src=x onerror=alert(2)>\x07\x1b[31m مرحبا " + "A" * 1_000
)


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, built."""
    out = tmp_path_factory.mktemp("report") / "release"
    build_release(sample_recipe(), out)
    return out


MakeRun = Callable[..., Path]


@pytest.fixture(scope="session")
def make_run(release: Path, tmp_path_factory: pytest.TempPathFactory) -> MakeRun:
    """Makes a scored run: a model of some name that is correct in a share of the templates."""

    def make(
        name: str,
        share: float,
        *,
        folder: str = "run",
        limit: int | None = None,
        leave_out: int = 0,
        hostile: Sequence[int] = (),
    ) -> Path:
        where = tmp_path_factory.mktemp("runs")
        asked = read_items(release, TASKS["multiple-choice"], style="json", limit=limit)
        rows = asked.asked.gold.join(asked.asked.items.select("item_id", "template_id"), on="item_id")
        answers = [
            {"item_id": row["item_id"], "response": HOSTILE if n in hostile else _letter(row, share)}
            for n, row in enumerate(rows.iter_rows(named=True))
        ]
        file = where / "answers.parquet"
        pl.DataFrame(answers[leave_out:]).write_parquet(file)
        recorded = read_recorded(file, asked.asked, model=name)
        with opened(where / folder, asked, recorded.description, None) as run:
            write_answers(run.answers_folder / "main.jsonl", recorded.answers)
        run = read_run(where / folder)
        write_scores(run, score_answers(run, allow_missing=True))
        return where / folder

    return make


@pytest.fixture(scope="session")
def short(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of short answers, asked in both languages, of which every third answer counts as correct."""
    folder = tmp_path_factory.mktemp("short") / "run"
    asked = read_items(release, TASKS["short-answer"], limit=4)
    answers = [{"item_id": item_id, "response": f"جواب {item_id}"} for item_id in asked.asked.items["item_id"]]
    file = folder.with_name("answers.parquet")
    pl.DataFrame(answers).write_parquet(file)
    recorded = read_recorded(file, asked.asked, model="short")
    with opened(folder, asked, recorded.description, None) as run:
        write_answers(run.answers_folder / "main.jsonl", recorded.answers)
    # The layout that scripts rely on, with decisions of the test's own: how they come about is not at issue.
    decided = asked.asked.items.select("item_id", "locale", "template_id", "prompt_id", "region").with_columns(
        correct=pl.int_range(pl.len()) % 3 == 0
    )
    write_frame(folder / "decisions.parquet", decided.drop("region"))
    figures = [
        {"metric": "sem-b", "scope": "region", "key": region, "value": 100 * right, "low": None, "high": None}
        | {"n": n}
        for region, right, n in decided.group_by("region", maintain_order=True)
        .agg(pl.col("correct").mean(), n=pl.len())
        .iter_rows()
    ]
    scores = {"task": "short-answer", "signature": "blend-saq|rel:x", "rule": "default", "release": "x@1.0.0"}
    scores |= {"model": "short", "answers": answers_digest(folder / "answers")}
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
    return make_run("evil", 0.0, hostile=range(100_000))
