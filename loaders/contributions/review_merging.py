"""Merging reviews: several contributors review one question, each what their own annotators answered."""

from collections.abc import Sequence
from typing import NamedTuple

from blend.loaders.contributions.layout import owner_of
from blend.loaders.files.checked import Checked, Placed
from blend.loaders.files.diagnostics import Diagnostics
from blend.schemas.language.text_comparison import clean
from blend.schemas.rows.published_rows import Review, ReviewedGroup


class _Contradiction(NamedTuple):
    """An answer about which a later review decides otherwise."""

    answer: str
    columns: tuple[str, str]
    """In which the later review decides about it, then in which the earlier does."""


def merge_reviews(parts: Sequence[Checked[Review]], diagnostics: Diagnostics) -> Checked[Review]:
    """The reviews of all parts, those of one question as one.

    Two reviews fit together where no answer is invalid in one and grouped in the other, and no two answers that
    both decide about stand in one group here and in two there. Groups with a common answer become one; its
    translations are those of the earlier review, then those that the later adds.

    Args:
        parts: What each contributor brings, in the order in which the first counts.
        diagnostics: Takes a finding for reviews that became one, and a problem for those that contradict.

    Returns:
        Reviews at the location of the first; ``reviewer`` names all, with a comma.
    """
    merged: dict[tuple[str, str], Placed[Review]] = {}
    rest: list[Placed[Review]] = []
    for placed in (placed for part in parts for placed in part.rows):
        location, review = placed
        key = review.template_id, review.locale
        earlier = merged.setdefault(key, placed)
        if owner_of(earlier.location) == owner_of(location):
            if earlier is not placed:  # twice in one folder, which `links` tells
                rest.append(placed)
            continue
        named = f"review of {review.template_id!r} in {review.locale}"
        found = _merged(earlier.row, review)
        if isinstance(found, _Contradiction):
            what = f"{named} decides otherwise about {found.answer!r} than "
            fix = "agree on one decision, and write it in both reviews or in one of them only"
            both_told(location, earlier.location, what, fix, diagnostics, columns=found.columns)
            continue
        detail = f"{named} is made one with that in {earlier.location}"
        diagnostics.finding(
            "merged-reviews", location, detail, locale=review.locale, template_id=review.template_id
        )
        merged[key] = Placed(earlier.location, found)
    return Checked([*merged.values(), *rest], all(part.is_complete for part in parts))


def both_told(
    later: str,
    earlier: str,
    what: str,
    fix: str,
    diagnostics: Diagnostics,
    *,
    columns: tuple[str, str] | None = None,
) -> None:
    """Note a contradiction at both locations, since either contributor may be the one who is mistaken.

    What all share is no contributor's; then the later alone is told. The other location comes behind ``what``.
    """
    for n, (here, there) in enumerate(((later, earlier), (earlier, later))):
        if owner_of(here):
            where = here if columns is None else f"{here}, column {columns[n]}"
            diagnostics.problem(f"{what}{there}", where=where, fix=fix)


def _merged(one: Review, other: Review) -> Review | _Contradiction:
    """Both reviews as one, or an answer about which they decide differently."""
    invalid = {clean(answer) for answer in one.invalid}
    group_of = {clean(answer): n for n, group in enumerate(one.groups) for answer in group.answers}
    for answer in other.invalid:
        if clean(answer) in group_of:
            return _Contradiction(answer, ("invalid", "groups"))
    groups = list(one.groups)
    joined: set[int] = set()
    for group in other.groups:
        known = {group_of[clean(answer)]: answer for answer in group.answers if clean(answer) in group_of}
        of_both = next((answer for answer in group.answers if clean(answer) in invalid), None)
        apart = next((answer for n, answer in known.items() if n in joined or len(known) > 1), None)
        if of_both is not None:
            return _Contradiction(of_both, ("groups", "invalid"))
        if apart is not None:
            return _Contradiction(apart, ("groups", "groups"))
        for n in known:
            joined.add(n)
            groups[n] = _joined(groups[n], group)
        groups += [] if known else [group]
    added = [answer for answer in other.invalid if clean(answer) not in invalid]
    both = (*one.invalid, *added)
    return one.model_copy(
        update={
            "reviewer": f"{one.reviewer}, {other.reviewer}",
            "invalid": both,
            "reasons": _reasons(both, (one, other)),
            "groups": tuple(groups),
        }
    )


def _joined(one: ReviewedGroup, other: ReviewedGroup) -> ReviewedGroup:
    """Both groups as one: what the later adds comes behind."""
    fields = {}
    for name in ("answers", "en_answers"):
        texts = getattr(one, name)
        known = {clean(text) for text in texts}
        fields[name] = (*texts, *(text for text in getattr(other, name) if clean(text) not in known))
    return one.model_copy(update=fields)


def _reasons(invalid: Sequence[str], reviews: Sequence[Review]) -> tuple[str, ...]:
    """The reasons that the reviews give for each of the answers, with a semicolon; none if none gives any."""
    given: dict[str, list[str]] = {clean(answer): [] for answer in invalid}
    for review in reviews:
        for answer, reason in zip(review.invalid, review.reasons, strict=False):
            if reason.strip() and reason not in given[clean(answer)]:
                given[clean(answer)].append(reason)
    return tuple(map("; ".join, given.values())) if any(given.values()) else ()
