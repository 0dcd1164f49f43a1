"""The ladder: models over rungs, from questions that are easy to guess to those that must be known."""

from collections.abc import Sequence

from blend.eval.report import score_charts
from blend.eval.report.report_sections import ReportChart, ReportTable, Section, cell, region_name
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.report.vega_lite import Spec
from blend.eval.runs.run_description import is_of_people
from blend.eval.scores_json import ALL, Score
from blend.eval.tasks.rungs import RUNGS
from blend.schemas.rows.configs import MULTIPLE_CHOICE_QUESTIONS


def ladder_sections(runs: Sequence[ScoredRun]) -> tuple[Section, ...]:
    """The ladder overall and by region; nothing unless runs of one release stand on several rungs.

    Nor where runs have other limits or ask a part of the questions of multiple choice: they do not compare.

    Every rung shows its task's headline, of true or false the questions: of all the mean over regions.
    """
    of_rungs = [run for rung in RUNGS for run in runs if run.scores.task == rung]
    people = frozenset(run.name for run in of_rungs if is_of_people(run.run.description))
    rungs = list(dict.fromkeys(run.task.title for run in of_rungs))
    releases = {run.scores.release for run in of_rungs}
    # People answer a few of all questions.
    limits = {run.run.description.options.get("limit") for run in of_rungs if run.name not in people}
    usual = MULTIPLE_CHOICE_QUESTIONS
    is_part = any(run.run.description.options.get("config", usual) != usual for run in of_rungs)
    if len(rungs) < 2 or len(releases) > 1 or len(limits) > 1 or is_part:
        return ()
    scores = {
        (key, run.name, run.task.title): score for run in of_rungs for key, score in _headlines(run).items()
    }
    models = list(dict.fromkeys(run.name for run in runs if run.scores.task in RUNGS))
    regions = sorted({key for key, _, _ in scores} - {ALL}, key=region_name)

    chances = {run.task.title: run.task.chance for run in of_rungs if run.task.chance is not None}

    def chart(key: str, where: str | None = None) -> Spec:
        rows = [
            {"model": model, "rung": rung, "value": score.value, "low": score.low, "high": score.high}
            for (of, model, rung), score in scores.items()
            if of == key
        ]
        return score_charts.ladder_chart(rows, rungs, models, chances=chances, broken=people, where=where)

    lines = tuple((model, *(cell(scores.get((ALL, model, rung))) for rung in rungs)) for model in models)
    return (
        Section(
            "ladder",
            "The ladder",
            _TEXT + (_OF_PEOPLE if people else ""),
            (ReportChart("", chart(ALL)),),
            ReportTable(("model", *rungs), lines),
            is_open=True,
        ),
        Section(
            "ladder-regions",
            "The ladder by region",
            "The same for the questions about each region, in the same colours; fewer questions stand behind a "
            "mark. The tables by region below have the figures.",
            tuple(ReportChart(region_name(key), chart(key, region_name(key))) for key in regions),
        ),
    )


def _headlines(run: ScoredRun) -> dict[str, Score]:
    """The figure of a rung: mean over regions, and by region."""
    headline = run.task.headline or "accuracy-macro"
    found = {ALL: run.overall(headline), **run.of(headline.removesuffix("-macro"), "region")}
    return {key: score for key, score in found.items() if score is not None and score.value is not None}


_TEXT = (
    "The same answers asked for in other ways: one of four options; each of the four by itself, and all must "
    "be answered correctly; and in a model’s own words. Upright lines are "
    "95 % intervals over question templates. Short dashes are what guessing scores; of true or false, a coin "
    "tossed for each option is right about all four in 6 % of the questions. A model far above the dashes on "
    "the left and low on the right finds an answer among options and does not know it."
)
_OF_PEOPLE = " The broken line is what people of the regions answered: the ceiling."
