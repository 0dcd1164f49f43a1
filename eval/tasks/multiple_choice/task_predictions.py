"""Predictions of multiple choice as SemEval-2026 Task 7 takes them: a column per letter, 1 for the chosen."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from blend.eval.items import TaskItems
from blend.eval.prediction_files import PREDICTION, Predictions
from blend.eval.runs.run_directory import Run
from blend.eval.runs.written_answers import as_scored
from blend.eval.tasks.multiple_choice.chosen_options import DEFAULT, choose
from blend.loaders.upstream.semeval.task_files import MCQ_PREDICTION
from blend.schemas.errors import InputError
from blend.schemas.prompts import ANSWER_KEY
from blend.schemas.rows import LETTERS

_NO_LETTER = "–"
"""Text of a row that marks no single letter; what its cells hold could be read as a letter, and is not kept."""

_MARKS = {"0": 0, "0.0": 0, "1": 1, "1.0": 1}


def predictions() -> Predictions:
    """The task's file for multiple choice."""
    return Predictions(MCQ_PREDICTION, ("id", *LETTERS), _items, _answer_text, _rows, values=LETTERS)


def marked_letter(cells: Mapping[str, str]) -> str | None:
    """The letter that a row gives or marks; null if it is blank, or not one cell is 1 and the others are 0."""
    if LETTERS[0] not in cells:
        return cells[PREDICTION] or None
    marks = [_MARKS.get(cells[letter]) for letter in LETTERS]
    return LETTERS[marks.index(1)] if sorted(map(str, marks)) == ["0", "0", "0", "1"] else None


def _items(asked: TaskItems) -> Iterator[tuple[str, str, str]]:
    """Every question as published, and the letters of its options in the source."""
    gold = asked.gold.filter(rotation=0).with_columns(pl.col("source_order").fill_null("".join(LETTERS)))
    return gold.select("item_id", "question_id", "source_order").iter_rows()


def _answer_text(cells: Mapping[str, str], order: str) -> str:
    """The letter as the release shows it, in the published JSON; what marks no single letter names none."""
    letter = marked_letter(cells)
    if letter is None:
        return _NO_LETTER
    return f'{{"{ANSWER_KEY}":"{LETTERS[order.index(letter)]}"}}'


def _rows(run: Run) -> Iterator[Sequence[str]]:
    gold = run.gold()
    if gold["source_order"].null_count():
        raise InputError(
            f"{run.directory}: asks questions that are not SemEval's, whose site knows other ids; run on a "
            "release made with `blend build --semeval`"
        )
    given = ("text", "logprobs", "option_tokens", "option_bytes", "error")
    answers = as_scored(run.answers(), run.description).select("item_id", *given)
    rows = gold.filter(rotation=0).join(answers, on="item_id", how="left", maintain_order="left")
    style = "json" if run.description.holds_texts else run.description.options["style"]
    chosen = choose(rows, style=style, rule=DEFAULT).chosen
    for question_id, order, index in zip(rows["question_id"], rows["source_order"], chosen, strict=True):
        letter = None if index is None else order[index]
        yield question_id, *("1" if letter == one else "0" for one in LETTERS)
