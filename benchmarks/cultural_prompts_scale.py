"""Time and memory of the analysis of texts for many nationalities, and the full job that follows from it.

The full job is that of Bhatt and Diaz (2024): six models, 195 nationalities, five samples, 345 explanations of
about 100 tokens and 35 stories of about 800: 2.2 million texts, 979 and 99 million pairs of texts of two
nationalities. One topic of either kind is measured on one core, in processor time, the best of three; the rest
is multiplied.

Beside it, in the same run, a part is done in the plain way, text by text and pair by pair: NLTK's tokenizer,
RapidFuzz on two lists of tokens, BLEU by counting n-grams in dictionaries.

    python benchmarks/cultural_prompts_scale.py [--groups 195]
"""

import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any

import polars as pl
from rapidfuzz.distance import Levenshtein

from blend.eval.tasks.cultural_prompts.text_measures import (
    ORDERS,
    code_topic,
    directed_bleu,
    nltk_tokens,
    pair_sums,
    undirected,
)
from blend.eval.tasks.cultural_prompts.topic_analysis import (
    Settings,
    TopicKey,
    TopicTexts,
    analyse_topics,
)

SAMPLES = 5
MODELS = 6
KINDS = {"explanations": (100, 345), "stories": (800, 35)}
"""Tokens of a text and topics, by kind."""

PAIRS = 300
"""Pairs of texts that are also compared the plain way."""


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=int, default=195)
    parser.add_argument("--memory", type=int, help="Analyse so many topics and print the largest memory.")
    options = parser.parse_args()
    if os.environ.get("OMP_NUM_THREADS") != "1":
        one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1")
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **one})
    if options.memory:
        print(json.dumps(_memory_of(options.memory, options.groups)))
        return
    print(f"One core, {options.groups} nationalities, {SAMPLES} samples; the full job has {MODELS} models.\n")
    print("| kind | step | a topic, s | full job, min | times the plain way |\n|---|---|--:|--:|--:|")
    for kind, (tokens, n_topics) in KINDS.items():
        _measure(kind, tokens, n_topics * MODELS, options.groups)
    _memory(options.groups)


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
    rows = pl.DataFrame({"group_number": of_groups, "text": totals})
    return TopicTexts(TopicKey("qa", "c", str(seed)), seed, rows)


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
    texts = topic.rows["text"].to_list()
    part = texts[:100]
    _, one_by_one = _timed(lambda: [reference(text) for text in part])
    parted = row("tokens", lambda: [nltk_tokens(text) for text in texts], one_by_one * len(texts) / len(part))
    coded = code_topic(parted, topic.rows["group_number"].to_list(), groups)
    some = list(islice(product(parted[:SAMPLES], parted[SAMPLES:]), PAIRS))
    _, wed_one_by_one = _timed(lambda: [_plain_wed(a, b) for a, b in some])
    wed_plain = wed_one_by_one / len(some) * n_pairs
    row("WED", lambda: pair_sums(coded, cores=1), wed_plain)
    by_group = [parted[start : start + SAMPLES] for start in range(0, 12 * SAMPLES, SAMPLES)]
    couples = [(a, b) for a in by_group for b in by_group][:20]
    _, bleu_one_by_one = _timed(lambda: [_plain_bleu(a, b) for a, b in couples])
    row(
        "BLEU", lambda: undirected(directed_bleu(coded)), bleu_one_by_one / len(couples) * groups * (groups - 1)
    )


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
    settings = Settings(tuple(f"g{group}" for group in range(groups)))
    n_texts = 0
    for figures in analyse_topics((texts_of(100, groups, seed) for seed in range(n_topics)), settings):
        n_texts += figures.texts.height
    # Not that of getrusage, which starts with what the process had that started this one.
    (used,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    return {"texts": n_texts, "mb": int(used) / 1024}


if __name__ == "__main__":
    main()
