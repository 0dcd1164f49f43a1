"""The figures of ``blend plan`` as a table of at most 80 columns."""

from rich.table import Table

from blend.builders.stats.planning import CollectionPlan
from blend.views.frames import PERCENT, frame_table

_MONEY = "{:,.0f}"
"""Whole units: an expected cost is no bill."""


def plan_tables(plan: CollectionPlan) -> list[Table]:
    """Show what each number of templates and annotators brings, and what the difference asked for takes."""
    cost = {} if plan.price is None else {"cost": "cost"}
    return [
        frame_table(
            plan.designs,
            "What collecting brings, by region",
            "Expected. Short: questions that short-answer scoring keeps. Pairs: templates with multiple-choice "
            "questions (MCQs). Difference: the smallest that tells two models apart (test at 5 %, 80 % "
            f"power), if exactly one of them is right in {plan.disagreement:.0%} of the questions. Needed: "
            f"templates for {100 * plan.difference:g} points. {_source(plan)}",
            heads={"locale": "locale", "annotators": "anno-\ntators", "templates": "tem-\nplates"}
            | {"answers": "answers"}
            | cost
            | {"short_answers": "short", "pairs": "pairs", "mcqs": "MCQs"}
            | {"difference": "differ-\nence", "needed": "needed"},
            forms={"difference": PERCENT, "cost": _MONEY},
        )
    ]


def _source(plan: CollectionPlan) -> str:
    if set(plan.designs["mcqs_from"]) == {"pilot"}:
        return "Pairs and MCQs: as in the pilot."
    strangers = plan.designs.filter(mcqs_from="BLEnD")["locale"].unique(maintain_order=True)
    return f"Pairs and MCQs of {', '.join(strangers)}: as in BLEnD's regions (docs/contributing-data.md)."
