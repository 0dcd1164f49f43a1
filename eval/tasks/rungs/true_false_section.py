"""True or false in the report: figures of options, and what questions show."""

from collections.abc import Sequence

import polars as pl

from blend.eval.report.report_sections import ReportTable, Section, cell, region_name
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.report.single_answers import Candidate, KnownQuestion, KnownQuestions, single_answers
from blend.eval.tasks.rungs.true_false_items import WORDS


def chosen_words(run: ScoredRun) -> pl.DataFrame:
    """Read `SINGLE_ANSWERS`: the answer is yes or no, or else what the model wrote."""
    rows = single_answers(run)
    if "says_yes" not in rows.columns:
        return rows
    yes, no = map(pl.lit, WORDS)
    word = pl.when("says_yes").then(yes).when(pl.col("says_yes").not_()).then(no)
    return rows.with_columns(
        answer=pl.coalesce(word, "answer"), reply=pl.when(word.is_not_null()).then("answer")
    )


def asked_options(run: ScoredRun) -> KnownQuestions:
    """List what is known of each option by ``item_id``: whether it is the correct one."""
    rows = run.run.items("item_id", "prompt").join(
        run.run.gold("item_id", "option", "is_true"), on="item_id", how="left", maintain_order="left"
    )
    return {
        item_id: KnownQuestion(
            tuple(Candidate(word, (word == WORDS[0]) == is_true) for word in WORDS),
            f"{prompt.partition(chr(10))[0]} {option}",
        )
        for item_id, prompt, option, is_true in rows.iter_rows()
    }


def options_section(runs: Sequence[ScoredRun]) -> Section:
    """How options are answered one by one, and whether a model says yes too often."""
    metrics = ("balanced-accuracy", "yes-bias")
    figures = {
        run.name: [{**run.of(name, "overall"), **run.of(name, "region")} for name in metrics] for run in runs
    }
    head = ("balanced accuracy, %", "bias to yes, points")
    overall = tuple((name, *(cell(of["all"]) for of in found)) for name, found in figures.items())
    by_region = tuple(
        (name, region_name(key), *(cell(of[key]) for of in found))
        for name, found in figures.items()
        for key in found[0]
        if key != "all"
    )
    return Section(
        "options",
        "Option by option",
        "Balanced accuracy is the mean of two shares: of true options called true, and of false ones called "
        "false; 50 is chance. Bias to yes is how much more often a model says yes than it is true, which is "
        "once in four; below 0 it says no too often.",
        (),
        ReportTable(("model", "region", *head), by_region),
        overview=ReportTable(("model", *head), overall),
    )
