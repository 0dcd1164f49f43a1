"""Majorities of other numbers of annotators, predicted from those who were asked, on the published votes."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from blend.loaders.upstream.blend import read_blend
from helpers.scripts import script

FEW, ALL = 3, 5


chances = script("benchmarks/vote_chances.py")


def test_further_annotators_agree_with_those_before_or_say_something_new():
    # Two of three agree; the fourth agrees with them by 2 of 3 + 1.
    nobody_new = (0.0, 0.0, 0.0, 1.0)
    limits = ((0, 0), (0, 1), (3, 4))
    assert chances.chance((0, 0, 2, 1), nobody_new, 4, limits, novelty=1.0) == pytest.approx(0.5)
    # The fourth by 1/2, the fifth then by 3/5: 0.5 * 0.6.
    five = chances.chance((0, 0, 2, 1), nobody_new, 5, ((0, 0), (0, 1), (4, 5)), novelty=1.0)
    assert five == pytest.approx(0.3)


def fewer(annotations: pl.DataFrame, n: int) -> pl.DataFrame:
    """Draw ``n`` of a question's annotators; who of those that answered gave which answers is drawn as well."""
    rng, rows = np.random.default_rng((20261123, n)), []
    for row in annotations.sort("template_id", "locale").iter_rows(named=True):
        votes, idks = [one["count"] for one in row["annotations"]], row["idks"]
        others = sum(one["count"] for one in idks["others"])
        silent = [idks["idk"], idks["no-answer"], idks["not-applicable"], others]
        answering = max(ALL - sum(silent), *votes, 0)
        chosen = rng.permutation(answering + sum(silent))[:n]
        # The first ones have answered; each reason of the others has its own numbers behind them.
        ends = np.cumsum([answering, *silent])
        left = [int(((chosen >= low) & (chosen < high)).sum()) for low, high in pairwise(ends)]
        given = [int(np.isin(chosen, rng.permutation(answering)[:count]).sum()) for count in votes]
        groups = [
            {**one, "count": count} for one, count in zip(row["annotations"], given, strict=True) if count
        ]
        idks = dict(zip(("idk", "no-answer", "not-applicable"), left, strict=False))
        others = [{"answer": "", "count": left[3]}] if left[3] else []
        rows.append({**row, "annotations": groups, "idks": {**idks, "others": others}})
    return pl.DataFrame(rows, schema=annotations.schema)


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.parametrize(("asked", "n"), [(FEW, ALL), (ALL, FEW)])
def test_majorities_of_other_numbers_are_predicted(blend_data: Path, asked: int, n: int):
    of_all = read_blend(blend_data).annotations
    annotations = {ALL: of_all, FEW: fewer(of_all, FEW)}
    predicted = chances.vote_shares(annotations[asked], [n], wanted=asked)["majority"]
    observed = chances.vote_shares(annotations[n], [n], wanted=n)["majority"]
    assert float((predicted - observed).mean()) == pytest.approx(0, abs=0.01)
    assert float((predicted - observed).abs().max()) <= 0.06
