"""Free answers: which entries name an ingredient, and the figures that follow."""

import polars as pl
import pytest

from blend.eval.scores_json import ScoredItems
from blend.eval.tasks.free_listing.listing_scores import score_lists
from blend.schemas.errors import InputError

Accepted = list[list[str]]


def judged(*asked: tuple[str, str, Accepted, str | None], rule: str = "default") -> ScoredItems:
    """Items as (language, country, names of the ingredients, answer)."""
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
    return score_lists(items, gold, answers, rule=rule, lemmas=None, seed=0)


def figure(found: ScoredItems, metric: str, scope: str = "overall", key: str = "all") -> float | None:
    [score] = [s for s in found.scores if (s.metric, s.scope, s.key) == (metric, scope, key)]
    return score.value


EGGS: Accepted = [["egg"], ["soy sauce"], ["flour"]]


def test_precision_recall_and_f1_by_hand():
    found = judged(("en", "Japan", EGGS, "Eggs, soy sauce, tofu, salt"))
    [row] = found.decisions.select("named", "found", "precision", "recall", "f1").rows(named=True)
    assert row["named"] == ["Eggs", "soy sauce", "tofu", "salt"]
    assert row["found"] == ["egg", "soy sauce"]
    assert (row["precision"], row["recall"]) == (0.5, pytest.approx(2 / 3))
    # 2 * 1/2 * 2/3 / (1/2 + 2/3)
    assert row["f1"] == pytest.approx(4 / 7)


def test_accuracy_counts_entries_and_not_answers():
    found = judged(
        ("en", "Japan", EGGS, "egg, tofu, salt, rice"),
        ("en", "Japan", EGGS, "egg"),
        ("en", "Italy", EGGS, "nothing"),
    )
    assert figure(found, "accuracy") == pytest.approx(100 * 2 / 6)
    assert figure(found, "accuracy", "country", "Japan") == pytest.approx(100 * 2 / 5)
    assert figure(found, "precision", "country", "Japan") == pytest.approx(100 * (1 / 4 + 1) / 2)
    assert figure(found, "nothing-correct") == pytest.approx(100 / 3)


def test_a_name_inside_an_entry_counts_by_its_rule_only():
    row = ("en", "Japan", [["basil"], ["soy"]], "fresh basil, soy sauce")
    assert judged(row).decisions["found"].to_list() == [[]]
    assert judged(row, rule="contains").decisions["found"].to_list() == [["basil", "soy"]]


def test_every_accepted_name_counts():
    found = judged(("zh", "Japan", [["豆腐", "荳腐"], ["番茄"]], "荳腐、鸡蛋"))
    assert found.decisions["found"].to_list() == [["豆腐"]]


@pytest.mark.slow
def test_an_and_written_onto_the_last_word_is_read_both_ways():
    # "and sugar", and "vine leaves", whose first letter looks like it.
    found = judged(("ar", "Egypt", [["سكر"]], "بيض، وسكر"), ("ar", "Egypt", [["ورق عنب"]], "أرز، ورق عنب"))
    assert [len(labels) for labels in found.decisions["found"].to_list()] == [1, 1]


def test_languages_without_lemmas_are_compared_by_their_words():
    found = judged(("he", "Israel", [["ביצה"], ["חלב"]], "חלב, קמח"))
    assert found.decisions["found"].to_list() == [["חלב"]]
    assert found.signature_parts == {"lemma": "none"}


def test_an_empty_answer_names_nothing_and_no_answer_is_missing():
    found = judged(("en", "Japan", EGGS, ""), ("en", "Japan", EGGS, None))
    assert figure(found, "precision") == 0
    assert figure(found, "recall") == 0
    assert figure(found, "missing") == 50
    assert figure(found, "unanswered") == 100
    assert found.decisions["named"].to_list() == [[], None]
    assert found.decisions["correct"].to_list() == [False, None]


def test_another_rule_is_refused():
    with pytest.raises(InputError) as raised:
        judged(("en", "Japan", EGGS, "egg"), rule="exact")
    assert str(raised.value) == "unknown rule 'exact'; choose one of: contains, default"
