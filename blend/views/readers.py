"""Readers of options as tables for a terminal, at most 80 columns wide."""

import polars as pl
from rich.table import Table

from blend.schemas.reports import EVERY, ComparedKind, ModelReport
from blend.views.frames import PERCENT, frame_table


def agreement_table(found: pl.DataFrame) -> Table:
    """How far readers agree; ``found`` is `builders.release.verdict_agreement.AGREEMENT`."""
    return frame_table(
        found,
        "Options that were read",
        "By natives: read by at least one native of the region. By models: by no person. Refused: by anybody. "
        "Of those that several people read: the share on which all say alike whether they may be shown, and "
        "Krippendorff's alpha.",
        heads={"locale": "locale", "options": "options", "by_natives": "by natives", "by_others": "by others"}
        | {"by_models": "by models"}
        | {"refused": "refused", "read_twice": "by several", "alike": "alike", "alpha": "alpha"},
        forms={"alike": PERCENT},
    )


def model_tables(report: ModelReport) -> list[Table]:
    """How the models of a release compare with people: a table each, all together first."""
    tables = []
    for one in report.models:
        name = "All models together" if one.reviewer == EVERY else one.reviewer
        compared = f"people have read {one.compared:,} of {one.verdicts:,} options of which it is sure"
        found = pl.DataFrame([row.model_dump() for row in one.kinds], list(ComparedKind.model_fields))
        tables.append(comparison_table(found, f"{name}: {compared}"))
    return tables


def comparison_table(found: pl.DataFrame, title: str = "What is refused of what others say") -> Table:
    """How one's verdicts compare with others'; ``found`` is `builders.release.verdict_agreement.COMPARED`."""
    return frame_table(
        found,
        title,
        "Options that both have read. Others: how many get this verdict from the others, and which share of "
        "them is refused (of refusals the recall, of ok false alarms). Given: how many get it from the reader, "
        "and on which share of them the others say alike whether they may be shown (precision).",
        heads={"locale": "locale", "kind": "verdict", "options": "others", "refused": "refused"}
        | {"share": "share", "given": "given", "confirmed": "alike", "precision": "precision"},
        texts=("locale", "kind"),
        forms={"share": PERCENT, "precision": PERCENT},
    )
