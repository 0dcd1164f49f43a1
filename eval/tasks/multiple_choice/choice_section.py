"""Multiple choice in the report: default culture, positions, confidence, and what hardest questions show."""

from collections.abc import Mapping, Sequence

import polars as pl

from blend.eval.report import score_charts
from blend.eval.report.hardest_questions import written_texts
from blend.eval.report.report_sections import ReportChart, ReportTable, Section, cell, heat, region_name
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.scores_json import ALL
from blend.eval.tasks.multiple_choice.confidence import COVERAGES


def chosen_texts(run: ScoredRun) -> pl.DataFrame:
    """The decisions with ``text``: that of the option chosen, or else what the model said."""
    rows = written_texts(run)
    options = run.run.gold("item_id", "option_texts")
    option = pl.col("option_texts").list.get(pl.col("chosen"), null_on_oob=True)
    return rows.join(options, on="item_id", how="left", maintain_order="left").with_columns(
        text=pl.coalesce(option, "text")
    )


def accepted_option(run: ScoredRun, items: pl.DataFrame) -> Mapping[str, tuple[str, ...]]:
    """The correct option of some items, by ``item_id``."""
    rows = items.join(run.run.gold(), on="item_id", how="left", maintain_order="left")
    correct = rows.select("item_id", pl.col("option_texts").list.get(pl.col("answer")))
    return {item_id: (text,) for item_id, text in correct.iter_rows()}


def cultures_section(runs: Sequence[ScoredRun]) -> Section | None:
    """Whose culture was chosen, of the wrong answers, where it was on offer."""
    pictures: list[ReportChart] = []
    cells: list[tuple[str, ...]] = []
    for run in runs:
        scores = {
            tuple(key.split("/", 1)): score
            for key, score in run.of("default-culture", "region-culture").items()
        }
        if not scores:
            continue
        rows = sorted({region for region, _ in scores}, key=region_name)
        columns = sorted({culture for _, culture in scores}, key=region_name)
        pictures.append(heat(run.name, scores, rows, columns, (0, 100), "chosen when wrong, %"))
        cells += [
            (run.name, region_name(culture), cell(score))
            for culture, score in run.of("default-culture", "culture").items()
        ]
    if not pictures:
        return None
    return Section(
        "cultures",
        "Whose culture a model falls back to",
        "Of the wrong answers to questions about the region of the row: how often the answer of the culture "
        "of the column was chosen where it was one of the three distractors. 33 is chance; a bright column "
        "is a culture that the model takes for everyone’s. A cell is empty where that culture was never on "
        "offer.",
        tuple(pictures),
        ReportTable(("model", "culture", "chosen where on offer, %"), tuple(cells)),
    )


def positions_section(runs: Sequence[ScoredRun]) -> Section | None:
    """Show how often every letter was chosen, beside how often it was the correct one."""
    pictures: list[ReportChart] = []
    cells: list[tuple[str, ...]] = []
    for run in runs:
        chosen, correct = (run.of(f"position-{what}", "position") for what in ("chosen", "correct"))
        if not chosen:
            continue
        rows = [
            {"letter": letter, "what": what, "value": score.value}
            for what, scores in (("chosen", chosen), ("correct", correct))
            for letter, score in scores.items()
        ]
        pictures.append(
            ReportChart(
                run.name,
                score_charts.position_chart(rows, title=f"Position bias of {run.name}: chosen and correct"),
            )
        )
        cells += [(run.name, letter, cell(chosen[letter]), cell(correct.get(letter))) for letter in chosen]
    if not pictures:
        return None
    return Section(
        "positions",
        "Position bias",
        "How often every letter was chosen (filled), beside how often it was the correct one (hollow). Without "
        "bias both are alike.",
        tuple(pictures),
        ReportTable(("model", "letter", "chosen, %", "correct, %"), tuple(cells)),
    )


def confidence_section(runs: Sequence[ScoredRun]) -> Section | None:
    """How far confidence says whether a model is correct, and what it gets right if it may abstain."""
    cells: list[tuple[str, ...]] = []
    for run in runs:
        errors, areas = ({**run.of(name, "overall"), **run.of(name, "region")} for name in ("ece", "auroc"))
        given = {**run.of(_GIVEN, "coverage"), **run.of(_GIVEN, "region-coverage")}
        for key, error in errors.items():
            of_key = (given.get(str(one) if key == ALL else f"{key}/{one}") for one in COVERAGES)
            where = "all" if key == ALL else region_name(key)
            cells.append((run.name, where, cell(error), cell(areas.get(key)), *map(cell, of_key)))
    if not cells:
        return None
    head = ("model", "region", "ECE, %", "AUROC, %", *(f"correct of {one} %, %" for one in COVERAGES))
    return Section(
        "confidence",
        "Confidence",
        "How sure a model is of the option that it chooses. ECE: how far its confidence is from its accuracy, "
        "0 at best. AUROC: how often a correct answer is the more confident of a correct and a wrong one; 50 "
        "is chance. Then the share correct of its most confident answers.",
        (),
        ReportTable(head, tuple(cells)),
        is_open=True,
    )


_GIVEN = "accuracy-at-coverage"
