"""Surveys that Hypothesis makes up."""

import polars as pl
from hypothesis import strategies as st

from helpers.questions.saq_inputs import KINDS, NO_REVIEW, questions_of, responses_of, review_of

# Words that the rules of English put together in twos and threes.
WORDS = st.sampled_from(["tea", "Tea", "te a", "rice", "rice.", "bread", "BREAD", "café", "cafe", "1.5", "15"])
BALLOTS = st.dictionaries(
    st.sampled_from([f"a{i}" for i in range(8)]),
    st.lists(WORDS, min_size=1, max_size=3) | st.sampled_from([*KINDS, "other: not sure", "other: it varies"]),
)


@st.composite
def surveys(draw: st.DrawFn) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Questions, responses and, for some of the answers, reviews."""
    ids = ("p", "q", "r")
    ballots = {name: draw(BALLOTS) for name in ids}
    reviews = [NO_REVIEW]
    for name in ids:
        typed = sorted({a for given in ballots[name].values() if isinstance(given, list) for a in given})
        if typed and draw(st.booleans()):
            places = {answer: draw(st.integers(-2, 3)) for answer in typed}  # -2: not mentioned, -1: invalid
            groups = [[a for a in typed if places[a] == i] for i in range(4)]
            reviews.append(
                review_of(
                    *((group, group[:1]) for group in groups if group),
                    invalid=[a for a in typed if places[a] == -1],
                    template_id=name,
                )
            )
    responses = pl.concat(responses_of(given, template_id=name) for name, given in ballots.items())
    return questions_of(*ids), responses, pl.concat(reviews)
