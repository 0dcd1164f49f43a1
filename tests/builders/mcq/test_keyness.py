"""Keyness: how much more a locale uses words than another one; and who gave which texts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.builders.mcq.keyness import Keyness, answer_index
from helpers.examples import examples
from helpers.questions.mcq_inputs import frames_of

TAGS = ["en-GB", "ko-KR", "ar-DZ", "zh-CN"]
WORDS = st.sampled_from(["rice", "rice cake", "tea", "milk tea", "bread", "soup"])
ANSWERS = st.lists(st.tuples(WORDS, st.integers(1, 5)), min_size=1, max_size=3)
TEMPLATES = st.dictionaries(
    st.sampled_from(["T-1", "T-2", "T-3"]),
    st.dictionaries(st.sampled_from(TAGS), ANSWERS, min_size=2),
    min_size=1,
)


def keyness_of(templates):
    return Keyness(answer_index(frames_of(templates)[1]))


def test_a_word_that_one_locale_uses_has_keyness_for_it():
    known = keyness_of({"T-1": {"ko-KR": [("rice", 5)], "en-GB": [("bread", 5)]}})
    right = [("soup", "ko-KR"), ("soup", "en-GB")]
    options = [("rice", "en-GB"), ("bread", "en-GB"), ("rice", "ko-KR"), ("bread", "ko-KR")]
    assert known.compared("T-2", right, options).tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]


def test_the_ratio_worked_out():
    # Of 10 votes in Korea 6 are for rice, of 8 in Britain 2; they use three words and two. In both together,
    # and with one vote more for every word and for one that nobody used: 9 of 10 + 8 + 3 + 2 + 1 = 24.
    templates = {"T-1": {"ko-KR": [("rice", 6), ("soup", 3), ("tea", 1)], "en-GB": [("tea", 6), ("rice", 2)]}}
    known = keyness_of(templates)
    ratio = {
        "rice": np.log((6 + 2 * 9 / 24) / (12 * 9 / 24)),
        "tea": np.log((1 + 2 * 8 / 24) / (12 * 8 / 24)),
        "soup": np.log((3 + 2 * 4 / 24) / (12 * 4 / 24)),
    }
    ratio["rice tea"] = (ratio["rice"] + ratio["tea"]) / 2
    texts = list(ratio)
    found = known.compared("T-9", [(t, "ko-KR") for t in texts], [(t, "en-GB") for t in texts])
    assert found.tolist() == [[np.sign(round(ratio[o] - ratio[g], 9)) for o in texts] for g in texts]


def test_what_was_answered_to_the_template_itself_does_not_count():
    templates = {
        "T-1": {"ko-KR": [("rice", 5)], "en-GB": [("bread", 5)]},
        "T-2": {"ko-KR": [("bread", 1)], "en-GB": [("rice", 1)]},
    }
    known, right, options = keyness_of(templates), [("rice", "ko-KR")], [("bread", "en-GB")]
    assert known.compared("T-1", right, options).item() == 1
    assert known.compared("T-2", right, options).item() == -1


def test_nobody_knows_words_or_locales_that_never_occur():
    known = keyness_of({"T-1": {"ko-KR": [("rice", 5)], "en-GB": [("bread", 5)]}})
    right = [("unheard", "ko-KR"), ("rice", "fr-FR")]
    assert known.compared("T-1", right, [("of", "el-GR"), ("rice", "zh-CN")]).tolist() == [
        [0, 0],
        [0, 0],
    ]
    assert known.compared("T-1", [], [("of", "el-GR")]).shape == (0, 1)
    assert known.compared("T-1", right, []).shape == (2, 0)
    nothing = keyness_of({})
    assert nothing.compared("T-1", right, [("of", "el-GR")]).tolist() == [[0], [0]]


@pytest.mark.slow
@settings(max_examples=examples(100))
@given(TEMPLATES, st.sampled_from(TAGS), WORDS, WORDS)
def test_a_further_locale_changes_nothing_between_two_others(templates, joining, gold, option):
    others = [tag for tag in TAGS if tag != joining]
    without = {t: {tag: a for tag, a in answers.items() if tag != joining} for t, answers in templates.items()}
    right, options = [(gold, others[0])], [(option, others[1])]
    found = [keyness_of(known).compared("T-1", right, options).item() for known in (templates, without)]
    assert found[0] == found[1]


def test_an_option_without_votes_is_a_tie_with_another_one():
    known = keyness_of({"T-1": {"ko-KR": [("rice", 5)], "en-GB": [("bread", 5)]}})
    assert known.compared("T-2", [("x", "ko-KR")], [("y", "en-GB")]).item() == pytest.approx(0)


RICE = (["rice", "steamed rice"], 3), ("rice", 1)


def test_votes_of_the_same_text_in_two_groups_add_up():
    index = answer_index(
        frames_of({"T-1": {"ko-KR": RICE, "en-GB": [("tea", 2)]}, "T-2": {"ko-KR": RICE[1:]}})[1]
    )
    assert index.rows() == [
        ("T-1", "en-GB", "tea", 2),
        ("T-1", "ko-KR", "rice", 4),
        ("T-1", "ko-KR", "steamed rice", 3),
        ("T-2", "ko-KR", "rice", 1),
    ]


def test_nobody_gives_anything():
    assert answer_index(frames_of({"T-1": {"ko-KR": []}})[1]).is_empty()
