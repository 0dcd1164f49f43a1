"""Audit of true or false: what simple rules get right.

The solvers are those of multiple-choice questions (`solvers.SOLVERS`), and look at one option without those
beside it.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from blend.builders.audit import Audit, audit_of, known_answers
from blend.builders.audit.question_arrays import FloatArray, QuestionArrays, question_arrays
from blend.builders.audit.solvers import SOLVERS, Known
from blend.schemas.locales import Registry
from blend.schemas.rows import LETTERS

TRUE_FALSE: Mapping[str, str] = {
    "frequent": "yes to what is right in other templates most often: sees the option alone",
    "typical": "yes to what is most typical of the region's other answers: sees no question",
    "classifier": "yes by a classifier of option and region, trained on other templates: sees no question",
    "widespread": "yes to what people of most other regions gave to the question: sees no region",
}
"""Solvers of true-false questions, and what they see; each says yes above the score that serves it best."""

_YES_WEIGHT = len(LETTERS) - 1
"""How often a row with yes counts, so that yes and no weigh alike: the accuracy is the balanced one."""


def audit_true_false(rows: pl.DataFrame, *, annotations: pl.DataFrame, locales: Registry) -> Audit:
    """Audit true-false questions.

    Args:
        rows: `frame_columns.TRUE_FALSE_ROWS`, the four of a question side by side.
        annotations: `frame_columns.ANNOTATIONS`.
        locales: Registry that knows the locales.

    Returns:
        The figures of the solvers alone. Accuracies are balanced: the mean of those where yes and where no is
        correct.
    """
    evidence = known_answers(annotations)
    is_yes = (rows["answer"] == "yes").to_numpy()
    fours = rows.group_by("mcq_id", maintain_order=True).agg(
        pl.col("question", "topic", "locale", "template_id").first(),
        options="option",
        answer=(pl.col("answer") == "yes").arg_max().cast(pl.Int64),
    )
    four, known = _asked(fours), Known(evidence, evidence, locales)
    repeated = np.repeat(np.arange(len(rows)), np.where(is_yes, _YES_WEIGHT, 1))
    single = rows.with_columns(options=pl.lit(["no", "yes"]), answer=is_yes.astype(np.int64))
    scores = {}
    for name in TRUE_FALSE:
        above = _above_best(SOLVERS[name].scores(four, known), is_yes)
        scores[name] = np.stack([np.zeros(len(repeated)), above[repeated]], axis=1).ravel()
    return _counting_rows_once(audit_of(_asked(single[repeated]), scores, TRUE_FALSE))


def _counting_rows_once(audit: Audit) -> Audit:
    """Count each row once, as the table holds it: of four rows one is *yes*, and stood there three times."""
    once = pl.col("questions") * len(LETTERS) // (len(LETTERS) - 1 + _YES_WEIGHT)
    frames = {name: frame.with_columns(once) for name, frame in audit.frames().items() if "questions" in frame}
    return replace(audit, **frames)


def _asked(rows: pl.DataFrame) -> QuestionArrays:
    columns = ["question", "options", "answer", "topic"]
    return question_arrays(rows.select(*columns, group="locale", template="template_id"))


def _above_best(scores: FloatArray, is_yes: np.ndarray) -> FloatArray:
    """Compare scores with the one above which yes is right most often, yes and no weighed alike."""
    order = np.argsort(-scores, kind="stable")
    gain = np.cumsum(np.where(is_yes[order], 1 / is_yes.sum(), -1 / (~is_yes).sum()))
    # Equal scores are all above or none.
    last = np.flatnonzero(np.diff(scores[order], append=-np.inf))
    return np.where(scores >= scores[order][last[np.argmax(gain[last])]], 1.0, -1.0)
