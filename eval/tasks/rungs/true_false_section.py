"""True or false in the report: figures of options, and what questions show."""

from collections.abc import Sequence

from blend.eval.report.report_sections import ReportTable, Section, cell, region_name
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.report.single_answers import Candidate, KnownQuestion, KnownQuestions
from blend.eval.scores_json import ALL
from blend.eval.tasks.rungs.true_false_items import WORDS


def asked_options(run: ScoredRun) -> KnownQuestions:
    """List what is known of each option by ``item_id``: whether it is the correct one."""
    rows = run.run.items("item_id", "prompt").join(run.run.gold("item_id", "option", "answer"), on="item_id")
    return {
        item_id: KnownQuestion(
            tuple(Candidate(word, index == answer) for index, word in enumerate(WORDS)),
            f"{prompt.partition(chr(10))[0]} {option}",
        )
        for item_id, prompt, option, answer in rows.iter_rows()
    }


def options_section(runs: Sequence[ScoredRun]) -> Section:
    """How options are answered one by one, and whether a model says yes too often."""
    overall, by_region = [], []
    for run in runs:
        balanced, bias = (
            run.of(of, "overall") | run.of(of, "region") for of in ("balanced-accuracy", "yes-bias")
        )
        overall.append((run.name, cell(balanced[ALL]), cell(bias[ALL])))
        regions = [key for key in balanced if key != ALL]
        by_region += [(run.name, region_name(key), cell(balanced[key]), cell(bias.get(key))) for key in regions]
    head = ("balanced accuracy, %", "bias to yes, points")
    return Section(
        "options",
        "Option by option",
        "Balanced accuracy is the mean of two shares: of true options called true, and of false ones called "
        "false; 50 is chance. Bias to yes is how much more often a model says yes than it is true, which is "
        "once in four; below 0 it says no too often.",
        (),
        ReportTable(("model", "region", *head), tuple(by_region)),
        overview=ReportTable(("model", *head), tuple(overall)),
    )
