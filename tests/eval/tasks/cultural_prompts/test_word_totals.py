"""Words over topics: however topics come together, the scores are those of their definition."""

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.tasks.cultural_prompts import tfidf_words
from blend.eval.tasks.cultural_prompts.coded_topics import code_topic
from blend.eval.tasks.cultural_prompts.tfidf_words import WORDS, WordTotals, word_counts

N_GROUPS = 3
TOPICS = st.lists(
    st.lists(
        st.tuples(
            st.integers(0, N_GROUPS - 1), st.lists(st.sampled_from(["aa", "bb", "cc", "dd"]), max_size=6)
        ),
        min_size=1,
        max_size=5,
    ),
    min_size=1,
    max_size=6,
)


def plain_words(topics: list[list[tuple[int, list[str]]]], n_groups: int, top: int) -> list[tuple]:
    """Document by document: all that is written for a group, in the order of topics."""
    documents = [
        [word for topic in topics for of, text in topic if of == group for word in text]
        for group in range(N_GROUPS)
    ]
    rows = []
    for group, document in enumerate(documents):
        scores = {
            word: document.count(word) * math.log(n_groups / sum(word in other for other in documents))
            for word in dict.fromkeys(document)
        }
        ranked = sorted((word for word in scores if scores[word] > 0), key=lambda word: -scores[word])
        rows += [(group, word, scores[word], rank) for rank, word in enumerate(ranked[:top], start=1)]
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("rows_at_a_time", [0, 10**6])
@given(topics=TOPICS, top=st.integers(0, 5))
def test_words_are_those_of_their_definition(rows_at_a_time, topics, top):
    totals = WordTotals()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tfidf_words, "_ROWS", rows_at_a_time)
        for number, topic in enumerate(topics):
            coded = code_topic([text for _, text in topic], [group for group, _ in topic], N_GROUPS)
            totals.add(("qa", f"category {number % 2}"), word_counts(coded, (), position=number))
    places = [("qa", f"category {number}") for number in range(min(2, len(topics)))]
    assert totals.top(places, N_GROUPS, top=top).rows() == plain_words(topics, N_GROUPS, top)
    # Asking for one category first changes nothing.
    assert totals.top(places[:1], N_GROUPS, top=top).rows() == plain_words(topics[::2], N_GROUPS, top)
    assert totals.top(places, N_GROUPS, top=top).rows() == plain_words(topics, N_GROUPS, top)


def test_topics_without_words_have_none():
    totals = WordTotals()
    totals.add(("qa", ""), word_counts(code_topic([["the"], []], [0, 1], N_GROUPS), {"the"}))
    assert totals.top([("qa", "")], N_GROUPS, top=15).equals(pl.DataFrame(schema=WORDS))
