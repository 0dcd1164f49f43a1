"""Time and memory of the analysis of texts for many nationalities, and the full job that follows from it.

The full job is that of Bhatt and Diaz (2024): six models, 195 nationalities, five samples, 345 explanations of
about 100 tokens and 35 stories of about 800: 2.2 million texts, 979 and 99 million pairs of texts of two
nationalities. One topic of either kind is measured on one core, in processor time, the best of three; the rest
is multiplied. WED is measured both ways: by RapidFuzz, and compiled by Numba where that is installed.

Beside it, in the same run, a part is done in the plain way, text by text and pair by pair: NLTK's tokenizer,
RapidFuzz on two lists of tokens, BLEU by counting n-grams in dictionaries.

With `--dask`, the whole command is run on a cluster of this machine, with one worker and with two in turns. On
a machine with other work the clock says little, so the time in which a worker could have run and another
process did is measured as well (Linux). What is left is work, and idle time in which it had nothing to do.

    python benchmarks/cultural_prompts_scale.py [--groups 195] [--dask 120]
"""

import argparse
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice, product
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

import numpy as np
import polars as pl
from rapidfuzz.distance import Levenshtein

from blend.eval.runs.run_directory import Run, read_run
from blend.eval.scoring import score_answers
from blend.eval.tasks.cultural_prompts.bleu import ORDERS, bleu
from blend.eval.tasks.cultural_prompts.coded_topics import JoinedTexts, code_topic
from blend.eval.tasks.cultural_prompts.edits_side_by_side import compiled, edits_side_by_side
from blend.eval.tasks.cultural_prompts.spread_topics import analysed
from blend.eval.tasks.cultural_prompts.table_of_texts import keep_texts
from blend.eval.tasks.cultural_prompts.tfidf_words import stop_words
from blend.eval.tasks.cultural_prompts.topic_analysis import Settings, TopicKey, TopicTexts
from blend.eval.tasks.cultural_prompts.topic_totals import Totals
from blend.eval.tasks.cultural_prompts.word_edit_distance import pair_sums
from blend.eval.text.nltk_tokens import nltk_tokens

if TYPE_CHECKING:
    from distributed import Client

SAMPLES = 5
MODELS = 6
KINDS = {"explanations": (100, 345), "stories": (800, 35)}
"""Tokens of a text and topics, by kind."""

PAIRS = 300
"""Pairs of texts that are also compared the plain way."""

DASK_ROUNDS = 2
"""How often one worker and two are measured."""

WORKERS_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(128 << 20), "MALLOC_MMAP_THRESHOLD_": str(32 << 20)}
"""What docs/cultural-prompts.md advises to start workers with."""


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=int, default=195)
    parser.add_argument("--dask", type=int, help="Only score so many topics with one worker and with two.")
    parser.add_argument("--memory", type=int, help="Analyse so many topics and print the largest memory.")
    options = parser.parse_args()
    if os.environ.get("OMP_NUM_THREADS") != "1":
        one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1")
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **one})
    if options.memory:
        print(json.dumps(_memory_of(options.memory, options.groups)))
        return
    if options.dask:
        _dask(options.groups, options.dask)
        return
    _compile()
    print(f"One core, {options.groups} nationalities, {SAMPLES} samples; the full job has {MODELS} models.\n")
    print("| kind | step | a topic, s | full job, min | times the plain way |\n|---|---|--:|--:|--:|")
    for kind, (tokens, n_topics) in KINDS.items():
        _measure(kind, tokens, n_topics * MODELS, options.groups)
    _memory(options.groups)


def _compile() -> None:
    if compiled() is None:
        print("Numba is not installed.\n")
        return
    one = JoinedTexts.of([np.arange(100)])
    _, seconds = _timed(lambda: edits_side_by_side(one, one, upper=True), rounds=1)
    print(f"Numba compiles for {seconds:.1f} s, once in a process; that is not in the table.\n")


