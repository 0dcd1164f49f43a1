"""Every figure of the golden tables, from the published data of BLEnD's 16 regions."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal

from blend.builders.stats import build_stats
from blend.builders.stats.measures import MEASURES, Stats
from blend.loaders.upstream.blend import BlendTables
from blend.schemas.locales import registry

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def stats(raw_tables: BlendTables) -> Stats:
    return build_stats(raw_tables.questions, raw_tables.annotations)


def test_every_figure_is_reproduced(stats, golden: Path):
    tables = json.loads((golden / "tables.json").read_text(encoding="utf-8"))
    # 16 regions, 6 topics, 16 x 7 counts, (2 + 5) definitions x (4 overall + 16 x 3 of a region) means,
    # 2 x (120 pairs + 10 extremes with name and sum) overlaps.
    expected = {path: leaf for path, leaf in leaves(tables) if not is_sentence(path)}
    assert len(expected) == 16 + 6 + 16 * 7 + (2 + 5) * (4 + 16 * 3) + 2 * (120 + 10 * 2)
    found = dict(leaves(golden_form(stats)))
    assert found.keys() == expected.keys()
    wrong = {path: (found[path], leaf) for path, leaf in expected.items() if not equal(found[path], leaf)}
    assert wrong == {}


def test_cleaning_changes_the_number_of_strings_and_nothing_else(stats, clean_tables):
    # Votes, answers as groups, non-answers and English words are those of the files. Blank answers fall away
    # and spellings become one: 35,380 local and 36,362 English strings before, 30 and 10 fewer after.
    cleaned = build_stats(clean_tables.questions, clean_tables.annotations)
    strings = ["answers", "en_answers"]
    assert_frame_equal(cleaned.counts.drop(strings), stats.counts.drop(strings))
    assert cleaned.counts.select(strings).sum().row(0) == (35_350, 36_352)
    assert_frame_equal(cleaned.overlap, stats.overlap)
    assert_frame_equal(cleaned.non_answers, stats.non_answers)


def test_the_documentation_prints_these_means(stats, root):
    text = (root / "docs" / "stats.md").read_text(encoding="utf-8")
    for row in stats.overall_means.iter_rows(named=True):
        percent = row["unit"] == "fraction"
        for name in ("mean", "mean_of_locale_means"):
            printed = f"{100 * row[name]:.1f} %" if percent else f"{row[name]:.3f}"
            assert printed in text, (row["measure"], row["definition"], name)
    ranked = stats.overlap.sort("common_lemmas", descending=True)["common_lemmas"]
    assert [*ranked.head(5), *ranked.tail(5)] == [977, 862, 850, 823, 733, 285, 284, 283, 278, 275]


def is_sentence(path: tuple[str, ...]) -> bool:
    return path[1:2] == ("definitions",) or path[-1].endswith("definition")


def equal(found: Any, expected: Any) -> bool:
    if isinstance(expected, float):
        return found == pytest.approx(expected, rel=0, abs=1e-12)
    return type(found) is type(expected) and found == expected


def leaves(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not isinstance(tree, dict | list):
        yield path, tree
        return
    items = tree.items() if isinstance(tree, dict) else ((str(i), v) for i, v in enumerate(tree))
    for key, value in items:
        yield from leaves(value, (*path, key))


def golden_form(stats: Stats) -> dict[str, Any]:
    """Our figures under the golden tables' names."""
    return {
        "country_order": [upstream(tag) for tag in stats.counts["locale"]],
        "questions_per_topic": dict(stats.topics.select("topic", "templates").iter_rows()),
        "counts": {upstream(row.pop("locale")): row for row in stats.counts.to_dicts()},
        "idks_per_question": means(stats, "non_answers"),
        "max_votes_per_question": means(stats, "max_votes"),
        "common_words": overlap(stats, "common_words"),
        "common_lemmas": overlap(stats, "common_lemmas"),
    }


def upstream(tag: str) -> str:
    return registry().get(tag).upstream


def means(stats: Stats, measure: str) -> dict[str, Any]:
    return {
        definition: whole(overall(stats, measure, definition))
        | {"per_country": per_country(stats, measure, definition)}
        for of, definition in (key.split("/") for key in MEASURES)
        if of == measure
    }


def overall(stats: Stats, measure: str, definition: str) -> dict[str, Any]:
    rows = stats.overall_means.filter(measure=measure, definition=definition)
    return (
        rows.select("sum", "n", "mean", "mean_of_locale_means")
        .rename({"mean_of_locale_means": "mean_of_country_means"})
        .row(0, named=True)
    )


def per_country(stats: Stats, measure: str, definition: str) -> dict[str, Any]:
    rows = stats.locale_means.filter(measure=measure, definition=definition)
    return {
        upstream(row.pop("locale")): whole(row) for row in rows.select("locale", "sum", "n", "mean").to_dicts()
    }


def whole(row: dict[str, Any]) -> dict[str, Any]:
    assert row["sum"].is_integer()
    return row | {"sum": int(row["sum"])}


def overlap(stats: Stats, column: str) -> dict[str, Any]:
    pairs = [
        [f"{upstream(a)}|{upstream(b)}", count]
        for a, b, count in stats.overlap.select("locale_a", "locale_b", column).iter_rows()
    ]
    ranked = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
    return {"sum": dict(pairs), "top": ranked[:5], "bottom": ranked[-5:]}
