"""SemEval-2026 Task 7 and short answers: its rule as far as it can be repeated, its figures and its files.

Its scorer looks for the lemmas of an accepted answer in those of the prediction. It reads each language with a
library of its own, in a container with Python 3.9; here the lemmatisers of `paper_rule` stand in for them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from blend.eval.items import TaskItems
from blend.eval.prediction_files import PREDICTION, Predictions
from blend.eval.runs.run_directory import Run
from blend.eval.runs.written_answers import as_scored
from blend.eval.scores_json import ALL, Score, percent, percents
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import estimates, macro_estimate
from blend.eval.tasks.short_answer.paper_rule import paper_rule
from blend.eval.tasks.short_answer.replies import AnswerMatch, Reply, Rule, Variant
from blend.loaders.upstream.semeval.task_files import ENGLISH, SAQ_PREDICTION, in_english, task_id
from blend.schemas.errors import InputError
from blend.schemas.formats import AnswerFormat, Calendar

SEMEVAL = "semeval"
"""Name of the rule."""

THEIRS: Mapping[str, str] = {
    "am": "amharicNLP 1.1.0", "ar": "qalsadi", "fa": "hazm", "ja": "MeCab", "ko": "KoNLPy", "sv": "lemmy",
    "zh": "jieba",
}  # fmt: skip
"""Primary subtag to the library of the task's scorer that only this language needs; the others are read with
spaCy, stanza, cltk or Spark NLP 5.3.3."""

_OTHERS = "spaCy, stanza, cltk or Spark NLP"


def semeval_rule(local: str | None, names: Mapping[str, str | None], calendar: Calendar) -> Rule:
    """`paper_rule.paper_rule` whatever the case: accepted answers have capitals here."""
    match = paper_rule(local, names, calendar)

    def match_in_lower_case(
        reply: Reply, variants: Iterable[Variant], answer_format: AnswerFormat
    ) -> AnswerMatch | None:
        lower = ((index, is_english, text.lower()) for index, is_english, text in variants)
        return match(reply, lower, answer_format)

    return match_in_lower_case


def not_repeated(lemmas: Iterable[str]) -> str:
    """Say which parts of the task's scorer are not repeated, by language.

    Args:
        lemmas: What texts were read with, ``ko=particles-1``.
    """
    pairs = [one.partition("=")[::2] for one in lemmas]
    each = "; ".join(f"{tag}: {THEIRS.get(tag, _OTHERS)}, here {ours}" for tag, ours in pairs)
    return (
        "the task's scorer reads each language with a library that runs in its container alone, so short "
        f"answers are decided with others here, and figures differ ({each}); docs/semeval.md says how"
    )


def code_scores(decisions: pl.DataFrame, *, seed: int) -> tuple[Score, ...]:
    """Accuracy by the codes of the task, language asked in and region, and their plain mean.

    Args:
        decisions: With ``locale``, ``template_id``, ``language`` and ``correct``; those that are not scored
            (null) are left out. Of several rows under one id of the task the last counts.
        seed: Seed of the intervals.
    """
    region = pl.col("locale").str.extract(r"-([A-Z]{2})$")
    ids = [asked_id(*row) for row in decisions.select("template_id", "language").iter_rows()]
    rows = (
        decisions.with_columns(pl.Series("task_id", ids, dtype=pl.String))
        .with_columns(code=pl.when(language="en").then(pl.format("en-{}", region)).otherwise("locale"))
        .drop_nulls("correct")
        .unique(["code", "task_id"], keep="last", maintain_order=True)
    )
    sums = cluster_sums(rows["correct"].cast(pl.Float64), rows["template_id"], rows["code"])
    return (
        percent("accuracy-macro", "overall", ALL, macro_estimate(sums, seed=seed)),
        *percents("accuracy", "code", sums.groups, estimates(sums, seed=seed)),
    )


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
