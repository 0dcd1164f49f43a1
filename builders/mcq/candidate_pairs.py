"""Candidate pairs: answers that questions would show side by side, for people or a judge to decide on."""

from collections.abc import Iterator
from itertools import combinations

import polars as pl

from blend.builders.judges.equivalence import Pair
from blend.builders.judges.panel import pair
from blend.builders.mcq.answers import read_answers
from blend.builders.mcq.option_pool import OptionPool
from blend.builders.mcq.option_sets import numbers_in
from blend.builders.mcq.options import LocalVariants
from blend.builders.mcq.verdicts.exclusions import Exclusions
from blend.schemas.language.answer_formats import AnswerFormat
from blend.schemas.language.locales import Registry
from blend.schemas.recipe.recipe import McqOptions

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
    """List the pairs of free-text answers that the lexical rules and local variants let through.

    Args:
        questions: `QUESTIONS`.
        annotations: `ANNOTATIONS`.
        options: Thresholds of default mode.
        locales: Known locales.

    Returns:
        `CANDIDATE_PAIRS`.
    """
    exclusions = Exclusions(None, questions, locales, shipped=options.judge.shipped)
    counts: dict[Pair, int] = {}
    first: dict[Pair, str] = {}
    for answers in read_answers(
        questions, annotations, options=options, seed=0, exclusions=exclusions, locales=locales
    ):
        if answers.answer_format is AnswerFormat.TEXT:
            for found in _candidates(OptionPool(answers)):
                counts[found] = counts.get(found, 0) + 1
                first.setdefault(found, answers.template_id)
    rows = [(*one, counts[one], first[one]) for one in sorted(counts, key=lambda one: (-counts[one], one))]
    return pl.DataFrame(rows, CANDIDATE_PAIRS, orient="row")


def _candidates(pool: OptionPool) -> Iterator[Pair]:
    """List for every locale asked about the pairs that its questions may rest on, each once."""
    conflicts, texts = pool.conflicts({}), [option.text for option in pool.options]
    for target in pool.targets:
        free = numbers_in(target.other_regions & ~target.ruled_out)
        found = {pair(texts[i], text) for i in free for text in target.acceptable}
        found |= {pair(texts[i], texts[j]) for i, j in combinations(free, 2) if not conflicts[i] >> j & 1}
        yield from (one for one in found if one[0] != one[1])


def same_local_answers(annotations: pl.DataFrame, pairs: pl.DataFrame, *, locales: Registry) -> dict[Pair, str]:
    """Find the pairs of `CANDIDATE_PAIRS` that a locale means by the same words of its own; name the locale.

    Here every locale has a say, also one that neither asks nor answers where the two meet.
    """
    known = LocalVariants(annotations)
    tags = sorted(annotations["locale"].unique(), key=locales.rank)
    by_pair = {
        (a, b): next((tag for tag in tags if b in known.also(tag, a)), None)
        for a, b in pairs.select("answer_a", "answer_b").iter_rows()
    }
    return {one: tag for one, tag in by_pair.items() if tag is not None}
