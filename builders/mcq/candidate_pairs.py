"""Candidate pairs: answers that questions would show side by side, for people or a judge to decide on."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import polars as pl

from blend.builders.judges.equivalence import Pair
from blend.builders.judges.panel import JudgePanel, pair
from blend.builders.mcq.answers import TemplateAnswers, read_answers
from blend.builders.mcq.offers import offers
from blend.builders.mcq.verdicts.exclusions import Exclusions
from blend.schemas.formats import AnswerFormat
from blend.schemas.locales import Registry
from blend.schemas.recipe import McqOptions

CANDIDATE_PAIRS = pl.Schema(
    {"answer_a": pl.String(), "answer_b": pl.String(), "questions": pl.Int64(), "template_id": pl.String()}
)
"""One row per pair of answers, in code-point order, most frequent first.

``questions`` counts those, by template and locale, in which one may be shown beside the other, or as a
distractor where the other is acceptable; ``template_id`` is the first of their templates.
"""


def candidate_pairs(
    questions: pl.DataFrame, annotations: pl.DataFrame, *, options: McqOptions, locales: Registry
) -> pl.DataFrame:
    """List the pairs of free-text answers that the lexical rules let through.

    Args:
        questions: `QUESTIONS`.
        annotations: `ANNOTATIONS`.
        options: Thresholds of default mode.
        locales: Known locales.

    Returns:
        `CANDIDATE_PAIRS`.
    """
    exclusions = Exclusions(None, questions, locales, shipped=options.judge.shipped)
    counts: Counter[Pair] = Counter()
    first: dict[Pair, str] = {}
    for answers in read_answers(
        questions, annotations, options=options, seed=0, exclusions=exclusions, locales=locales
    ):
        if answers.answer_format is AnswerFormat.TEXT:
            for found in _candidates(answers):
                counts[found] += 1
                first.setdefault(found, answers.template_id)
    rows = [(*one, counts[one], first[one]) for one in sorted(counts, key=lambda one: (-counts[one], one))]
    return pl.DataFrame(rows, CANDIDATE_PAIRS, orient="row")


def _candidates(answers: TemplateAnswers) -> Iterator[Pair]:
    """List for every locale asked about the pairs that its question may rest on, each once."""
    for target in offers(answers, seed=0, panel=JudgePanel(())):
        options = [one.option for one in target.offered]
        found = {pair(option.text, text) for option in options for text in target.acceptable}
        found |= {
            pair(one.text, other.text)
            for one, other in combinations(options, 2)
            if one.locale.region != other.locale.region and one.values.isdisjoint(other.values)
        }
        yield from (one for one in found if one[0] != one[1])
