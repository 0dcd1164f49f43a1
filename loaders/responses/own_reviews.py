"""Own reviews: those that people wrote as files, beside the file of their locale, and which of two count."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from blend.loaders.files.checked import Checked, Placed
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.responses.links import AskedQuestion, Key
from blend.schemas.language.text_comparison import clean, pluralise
from blend.schemas.rows.published_rows import Response, Review

OWN = ".own"
"""Ending of the stem of their files: ``ko-KR.own.jsonl`` beside ``ko-KR.jsonl``."""

NOT_ASKED, IN_A_FILE = "not-asked", "reviewed-in-a-file"
"""Kinds of the findings about reviews that are passed over."""


def reviews_that_count(
    reviews: Checked[Review],
    questions: Checked[AskedQuestion],
    responses: Checked[Response],
    diagnostics: Diagnostics,
    *,
    reviewing: bool = False,
) -> Checked[Review]:
    """Reviews without those of questions that are dropped, and with one of two that stand in two files.

    What is left out stays in its file, and counts again with the question, or without the other review. Reviews
    in other files than own ones must be about questions that are asked, unless somebody is ``reviewing``.
    """
    asked = {(row.template_id, row.locale) for _, row in questions.rows} if questions.is_complete else set()
    given = given_answers([row for _, row in responses.rows]) if responses.is_complete else None
    left_out: set[str] = set()
    by_question: dict[Key, list[Placed[Review]]] = {}
    for one in reviews.rows:
        key = one.row.template_id, one.row.locale
        # A file without a question is more likely cut off than meant.
        if asked and key not in asked and (reviewing or is_own(one.location)):
            diagnostics.finding(NOT_ASKED, one.location, not_asked_now(*key), locale=key[1], template_id=key[0])
            left_out.add(one.location)
        else:
            by_question.setdefault(key, []).append(one)
    for key, both in by_question.items():
        there = None if given is None else given.get(key, ())
        left_out.update(loser.location for loser in _outdone(both, there, diagnostics))
    return reviews._replace(rows=[one for one in reviews.rows if one.location not in left_out])


def is_own(location: str) -> bool:
    """Whether the file of a review is one of own reviews.

    Args:
        location: Of the row, ``reviews/ko-KR.own.jsonl:3``.
    """
    return Path(location.rpartition(":")[0]).stem.endswith(OWN)


def given_answers(responses: Sequence[Response]) -> Mapping[Key, Collection[str]]:
    """The answers that are given, cleaned, by question."""
    given: defaultdict[Key, set[str]] = defaultdict(set)
    for row in responses:
        given[row.template_id, row.locale].update(map(clean, row.answers))
    return given


def further_decided(review: Review, other: Review, given: Collection[str] | None) -> int:
    """Count how many answers more than another a review decides on; null: any may be given."""
    both = decided_in(review), decided_in(other)
    these, those = both if given is None else (decided.intersection(given) for decided in both)
    return len(these) - len(those)


def decided_in(review: Review) -> set[str]:
    """The answers on which a review decides, cleaned."""
    return set(map(clean, [*review.invalid, *(answer for group in review.groups for answer in group.answers)]))


def not_asked_now(template_id: str, locale: str) -> str:
    """Say what becomes of a review of a question that was dropped."""
    return f"review of {template_id!r}, which is not asked in {locale} any more; not read, and kept until it is"


def why_it_counts(further: int) -> str:
    """Say why one of two reviews counts, after ``which counts``."""
    why = f", since it decides on {pluralise(further, 'further answer')}" if further else ""
    return f"{why}; left out"


def _outdone(
    both: Sequence[Placed[Review]], given: Collection[str] | None, diagnostics: Diagnostics
) -> Iterator[Placed[Review]]:
    """The one of two reviews of a question that does not count, where just one of them is an own one."""
    own = [one for one in both if is_own(one.location)]
    if len(both) != 2 or len(own) != 1:
        return
    (mine,), (other,) = own, [one for one in both if one not in own]
    further = further_decided(other.row, mine.row, given)
    counting, loser = (other, mine) if further > 0 else (mine, other)
    if loser.row != counting.row:
        detail = (
            f"{loser.row.reviewer} reviewed the question in {loser.location}, {counting.row.reviewer} in "
            f"{counting.location}, which counts{why_it_counts(abs(further))}"
        )
        key = mine.row.template_id, mine.row.locale
        diagnostics.finding(IN_A_FILE, loser.location, detail, locale=key[1], template_id=key[0])
    yield loser
