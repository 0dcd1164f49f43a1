"""The figures of ``blend plan`` as tables of at most 80 columns."""

from rich.table import Table

from blend.builders.stats.planning import CollectionPlan
from blend.views.frames import PERCENT, frame_table

_MONEY = "{:,.0f}"
"""Whole units: an expected cost is no bill."""


def plan_tables(plan: CollectionPlan) -> list[Table]:
    """Show what each number of templates and annotators brings, then what the difference asked for takes."""
    cost = {} if plan.price is None else {"cost": "cost"}
    keys = {"locale": "locale", "annotators": "anno-\ntators", "templates": "tem-\nplates"}
    designs = frame_table(
        plan.designs,
        "What collecting brings, by region",
        "Expected. Short: questions that short-answer scoring keeps. Pairs: templates with multiple-choice "
        "questions (MCQs). Width: half the 95 % interval of a model's accuracy at 50 %. Difference: the "
        "smallest that tells two models apart (test at 5 %, 80 % power), if exactly one of them is right in "
        f"{plan.disagreement:.0%} of the questions.",
        heads=keys
        | {"answers": "answers"}
        | cost
        | {"short_answers": "short", "pairs": "pairs", "mcqs": "MCQs"}
        | {"half_width": "width", "difference": "differ-\nence"},
        forms={"half_width": PERCENT, "difference": PERCENT, "cost": _MONEY},
    )
    needed = frame_table(
        plan.needed,
        f"What it takes to tell two models apart by {100 * plan.difference:g} points, by region",
        _source(plan),
        heads=keys | {"answers": "answers"} | cost | {"pairs": "pairs", "mcqs": "MCQs"},
        forms={"cost": _MONEY},
    )
    return [designs, needed]


def _source(plan: CollectionPlan) -> str:
    if set(plan.designs["mcqs_from"]) == {"pilot"}:
        return "Pairs and MCQs: as in the pilot."
    strangers = plan.designs.filter(mcqs_from="BLEnD")["locale"].unique(maintain_order=True)
    return f"Pairs and MCQs of {', '.join(strangers)}: as in BLEnD's regions (docs/plan.md)."
