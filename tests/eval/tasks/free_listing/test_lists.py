"""Free answers: which entries name an ingredient, and the figures that follow."""

from collections.abc import Sequence

import polars as pl
import pytest

from blend.eval.scores_json import ScoredItems
from blend.eval.tasks.free_listing.listings import score_lists

Accepted = list[list[str]]


Asked = tuple[str, str, Accepted, str | None]
"""An item as (language, country, names of the ingredients, answer)."""


def judged(*asked: Asked, rule: str = "default") -> ScoredItems:
    """Items by a rule, each in a part of its own."""
    items, gold, answers = frames(asked)
    parts = [(one, answers) for one in items.iter_slices(1)]
    known = gold.iter_slices(1)
    return score_lists(parts, known, items["language"].unique(), rule=rule, lemmas=None, seed=0)


def frames(asked: Sequence[Asked]) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Items, gold and answers."""
    ids = [str(n) for n in range(len(asked))]
    items = pl.DataFrame(
        {
            "item_id": ids,
            "locale": [row[0] for row in asked],
            "region": [row[1] for row in asked],
            "template_id": [f"Q{n}" for n in ids],
            "language": [row[0] for row in asked],
            "prompt_id": "hasParts",
        }
    )
    gold = items.select("item_id", qid="template_id").with_columns(
        pl.Series("accepted", [row[2] for row in asked], pl.List(pl.List(pl.String)))
    )
    answers = pl.DataFrame(
        [(i, row[3], None if row[3] is not None else "refused") for i, row in zip(ids, asked, strict=True)],
        schema={"item_id": pl.String, "text": pl.String, "error": pl.String},
        orient="row",
    )
    return items, gold, answers


def figure(found: ScoredItems, metric: str, scope: str = "overall", key: str = "all") -> float | None:
    [score] = [s for s in found.scores if (s.metric, s.scope, s.key) == (metric, scope, key)]
    return score.value


EGGS: Accepted = [["egg"], ["soy sauce"], ["flour"]]


@pytest.mark.slow
def test_precision_recall_and_f1_by_hand():
    found = judged(("en", "Japan", EGGS, "Eggs, soy sauce, tofu, salt"))
    [row] = found.decisions.select("named", "found", "precision", "recall", "f1").rows(named=True)
    assert row["named"] == ["Eggs", "soy sauce", "tofu", "salt"]
    assert row["found"] == ["egg", "soy sauce"]
    assert (row["precision"], row["recall"]) == (0.5, pytest.approx(2 / 3))
    # 2 * 1/2 * 2/3 / (1/2 + 2/3)
    assert row["f1"] == pytest.approx(4 / 7)


def test_a_name_inside_an_entry_counts_by_its_rule_only():
    row = ("en", "Japan", [["basil"], ["soy"]], "fresh basil, soy sauce")
    assert judged(row).decisions["found"].to_list() == [[]]
    assert judged(row, rule="contains").decisions["found"].to_list() == [["basil", "soy"]]


@pytest.mark.slow
def test_an_and_written_onto_the_last_word_is_read_both_ways():
    # "and sugar", and "vine leaves", whose first letter looks like it.
    found = judged(("ar", "Egypt", [["سكر"]], "بيض، وسكر"), ("ar", "Egypt", [["ورق عنب"]], "أرز، ورق عنب"))
    assert [len(labels) for labels in found.decisions["found"].to_list()] == [1, 1]


def test_an_empty_answer_names_nothing_and_no_answer_is_missing():
    found = judged(("en", "Japan", EGGS, ""), ("en", "Japan", EGGS, None))
    assert figure(found, "precision") == 0
    assert figure(found, "recall") == 0
    assert figure(found, "missing") == 50
    assert figure(found, "unanswered") == 100
    assert found.decisions["named"].to_list() == [[], None]
    assert found.decisions["correct"].to_list() == [False, None]
