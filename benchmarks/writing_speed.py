"""How fast the sample's short answers are written by the tiny model that the README makes.

Such a model computes a layer in microseconds, so what is around it decides: how many texts are written at a
time, and whether threads wait for each other. Next to it the batches and the threads that a larger model gets
are measured, in the same process and in turns.

    python benchmarks/writing_speed.py
"""

import argparse
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

import torch

from blend.builders.release import build_release
from blend.eval.models.batches import written_tokens
from blend.eval.models.local_model import open_local
from blend.eval.models.protocols import Decoding
from blend.eval.models.tiny_model import make_tiny_model
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from blend.loaders.recipes.ready import sample_recipe

LARGER_MODEL = 65_000
"""Bytes that a token takes in the key-value cache of a model of GPT-2 small's size."""

CASES = {"as a small model": (2_000_000, None), "as a larger one": (0, written_tokens(LARGER_MODEL))}
"""Parameters from which a model gets several threads, and tokens of a batch; its own when absent."""


def main() -> None:
    """Print answers per second, by the clock and of processor time, for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2, help="measurements of each, in turns; times add up")
    parser.add_argument("--threads", type=int, default=2, help="threads that a larger model gets")
    parser.add_argument("--limit", type=int, default=4, help="question templates per region at most")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build_release(sample_recipe(), folder / "release", base=folder)
        make_tiny_model(folder / "tiny")
        asked = read_items(str(folder / "release"), TASKS["short-answer"], limit=options.limit)
        prompts = asked.asked.items["prompt"].to_list()
        spent = {case: [0.0, 0.0] for case in CASES}
        for _ in range(options.rounds):
            for case, (worth_threads, tokens) in CASES.items():
                wall, cpu = measured(folder / "tiny", prompts, worth_threads, tokens)
                spent[case] = [spent[case][0] + wall, spent[case][1] + cpu]
    print(f"{len(prompts)} answers of {Decoding().max_tokens} tokens, {options.rounds} rounds")
    for case, (wall, cpu) in spent.items():
        n = len(prompts) * options.rounds
        print(f"{case:18} {n / cpu:8.1f} per processor second {n / wall:8.1f} per second by the clock")


def measured(folder: Path, prompts: list[str], worth_threads: int, tokens: int | None) -> tuple[float, float]:
    """Seconds by the clock and of processor time to write all answers."""
    model = open_local(str(folder), device="cpu")
    model.generate(prompts[:1])
    if tokens is not None:
        model._writing.tokens = tokens
    with patch("blend.eval.models.model_loading.WORTH_THREADS", worth_threads):
        wall, cpu = time.perf_counter(), time.process_time()
        model.generate(prompts)
        return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    main()
