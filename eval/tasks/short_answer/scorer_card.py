"""The scorer's card: how far each rule and judge is off beside people, language by language.

The package carries a card, ``eval/text/calibration/scorers.csv``, of the labels that were given to it; where
there were none it has no row.
"""

from collections.abc import Iterator, Sequence
from importlib.resources import files

import polars as pl

from blend.eval.judging.verdicts import JUDGE, judges_of
from blend.eval.labelled_items import with_labels
from blend.eval.notices import warn
from blend.eval.runs.run_directory import Run
from blend.eval.scoring import score_answers
from blend.eval.statistics.annotator_agreement import cohen_kappa
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import estimates
from blend.eval.text.language_readers import primary
from blend.schemas.errors import InputError, MissingExtraError
from blend.schemas.language.locales import registry
from blend.version import __version__

RULES = ("default", "paper")
"""String rules that are on a card; those of a shared task decide for the task alone."""

CARD = pl.Schema(
    {
        "scorer": pl.String(),
        "version": pl.String(),
        "language": pl.String(),
        "runs": pl.Int64(),
        "labels": pl.Int64(),
        "bias": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "kappa": pl.Float64(),
    }
)
"""One row per scorer and language of the replies: a rule, or a judge with the digest of how it was asked;
version of the package; runs and labels behind the figures; ``bias``, the share that the scorer finds correct
less the share that people do, in points, with a 95 % interval over templates; Cohen's kappa with people."""


_KEY = ["scorer", "language"]


def packaged_card() -> pl.DataFrame:
    """The card of this version: `CARD`, with null figures where nobody has given labels."""
    text = files("blend.eval.text").joinpath("calibration/scorers.csv").read_text(encoding="utf-8")
    card = pl.read_csv(text.encode(), schema=CARD)
    languages = pl.DataFrame({"language": sorted({primary(one.tag) for one in registry()})})
    every = pl.DataFrame({"scorer": RULES}).join(languages, how="cross")
    return every.join(card, on=["scorer", "language"], how="full", coalesce=True).select(list(CARD)).sort(_KEY)


def scorer_card(runs: Sequence[Run], *, seed: int = 0) -> pl.DataFrame:
    """The card of the labels of some runs.

    Args:
        runs: Runs of short-answer whose replies people have labelled; together they make each figure.
        seed: Seed of the intervals.

    Returns:
        `CARD`, by scorer and language. Replies that say nothing do not count, since nobody labels them.

    Raises:
        InputError: If a run is of another task, or nobody has labelled its replies.
        BlendError: If a run cannot be scored.
    """
    decided = pl.concat([rows for run in runs for rows in _decided(run)])
    rows = []
    for (scorer, language), part in decided.group_by(_KEY):
        weights = 1 / part["probability"]
        found, people = part["correct"].cast(pl.Float64), part["label"]
        sums = cluster_sums((found - people) * weights, part["template_id"], counts=weights)
        bias = estimates(sums, seed=seed, proportion=False)[0].scaled(100)
        counts = part["run"].n_unique(), part.height
        kappa = cohen_kappa(found, people, weights)
        rows.append((scorer, __version__, language, *counts, bias.value, bias.low, bias.high, kappa))
    return pl.DataFrame(rows, CARD, orient="row").sort(_KEY)


def _decided(run: Run) -> Iterator[pl.DataFrame]:
    """What every scorer says of the labelled replies of a run, beside their labels."""
    if run.description.task != "short-answer":
        raise InputError(f"{run.directory}: a run of {run.description.task}; name runs of short-answer")
    items = run.items("item_id", "language")
    for rule in (*RULES, *(f"{JUDGE}:{name}" for name in judges_of(run))):
        try:
            # Only replies that people have labelled count, so that missing ones bias nothing.
            scored = score_answers(run, rule=rule, allow_missing=True)
        except MissingExtraError as error:
            warn(f"left out {rule} of {run.directory}: {error}")
            continue
        rows = with_labels(scored.decisions, run)
        if rows is None:
            raise InputError(
                f"{run.directory}: nobody has labelled replies of this run; draw some for people to judge: "
                f"blend eval judge-sheet {run.directory}"
            )
        parts = dict(part.split(":", 1) for part in scored.scores.signature.split("|")[1:])
        columns = ("template_id", "correct", "label", "probability")
        yield (
            rows.drop_nulls("label")
            .join(items, on="item_id", how="inner")
            .select(
                *columns,
                language=pl.col("language").map_elements(primary, return_dtype=pl.String),
                scorer=pl.lit(parts.get(JUDGE, rule)),
                run=pl.lit(str(run.directory)),
            )
        )
