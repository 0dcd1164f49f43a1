"""Ranking: places among candidates, ties, and what follows from the places."""

import polars as pl

from blend.eval.tasks.probing.ranking import candidate_sets, ranked

NAMES = ("apple", "bread", "egg", "salt", "water")
SETS = candidate_sets(pl.DataFrame({"candidate_set": "en", "candidate": list(NAMES)}))


def rank(
    logprobs: list[float | None],
    tokens: list[int],
    gold: list[str],
    *,
    per_token: bool = True,
    shorter_first: bool = False,
) -> tuple[list[int | None], list[str], int]:
    rows = pl.DataFrame(
        {"gold": [gold], "candidate_set": ["en"], "logprobs": [logprobs], "option_tokens": [tokens]}
    )
    [found] = ranked(rows, SETS, per_token=per_token, shorter_first=shorter_first).rows()
    return found[:3]


def test_equal_scores_stand_in_code_point_order():
    assert rank([-1] * 5, [1] * 5, ["salt"])[1] == list(NAMES)


def test_equal_scores_of_masked_models_the_shorter_first():
    # All means are -1.
    found = rank([-3, -1, -2, -1, -2], [3, 1, 2, 1, 2], ["apple"], shorter_first=True)
    assert found == ([4], ["bread", "salt", "egg", "water", "apple"], 5)


def test_a_gold_label_without_a_rank_drops_out_of_the_precision():
    rows = {"gold": [["egg", "none"]], "candidate_set": ["en"], "logprobs": [[-1.0, -2.0, -1.5, -3.0, -4.0]]}
    found = ranked(pl.DataFrame(rows | {"option_tokens": [[1] * 5]}), SETS, per_token=True, shorter_first=False)
    assert found.select("ranks", "precision", "hits_1", "hits_5").row(0) == ([1, None], 1 / 2, 0, 1)
