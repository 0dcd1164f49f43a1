"""Predictions of short answers as SemEval-2026 Task 7 takes them: a text per id, of the language asked in."""

from collections.abc import Iterator, Mapping, Sequence

from blend.eval.items import TaskItems
from blend.eval.runs.prediction_files import PREDICTION, Predictions
from blend.eval.runs.run_directory import Run
from blend.eval.runs.written_answers import as_scored
from blend.loaders.upstream.semeval.task_files import ENGLISH, SAQ_PREDICTION, in_english, task_id
from blend.schemas.errors import InputError


def predictions() -> Predictions:
    """The task's file for short answers."""
    return Predictions(SAQ_PREDICTION, ("id", PREDICTION), _items, _answer_text, _rows)


def asked_id(template_id: str, language: str) -> str:
    """The task's id of a question in the language that it is asked in: ``en-ET_001`` of ``am-ET_001``."""
    return in_english(template_id) if language == ENGLISH else template_id


def _items(asked: TaskItems) -> Iterator[tuple[str, str, None]]:
    for item_id, template_id, language in asked.items.select("item_id", "template_id", "language").iter_rows():
        yield item_id, asked_id(template_id, language), None


def _answer_text(cells: Mapping[str, str], _: None) -> str:
    return cells[PREDICTION]


def _rows(run: Run) -> Iterator[Sequence[str]]:
    items = run.items("item_id", "template_id", "language")
    answers = as_scored(run.answers(), run.description).select("item_id", "text")
    written: set[str] = set()
    for template_id, language, text in (
        items.join(answers, on="item_id", how="left", maintain_order="left").drop("item_id").iter_rows()
    ):
        if task_id(template_id) is None:
            raise InputError(
                f"{run.directory}: asks {template_id!r}, which is no question of SemEval's; run on a "
                "release made with `blend build --semeval`"
            )
        row_id = asked_id(template_id, language)
        # A question is asked with every prompt; the first one counts.
        if row_id not in written:
            written.add(row_id)
            yield row_id, " ".join((text or "").split())
