"""Who gave which texts, in numbers."""

import numpy as np
from mcq_inputs import frames_of

from blend.builders.mcq.said import Lists, said_texts, spread

RICE = (["rice", "steamed rice"], 3), ("rice", 1)


def test_votes_of_the_same_text_in_two_groups_add_up():
    said = said_texts(frames_of({"T-1": {"ko-KR": RICE, "en-GB": [("tea", 2)]}, "T-2": {"ko-KR": RICE[1:]}})[1])
    assert (said.templates, said.locales) == ({"T-1": 0, "T-2": 1}, {"en-GB": 0, "ko-KR": 1})
    assert said.texts == ("rice", "steamed rice", "tea")
    entries = np.stack([said.template, said.locale, said.text, said.votes], axis=1).tolist()
    assert entries == [[0, 0, 2, 2], [0, 1, 0, 4], [0, 1, 1, 3], [1, 1, 0, 1]]


def test_nobody_says_anything():
    said = said_texts(frames_of({"T-1": {"ko-KR": []}})[1])
    assert (said.locales, said.texts, said.text.tolist()) == ({"ko-KR": 0}, (), [])


def test_lists_by_key():
    lists = Lists(np.array([2, 0, 2]), np.array([5, 6, 7]))
    place, numbers = lists.at(np.array([0, 1, 2, 2]))
    assert place.tolist() == [0, 2, 2, 3, 3]
    assert numbers.tolist() == [6, 5, 7, 5, 7]


def test_places_in_lists_of_some_lengths():
    which, place = spread(np.array([2, 0, 1]))
    assert (which.tolist(), place.tolist()) == ([0, 0, 2], [0, 1, 0])
