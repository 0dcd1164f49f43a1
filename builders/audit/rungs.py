"""Audit of the rungs: what simple rules get right in true-false and region questions.

The solvers are those of multiple-choice questions (`solvers.SOLVERS`), with other things to look at: of a
true-false question one option without those beside it, of a region question the answer without the question.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from blend.builders.audit import Audit, audit_of, known_answers
from blend.builders.audit.question_arrays import FloatArray, QuestionArrays, question_arrays
from blend.builders.audit.solvers import SOLVERS, Known
from blend.schemas.language.locales import Registry
from blend.schemas.rows.configs import TRUE_FALSE_QUESTIONS
from blend.schemas.rows.published_rows import LETTERS

TRUE_FALSE: Mapping[str, str] = {
    "frequent": "yes to what is right in other templates most often: sees the option alone",
    "typical": "yes to what is most typical of the region's other answers: sees no question",
    "classifier": "yes by a classifier of option and region, trained on other templates: sees no question",
    "widespread": "yes to what people of most other regions gave to the question: sees no region",
}
"""Solvers of true-false questions, and what they see; each says yes above the score that serves it best."""

REGIONS: Mapping[str, str] = {
    "region-prior": "the region that is right most often in other templates: sees no question and no answer",
    "typical": "the region of whose other answers the answer is most typical: sees no question",
    "classifier": "a classifier of answer and region, trained on other templates: sees no question",
}
"""Solvers of region questions, and what they see."""

_YES_WEIGHT = len(LETTERS) - 1
"""How often a row with yes counts, so that yes and no weigh alike: the accuracy is the balanced one."""


def audit_rung(config: str, rows: pl.DataFrame, *, annotations: pl.DataFrame, locales: Registry) -> Audit:
    """Audit true-false questions, or region questions.

    Args:
        config: Which.
        rows: `frame_columns.TRUE_FALSE_ROWS`, the four of a question side by side, or `REGION_ROWS`.
        annotations: `frame_columns.ANNOTATIONS`.
        locales: Registry that knows the locales.

    Returns:
        The figures of the solvers alone. Accuracies of true-false questions are balanced: the mean of those
        where yes and where no is correct.
    """
    audited = _true_false if config == TRUE_FALSE_QUESTIONS else _regions
    return audited(rows, known_answers(annotations), locales)


def _true_false(rows: pl.DataFrame, evidence: pl.DataFrame, locales: Registry) -> Audit:
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


def _regions(rows: pl.DataFrame, evidence: pl.DataFrame, locales: Registry) -> Audit:
    code = {locale.tag: locale.region for locale in locales}
    by_region = evidence.with_columns(pl.col("group").replace_strict(code))
    known = Known(by_region, by_region, locales)
    asked = _asked(rows)
    # Of each region shown: whether the answer is right there, beside nothing.
    shown = rows.with_columns(position=pl.int_ranges(len(LETTERS))).explode("option_regions", "position")
    each = question_arrays(
        shown.select(
            *("question", "topic"),
            options=pl.concat_list("given_answer", pl.lit("")),
            answer=(pl.col("position") != pl.col("answer")).cast(pl.Int64),
            group="option_regions",
            template="template_id",
        )
    )
    scores = {"region-prior": SOLVERS["frequent"].scores(asked, known)}
    for name in ("typical", "classifier"):
        scores[name] = SOLVERS[name].scores(each, known)[::2]
    return audit_of(asked, scores, REGIONS)


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
