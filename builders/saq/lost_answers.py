"""Lost answers: reviews without the answers that nobody gives any more, corrected or withdrawn since."""

from collections.abc import Collection
from typing import Any, NamedTuple

import polars as pl

from blend.schemas.frames import REVIEWS
from blend.schemas.texts import clean

_Key = tuple[str, str]
_Review = dict[str, Any]


class Lost(NamedTuple):
    """Answers on which a review decides and that nobody gives."""

    template_id: str
    locale: str
    answers: list[str]
    source: str
    """Place of the review."""
    is_all: bool
    """Whether the review decides on nothing else."""


def without_lost(reviews: pl.DataFrame, responses: pl.DataFrame) -> tuple[pl.DataFrame, list[Lost]]:
    """Reviews as far as their answers are given, and what was left out of them.

    Args:
        reviews: `frames.REVIEWS`.
        responses: `frames.RESPONSES`.
    """
    given: dict[_Key, set[str]] = {}
    for template_id, locale, answers in responses.select("template_id", "locale", "answers").iter_rows():
        given.setdefault((template_id, locale), set()).update(map(clean, answers or ()))
    kept, lost = [], []
    for review in reviews.iter_rows(named=True):
        key = review["template_id"], review["locale"]
        left, answers = parted(review, given.get(key, set()))
        if answers:
            lost.append(Lost(*key, answers, review["source"], left is None))
        if left is not None:
            kept.append({"invalid": [], "reasons": [], **left})
    return pl.DataFrame(kept, schema=REVIEWS), lost


def parted(review: _Review, given: Collection[str]) -> tuple[_Review | None, list[str]]:
    """A review of the given answers, null if it has none, and the others; groups that become empty go."""
    invalid, groups = review.get("invalid") or [], review.get("groups") or []
    decided = [*invalid, *(answer for group in groups for answer in group["answers"])]
    lost = [answer for answer in decided if clean(answer) not in given]
    if not lost:
        return review, []
    reasons = dict(zip(invalid, review.get("reasons") or (), strict=False))
    still = [answer for answer in invalid if answer not in lost]
    groups = [
        {**group, "answers": answers}
        for group in groups
        if (answers := [answer for answer in group["answers"] if answer not in lost])
    ]
    if not still and not groups:
        return None, lost
    left = {name: value for name, value in review.items() if name not in ("invalid", "reasons", "groups")}
    if still:
        left["invalid"] = still
        if reasons:
            left["reasons"] = [reasons[answer] for answer in still]
    return {**left, "groups": groups}, lost
