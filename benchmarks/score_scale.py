"""How long keeping and scoring a million multiple-choice answers takes, and how much memory.

``python benchmarks/score_scale.py`` makes a table of made-up questions (16 regions, 500 templates, at most
69,810 of them, as many as BLEnD has published), each asked so often that there are as many items as
``--items`` says, and keeps and scores answers to them as a model's, each step in a process of its own.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TEMPLATES = 500
BASELINE_ITEMS = 69_810
QUESTIONS = 69_810
BLOCK = 1024
"""Answers that come in at a time."""


def main() -> None:
    """Make, keep and score at two sizes, and print seconds, memory and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=977_340)
    used = parser.parse_args()
    print("| items | step | seconds | CPU seconds with imports | peak memory, MB |")
    print("|---:|---|---:|---:|---:|")
    seconds = {}
    least = min(BASELINE_ITEMS, used.items // 2)
    for items in (least, used.items):
        with tempfile.TemporaryDirectory() as folder:
            _in_a_process("make", Path(folder), items)
            for step in ("keep", "score"):
                figures = _in_a_process(step, Path(folder), items)
                seconds[items, step] = figures["cpu"]
                print(
                    f"| {items:,} | {step} | {figures['seconds']:.1f} | {figures['cpu']:.1f} "
                    f"| {figures['megabytes']:.0f} |"
                )
    ratio = seconds[used.items, "score"] / seconds[least, "score"]
    print(f"\n{used.items / least:.0f} times the items take {ratio:.1f} times the CPU seconds to score.")


def make(folder: Path, items: int) -> float:
    """Write a multiple-choice table of as many questions as BLEnD has published, or fewer."""
    import numpy as np
    import polars as pl

    from blend.schemas.locales import registry

    items = min(items, QUESTIONS)
    rng = np.random.default_rng(0)
    locales = list(registry())[:16]
    codes = np.array([locale.region for locale in locales])
    place = np.arange(items) % len(locales)
    answer = rng.integers(4, size=items)
    # Four different regions each, the correct one at the place of the answer.
    regions = (place[:, np.newaxis] + (np.arange(4) - answer[:, np.newaxis]) % 4) % len(locales)
    texts = pl.Series([f"option {n}" for n in range(200)])
    words = (np.arange(items)[:, np.newaxis] * 7 + np.arange(4)) % 200
    frame = pl.DataFrame(
        {
            "mcq_id": pl.Series([f"q{n:06}" for n in range(items)]),
            "template_id": pl.Series([f"t{n // len(locales) % TEMPLATES:03}" for n in range(items)]),
            "prompt": pl.Series(["x" * 300]).new_from_index(0, items),
            "question": pl.Series(["What do people eat?"]).new_from_index(0, items),
            "options": texts.gather(words.ravel()).reshape((items, 4)).arr.to_list(),
            "option_regions": pl.Series(codes[regions.ravel()].tolist()).reshape((items, 4)).arr.to_list(),
            "answer": answer,
            "locale": pl.Series([locale.tag for locale in locales]).gather(place),
            "topic": pl.Series(["Food", "Sport", "Family", "Work"]).gather(np.arange(items) // 16 % 4),
            "answer_spread": pl.Series(["universal", "shared", "specific"]).gather(np.arange(items) % 3),
            "source_order": pl.Series([None], dtype=pl.String).new_from_index(0, items),
        }
    )
    frame.write_parquet(folder / "table.parquet")
    return 0.0


def asked(folder: Path, items: int) -> Any:
    """What a run asks of the table: every question once, or as often as makes so many items."""
    import polars as pl

    from blend.eval.items import repeated
    from blend.eval.tasks.multiple_choice import ChoiceOptions
    from blend.eval.tasks.multiple_choice.choices import choice_items
    from blend.schemas.locales import registry
    from blend.schemas.rows import MULTIPLE_CHOICE_QUESTIONS

    splits = {locale.tag: locale.split for locale in registry()}
    table = pl.read_parquet(folder / "table.parquet").with_columns(
        region=pl.col("locale").replace_strict(splits, return_dtype=pl.String)
    )
    samples = max(1, items // table.height)
    options = ChoiceOptions(style="json", samples=samples)
    return options, repeated(choice_items({MULTIPLE_CHOICE_QUESTIONS: table}, options), samples)


def keep(folder: Path, items: int) -> float:
    """Keep an answer to each item, as a model's come in."""
    from blend.eval.models import Decoding, ModelDescription
    from blend.eval.runs import AskedRelease, ReleaseItems
    from blend.eval.runs.run_directory import open_run

    started = time.perf_counter()
    options, made = asked(folder, items)
    release = AskedRelease(name="made-up", version="0.0.0", tables={}, location=str(folder))
    wanted = ReleaseItems(release, "multiple-choice", options.kept(), made)
    model = ModelDescription(backend="server", id="made-up", chat=True, delimiter="")
    forms = ['{"answer_choice":"A"}', "B. it is", "The answer is C.", "I cannot say, D"]
    run = open_run(folder / "run", wanted, model, Decoding(temperature=1))
    with run.answer_file() as file:
        number = 0
        for some in made.items.select("item_id").iter_slices(BLOCK):
            file.append(
                {"item_id": item, "text": forms[(number + n) % 4], "tokens_out": 8, "finish_reason": "stop"}
                for n, item in enumerate(some["item_id"])
            )
            number += some.height
    return time.perf_counter() - started


def score(folder: Path, items: int) -> float:
    """Score the run and write scores and decisions."""
    from blend.eval.runs import read_description
    from blend.eval.runs.run_directory import Run
    from blend.eval.scoring import score_answers, write_scores

    started = time.perf_counter()
    run = Run(folder / "run", read_description(folder / "run"), lambda: asked(folder, items)[1])
    write_scores(run, score_answers(run))
    return time.perf_counter() - started


def _in_a_process(step: str, folder: Path, items: int) -> dict[str, float]:
    """Seconds without imports, and the peak memory of the process that did a step."""
    command = [sys.executable, __file__, "--step", step, str(folder), str(items)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(found.stdout)
    return figures


def _step(name: str, folder: str, items: str) -> None:
    seconds = {"make": make, "keep": keep, "score": score}[name](Path(folder), int(items))
    used = resource.getrusage(resource.RUSAGE_SELF)
    figures = {"seconds": seconds, "cpu": used.ru_utime + used.ru_stime, "megabytes": used.ru_maxrss / 1024}
    print(json.dumps(figures))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        _step(*sys.argv[2:])
    else:
        main()