def texts_of(tokens: int, groups: int, seed: int = 0) -> TopicTexts:
    """A topic of made-up texts: words by Zipf's law, sentences of a dozen, lengths within a tenth."""
    draw = random.Random(seed)
    words = [f"word{number}" for number in range(20_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    totals = []
    of_groups = []
    for group in range(groups):
        for _ in range(SAMPLES):
            length = round(tokens * draw.uniform(0.9, 1.1))
            chosen = draw.choices(words, weights, k=length)
            totals.append(" ".join(w + "." * (i % 12 == 11) for i, w in enumerate(chosen)))
            of_groups.append(group)
    return TopicTexts(TopicKey("qa", "c", str(seed)), seed, of_groups, totals)


def _measure(kind: str, tokens: int, n_topics: int, groups: int) -> None:
    topic = texts_of(tokens, groups)
    n_pairs = groups * (groups - 1) // 2 * SAMPLES**2

    def row(step: str, work: Callable[[], Any], plain: float) -> Any:
        found, seconds = _timed(work)
        print(
            f"| {kind} | {step} | {seconds:.2f} | {seconds * n_topics / 60:.1f} | {plain / seconds:,.1f} |",
            flush=True,
        )
        return found

    reference = _reference_tokenizer()
    part = topic.texts[:100]
    _, one_by_one = _timed(lambda: [reference(text) for text in part])
    parted = row(
        "tokens", lambda: [nltk_tokens(text) for text in topic.texts], one_by_one * len(topic.texts) / len(part)
    )
    coded = code_topic(parted, topic.groups, groups)
    some = list(islice(product(parted[:SAMPLES], parted[SAMPLES:]), PAIRS))
    _, wed_one_by_one = _timed(lambda: [_plain_wed(a, b) for a, b in some])
    wed_plain = wed_one_by_one / len(some) * n_pairs
    with patch("blend.eval.tasks.cultural_prompts.word_edit_distance.compiled", return_value=None):
        row("WED, RapidFuzz", lambda: pair_sums(coded), wed_plain)
    if compiled() is not None:
        row("WED, Numba", lambda: pair_sums(coded), wed_plain)
    by_group = [parted[start : start + SAMPLES] for start in range(0, 12 * SAMPLES, SAMPLES)]
    couples = [(a, b) for a in by_group for b in by_group][:20]
    _, bleu_one_by_one = _timed(lambda: [_plain_bleu(a, b) for a, b in couples])
    row("BLEU", lambda: bleu(coded), bleu_one_by_one / len(couples) * groups * (groups - 1))


def _timed(work: Callable[[], Any], rounds: int = 3) -> tuple[Any, float]:
    """What it finds, and the least processor time in which it did."""
    least = math.inf
    for _ in range(rounds):
        start = time.process_time()
        found = work()
        least = min(least, time.process_time() - start)
    return found, least


def _reference_tokenizer() -> Callable[[str], list[str]]:
    from nltk.tokenize.destructive import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    sentences, words = PunktSentenceTokenizer(), NLTKWordTokenizer()
    return lambda text: [
        word for sentence in sentences.tokenize(text.lower()) for word in words.tokenize(sentence)
    ]


def _plain_wed(a: Sequence[str], b: Sequence[str]) -> float:
    """Two texts by themselves."""
    return Levenshtein.distance(a, b) / max(len(a), len(b))


def _plain_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> float:
    """One direction of two groups, n-grams counted anew, as ``compute_bleu`` of the NMT tutorial does."""
    matches, possible = [0] * ORDERS, [0] * ORDERS
    for text in hypotheses:
        merged: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            merged |= _grams(reference)
        for gram, count in (_grams(text) & merged).items():
            matches[len(gram) - 1] += count
        for order in range(ORDERS):
            possible[order] += max(0, len(text) - order)
    precisions = [m / p if p else 0.0 for m, p in zip(matches, possible, strict=True)]
    if not all(precisions):
        return 0.0
    written, shortest = sum(map(len, hypotheses)), len(hypotheses) * min(map(len, references))
    penalty = 1.0 if written > shortest else math.exp(1 - shortest / written)
    return penalty * math.exp(sum(map(math.log, precisions)) / ORDERS)


def _grams(text: Sequence[str]) -> Counter[tuple[str, ...]]:
    return Counter(
        tuple(text[start : start + order])
        for order in range(1, ORDERS + 1)
        for start in range(len(text) - order + 1)
    )


def _memory(groups: int) -> None:
    print("\n| topics | texts | largest memory, MB |\n|--:|--:|--:|")
    for n_topics in (5, 10, 20):
        command = [sys.executable, __file__, "--memory", str(n_topics), "--groups", str(min(groups, 60))]
        found = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
        print(f"| {n_topics} | {found['texts']:,} | {found['mb']:,.0f} |", flush=True)


def _memory_of(n_topics: int, groups: int) -> dict[str, float]:
    settings = Settings(tuple(f"g{group}" for group in range(groups)), stop_words=stop_words())
    totals = Totals(settings)
    for figures in analysed((texts_of(100, groups, seed) for seed in range(n_topics)), settings):
        totals.add(figures)
    totals.words(top=15)
    # Not that of getrusage, which starts with what the process had that started this one.
    (used,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    return {"texts": sum(topic.n_texts for topic in totals.topics), "mb": int(used) / 1024}


def _dask(groups: int, n_topics: int) -> None:
    """The whole command on a cluster of this machine, with one worker and with two, in turns."""
    os.environ.update(WORKERS_MEMORY)
    with tempfile.TemporaryDirectory() as folder:
        warm, run = (_run_of(Path(folder), n, groups) for n in (8, n_topics))
        (one,) = _alone(1, warm, run)
        two = sum(_alone(2, warm, run)) / 2
        print(
            f"{n_topics} topics of explanations. One process needs {one:.1f} s of processor time; two that "
            f"know nothing of each other, at the same time, {two:.1f} s each ({two / one:.2f} times).\n"
        )
        print("| workers | load before | elapsed, s | less waiting for others, s | processor time, s | idle |")
        print("|--:|--:|--:|--:|--:|--:|")
        found: dict[int, list[_Cluster]] = {1: [], 2: []}
        for workers in (1, 2) * DASK_ROUNDS:
            load = os.getloadavg()[0]
            of = _on_cluster(workers, warm, run)
            found[workers].append(of)
            figures = f"{of.elapsed:.1f} | {of.undisturbed:.1f} | {of.worked:.1f}"
            idle = 1 - of.worked / workers / of.undisturbed
            print(f"| {workers} | {load:.1f} | {figures} | {idle:.0%} |", flush=True)
    elapsed, undisturbed = (
        min(getattr(of, name) for of in found[1]) / min(getattr(of, name) for of in found[2])
        for name in ("elapsed", "undisturbed")
    )
    print(f"\nTwo workers are {elapsed:.2f} times as fast as one; without waiting {undisturbed:.2f} times.")


class _Cluster(NamedTuple):
    """What a cluster took, in seconds."""

    elapsed: float
    undisturbed: float
    """The same without the time in which a worker could have run and another process did, on average."""
    worked: float
    """Processor time of all workers."""


def _on_cluster(workers: int, warm: Run, run: Run) -> _Cluster:
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        with Client(address, set_as_default=False) as client:
            score_answers(warm, dask=address)
            before = _clocks(client)
            start = time.perf_counter()
            score_answers(run, dask=address)
            elapsed = time.perf_counter() - start
            after = _clocks(client)
    worked, waited = (sum(after[worker][i] - before[worker][i] for worker in after) for i in range(2))
    return _Cluster(elapsed, elapsed - waited / workers, worked)


def _alone(processes: int, warm: Run, run: Run) -> list[float]:
    """Processor time of processes that each score the run by themselves, at the same time."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return list(pool.map(_scored, [warm.directory] * processes, [run.directory] * processes))


def _scored(warm: Path, run: Path) -> float:
    with tempfile.TemporaryDirectory() as folder:
        # Of its own: one run is scored by one process at a time.
        copy = shutil.copytree(run, Path(folder) / "run")
        score_answers(read_run(shutil.copytree(warm, Path(folder) / "warm")))
        _, seconds = _timed(lambda: score_answers(read_run(copy)), rounds=1)
    return seconds


def _run_of(folder: Path, n_topics: int, groups: int) -> Run:
    """A run of made-up texts about so many topics; every eighth has the texts of another nationality each."""
    drawn = [texts_of(100, groups, seed).texts for seed in range(min(n_topics, 8))]
    topics = []
    for number in range(n_topics):
        texts, turn = drawn[number % 8], number // 8 * SAMPLES
        places = range(groups * SAMPLES)
        topics.append(
            pl.DataFrame(
                {
                    "topic": f"topic {number}",
                    "group": [f"g{place // SAMPLES}" for place in places],
                    "sample": [place % SAMPLES for place in places],
                    "text": [*texts[turn:], *texts[:turn]],
                }
            )
        )
    table = folder / f"{n_topics}.parquet"
    pl.concat(topics).write_parquet(table)
    keep_texts(table, folder / str(n_topics))
    return read_run(folder / str(n_topics))


def _clocks(client: "Client") -> dict[str, tuple[float, float]]:
    """The clock of the thread of each worker's tasks."""
    return {
        worker: client.submit(_clock, workers=[worker], pure=False).result() for worker in client.nthreads()
    }


def _clock() -> tuple[float, float]:
    """Seconds that this thread has run, and that it could have run and others did (Linux)."""
    schedule = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
    ran, waited, _ = schedule.read_text(encoding="ascii").split()
    return int(ran) / 1e9, int(waited) / 1e9


if __name__ == "__main__":
    main()
