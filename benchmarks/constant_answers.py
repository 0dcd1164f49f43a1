"""One constant reply to every question: what the most common answers of a region score, listed in many ways.

    python benchmarks/constant_answers.py ../shared/data/blend --locales en-US --answers 3 50 200

An answer is as common as the questions whose annotators gave it. Three answers may be given; a list of fifty is
no answer to a question, however it is written. `tests/benchmarks/test_constant_answers.py` holds the limits.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from blend.eval.tasks.short_answer.short_answer_decisions import decide_short_answers
from blend.loaders.upstream.blend import read_blend

FORMS: dict[str, Callable[[Sequence[str]], str]] = {
    "commas": ", ".join,
    "lines": "\n".join,
    "numbered": lambda answers: "\n".join(f"{number}. {text}" for number, text in enumerate(answers, 1)),
    "bullets": lambda answers: "\n".join(f"- {text}" for text in answers),
    "and": " and ".join,
    "pairs": lambda answers: ", ".join(map(" and ".join, zip(answers[::2], answers[1::2], strict=False))),
    "slashes": "/".join,
    "blanks": " ".join,
    "JSON": lambda answers: str(list(answers)),
    "sentences": lambda answers: " ".join(f"It is {text}." for text in answers),
    "long sentences": lambda answers: " ".join(f"The most common answer is surely {text}." for text in answers),
}
"""Ways to list answers."""


def main() -> None:
    """Print SEM-B of every region, number of answers and form."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="BLEnD's files")
    parser.add_argument("--locales", nargs="+", help="all when absent")
    parser.add_argument("--answers", nargs="+", type=int, default=[3, 50, 200])
    parser.add_argument("--rule", default="default")
    given = parser.parse_args()
    annotations = published_annotations(given.folder)
    for locale in given.locales or annotations["locale"].unique(maintain_order=True):
        rows = annotations.filter(locale=locale)
        for n_answers in given.answers:
            answers = common_answers(rows, n_answers)
            found = {name: sem_b(rows, form(answers), rule=given.rule) for name, form in FORMS.items()}
            print(locale, n_answers, "  ".join(f"{name} {value:.1f}" for name, value in found.items()))


def published_annotations(folder: Path) -> pl.DataFrame:
    """The annotations of BLEnD's files with their questions."""
    tables = read_blend(folder, clean=False)
    texts = tables.questions.select("template_id", "locale", "language", "en_question", "question")
    return tables.annotations.join(texts, on=["template_id", "locale"])


def common_answers(annotations: pl.DataFrame, n_answers: int) -> list[str]:
    """The answers that most questions of a region have in common, the first spelling of each; ties by text."""
    questions: Counter[str] = Counter()
    for groups in annotations["annotations"]:
        questions.update({group["answers"][0].strip() for group in groups if group["answers"]} - {""})
    return sorted(questions, key=lambda answer: (-questions[answer], answer))[:n_answers]


def sem_b(annotations: pl.DataFrame, response: str, *, rule: str = "default") -> float:
    """SEM-B of one response to every question, in percent."""
    keys = annotations.select("locale", "template_id", prompt="question")
    responses = keys.with_columns(
        item_id="template_id",
        prompt_id=pl.lit("constant"),
        asked_in=pl.lit("local"),
        response=pl.lit(response),
    )
    decisions = decide_short_answers(responses, annotations, rule=rule).drop_nulls("correct")
    return 100 * decisions["correct"].sum() / decisions.height


if __name__ == "__main__":
    main()
