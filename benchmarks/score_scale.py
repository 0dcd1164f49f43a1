"""How long scoring takes, and how much memory: 300,000 multiple-choice items with recorded answers.

``python benchmarks/score_scale.py`` makes a table of made-up questions (16 regions, 500 templates) and
answers to them, and scores them as ``blend eval run --answers`` and ``blend eval score`` do, each step in a
process of its own. Reading and keeping the answers is timed apart from scoring. With ``--items`` for another
size.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

TEMPLATES = 500
BASELINE_ITEMS = 30_000


def main() -> None:
    """Make, keep and score at two sizes, and print seconds, memory and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=300_000)
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
    """Write a multiple-choice table and answers of several kinds to it."""
    import numpy as np
    import polars as pl

    from blend.schemas.language.locales import registry
    from blend.schemas.rows.published_rows import LETTERS

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
    chosen = np.where(rng.random(items) < 0.5, answer, rng.integers(4, size=items))
    forms = ['{{"answer_choice":"{}"}}', "{}. it is", "The answer is {}.", "I cannot say, {}"]
    response = [forms[n % 4].format(LETTERS[letter]) for n, letter in enumerate(chosen.tolist())]
    frame.select(MCQID="mcq_id", response=pl.Series(response)).write_csv(folder / "answers.csv")
    return 0.0


def keep(folder: Path, _items: int) -> float:
    """Read the answers and keep them in a run directory."""
    import polars as pl

    from blend.eval.release_items import ReleaseItems
    from blend.eval.runs import opened
    from blend.eval.runs.answers import write_answers
    from blend.eval.runs.recorded_answers import read_recorded
    from blend.eval.tasks.multiple_choice import ChoiceOptions
    from blend.eval.tasks.multiple_choice.choice_items import choice_items
    from blend.schemas.language.locales import registry

    started = time.perf_counter()
    splits = {locale.tag: locale.split for locale in registry()}
    table = pl.read_parquet(folder / "table.parquet").with_columns(
        region=pl.col("locale").replace_strict(splits, return_dtype=pl.String)
    )
    options = ChoiceOptions(style="json")
    asked = choice_items(table, options)
    recorded = read_recorded(folder / "answers.csv", asked)
    manifest: Any = SimpleNamespace(name="made-up", version="0.0.0", tables=())
    configs = ("multiple-choice-questions",)
    wanted = ReleaseItems(manifest, "multiple-choice", configs, options.kept(), asked)
    with opened(folder / "run", wanted, recorded.description, None) as run:
        write_answers(run.answers_folder / "main.jsonl", recorded.answers)
    return time.perf_counter() - started


def score(folder: Path, _items: int) -> float:
    """Score the run and write scores and decisions."""
    from blend.eval.asked_runs import read_run
    from blend.eval.scoring import score_answers, write_scores

    started = time.perf_counter()
    run = read_run(folder / "run")
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
