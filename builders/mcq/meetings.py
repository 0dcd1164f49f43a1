"""Meetings: which answers may stand side by side in a question, whatever judges beyond the rules say."""

from collections.abc import Iterator

import polars as pl

from blend.builders.judges.bench import pair
from blend.builders.judges.equivalence import Pair
from blend.builders.mcq.answers import read_answers
from blend.builders.mcq.board import Board
from blend.builders.mcq.exclusions import Exclusions
from blend.builders.mcq.translations import Translations
from blend.schemas.formats import AnswerFormat
from blend.schemas.locales import Registry
from blend.schemas.recipe import McqOptions

MEETINGS = pl.Schema(
    {"answer_a": pl.String(), "answer_b": pl.String(), "questions": pl.Int64(), "template_id": pl.String()}
)
"""One row per pair of answers, in code-point order, most frequent first.

``questions`` counts those, by template and locale, in which one may be shown beside the other, or as a
distractor where the other is acceptable; ``template_id`` is the first of their templates.
"""


def meetings(
    questions: pl.DataFrame, annotations: pl.DataFrame, *, options: McqOptions, locales: Registry
) -> pl.DataFrame:
    """The pairs of free-text answers that the lexical rules and local variants let through, `MEETINGS`.

    Args:
        questions: `schemas.frames.QUESTIONS`.
        annotations: `schemas.frames.ANNOTATIONS`.
        options: Thresholds of default mode.
        locales: Known locales.
    """
    exclusions = Exclusions(None, questions, locales, shipped=options.judge.shipped)
    counts: dict[Pair, int] = {}
    first: dict[Pair, str] = {}
    for answers in read_answers(
        questions, annotations, options=options, seed=0, exclusions=exclusions, locales=locales
    ):
        if answers.answer_format is AnswerFormat.TEXT:
            for met in _met(Board(answers)):
                counts[met] = counts.get(met, 0) + 1
                first.setdefault(met, answers.template_id)
    rows = [(*met, counts[met], first[met]) for met in sorted(counts, key=lambda met: (-counts[met], met))]
    return pl.DataFrame(rows, MEETINGS, orient="row")


def translated(annotations: pl.DataFrame, met: pl.DataFrame, *, locales: Registry) -> dict[Pair, str]:
    """The pairs of `MEETINGS` that a locale means by the same words of its own, with the first such locale.

    Here every locale has a say, also one that neither asks nor answers where the two meet.
    """
    known = Translations(annotations)
    tags = sorted(annotations["locale"].unique(), key=locales.rank)
    pairs = met.select("answer_a", "answer_b").rows()
    texts = {text for one in pairs for text in one}
    also = {text: {tag: known.also(tag, text) for tag in tags} for text in texts}
    by_pair = {(a, b): next((tag for tag in tags if b in also[a][tag]), None) for a, b in pairs}
    return {one: tag for one, tag in by_pair.items() if tag is not None}


def _met(board: Board) -> Iterator[Pair]:
    """For every locale asked about, the pairs that its questions may rest on, each once."""
    for target in board.targets:
        foreign = board.foreign(target.answers.locale) & ~target.touching
        numbers = [i for i in range(len(board.options)) if foreign >> i & 1]
        conflicts = board.conflicts({})
        found = {pair(board.options[i].text, text) for i in numbers for text in target.acceptable}
        found |= {
            pair(board.options[i].text, board.options[j].text)
            for i in numbers
            for j in numbers
            if i < j
            and not conflicts[i] >> j & 1
            and board.options[i].locale.region != board.options[j].locale.region
        }
        yield from (met for met in found if met[0] != met[1])
