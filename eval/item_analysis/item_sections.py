"""Sections: an item analysis as tables, for the terminal and for a page that needs no network."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from blend.eval.item_analysis.analysis import ItemAnalysis
from blend.eval.report.page_template import page_environment, save_page
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.report.single_answers import NOT_KNOWN, KnownQuestion
from blend.eval.runs.prediction_files import asks_semeval
from blend.eval.scores_json import ALL


class ItemSection(NamedTuple):
    """A table and how to read it."""

    title: str
    text: str
    rows: pl.DataFrame


def item_sections(analysis: ItemAnalysis) -> list[ItemSection]:
    """Regions, and where they can be told abilities, with a column of text for each region, and suspects."""
    regions = ItemSection("Items", _REGIONS, analysis.regions)
    if analysis.model is None:
        return [regions]
    by_region = analysis.abilities.filter(pl.col("region") != ALL)
    cells = [
        f"{ability:.2f}\u00a0±\u00a0{error:.2f}" for ability, error in by_region["ability", "error"].rows()
    ]
    by_region = by_region.with_columns(cell=pl.Series(cells, dtype=pl.String))
    by_region = by_region.pivot("region", index="model", values="cell")
    wide = analysis.abilities.filter(region=ALL).drop("region").join(by_region, on="model")
    figures = ("item_id", "region", "evidence", "best_wrong", "weak_correct", "difficulty", "discrimination")
    return [
        regions,
        ItemSection("Abilities", _ABILITIES, wide.sort("ability", "model", descending=[True, False])),
        ItemSection("Suspects", _SUSPECTS, analysis.suspects.select(figures)),
    ]


_REGIONS = (
    "Difficulty: mean share of models that are wrong. Discrimination: mean correlation of being correct in an "
    "item with the share correct elsewhere. Negative: share of the items where it is below 0."
)
_ABILITIES = "Expected a posteriori in the two-parameter model, with standard errors; regions are on one scale."
_SUSPECTS = (
    "Evidence: log of how much better the answers fit a wrong key than a correct one. It ranks what people "
    "should read: hard items have some as well. Best wrong: models of the better half that are wrong; weak "
    "correct: models of the other half that are correct."
)


def save_items_page(analysis: ItemAnalysis, runs: Sequence[ScoredRun], page: Path) -> None:
    """Write the page, with suspects' questions unless they are SemEval's, whose terms forbid to pass them on.

    Raises:
        InputError, StorageError: As `page_template.save_page`.
    """
    run, (*sections, last) = runs[0], item_sections(analysis)
    if analysis.model is not None and not asks_semeval(run.run.items("template_id")):
        known = run.task.known_questions(run)
        items = last.rows["item_id"]
        texts = {
            "question": [known.get(item, NOT_KNOWN).title for item in items],
            "key": [_key(known.get(item, NOT_KNOWN)) for item in items],
            "wrong option chosen most": [_rival(analysis, known.get(item, NOT_KNOWN), item) for item in items],
        }
        last = last._replace(rows=last.rows.with_columns(pl.DataFrame(texts, dict.fromkeys(texts, pl.String))))
    template = page_environment().get_template("items.html.j2")
    save_page(
        lambda: template.render(analysis=analysis, run=run, sections=[*sections, last]), page, name="page"
    )


def _key(question: KnownQuestion) -> str:
    return ", ".join(candidate.text for candidate in question.candidates if candidate.is_gold)


def _rival(analysis: ItemAnalysis, question: KnownQuestion, item: str) -> str:
    """The wrong option that most models chose; empty where nothing is chosen."""
    wrong, n_options = analysis.responses.wrong, len(question.candidates)
    if len(wrong) != n_options - 1:
        return ""
    key = next(i for i, candidate in enumerate(question.candidates) if candidate.is_gold)
    behind = np.nansum(wrong[:, :, analysis.responses.items["item_id"].index_of(item)], axis=1).argmax()
    return question.candidates[(key + 1 + int(behind)) % n_options].text
