"""Agreement: published values of alpha, MASI by its definition, and the same as a library computes."""

from collections.abc import Iterable

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.saq.agreement import Alpha, krippendorff_alpha, similarities

FOUR_OBSERVERS = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]


def agreement(answers: Iterable[tuple[int, Iterable[str]]]) -> Alpha:
    """Agreement on answer sets, each with the number of its question."""
    rows = [(unit, sorted(held)) for unit, held in answers]
    return krippendorff_alpha(
        pl.DataFrame(rows, {"unit": pl.Int64, "labels": pl.List(pl.String)}, orient="row")
    )


def alpha_of(answers: Iterable[tuple[int, Iterable[str]]]) -> float | None:
    return agreement(answers).alpha


def nominal(*observers: str) -> float | None:
    """Alpha of one label per unit and observer; a full stop is a missing one."""
    return alpha_of([(n, frozenset(label)) for row in observers for n, label in enumerate(row) if label != "."])


def test_alpha_equals_the_published_examples():
    # Krippendorff (2011), sections A, B and C: binary, nominal, and four observers with missing values.
    assert nominal("0100000010", "1110010000") == pytest.approx(0.095, abs=5e-4)
    assert nominal("aabbdcccedda", "babbbccceddd") == pytest.approx(0.692, abs=5e-4)
    assert nominal(*FOUR_OBSERVERS) == pytest.approx(0.743, abs=5e-4)


def test_masi_is_jaccard_times_how_the_sets_lie():
    # Passonneau (2006): 1 for equal sets, 2/3 for a part of the other, 1/3 for an overlap, 0 for none.
    numbers, similar = similarities(pl.Series([list(text) for text in ("ab", "ab", "a", "bc", "cd", "abcd")]))
    assert numbers.to_list() == [0, 0, 1, 2, 3, 4]
    found = {(one, other): similarity for one, other, similarity in similar.iter_rows()}
    assert found[0, 1] == pytest.approx(1 / 2 * 2 / 3)
    assert found[0, 2] == pytest.approx(1 / 3 * 1 / 3)
    assert (0, 3) not in found
    assert found[0, 4] == found[4, 0] == pytest.approx(2 / 4 * 2 / 3)
    assert found[3, 4] == pytest.approx(2 / 4 * 2 / 3)


LABELS = st.frozensets(st.sampled_from("abcde"), min_size=1, max_size=3)


def exact_masi(a: frozenset[str], b: frozenset[str]) -> float:
    """The library rounds 2/3 to 0.67 and 1/3 to 0.33; this does not."""
    shared = len(a & b)
    weight = 1 if a == b else 2 / 3 if a <= b or b <= a else 1 / 3
    return 1 - weight * shared / len(a | b)


@pytest.mark.slow
@given(st.lists(st.lists(LABELS, min_size=2, max_size=5), min_size=2, max_size=8))
def test_alpha_is_that_of_the_library(questions: list[list[frozenset[str]]]):
    from nltk.metrics.agreement import AnnotationTask

    answers = [(unit, held) for unit, given_sets in enumerate(questions) for held in given_sets]
    ours = alpha_of(answers)
    if ours is None:
        assert len({held for _, held in answers}) == 1
        return
    places: dict[int, int] = {}
    data = []
    for unit, held in answers:
        places[unit] = places.get(unit, -1) + 1
        data.append((f"annotator {places[unit]}", str(unit), held))
    assert ours == pytest.approx(AnnotationTask(data=data, distance=exact_masi).alpha(), abs=1e-12)


def test_without_variation_or_pairs_there_is_no_alpha():
    assert alpha_of([]) is None
    assert alpha_of([(0, frozenset("a")), (1, frozenset("b"))]) is None
    assert nominal("aaaa", "aaaa") is None
    assert alpha_of([(0, frozenset("a")), (0, frozenset("b"))]) is None  # one question


def test_the_interval_holds_alpha_and_shrinks_with_questions():
    rng = np.random.default_rng(3)
    units = np.repeat(np.arange(400), 5)
    labels = np.where(rng.random(2000) < 0.6, units % 7, rng.integers(7, size=2000))
    answers = [(int(unit), str(label)) for unit, label in zip(units, labels, strict=True)]
    all_of_them, few = agreement(answers), agreement(answers[:200])
    assert all_of_them.low < all_of_them.alpha < all_of_them.high
    assert few.high - few.low > 2 * (all_of_them.high - all_of_them.low)
    assert (all_of_them.n_questions, all_of_them.n_answers) == (400, 2000)
