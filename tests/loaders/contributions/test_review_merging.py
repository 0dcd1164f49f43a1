"""Merging reviews: decisions of both stay, in every order, or the contradiction is named."""

from hypothesis import given
from hypothesis import strategies as st

from blend.loaders.contributions.review_merging import merge_reviews
from blend.loaders.files.checked import Checked, Placed
from blend.loaders.files.diagnostics import Diagnostics
from blend.schemas.rows.published_rows import Review

INVALID = -1


def review(decisions: dict[str, int], reviewer: str = "r01") -> Review:
    """A review from answers to the numbers of their groups."""
    groups: dict[int, list[str]] = {}
    for answer, group in decisions.items():
        groups.setdefault(group, []).append(answer)
    invalid = groups.pop(INVALID, [])
    return Review.model_validate(
        {
            "template_id": "food-01",
            "locale": "ko-KR",
            "reviewer": reviewer,
            "invalid": invalid,
            "groups": [{"answers": answers, "en_answers": [answers[0].upper()]} for answers in groups.values()],
        }
    )


def merged(*reviews: Review) -> tuple[list[Placed[Review]], Diagnostics]:
    """The reviews as one per question, each from a folder of its own."""
    diagnostics = Diagnostics()
    parts = [Checked([Placed(f"folder-{n}/reviews/ko-KR.jsonl:1", row)], True) for n, row in enumerate(reviews)]
    return merge_reviews(parts, diagnostics).rows, diagnostics


def decisions_of(found: Review) -> dict[str, frozenset[str] | None]:
    """Every answer, with those that mean the same; null for an invalid one."""
    grouped = {answer: frozenset(group.answers) for group in found.groups for answer in group.answers}
    return dict.fromkeys(found.invalid) | grouped


def test_each_reviews_what_its_own_annotators_answered():
    rows, diagnostics = merged(
        review({"rice": 0, "bread": 1}, "mina-ko/r01"),
        review({"boiled rice": 0, "rice": 0, "x": INVALID}, "jun-ko/r01"),
    )
    assert diagnostics.problems == []
    assert [(kind, source) for kind, source, *_ in diagnostics.findings] == [
        ("merged-reviews", "folder-1/reviews/ko-KR.jsonl:1")
    ]
    ((location, found),) = rows
    assert (location, found.reviewer) == ("folder-0/reviews/ko-KR.jsonl:1", "mina-ko/r01, jun-ko/r01")
    assert found.invalid == ("x",)
    assert [(group.answers, group.en_answers) for group in found.groups] == [
        (("rice", "boiled rice"), ("RICE", "BOILED RICE")),
        (("bread",), ("BREAD",)),
    ]


def test_reasons_stay_beside_their_answers():
    one = review({"x": INVALID}).model_copy(update={"reasons": ("no food",)})
    ((_, found),), _ = merged(review({"y": INVALID, "x": INVALID}), one)
    assert (found.invalid, found.reasons) == (("y", "x"), ("", "no food"))
    ((_, found),), _ = merged(one, review({"y": INVALID, "x": INVALID}))
    assert (found.invalid, found.reasons) == (("x", "y"), ("no food", ""))
    other = review({"x": INVALID}).model_copy(update={"reasons": ("a plate",)})
    ((_, found),), _ = merged(one, other)
    assert found.reasons == ("no food; a plate",)


_DECISIONS = st.dictionaries(st.sampled_from("abcdef"), st.integers(INVALID, 2), min_size=1)


def contradict(one: dict[str, int], other: dict[str, int]) -> bool:
    """Whether two reviews decide differently about two answers that both know, or about one of them."""
    both = one.keys() & other.keys()
    return any(
        (one[a] == one[b]) != (other[a] == other[b]) or (one[a] == INVALID) != (other[a] == INVALID)
        for a in both
        for b in both
    )


@given(_DECISIONS, _DECISIONS)
def test_decisions_of_both_stay_or_contradict(one: dict[str, int], other: dict[str, int]):
    rows, diagnostics = merged(review(one), review(other))
    assert bool(diagnostics.problems) == contradict(one, other)
    ((_, found),) = rows
    assert Review.model_validate(found.model_dump()) == found
    if not diagnostics.problems:
        decided = decisions_of(found)
        assert decided.keys() == one.keys() | other.keys()
        for known in (one, other):
            for a in known:
                assert (decided[a] is None) == (known[a] == INVALID)
                same = {b for b in known if known[b] == known[a]}
                assert decided[a] is None or {b for b in known if b in (decided[a] or ())} == same


@given(_DECISIONS, _DECISIONS)
def test_the_order_of_folders_changes_no_decision(one: dict[str, int], other: dict[str, int]):
    forth, back = merged(review(one), review(other)), merged(review(other), review(one))
    assert bool(forth[1].problems) == bool(back[1].problems)
    if not forth[1].problems:
        assert decisions_of(forth[0][0].row) == decisions_of(back[0][0].row)
