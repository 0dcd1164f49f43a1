"""The rule of SemEval-2026 Task 7 for short answers, as far as it can be repeated.

Its scorer looks for the lemmas of an accepted answer in those of the prediction. It reads each language with a
library of its own, in a container with Python 3.9; here the lemmatisers of `paper_rule` stand in for them.
"""

from collections.abc import Iterable, Mapping

import polars as pl

from blend.eval.scores_json import ALL, Score, percent, percents
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import estimates, macro_estimate
from blend.eval.tasks.short_answer.answer_match import AnswerMatch
from blend.eval.tasks.short_answer.paper_rule import PaperRule
from blend.eval.tasks.short_answer.replies import Reply
from blend.eval.tasks.short_answer.task_predictions import asked_id
from blend.schemas.language.answer_formats import AnswerFormat

SEMEVAL = "semeval"
"""Name of the rule."""

THEIRS: Mapping[str, str] = {
    "am": "amharicNLP 1.1.0", "ar": "qalsadi", "fa": "hazm", "ja": "MeCab", "ko": "KoNLPy", "sv": "lemmy",
    "zh": "jieba",
}  # fmt: skip
"""Primary subtag to the library of the task's scorer that only this language needs; the others are read with
spaCy, stanza, cltk or Spark NLP 5.3.3."""

_OTHERS = "spaCy, stanza, cltk or Spark NLP"


class SemevalRule(PaperRule):
    """`PaperRule` whatever the case: accepted answers have capitals here."""

    def match(
        self, reply: Reply, variants: Iterable[tuple[int, bool, str]], answer_format: AnswerFormat
    ) -> AnswerMatch | None:
        """The first variant that a reply matches; see `answer_match.Rule`."""
        lower = ((index, is_english, text.lower()) for index, is_english, text in variants)
        return super().match(reply, lower, answer_format)


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
