"""Suspect sheet: the options of suspects as the sheet in which people decide about options."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from blend.eval.item_analysis.analysis import ItemAnalysis
from blend.eval.report.scored_runs import ScoredRun
from blend.loaders.releases.tables import read_config
from blend.schemas.errors import InputError
from blend.schemas.sheets.option_sheets import DISTRACTOR_ROLE, KEY_ROLE, OPTION_SHEET, option_mark


def suspect_sheet(analysis: ItemAnalysis, runs: Sequence[ScoredRun], release: Path) -> pl.DataFrame:
    """List the options that suspects show, for people to read.

    Args:
        analysis: Of multiple-choice questions.
        runs: What it is of.
        release: Directory of the release that was asked.

    Returns:
        `option_sheets.OPTION_SHEET`, the most suspicious question first, of each the key first. It holds
        nobody's verdict: ``read`` and ``votes`` are empty; ``regions`` has the region behind the option.

    Raises:
        InputError: If nothing is a suspect, or the release lacks some.
    """
    asked, ranked = runs[0].run.description, analysis.suspects.select(mcq_id="item_id")
    if ranked.is_empty():
        raise InputError(
            f"nothing is a suspect, so leave `sheet` out{analysis.untold and f': {analysis.untold}'}"
        )
    questions = read_config(release, asked.options.get("config", "multiple-choice-questions"))
    rows = ranked.join(questions, on="mcq_id", how="inner", maintain_order="left")
    if rows.height < ranked.height:
        raise InputError(
            f"{release}: {ranked.height - rows.height} of {ranked.height} suspects are not in this release; "
            f"name the one that was asked, {asked.release.name}@{asked.release.version}"
        )
    options: dict[tuple[str, str, str], dict[tuple[str, str], str]] = {}
    columns = rows.select(
        "template_id", "locale", "question", "answer", "options", "option_regions"
    ).iter_rows()
    for *about, answer, texts, regions in columns:
        of_question = options.setdefault(tuple(about), {})
        for number, text in enumerate(texts):
            role = KEY_ROLE if number == answer else DISTRACTOR_ROLE
            of_question.setdefault((text, role), "" if regions is None else regions[number])
    # Two suspects can be variants of one question; its keys stand first, all else in the order of the options.
    lines = [
        (*about, option, role, region, None, "", "", "", option_mark(*about, option, role))
        for about, of_question in options.items()
        for (option, role), region in sorted(of_question.items(), key=lambda one: one[0][1] != KEY_ROLE)
    ]
    return pl.DataFrame(lines, OPTION_SHEET, orient="row")
