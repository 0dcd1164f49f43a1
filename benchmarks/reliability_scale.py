"""How long agreement and reliability take for 40,000 annotations, beside the same alpha by nltk.

16 regions of 500 questions, five responses to each: answers are drawn with the popularity that published groups
have (a few frequent, many rare), one to three each. Prints the figures of ``docs/performance.md``.

    python benchmarks/reliability_scale.py
    python benchmarks/reliability_scale.py --nltk   # one region by nltk as well, which takes minutes
"""

import argparse
import time

import numpy as np
import polars as pl

from blend.builders.annotation.reliability import reliability
from blend.builders.annotation.stages.model import WORK
from blend.builders.saq.answer_sets import answer_sets
from blend.builders.saq.ballots import cast_ballots
from blend.schemas.language.locales import registry
from blend.schemas.rows.frame_columns import QUESTIONS, RESPONSES, REVIEWS, empty

N_QUESTIONS, N_RESPONSES, N_ANNOTATORS = 500, 5, 20


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nltk", action="store_true", help="alpha of one region by nltk as well")
    parser.add_argument("--questions", type=int, default=N_QUESTIONS, help="questions in each region")
    arguments = parser.parse_args()
    tags = [locale.tag for locale in registry() if "blend" in locale.collections]
    questions, responses, work = made(tags, arguments.questions)
    reviews = empty(REVIEWS)
    reliability(questions.head(500), responses.head(100), reviews)  # what only the first call does
    started, cpu = time.perf_counter(), time.process_time()
    found = reliability(questions, responses, reviews, work)
    print(f"annotations: {len(responses):,}; regions: {len(tags)}; annotators: {len(found.annotators)}")
    print(f"reliability: {time.perf_counter() - started:.2f} s, processor {time.process_time() - cpu:.2f} s")
    if arguments.nltk:
        by_nltk(questions, responses, tags[0], found.locales.filter(locale=tags[0])["alpha"].item())


def made(tags: list[str], n_questions: int) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Questions, responses and the account of work, all invented."""
    rng = np.random.default_rng(0)
    questions = [
        {**dict.fromkeys(QUESTIONS.names(), ""), "template_id": f"q-{n:03}", "locale": tag}
        | {"question": f"question {n}?", "en_question": f"question {n}?", "answer_format": "text"}
        | {"language": registry().get(tag).language}
        for tag in tags
        for n in range(n_questions)
    ]
    responses, work = [], []
    for question in questions:
        # The first three of six hundred words stand for half of the answers to a question.
        words = rng.integers(600, size=12)
        for annotator in rng.choice(N_ANNOTATORS, size=N_RESPONSES, replace=False).tolist():
            picked = np.minimum(rng.geometric(0.3, size=rng.integers(1, 4)) - 1, 11)
            answers = [f"answer {word}" for word in dict.fromkeys(words[picked].tolist())]
            row = {"template_id": question["template_id"], "locale": question["locale"]}
            row |= {"annotator": f"a{annotator:02}", "non_answer": None, "reason": None, "source": "made"}
            responses.append({**row, "answers": answers})
            work.append(
                {**dict.fromkeys(WORK.names()), "stage": "answer", "locale": question["locale"]}
                | {"annotator": row["annotator"], "outcome": "counted", "seconds": float(rng.exponential(20))}
            )
    return (
        pl.DataFrame(questions, QUESTIONS),
        pl.DataFrame(responses, RESPONSES),
        pl.DataFrame(work, WORK),
    )


def by_nltk(questions: pl.DataFrame, responses: pl.DataFrame, tag: str, ours: float) -> None:
    """Alpha of one region, by the library."""
    from nltk.metrics.agreement import AnnotationTask

    asked, given = questions.filter(locale=tag), responses.filter(locale=tag)
    sets = answer_sets(given, cast_ballots(asked, given, empty(REVIEWS)))
    data = [(row[2], row[0], frozenset(row[3])) for row in sets.iter_rows()]
    started = time.process_time()
    theirs = AnnotationTask(data=data, distance=_masi).alpha()
    print(
        f"one region: ours {ours:.6f}, nltk {theirs:.6f} in {time.process_time() - started:.1f} s of processor"
    )


def _masi(a: frozenset[str], b: frozenset[str]) -> float:
    """MASI without the library's rounding."""
    weight = 1 if a == b else 2 / 3 if a <= b or b <= a else 1 / 3
    return 1 - weight * len(a & b) / len(a | b)


if __name__ == "__main__":
    main()
