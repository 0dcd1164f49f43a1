"""How large the report on three models is, how long it takes, and pictures of it.

    python benchmarks/report_scale.py --blend path/to/BLEnD/data
    python benchmarks/report_scale.py --pictures docs/images

Three invented models answer every multiple-choice question and a part of the short-answer ones: each is correct
in a share of the templates, knows some regions better than others, and likes the answers of one region.
Without BLEnD's files the sample is asked. Pictures need playwright and the browser chromium.
"""

import argparse
import hashlib
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.release import build_release
from blend.eval.evaluation import write_report
from blend.eval.registry import TASKS
from blend.eval.release_items import ReleaseItems, read_items
from blend.eval.runs import opened
from blend.eval.runs.ask_model import keep_recorded
from blend.eval.runs.recorded_answers import read_recorded
from blend.eval.runs.run_directory import read_run
from blend.eval.scoring import score_answers, write_scores
from blend.loaders.recipes.ready import blend_recipe, blend_source, sample_recipe
from blend.schemas.rows.published_rows import LETTERS

MODELS = {"invented-small": 0.45, "invented-medium": 0.55, "invented-large": 0.65}
"""Names, and the share that each gets right."""

LIKED = "US"
PICTURES = {"report-regions": "multiple-choice-regions", "report-cultures": "multiple-choice-cultures"}
"""Names of files, and the headings from which the pictures go to the end of the first chart."""

Row = dict[str, Any]


def main() -> None:
    """Build, answer, report, and print size and seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blend", type=Path, help="BLEnD's files; the sample when absent")
    parser.add_argument("--templates", type=int, default=100, help="short-answer templates per region at most")
    parser.add_argument("--pictures", type=Path, help="folder for pictures of the page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        release = str(built_release(options.blend, folder))
        letters = read_items(release, TASKS["multiple-choice"], style="json")
        texts = read_items(release, TASKS["short-answer"], limit=options.templates)
        runs = [
            scored(folder / f"{model}-{asked.task}", asked, model, answer, share)
            for asked, answer in ((letters, letter), (texts, text))
            for model, share in MODELS.items()
        ]
        wall, cpu = time.perf_counter(), time.process_time()
        write_report(runs, folder / "report.html")
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        size = (folder / "report.html").stat().st_size / 1e6
        regions = letters.asked.items["region"].n_unique()
        print(f"{len(MODELS)} models, {regions} regions, {len(runs)} runs: {size:.2f} MB,", end=" ")
        print(f"{cpu:.1f} s of processor time, {wall:.1f} s by the clock")
        if options.pictures is not None:
            take_pictures(folder / "report.html", options.pictures)


def built_release(blend: Path | None, folder: Path) -> Path:
    """A release of BLEnD's files, or of the sample where there are none."""
    recipe, places = sample_recipe(), {}
    if blend is not None:
        recipe = blend_recipe(str(blend))
        places = {blend_source(recipe).location: blend}
    build_release(recipe, folder / "release", base=folder, source_paths=places)
    return folder / "release"


def scored(
    folder: Path, asked: ReleaseItems, model: str, answer: Callable[[Row, float, str], str], share: float
) -> Path:
    """A scored run of an invented model."""
    gold = asked.asked.gold
    keys = ["item_id"] if "item_id" in gold.columns else ["template_id", "locale"]
    rows = asked.asked.items.join(gold, on=keys, how="left", maintain_order="left")
    answers = [(row["item_id"], answer(row, share, model)) for row in rows.iter_rows(named=True)]
    file = folder.with_suffix(".parquet")
    pl.DataFrame(answers, schema=["item_id", "response"], orient="row").write_parquet(file)
    recorded = read_recorded(file, asked.asked, model=model)
    with opened(folder, asked, recorded.description, None) as run:
        keep_recorded(run, recorded)
    run = read_run(folder)
    write_scores(run, score_answers(run))
    return folder


def letter(row: Row, share: float, model: str) -> str:
    """An answer to a multiple-choice question."""
    chosen = row["answer"]
    if not knows(row, share, model):
        wrong = [place for place in range(len(LETTERS)) if place != row["answer"]]
        liked = [place for place in wrong if row["option_regions"][place] == LIKED]
        places = liked if liked and number(model, "likes", row["item_id"]) < 0.5 else wrong
        chosen = places[int(number(model, "chooses", row["item_id"]) * len(places))]
    return f'{{"answer_choice":"{LETTERS[chosen]}"}}'


def text(row: Row, share: float, model: str) -> str:
    """A short answer: one of the natives', a little oftener in English, or none."""
    if not knows(row, share + (0.05 if row["language"] == "en" else -0.05), model):
        return "?"
    answers = [
        answer
        for group in row["annotations"]
        for answer in group["en_answers" if row["language"] == "en" else "answers"]
    ]
    return answers[0] if answers else "?"


def knows(row: Row, share: float, model: str) -> bool:
    """Whether the model knows the answer: some regions and some templates are easier than others."""
    easier = number(row["region"]) + number(row["template_id"]) - 1
    return number(model, row["item_id"]) < share + 0.4 * easier


def number(*parts: str) -> float:
    """A number in [0, 1) that depends on the parts alone."""
    return int.from_bytes(hashlib.sha256("|".join(parts).encode()).digest()[:6], "big") / 2**48


def take_pictures(page: Path, folder: Path) -> None:
    """Pictures of some sections, as a screen of 900 pixels shows them."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"), args=["--no-sandbox"]
        )
        tab = browser.new_page(viewport={"width": 900, "height": 900}, color_scheme="light")
        tab.goto(page.as_uri())
        tab.wait_for_function(
            "[...document.querySelectorAll('.chart')].every(chart => chart.querySelector('svg'))"
        )
        for name, heading in PICTURES.items():
            x, y, width, height = tab.evaluate(
                """id => {
                  const box = document.getElementById(id).getBoundingClientRect();
                  const chart = document.querySelector(`.chart[id="${id}-0"]`).getBoundingClientRect();
                  return [box.left - 8, box.top + scrollY, box.width + 16, chart.bottom - box.top];
                }""",
                heading,
            )
            clip = {"x": x, "y": y, "width": width, "height": height + 8}
            tab.screenshot(path=folder / f"{name}.png", full_page=True, clip=clip)
        browser.close()


if __name__ == "__main__":
    main()
