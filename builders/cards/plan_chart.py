"""Chart of a plan: the smallest difference between two models that every collection can tell."""

import polars as pl

from blend.builders.cards.charts import Chart, share_chart
from blend.builders.stats.planning import CollectionPlan

TITLE = "What tells two models apart"


def plan_chart(plan: CollectionPlan) -> Chart:
    """Draw the smallest difference by locale, annotators and templates, and the one asked for as a line."""
    rows = plan.designs.select(
        pl.format("{} · {} × {}", "locale", "templates", "annotators"), "difference"
    ).iter_rows()
    return share_chart(
        "plan.svg",
        TITLE,
        "Smallest difference in accuracy, by templates × annotators",
        list(rows),
        ("wanted", plan.difference),
    )
