"""ScoredItems: agreement, precision by people, and how far each automatic measure goes along with people."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl
from pydantic import BaseModel, ConfigDict

from blend.eval.report.scored_runs import ScoredRun
from blend.eval.runs.run_directory import translate_errors
from blend.eval.scores_json import ALL, Score, agreement_scores, estimated, percent, percents
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.correlation import correlation
from blend.eval.statistics.estimates import estimates
from blend.eval.triples import TripleTask
from blend.eval.triples.people_judgements import read_judgements
from blend.eval.triples.prediction_sheet import predictions
from blend.loaders.files.atomic import atomic_write

JUDGED_NAME = "judged.json"

MEASURES = ("precision", "recall", "f1", "hits_1", "hits_5", "similarity")
"""Columns of decisions that are compared with people, as far as a run has them. Of a run of probing
``precision`` is the average precision of the ranking."""

_NAMES = {"hits_1": "P@1", "hits_5": "P@5", "similarity": "mWS"}


class JudgedByPeople(BaseModel):
    """Judgements of people on a run's predictions."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    signature: str
    """Signature of the run's scores."""
    model: str
    """Name of the model."""
    annotators: tuple[str, ...]
    """Who judged."""
    n_dishes: int
    """Dishes judged by anybody."""
    scores: tuple[Score, ...]
    """The figures."""

    def to_json(self) -> str:
        """The figures as the bytes of ``judged.json`` decode to."""
        return self.model_dump_json(indent=2) + "\n"


def score_by_people(
    run: ScoredRun, paths: Sequence[Path], *, seed: int = 0, encoding: str | None = None
) -> JudgedByPeople:
    """The figures of the sheets that came back.

    Args:
        run: The scored run whose sheet they are.
        paths: Filled-in sheets or tables, see `people_judgements.read_judgements`.
        seed: Seed of the intervals, all of which are over dishes.
        encoding: Of tables; see `loaders.files.content.read_text`.

    Raises:
        InputError: If a file cannot be used, see there.
    """
    every = predictions(run)
    asked = dict(zip(every["id"], every["ingredients"].to_list(), strict=True))
    judgements = read_judgements(paths, asked, encoding=encoding).join(
        every.select("id", "qid", "region", "language"), on="id", how="left", maintain_order="left"
    )
    # Everybody counts the same: a prediction is correct by the share of those who say so.
    by_prediction = judgements.group_by(
        "id", "qid", "region", "language", "ingredient", maintain_order=True
    ).agg(pl.col("correct").mean(), n=pl.len(), yes=pl.col("correct").sum())
    several = by_prediction.filter(pl.col("n") > 1)
    scores = [
        *agreement_scores("agreement", several["yes"], several["n"], several["qid"], seed),
        *_precision(by_prediction, seed),
        *_correlations(by_prediction, every, run, seed),
    ]
    return JudgedByPeople(
        signature=run.scores.signature,
        model=run.scores.model,
        annotators=tuple(sorted(judgements["annotator"].unique())),
        n_dishes=judgements["qid"].n_unique(),
        scores=tuple(scores),
    )


def write_judged(run: ScoredRun, judged: JudgedByPeople) -> None:
    """Keep the figures in the directory of the run, in place of earlier ones."""
    with translate_errors(run.run.directory):
        atomic_write(run.run.directory / JUDGED_NAME, judged.to_json())


def _precision(rows: pl.DataFrame, seed: int) -> list[Score]:
    values, dishes = rows["correct"].to_numpy(), rows["qid"].to_numpy()
    pooled = estimates(cluster_sums(values, dishes), seed=seed)[0]
    by_country = cluster_sums(values, dishes, rows["region"].to_numpy())
    return [
        percent("precision-people", "overall", ALL, pooled),
        *percents("precision-people", "country", by_country.groups, estimates(by_country, seed=seed)),
    ]


def _correlations(rows: pl.DataFrame, every: pl.DataFrame, run: ScoredRun, seed: int) -> list[Score]:
    """Each automatic measure of a dish against the share of its predictions that people find right."""
    by_item = rows.group_by("id", "qid", maintain_order=True).agg(people=pl.col("correct").mean())
    held = [name for name in MEASURES if name in every.columns]
    assert isinstance(run.task, TripleTask)
    # The mean of the column by which runs are compared is the task's figure: mAP of the average precision.
    decided_by, own = run.task.terms.decided_by, run.task.terms.figure.removeprefix("m")
    both = by_item.join(every.select("id", *held), on="id", how="left", maintain_order="left")
    scores = []
    for name in held:
        known = both.filter(pl.col(name).is_not_null())
        if known.height < 2:
            continue
        metric = _NAMES.get(name, own if name == decided_by else name)
        columns = (known[name].to_numpy(), known["people"].to_numpy(), known["qid"].to_numpy())
        scores.append(
            estimated(
                f"rank-correlation-{metric}", "overall", ALL, correlation(*columns, kind="rank", seed=seed)
            )
        )
        scores.append(estimated(f"correlation-{metric}", "overall", ALL, correlation(*columns, seed=seed)))
    return scores
