"""Rules and judges beside people in the report: how far each is off, and replies on which they differ."""

from collections.abc import Sequence

import polars as pl

from blend.eval.judging.corrected_scores import BIAS, KAPPA, scored_with_labels
from blend.eval.judging.labels import TIE
from blend.eval.judging.reply_sheet import replies
from blend.eval.judging.verdicts import is_judge
from blend.eval.report.report_sections import Section, cell, region_name, table_section
from blend.eval.report.scored_runs import ScoredRun
from blend.schemas.summaries import Table
from blend.schemas.texts import pluralise

SHOWN_EACH = 40
"""Replies of a run that are shown at most."""

_LONGEST = 300
_HEAD = ("model", "region", "question", "reply", "string rule", "judge", "people")


def scorers_section(runs: Sequence[ScoredRun]) -> Section | None:
    """How far rule and judge are off beside people's labels, language by language; null without labels."""
    cells = []
    for run in runs:
        scorers = {f"rule {run.scores.rule}": ""}
        if is_judge(run.scores.rule):
            scorers = {"judge": "", "rule default": "-default"}
        for name, of in scorers.items():
            kappas = run.of(f"{KAPPA}{of}", "language")
            cells += [
                (
                    run.name,
                    name,
                    language,
                    f"{kappas[language].n:,}",
                    cell(bias),
                    _two_digits(kappas[language].value),
                )
                for language, bias in run.of(f"{BIAS}{of}", "language").items()
            ]
    return table_section(
        "scorers",
        "Rules and judges beside people",
        "Bias: the share of labelled replies that a rule or judge finds correct less the share that people do, "
        "in points. κ: how far it agrees with people beyond chance. A rule that errs in one language and not "
        "in another ranks languages by its own errors.",
        ("model", "scorer", "language", "labels", "bias, points", "κ"),
        cells,
    )


def differences_section(runs: Sequence[ScoredRun]) -> Section | None:
    """Replies that people have judged and of which a rule says something else; null without labels.

    Returns:
        A line for each, up to `SHOWN_EACH` of a run, by region and question; above it how many there are.
    """
    rows: list[tuple[str, ...]] = []
    counts: list[str] = []
    for run in runs:
        labelled = scored_with_labels(run)
        if labelled is None:
            continue
        people = labelled.drop_nulls("label").select("item_id", "people", "label")
        judged = _with_verdicts(replies(run).join(people, on="item_id", how="inner").unique("id"))
        n_rule, n_judge = (judged[name].sum() for name in ("rule_differs", "judge_differs"))
        by_judge = f", the judge from {n_judge:,}" if judged["judge"].count() else ""
        of_judged = f"of {pluralise(judged.height, 'judged answer')}"
        counts.append(f"{run.name}: {of_judged}, the string rule differs from people on {n_rule:,}{by_judge}.")
        differing = judged.filter(pl.col("rule_differs") | pl.col("judge_differs")).sort(
            "region", "question", "id"
        )
        # One of each region comes first, then a second one, and so on.
        turns = differing.with_columns(turn=pl.int_range(pl.len()).over("region")).sort(
            "turn", maintain_order=True
        )
        shown = turns.head(SHOWN_EACH).sort("region", maintain_order=True)
        columns = shown.select("region", "question", "reply", "rule", "judge", "people")
        rows += [(run.name, region_name(region), *map(_cell, cells)) for region, *cells in columns.iter_rows()]
    if not counts:
        return None
    text = (
        "Replies on which natives say something else than the string rule or the judge. "
        f"{' '.join(counts)} A tie differs from nobody. Up to {SHOWN_EACH} of each model are shown."
    )
    title = "Where rule, judge and people differ"
    # Where nobody differs, the text above says so.
    return Section("differences", Table.of(title, _HEAD, rows, text))


def _with_verdicts(rows: pl.DataFrame) -> pl.DataFrame:
    """What rule and judge say of each reply, in words, and whether it is something else than people say."""
    has_judge = "by_rule" in rows.columns
    by_rule = pl.col("by_rule" if has_judge else "correct")
    is_accepted, is_tie = pl.col("label") > 0.5, pl.col("label") == 0.5
    return rows.with_columns(
        rule=pl.when(by_rule).then(pl.lit("correct")).otherwise(pl.lit("wrong")),
        judge=pl.col("verdict") if has_judge else pl.lit(None, pl.String),
        people=pl.col("people").str.replace_all(TIE, " or ", literal=True),
        rule_differs=~is_tie & (by_rule != is_accepted),
        judge_differs=~is_tie & (pl.col("correct") != is_accepted) & has_judge,
    )


def _cell(text: str | None) -> str:
    if text is None:
        return "–"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _two_digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
