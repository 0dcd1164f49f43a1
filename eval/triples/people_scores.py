"""People about triples: a model's predictions as rows of the reply sheet, and figures of what people say.

The figures are agreement, precision by people, and how far each automatic measure goes along with people.
"""

from collections.abc import Sequence
from pathlib import Path

import polars as pl
from pydantic import BaseModel, ConfigDict

from blend.eval.items import text_digest
from blend.eval.judging.reply_verdicts import read_reply_verdicts
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.runs.answers import storing
from blend.eval.scores_json import ALL, Score, agreement_scores, estimated, percent, percents
from blend.eval.statistics.agreement import correlation
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import estimates
from blend.eval.triples import TripleTask
from blend.eval.triples.triple_sections import terms_of
from blend.loaders.files.atomic import atomic_write
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.sheets import CORRECT

SHOWN = 5
"""Predictions of a dish in a sheet."""


def predictions(run: ScoredRun) -> pl.DataFrame:
    """Every prediction of a run: the best `SHOWN` candidates of each item, or the first entries of its list.

    Returns:
        A row per item and prediction: the decisions with ``id``, ``question`` and ``reply``, as the reply sheet
        has them (`judging.reply_sheet`). The order of an item's predictions is that of their ids.

    Raises:
        InputError: If the task has no predictions to judge, or the run is not scored.
    """
    if not isinstance(run.task, TripleTask):
        raise InputError(
            f"{run.run.directory}: the task {run.task.name} has no predictions to judge; name a run of a task "
            "about triples"
        )
    predicted = pl.col(run.task.terms.predicted).list.head(SHOWN).list.unique()
    asked = run.reword("Which ingredients belong into the dish “{}”?")
    rows = (
        run.decisions()
        .join(run.run.gold("item_id", "label"), on="item_id", how="left", maintain_order="left")
        .with_columns(question=pl.format(asked, "label"), reply=predicted)
        .explode("reply", empty_as_null=False)
    )
    # The predictions of an item stand together where a sheet is sorted by id.
    ids = [
        f"r{text_digest(item)[:6]}{text_digest(f'{item}|{text}')[:6]}"
        for item, text in rows.select("item_id", "reply").iter_rows()
    ]
    return rows.with_columns(pl.Series("id", ids, pl.String)).sort("id")


def make_sheet(run: ScoredRun, *, sample: int, locale: str | None = None, seed: int = 0) -> pl.DataFrame:
    """A sheet of the predictions of some dishes.

    Args:
        run: A scored run of a task about triples.
        sample: Dishes, at most; each with one of its prompts. A digest chooses both.
        locale: Locale of those who judge; the dishes have their names in its language. The language of the
            first item when absent.
        seed: Another seed chooses others.

    Returns:
        ``id``, ``locale``, ``region`` (null), ``question`` and ``reply``, dish by dish.

    Raises:
        InputError: If nothing was predicted.
        UnknownNameError: If the run did not ask in the language; lists those in which it did.
    """
    every = predictions(run)
    held = every["language"].unique(maintain_order=True).to_list()
    if not held:
        raise InputError(f"{run.run.directory}: the model predicted nothing, so there is nothing to judge")
    wanted = held[0] if locale is None else locale
    language = next((tag for tag in held if f"{wanted}-".lower().startswith(f"{tag}-".lower())), None)
    if language is None:
        raise UnknownNameError("language of the run", wanted, held)
    rows = every.filter(language=language)
    items = rows.select("item_id", "qid").unique()
    order = pl.Series([text_digest(f"{seed}|{item}") for item in items["item_id"]])
    chosen = items.with_columns(order=order).sort("order").unique("qid", keep="first", maintain_order=True)
    return (
        chosen.head(sample)
        .join(rows, on="item_id", how="left", maintain_order="left_right")
        .select("id", "question", "reply", locale=pl.lit(wanted), region=pl.lit(None, pl.String))
    )


_JUDGED_NAME = "judged.json"

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


def score_by_people(run: ScoredRun, paths: Sequence[Path], *, seed: int = 0) -> JudgedByPeople:
    """The figures of the sheets that came back.

    Args:
        run: The scored run whose sheet they are.
        paths: Filled-in sheets or tables, see `judging.reply_sheet.label_replies`.
        seed: Seed of the intervals, all of which are over dishes.

    Raises:
        InputError: If a file cannot be used, see there.
    """
    every = predictions(run)
    asked = dict(every.select("id", "reply").iter_rows())
    verdicts = read_reply_verdicts(paths, asked)
    # Everybody counts the same: a prediction is correct by the share of those who say so.
    is_correct = pl.col("verdict") == CORRECT
    by_prediction = verdicts.group_by("id", maintain_order=True).agg(
        people=is_correct.mean(), n=pl.len(), yes=is_correct.sum()
    )
    judged = by_prediction.join(every, on="id", how="left", maintain_order="left")
    several = judged.filter(pl.col("n") > 1)
    scores = [
        *agreement_scores("agreement", several["yes"], several["n"], several["qid"], seed),
        *_precision(judged, seed),
        *_correlations(judged, run, seed),
    ]
    return JudgedByPeople(
        signature=run.scores.signature,
        model=run.scores.model,
        annotators=tuple(sorted(verdicts["annotator"].unique())),
        n_dishes=judged["qid"].n_unique(),
        scores=tuple(scores),
    )


def write_judged(run: ScoredRun, judged: JudgedByPeople) -> None:
    """Keep the figures in the directory of the run, in place of earlier ones."""
    with storing(run.run.directory):
        atomic_write(run.run.directory / _JUDGED_NAME, judged.to_json())


def _precision(judged: pl.DataFrame, seed: int) -> list[Score]:
    values, dishes = judged["people"].to_numpy(), judged["qid"].to_numpy()
    pooled = estimates(cluster_sums(values, dishes), seed=seed)[0]
    by_country = cluster_sums(values, dishes, judged["region"].to_numpy())
    return [
        percent("precision-people", "overall", ALL, pooled),
        *percents("precision-people", "country", by_country.groups, estimates(by_country, seed=seed)),
    ]


def _correlations(judged: pl.DataFrame, run: ScoredRun, seed: int) -> list[Score]:
    """Each automatic measure of a dish against the share of its predictions that people find right."""
    # The mean of the column by which runs are compared is the task's figure: mAP of the average precision.
    terms = terms_of(run)
    decided_by, own = terms.decided_by, terms.figure.removeprefix("m")
    scores = []
    for name in (measure for measure in MEASURES if measure in judged.columns):
        by_item = judged.group_by("item_id", "qid", name, maintain_order=True).agg(pl.col("people").mean())
        known = by_item.filter(pl.col(name).is_not_null())
        if known.height < 2:
            continue
        metric = _NAMES.get(name, own if name == decided_by else name)
        columns = (known[name].to_numpy(), known["people"].to_numpy(), known["qid"].to_numpy())
        ranks = correlation(*columns, kind="rank", seed=seed)
        scores.append(estimated(f"rank-correlation-{metric}", "overall", ALL, ranks))
        scores.append(estimated(f"correlation-{metric}", "overall", ALL, correlation(*columns, seed=seed)))
    return scores
