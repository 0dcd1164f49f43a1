"""Words over topics: however topics come together, the scores are those of their definition."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.tasks.cultural_prompts import topic_analysis
from blend.eval.tasks.cultural_prompts.text_measures import code_topic
from blend.eval.tasks.cultural_prompts.topic_analysis import (
    Settings,
    TopicFigures,
    TopicKey,
    Totals,
    word_counts,
)

GROUPS = ("first", "second", "third")
TEXTS = st.lists(
    st.tuples(st.integers(0, 2), st.lists(st.sampled_from(["aa", "bb", "cc", "dd"]), max_size=6)),
    min_size=1,
    max_size=5,
)


def plain_words(topics: list[list[tuple[int, list[str]]]], top: int) -> list[tuple]:
    """Document by document: all that is written for a group, in the order of topics."""
    documents = [
        [word for topic in topics for of, text in topic if of == group for word in text] for group in range(3)
    ]
    n_groups = len({of for topic in topics for of, _ in topic})
    rows = []
    for group, document in enumerate(documents):
        scores = {
            word: document.count(word) * math.log(n_groups / sum(word in other for other in documents))
            for word in dict.fromkeys(document)
        }
        ranked = sorted((word for word in scores if scores[word] > 0), key=lambda word: -scores[word])
        rows += [(GROUPS[group], word, scores[word], rank) for rank, word in enumerate(ranked[:top], start=1)]
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("rows_at_a_time", [0, 10**6])
@given(topics=st.lists(TEXTS, min_size=1, max_size=6), top=st.integers(0, 5))
def test_words_are_those_of_their_definition(rows_at_a_time, topics, top):
    totals = Totals(Settings(GROUPS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(topic_analysis, "_ROWS", rows_at_a_time)
        for number, topic in enumerate(topics):
            coded = code_topic([text for _, text in topic], [group for group, _ in topic], 3)
            words = word_counts(coded, {"dd"}, position=number)
            key = TopicKey("qa", f"category {number % 2}", str(number))
            totals.add(TopicFigures(key, coded.samples, None, None, None, {}, {}, words, None))
    without = [[(of, [word for word in text if word != "dd"]) for of, text in topic] for topic in topics]
    found = totals.words(top=top)
    for category, some in (("category 0", without[::2]), ("category 1", without[1::2]), (None, without)):
        if some and (category or len(topics) > 1):
            rows = found.filter(found["category"].eq_missing(category))
            assert rows.select("group", "word", "score", "rank").rows() == plain_words(some, top)
