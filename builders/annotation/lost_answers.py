"""Lost answers: pulled reviews without the answers that nobody gives any more."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from blend.builders.saq.lost_answers import parted
from blend.schemas.language.text_comparison import clean, escape_controls
from blend.schemas.rows.frame_columns import FINDINGS

_Row = dict[str, Any]


class Kept(NamedTuple):
    """Reviews of what is still there."""

    reviews: list[_Row]
    """Rows of a file of reviews."""
    findings: pl.DataFrame
    """`frame_columns.FINDINGS`: what was left out of them."""


def without_lost_answers(reviews: Iterable[_Row], responses: Sequence[Mapping[str, Any]], locale: str) -> Kept:
    """Reviews as far as their answers are still given.

    Whoever corrects an answer after it was reviewed, or asks to be forgotten, leaves a decision about nothing,
    which a build would refuse. Groups that become empty go, and so do reviews that decide nothing any more.

    Args:
        reviews: Rows of a file of reviews.
        responses: Rows of the responses in the same locale.
        locale: Its tag.
    """
    given: dict[str, set[str]] = {}
    for row in responses:
        given.setdefault(row["template_id"], set()).update(map(clean, row.get("answers", ())))
    kept: list[_Row] = []
    findings: list[dict[str, str]] = []
    for review in reviews:
        template_id = review["template_id"]
        left, lost = parted(review, given.get(template_id, set()))
        if lost:
            listed = ", ".join(f"'{escape_controls(answer)}'" for answer in lost)
            findings.append(
                {
                    "kind": "lost-answer",
                    "source": f"review of {template_id}",
                    "locale": locale,
                    "template_id": template_id,
                    "detail": f"the review decides on {listed}, which nobody answers any more; left out of it",
                }
            )
        if left is not None:
            kept.append(left)
    return Kept(kept, pl.DataFrame(findings, schema=FINDINGS))
