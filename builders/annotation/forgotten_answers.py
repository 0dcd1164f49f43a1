"""Forgotten answers: reviews as if some answers had never been given, on whatever page or paper they stand."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from blend.builders.annotation.stages.review import GROUPS, INVALID, ITEMS, REASON
from blend.builders.saq.lost_answers import parted
from blend.loaders.responses.own_reviews import decided_in
from blend.schemas.rows.published_rows import Review
from blend.schemas.sheets.answer_sheets import digest_of

_Results = list[dict[str, Any]]


def shown_in(data: Mapping[str, Any]) -> set[str]:
    """Ids of the answers that the task of a review shows."""
    shown = data.get(ITEMS)
    return {str(_id(item)) for item in shown} if isinstance(shown, list) else set()


def without_answers(task: Mapping[str, Any], gone: Collection[str]) -> dict[str, Any] | None:
    """The task of a review without some answers: in what it shows, and in what reviewers did.

    The English of a group goes with its last answer, and so does the reason with the last invalid one.

    Args:
        task: As the server exports it.
        gone: Ids of the answers to remove.

    Returns:
        The task, the same where it shows none of them; null if none of its answers is left.
    """
    shown = task["data"].get(ITEMS)
    if not isinstance(shown, list) or not any(_id(item) in gone for item in shown):
        return dict(task)
    kept = [item for item in shown if _id(item) not in gone]
    if not kept:
        return None
    annotations = [
        {**one, "result": _results_without(one.get("result") or [], gone)} for one in task["annotations"]
    ]
    return {**task, "data": {**task["data"], ITEMS: kept}, "annotations": annotations}


def _results_without(results: Sequence[Mapping[str, Any]], gone: Collection[str]) -> _Results:
    kept: _Results = []
    emptied: set[str] = set()
    for result in results:
        columns = _columns(result)
        if columns is not None:
            left = {name: [item for item in items if item not in gone] for name, items in columns.items()}
            emptied |= {name for name, items in columns.items() if items and not left[name]}
            result = {**result, "value": {**result["value"], "ranker": left}}
        kept.append(dict(result))
    fields = {REASON if name == INVALID else f"english_{name[1:]}" for name in emptied}
    return [result for result in kept if result.get("from_name") not in fields]


def review_without(review: Mapping[str, Any], locale: str, gone: Collection[str]) -> dict[str, Any] | None:
    """A review without some answers, as it stands in a file; null if none of its answers is left.

    Args:
        review: The row.
        locale: Of the answers.
        gone: Ids of the answers to remove.
    """
    decided = decided_in(Review.model_validate({**review, "locale": locale}))
    given = {one for one in decided if digest_of(review["template_id"], locale, one) not in gone}
    return parted(dict(review), given)[0]


def _columns(result: Mapping[str, Any]) -> dict[str, list[Any]] | None:
    """The columns of answers in a result; null if it holds something else."""
    value = result.get("value")
    columns = value.get("ranker") if isinstance(value, dict) and result.get("from_name") == GROUPS else None
    if not isinstance(columns, dict) or not all(isinstance(items, list) for items in columns.values()):
        return None
    return columns


def _id(item: Any) -> Any:
    return item.get("id") if isinstance(item, dict) else None
