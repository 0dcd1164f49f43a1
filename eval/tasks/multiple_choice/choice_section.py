"""Multiple choice in the report: answer spread, cultures, positions, confidence, and what questions show."""

from collections.abc import Iterator, Sequence

import polars as pl

from blend.eval.report.report_sections import (
    Section,
    cell,
    heat_section,
    pairs,
    region_sections,
    table_section,
)
from blend.eval.report.scored_runs import (
    VARIANTS,
    Candidate,
    KnownQuestion,
    KnownQuestions,
    ScoredRun,
    region_name,
    single_answers,
)
from blend.eval.scores_json import ALL
from blend.eval.tasks.multiple_choice.choice_scores import COVERAGES
from blend.eval.tasks.multiple_choice.choices import PROMPTS
from blend.schemas.rows import LETTERS
from blend.schemas.summaries import Table


def choice_sections(runs: Sequence[ScoredRun]) -> tuple[Section | None, ...]:
    """The sections on comparable runs; null without figures for one."""
    own = _spread_section(runs), _cultures_section(runs), _positions_section(runs), _confidence_section(runs)
    return *region_sections(runs), *own


def chosen_options(run: ScoredRun) -> pl.DataFrame:
    """Read `SINGLE_ANSWERS`: the answer is the text of the option chosen, or else what the model said."""
    rows = single_answers(run)
    if "chosen" not in rows.columns:
        return rows
    options = run.run.gold("item_id", "option_texts")
    option = pl.col("option_texts").list.get(pl.col("chosen"), null_on_oob=True)
    return rows.join(options, on="item_id", how="left", maintain_order="left").with_columns(
        answer=pl.coalesce(option, "answer"), reply=pl.when(option.is_not_null()).then("answer")
    )


def asked_questions(run: ScoredRun) -> KnownQuestions:
    """List the questions, each with its options, their letters and regions, by ``item_id``."""
    before, _, after = PROMPTS[run.run.description.options["style"]].partition("{question}")
    # What stands between the question and its options, or the end.
    behind = after.partition("{")[0]
    gold = run.run.gold("item_id", "answer", "option_texts", "option_regions")
    rows = run.run.items("item_id", "prompt").join(gold, on="item_id", how="left")
    found = {}
    for item_id, prompt, answer, texts, regions in rows.iter_rows():
        notes = (
            LETTERS if regions is None else map(", ".join, zip(LETTERS, map(region_name, regions), strict=True))
        )
        options = tuple(
            Candidate(text, index == answer, note=note)
            for index, (text, note) in enumerate(zip(texts, notes, strict=True))
        )
        question = prompt.removeprefix(before).partition(behind)[0]
        found[item_id] = KnownQuestion(options, f"{question} {VARIANTS.join(texts)}")
    return found


def _spread_section(runs: Sequence[ScoredRun]) -> Section | None:
    """Accuracy by how many other regions gave the correct answer as well."""

    def rows_of(run: ScoredRun) -> Iterator[tuple[str, ...]]:
        for spread, score in run.of("accuracy", "answer-spread").items():
            yield spread, cell(score), f"{score.n:,}"

    return table_section(
        "By how widespread the correct answer is",
        "People of six or more other regions gave a universal answer as well, of one to five a shared one, of "
        "none a specific one. A universal answer can be known from anywhere.",
        ("correct answer", "accuracy, %", "questions"),
        runs,
        rows_of,
        is_open=True,
    )


def _cultures_section(runs: Sequence[ScoredRun]) -> Section | None:
    """Whose culture was chosen, of the wrong answers, where it was on offer."""
    of_runs = {run.name: pairs(run.of("default-culture", "region-culture")) for run in runs}
    cells = [
        (run.name, region_name(culture), cell(score))
        for run in runs
        for culture, score in run.of("default-culture", "culture").items()
    ]
    return heat_section(
        "Whose culture a model falls back to",
        "Of the wrong answers to questions about the region of the row: how often the culture of the column, "
        "or its answer, was chosen where it was one of the three distractors. 33 is chance; a bright column "
        "is a culture that the model takes for everyone’s. A cell is empty where that culture was never on "
        "offer.",
        of_runs,
        sorted({region for scores in of_runs.values() for region, _ in scores}, key=region_name),
        "chosen when wrong, %",
        head=("region", "culture"),
        table=Table.of("", ("model", "culture", "chosen where on offer, %"), cells),
    )


def _positions_section(runs: Sequence[ScoredRun]) -> Section | None:
    """How often every letter was chosen, beside how often it was the correct one."""

    def rows_of(run: ScoredRun) -> Iterator[tuple[str, ...]]:
        correct = run.of("position-correct", "position")
        for letter, chosen in run.of("position-chosen", "position").items():
            yield letter, cell(chosen), cell(correct.get(letter))

    return table_section(
        "Position bias",
        "How often every letter was chosen, beside how often it was correct. Without bias both are alike.",
        ("letter", "chosen, %", "correct, %"),
        runs,
        rows_of,
    )


def _confidence_section(runs: Sequence[ScoredRun]) -> Section | None:
    """How far confidence says whether a model is correct, and what it gets right if it may abstain."""

    def rows_of(run: ScoredRun) -> Iterator[tuple[str, ...]]:
        errors, areas = ({**run.of(name, "overall"), **run.of(name, "region")} for name in ("ece", "auroc"))
        given = (run.of("accuracy-at-coverage", scope) for scope in ("coverage", "region-coverage"))
        shares = {key: score for of_scope in given for key, score in of_scope.items()}
        for key, error in errors.items():
            region, before = ("all", "") if key == ALL else (region_name(key), f"{key}/")
            of_key = (shares.get(f"{before}{one}") for one in COVERAGES)
            yield region, cell(error), cell(areas.get(key)), *map(cell, of_key)

    return table_section(
        "Confidence",
        "How sure a model is of the option that it chooses. ECE: how far its confidence is from its accuracy, "
        "0 at best. AUROC: how often a correct answer is the more confident of a correct and a wrong one; 50 "
        "is chance. Then the share correct of its most confident answers.",
        ("region", "ECE, %", "AUROC, %", *(f"correct of {one} %, %" for one in COVERAGES)),
        runs,
        rows_of,
        is_open=True,
    )
