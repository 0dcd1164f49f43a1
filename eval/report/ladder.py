"""The ladder: models over rungs, from questions that are easy to guess to those that must be known."""

from collections.abc import Sequence

from blend.eval.report.report_sections import ReportTable, Section, cell
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.runs.run_description import is_of_people
from blend.eval.scores_json import Score
from blend.eval.tasks.rungs import RUNGS
from blend.schemas.rows import MULTIPLE_CHOICE_QUESTIONS


def ladder_sections(runs: Sequence[ScoredRun]) -> tuple[Section, ...]:
    """The ladder; nothing unless runs of one release stand on several rungs.

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
    scores = {(run.name, run.task.title): _headline(run) for run in of_rungs}
    models = list(dict.fromkeys(run.name for run in runs if run.scores.task in RUNGS))
    lines = tuple((model, *(cell(scores.get((model, rung))) for rung in rungs)) for model in models)
    text = _TEXT + (_OF_PEOPLE if people else "")
    return (Section("ladder", "The ladder", text, (), ReportTable(("model", *rungs), lines), is_open=True),)


def _headline(run: ScoredRun) -> Score | None:
    """The figure of a rung: the mean over regions."""
    return run.overall(run.task.headline or "accuracy-macro")


_TEXT = (
    "The same answers asked for in other ways: one of four options; each of the four by itself, and all must "
    "be answered correctly; and in a model’s own words. In brackets stand 95 % intervals over question "
    "templates. Guessing scores 25 % where one of four is chosen; of true or false, a coin tossed for each "
    "option is right about all four in 6 % of the questions. A model far above that on the left and low on the "
    "right finds an answer among options and does not know it."
)
_OF_PEOPLE = " What people of the regions answered is the ceiling."
