"""Short answers at scale: seconds of processor time to score 16 regions x 500 questions x 2 prompts.

    python benchmarks/short_answer_scale.py ../shared/data/blend

Every response is one of the annotators' answers with words around it, of this question or of another one.
Imports, dictionaries and the reading of the data come before the clock.
"""

import argparse
import time
from pathlib import Path

import polars as pl

from blend.eval.tasks.short_answer.short_answer_decisions import RESPONSES, decide_short_answers
from blend.loaders.upstream.blend import read_blend

PROMPTS = ("first", "second")


def main() -> None:
    """Measure both rules with the base lemmatisers, and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="BLEnD's files")
    tables = read_blend(parser.parse_args().folder)
    texts = tables.questions.select("template_id", "locale", "language", "en_question")
    annotations = tables.annotations.join(texts, on=["template_id", "locale"])
    responses = _responses(annotations)
    few = responses.group_by("locale").head(1)
    for rule, lemmas in (("default", "default"), ("paper", "none")):
        decide_short_answers(few, annotations, rule=rule, lemmas=lemmas)
        started = time.process_time()
        decisions = decide_short_answers(responses, annotations, rule=rule, lemmas=lemmas)
        seconds = time.process_time() - started
        share = decisions["correct"].mean()
        print(f"{rule}, lemmas {lemmas}: {len(responses):,} responses in {seconds:.1f} s, {share:.1%} right")


def _responses(annotations: pl.DataFrame) -> pl.DataFrame:
    rows = []
    held: list[str] = ["?"]
    for question in annotations.iter_rows(named=True):
        answers = [answer for group in question["annotations"] for answer in group["answers"]]
        for number, prompt in enumerate(PROMPTS):
            own = bool(answers) and (len(rows) + number) % 3 > 0
            answer = answers[len(rows) % len(answers)] if own else held[len(rows) % len(held)]
            ids = (f"{question['locale']}/{question['template_id']}/{prompt}", question["locale"])
            rows.append((*ids, question["template_id"], prompt, "?", f"{len(rows)}: {answer}, ..."))
        held += answers[:1]
    return pl.DataFrame(rows, schema=RESPONSES, orient="row")


if __name__ == "__main__":
    main()
