"""Sections of tasks that ask about regions: by region and topic, and rules and judges beside people."""

from collections.abc import Sequence

from blend.eval.judging.labels import BIAS, KAPPA, is_worthless
from blend.eval.judging.verdicts import is_judge
from blend.eval.report.report_sections import (
    Section,
    cell,
    heat_section,
    keys_best_first,
    marks_section,
    pairs,
    table_section,
)
from blend.eval.report.scored_runs import ScoredRun, region_name
from blend.eval.scores_json import UNANSWERED, Score
from blend.eval.tasks.short_answer.published_rules import SEMEVAL


def region_sections(runs: Sequence[ScoredRun]) -> tuple[Section | None, ...]:
    """The sections by region of comparable runs; null without figures for one."""
    metric = _main_metric(runs[0])
    return _codes(runs), _regions(runs, metric), _corrected(runs, metric), _topics(runs, metric)


def region_overview(run: ScoredRun) -> dict[str, str]:
    """A run's line in the overview: the mean over regions, all items, the gap, and what is missing.

    Where there is one, the mean over regions by pair of template and region comes first; before it, by the rule
    of SemEval-2026 Task 7, the figure of its leaderboard.
    """
    metric = _main_metric(run)
    shown = _metric_name(metric)
    cells: dict[str, str] = {}
    if run.scores.rule == SEMEVAL:
        cells["official figure, mean over codes, %"] = cell(run.overall("accuracy-macro"))
    by_pair = run.overall(f"{metric}-by-pair-macro")
    if by_pair is not None:
        cells[f"{shown} by pair, mean over regions, %"] = cell(by_pair)
    cells[f"{shown}, mean over regions, %"] = cell(run.overall(f"{metric}-macro"))
    cells[f"{shown}, all items, %"] = cell(run.overall(metric))
    for key, score in run.of("parity-gap", "overall").items():
        best_and_worst = " − ".join(region_name(code) for code in key.split("/"))
        cells["parity gap, points"] = f"{cell(score)} ({best_and_worst})"
    for name in ("balanced-accuracy", "yes-bias", "unparsable", UNANSWERED, "refused", "hedged", "missing"):
        if (share := run.overall(name)) is not None:
            cells[f"{name}, %"] = cell(share)
    cells["items"] = f"{run.run.description.n_items:,}"
    return cells


def _metric_name(metric: str) -> str:
    """A figure as people call it."""
    return _METRIC_NAMES.get(metric, metric)


_METRIC_NAMES = {"sem-b": "SEM-B", "sem-w": "SEM-W"}


def _main_metric(run: ScoredRun) -> str:
    """The first figure by region: what the task is about."""
    return next((score.metric for score in run.scores.scores if score.scope == "region"), "accuracy")


def _codes(runs: Sequence[ScoredRun]) -> Section | None:
    """The figures that SemEval-2026 Task 7 publishes of short answers."""
    scores = {run.name: run.of("accuracy", "code") for run in runs}
    codes = sorted({code for by_code in scores.values() for code in by_code})
    return table_section(
        "codes",
        "By code",
        "Accuracy by the rule of SemEval-2026 Task 7, for each of its codes: language asked in and region. The "
        "official figure is their plain mean.",
        ("code", *scores),
        ((code, *(cell(by_code.get(code)) for by_code in scores.values())) for code in codes),
        is_open=True,
    )


def _regions(runs: Sequence[ScoredRun], metric: str) -> Section | None:
    note, chance = runs[0].task.note, runs[0].task.chance
    if runs[0].task.people_label and not any(run.overall("labelled") for run in runs):
        note += "All figures are uncorrected: nobody has labelled replies of these models. "
    return marks_section(
        "regions",
        "By region",
        f"{note}Each mark is a share of a model’s answers that are correct in a region; the line is its 95 % "
        f"interval over question templates.{_WHERE_LINES_OVERLAP if len(runs) > 1 else ''}"
        f"{'' if chance is None else ' The dashed line is what guessing scores.'}",
        {run.name: run.of(metric, "region") for run in runs},
        f"{_metric_name(metric)}, %",
        key="region",
        label=region_name,
        domain=(0, 100),
        line=None if chance is None else (chance, f"chance, {chance:g} %"),
    )


_WHERE_LINES_OVERLAP = " Where lines overlap, the comparison above says whether models differ."


def _corrected(runs: Sequence[ScoredRun], metric: str) -> Section | None:
    """Rule, string rule and people side by side, where people have labelled replies of any run."""
    if not any(run.overall("labelled") for run in runs):
        return None
    rows = []
    for run in runs:
        by_judge = run.of(metric, "region") if is_judge(run.scores.rule) else {}
        # Beside a judge stands the default rule.
        by_rule = run.of(f"{metric}-default" if by_judge else metric, "region")
        corrected, labelled = run.of(f"{metric}-corrected", "region"), run.of("labelled", "region")
        of_judge = run.of(f"{metric}-kappa", "region") if by_judge else {}
        of_rule = run.of(f"{metric}-kappa{'-default' if by_judge else ''}", "region")
        for region in by_rule:
            stated = cell(corrected[region]) if region in corrected else "uncorrected"
            shares = cell(by_rule[region]), cell(by_judge.get(region)), stated
            kappas = (_kappa(found.get(region)) for found in (of_rule, of_judge))
            rows.append((run.name, region_name(region), *shares, *kappas, cell(labelled.get(region))))
    worthless = [run.name for run in runs if is_worthless(run.scores.scores)]
    warning = f" Of {' and '.join(worthless)} the rule is worthless: {_WORTHLESS}" if worthless else ""
    shown = _metric_name(metric)
    figures = (f"{shown} by string rule, %", f"{shown} by judge, %", "corrected, %")
    head = ("model", "region", *figures, "κ of string rule", "κ of judge", "labelled, %")
    return table_section("corrected", "Corrected by people", _CORRECTED + warning, head, rows, is_open=True)


def _kappa(score: Score | None) -> str:
    return "–" if score is None or score.value is None else f"{score.value:.2f}"


_CORRECTED = (
    "What people would find of all replies, from every decision of the rule and people’s labels of some; "
    "intervals hold the rule’s errors as well. κ says how far the rule agrees with people beyond chance. "
    "Regions whose replies nobody has labelled are uncorrected."
)
_WORTHLESS = (
    "it agrees with people hardly better than chance would, and the corrected figures rest on the labels alone."
)


def _topics(runs: Sequence[ScoredRun], metric: str) -> Section | None:
    return heat_section(
        "topics",
        "By region and topic",
        "Share correct in percent; brighter is more. Few questions stand behind a cell: the table has the "
        "intervals. All models have the regions in the same order, and the same colours.",
        {run.name: pairs(run.of(metric, "region-topic")) for run in runs},
        keys_best_first({run.name: run.of(metric, "region") for run in runs}),
        f"{_metric_name(metric)}, %",
        head=("region", "topic"),
    )


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
                    _kappa(kappas[language]),
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
