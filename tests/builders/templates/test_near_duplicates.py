"""Questions that ask almost the same stand in one group, with a number that means something."""

import pytest

from blend.builders.templates import content, near_duplicates

TEXTS = [
    "What is the most popular fruit in {country}?",
    "What sport do women in {country} like to watch?",
    "Which fruit is popular in {country}?",
    "What sports do women like to watch the most in {country}?",
    "What time is lunch in {country}? (Provide in HH:MM format (e.g., 18:00, 09:00).)",
]


def test_content_leaves_the_frame_out():
    assert content(TEXTS[0]) == content(TEXTS[2]) == "fruit"
    assert content(TEXTS[4]) == "lunch time"
    assert content("What is it like in {country}?") == "in is it like what"


def test_groups_and_similarities():
    matches = near_duplicates(TEXTS, threshold=0.85)
    assert matches[0] == (0, 2, 1.0)
    assert matches[2] == (0, 0, 1.0)
    assert matches[4] is None
    # "sport watch women" and "sports watch women": 17 and 18 characters, 17 of them in common.
    assert matches[1] is not None
    assert matches[1][:2] == (1, 3)
    assert matches[1].similarity == pytest.approx(2 * 17 / (17 + 18), abs=1e-6)


def test_groups_join_through_others():
    texts = ["abcdefghij", "abcdefghxy", "abcdefwvxy"]
    matches = near_duplicates(texts, threshold=0.8)
    assert [match and match.group for match in matches] == [0, 0, 0]
    assert [match and match.nearest for match in matches] == [1, 0, 1]
