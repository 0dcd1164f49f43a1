"""Labelled items: decisions on the answers of a run beside what people say of some of them."""

from collections.abc import Iterable

import numpy as np
import polars as pl

from blend.eval.report.scored_runs import ScoredRun
from blend.eval.runs.labels import LABELS_NAME, labels_digest, read_labels
from blend.eval.runs.run_directory import Run
from blend.eval.scores_json import UNANSWERED, Score, score_again
from blend.eval.statistics.prediction_powered import CorrectedMeans, corrected_means
from blend.schemas.errors import InputError

WORTHLESS_KAPPA = 0.1
"""Kappa below which a rule is said to be worthless: labels alone would tell as much."""

MIN_LABELS = 30
"""Labels from which on that is said."""


def scored_with_labels(run: ScoredRun) -> pl.DataFrame | None:
    """Decisions of a scored run beside people's labels; null, and nothing read, where there are none.

    Raises:
        InputError: If there are other labels than those that it was scored with.
        RowError: If the labels cannot be read.
    """
    directory = run.run.directory
    if not (directory / LABELS_NAME).exists():
        return None
    if f"|labels:{labels_digest(directory)}|" not in run.scores.signature:
        raise InputError(
            f"{directory}: people's labels have changed since it was scored; {score_again(run.run)}"
        )
    return with_labels(run.decisions(), run.run)


def with_labels(decisions: pl.DataFrame, run: Run) -> pl.DataFrame | None:
    """Decisions beside people's labels.

    Returns:
        The rows that are scored, with ``people`` (their verdict), ``label`` (0 to 1) and ``probability``, null
        where nobody has labelled the reply, and ``cell``, what the rule says, and the string rule where that is
        another one; or ``unanswered``. Null where nobody has labelled anything.

    Raises:
        RowError: If the labels cannot be read.
    """
    labels = read_labels(run.directory)
    if labels is None:
        return None
    verdicts = [name for name in ("correct", "by_rule") if name in decisions.columns]
    stated = labels.select("item_id", "probability", people="verdict", label="correct")
    return (
        decisions.drop_nulls("correct")
        .join(stated, on="item_id", how="left", maintain_order="left")
        .with_columns(
            cell=pl.when(pl.col("why") == UNANSWERED)
            .then(pl.lit(UNANSWERED))
            .otherwise(pl.concat_str(*verdicts, separator="/"))
        )
    )


def means_of(rows: pl.DataFrame, by: str) -> CorrectedMeans:
    """The corrected means of labelled decisions by a column; see `with_labels`.

    Nobody is asked to label what is unanswered: it is wrong, which is known without being drawn. Labels of one
    template alone say nothing of others, so they do not count.
    """
    is_labelled = pl.col("template_id").filter(pl.col("label").is_not_null()).n_unique().over(by) > 1
    is_known = pl.col("cell") == UNANSWERED
    rows = rows.with_columns(
        label=pl.when(is_labelled).then(pl.when(is_known).then(0.0).otherwise("label")),
        probability=pl.when(is_known).then(1.0).otherwise("probability"),
    )
    known = rows["label"].is_not_null().to_numpy()
    columns = (rows[name].to_numpy() for name in ("cell", "template_id", by))
    cells, clusters, groups = (column.astype(str) for column in columns)
    labels, chances = (rows[name].to_numpy()[known] for name in ("label", "probability"))
    return corrected_means(cells, clusters, np.flatnonzero(known), labels, chances, groups)


def is_worthless(scores: Iterable[Score]) -> bool:
    """Whether a rule's decisions agree with people's labels no better than chance does."""
    found = [
        one
        for one in scores
        if one.metric.endswith("-kappa") and one.scope == "overall" and one.n >= MIN_LABELS
    ]
    return any(one.value is not None and one.value < WORTHLESS_KAPPA for one in found)
