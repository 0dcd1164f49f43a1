"""The ladder: models over rungs, from questions that are easy to guess to those that must be known."""

from collections.abc import Mapping, Sequence

from blend.eval.report import score_charts
from blend.eval.report.report_sections import ReportChart, ReportTable, Section, cell, region_name
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.runs.run_description import is_of_people
from blend.eval.scores_json import ALL, Score
from blend.eval.tasks.rungs import RUNGS
from blend.schemas.rows.configs import MULTIPLE_CHOICE_CONFIGS, MULTIPLE_CHOICE_QUESTIONS

_OfRungs = Mapping[str, Mapping[str, Score]]
"""Scores by model and rung."""


def ladder_sections(runs: Sequence[ScoredRun]) -> tuple[Section, ...]:
    """The ladder overall and by region; nothing unless runs of one release stand on several rungs.

    Nor where runs have other limits or ask a part of the questions of multiple choice: they do not compare.

    Every rung shows its task's headline, of true or false the questions: of all the mean over regions.
    """
    of_rungs = [run for run in runs if run.scores.task in RUNGS]
    rungs = [rung for rung in RUNGS if any(run.scores.task == rung for run in of_rungs)]
    releases = {run.scores.release for run in of_rungs}
    # People answer a few of all questions.
    limits = {
        run.run.description.options.get("limit") for run in of_rungs if not is_of_people(run.run.description)
    }
    if len(rungs) < 2 or len(releases) > 1 or len(limits) > 1 or any(map(_is_part, of_rungs)):
        return ()
    titles = {run.scores.task: run.task.title for run in of_rungs}
    named = [titles[rung] for rung in rungs]
    people = frozenset(run.name for run in of_rungs if is_of_people(run.run.description))
    found: dict[str, dict[str, dict[str, Score]]] = {}
    for run in of_rungs:
        headline = run.task.headline or "accuracy-macro"
        scores = {ALL: run.overall(headline), **run.of(headline.removesuffix("-macro"), "region")}
        for key, score in scores.items():
            if score is not None and score.value is not None:
                found.setdefault(key, {}).setdefault(run.name, {})[titles[run.scores.task]] = score
    overall = found.pop(ALL, {})
    models = list(overall)
    regions = {key: found[key] for key in sorted(found, key=region_name)}
    return (
        Section(
            "ladder",
            "The ladder",
            _TEXT + (_OF_PEOPLE if people else ""),
            (ReportChart("", _chart(overall, named, models, people)),),
            ReportTable(("model", *named), _cells(overall, named, models)),
            is_open=True,
        ),
        Section(
            "ladder-regions",
            "The ladder by region",
            "The same for the questions about each region, in the same colours; fewer "
            "questions stand behind a mark.",
            tuple(
                ReportChart(region_name(key), _chart(of_region, named, models, people, region_name(key)))
                for key, of_region in regions.items()
            ),
            ReportTable(
                ("region", "model", *named),
                tuple(
                    (region_name(key), *line)
                    for key, of_region in regions.items()
                    for line in _cells(of_region, named, models)
                ),
            ),
        ),
    )


def _is_part(run: ScoredRun) -> bool:
    """Whether a run asks other questions of multiple choice than all."""
    config = run.run.description.options.get("config")
    return config in MULTIPLE_CHOICE_CONFIGS and config != MULTIPLE_CHOICE_QUESTIONS


_TEXT = (
    "The same answers asked for in harder ways, from left to right: one of four options; each of the four by "
    "itself, and all must be answered correctly; the region that says so, of four; and in a model’s own words. "
    "Upright lines are 95 % intervals over question templates. A line that falls steeply belongs to a model "
    "that finds an answer among options and does not know it."
)
_OF_PEOPLE = " The broken line is what people of the regions answered: the ceiling."


def _chart(
    of_models: _OfRungs,
    rungs: Sequence[str],
    models: Sequence[str],
    people: frozenset[str],
    where: str | None = None,
) -> score_charts.Spec:
    rows = [
        {"model": model, "rung": rung, "value": score.value, "low": score.low, "high": score.high}
        for model, scores in of_models.items()
        for rung, score in scores.items()
    ]
    return score_charts.ladder_chart(rows, rungs, models, broken=people, where=where)


def _cells(of_models: _OfRungs, rungs: Sequence[str], models: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (model, *(cell(of_models[model].get(rung)) for rung in rungs)) for model in models if model in of_models
    )
