"""Sharing: questions with one prompt are asked as one, and every item gets its own options' values back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.models.encoding import EncodedQuestion
from blend.eval.models.shared_prompts import shared

tokens = st.lists(st.integers(0, 3), min_size=1, max_size=3)
questions = st.lists(
    st.builds(EncodedQuestion, prefix=tokens, options=st.lists(tokens, min_size=1, max_size=4)),
    min_size=1,
    max_size=12,
)


def test_one_prompt_and_what_options_share_are_asked_once():
    rice, bread, naan, injera = [1], [2], [3], [4, 5]
    asked = [
        EncodedQuestion([7, 8], [rice, bread]),
        EncodedQuestion([9], [rice]),
        EncodedQuestion([7, 8], [injera, rice, naan]),
    ]
    first, second = shared(asked, [0, 1, 2], tokens=100)
    assert first.items == (0, 2)
    assert first.question == EncodedQuestion([7, 8], [rice, bread, injera, naan])
    assert first.length == 2 + 1 + 1 + 2 + 1
    assert dict(first.values([-1.0, -2.0, -3.0, -4.0])) == {0: [-1.0, -2.0], 2: [-3.0, -1.0, -4.0]}
    assert second.question == asked[1]


@pytest.mark.slow
@given(asked=questions, budget=st.integers(0, 30), data=st.data())
def test_every_item_gets_the_values_of_its_own_options_whatever_the_budget(
    asked: list[EncodedQuestion], budget: int, data: st.DataObject
):
    items = data.draw(st.lists(st.sampled_from(range(len(asked))), unique=True))
    found: dict[int, list[float]] = {}
    for one in shared(asked, items, tokens=budget):
        assert len(one.items) == 1 or one.length <= budget
        # A value that names the prompt and the option.
        values = [hash((tuple(one.question.prefix), tuple(ids))) for ids in one.question.options]
        assert len(set(values)) == len(values)
        found.update(one.values(values))
    assert found == {
        item: [hash((tuple(asked[item].prefix), tuple(ids))) for ids in asked[item].options] for item in items
    }
