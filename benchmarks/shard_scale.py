"""What a shard of written answers takes on the disk, whom it costs how long, and how much memory scoring needs.

python benchmarks/shard_scale.py shard
python benchmarks/shard_scale.py scoring --items 100000 1000000
python benchmarks/shard_scale.py scoring --task multiple-choice --items 100000 1000000
python benchmarks/shard_scale.py all --small
"""

import argparse
import random
import time
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from ray_scale import SAMPLES, TASK, StandIn, Watched, release_of, workplace

import blend
from blend.eval.models.protocols import Decoding
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from blend.eval.runs import opened
from blend.eval.runs.pending_shards import keep_shard, pending_shards
from blend.eval.runs.run_directory import read_run
from blend.eval.runs.shards import FolderShards
from blend.loaders.recipes.ready import sample_recipe


def scoring(sizes: Sequence[int], task: str, tokens: int) -> None:
    """Print the memory of scoring replies by their number, and what their texts would take."""
    print("| replies | texts, MB | largest, MB | of it, by a reply, bytes |\n|--:|--:|--:|--:|")
    with workplace() as folder:
        release, first = folder / "release", None
        blend.build_release(sample_recipe(), release)
        for n_replies in sizes:
            out = folder / f"run-{n_replies}"
            n, n_bytes = reply_to_all(release, task, n_replies, out, tokens)
            scorer = Watched("-m", "blend", "eval", "score", out)
            while scorer.watch():
                time.sleep(0.02)
            assert scorer.process.returncode == 0
            most = max(rss for _, rss in scorer.rss)
            more = "" if first is None else f"{(most - first[1]) * 2**20 / (n - first[0]):,.0f}"
            first = first or (n, most)
            print(f"| {n:,} | {n_bytes / 2**20:,.0f} | {most:,.0f} | {more} |", flush=True)


def reply_to_all(release: Path, task: str, n_replies: int, out: Path, tokens: int) -> tuple[int, int]:
    """Keep so many replies to the questions of a task, or a few more; returns their number and bytes."""
    model = Writing(tokens, names_letters=task == "multiple-choice")
    of_texts = TASKS[task].of_texts
    once = read_items(release, TASKS[task], **of_texts).asked.n_items
    asked = read_items(release, TASKS[task], in_parts=True, samples=-(-n_replies // once), **of_texts)
    described = StandIn(None, 0.0, 1).describe()
    n_bytes = 0
    with opened(out, asked, described, Decoding(temperature=0.7)) as run:
        for one in pending_shards(run, 1000):
            texts = model.generate(one.items["prompt"].to_list())
            keys = one.items.select("item_id", "locale", "prompt_id").rows(named=True)
            rows = [{**key, "text": text} for key, text in zip(keys, texts, strict=True)]
            keep_shard(FolderShards(run.answers_folder), one, {row["item_id"]: row for row in rows})
            n_bytes += sum(len(text.encode()) for text in texts)
    return run.description.n_items, n_bytes


def shard(n_rounds: int = 20, size: int = 1000) -> None:
    """Print what a shard of made-up texts takes on the disk, and whom how long, by the tokens of a text."""
    print("| tokens of a text | text, bytes | on disk, bytes | to keep a shard, ms | to cut one, ms |")
    print("|--:|--:|--:|--:|--:|")
    for tokens in (10, 100, 800):
        with workplace() as folder:
            release, out = release_of(size * n_rounds, folder), folder / "run"
            model = Writing(tokens)
            blend.run_task(release, TASK, model=model, out=out, samples=SAMPLES, temperature=0.7)
            run, store = read_run(out), FolderShards(folder)
            answers = {row["item_id"]: row for row in run.answers().iter_rows(named=True)}
            for path in (out / "answers").iterdir():
                path.unlink()
            began = time.process_time()
            shards = list(pending_shards(run, size))
            cut_s = (time.process_time() - began) / len(shards)
            began = time.process_time()
            for one in shards:
                keep_shard(store, one, answers)
            keep_s = (time.process_time() - began) / len(shards)
            on_disk = sum(path.stat().st_size for path in folder.glob("part-items*.parquet"))
            n_bytes = sum(len(answer["text"].encode()) for answer in answers.values())
            print(
                f"| {tokens} | {n_bytes / len(answers):,.0f} | {on_disk / len(answers):,.0f} "
                f"| {1000 * keep_s:.0f} | {1000 * cut_s:.1f} |",
                flush=True,
            )


class Writing:
    """A model that writes texts of a length, words by Zipf's law."""

    def __init__(self, tokens: int, *, names_letters: bool = False) -> None:
        self._tokens = tokens
        self._begins = ["The answer is A. ", "The answer is B. "] if names_letters else [""]
        self._words = [f"word{number}" for number in range(20_000)]
        self._weights = list(accumulate(1 / rank for rank in range(1, len(self._words) + 1)))
        self._draw = random.Random(0)

    def generate(self, prompts: list[str]) -> list[str]:
        """Texts."""
        # Three words are four tokens, about.
        n = max(1, self._tokens * 3 // 4)
        return [self._draw.choice(self._begins) + self._text(n) for _ in prompts]

    def _text(self, n: int) -> str:
        return " ".join(self._draw.choices(self._words, cum_weights=self._weights, k=n))


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("shard", "scoring", "all"))
    parser.add_argument("--items", type=int, nargs="+")
    parser.add_argument("--task", choices=("short-answer", "multiple-choice"), default="short-answer")
    parser.add_argument("--tokens", type=int, default=8, help="of a reply that is scored")
    parser.add_argument("--small", action="store_true", help="of everything a little")
    options = parser.parse_args()
    if options.part in ("shard", "all"):
        shard(1 if options.small else 20)
    if options.part in ("scoring", "all"):
        sizes = [1000, 2000] if options.small else options.items or [10_000, 100_000, 1_000_000]
        scoring(sizes, options.task, options.tokens)


if __name__ == "__main__":
    main()
