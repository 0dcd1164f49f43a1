"""What comes with the package as turned down."""

import csv
from datetime import date
from importlib.resources import files

import pytest

from blend.loaders.responses.turned_down import TURNED_DOWN_NAME, shipped_turned_down
from blend.schemas.frames import KEY
from blend.schemas.locales import registry

COLUMNS = ["template_id", "locale", "question", "option", "kind", "who", "when", "why"]
FILLED = COLUMNS[:-1]


@pytest.fixture(scope="module")
def rows():
    with (
        files("blend.loaders")
        .joinpath("responses", TURNED_DOWN_NAME)
        .open(encoding="utf-8", newline="") as lines
    ):
        return list(csv.DictReader(lines, delimiter="\t"))


def test_every_row_is_whole_and_none_is_there_twice(rows):
    assert list(rows[0]) == COLUMNS
    assert all(all(row[name].strip() == row[name] != "" for name in FILLED) for row in rows)
    assert {row["locale"] for row in rows} <= set(registry().tags)
    assert {row["kind"] for row in rows} <= {"also-right", "silly", "wrong"}
    assert all(date.fromisoformat(row["when"]) for row in rows)
    keys = [tuple(row[name] for name in COLUMNS[:4]) for row in rows]
    assert keys == sorted(set(keys))
    assert sum(map(len, shipped_turned_down().values())) == len(rows)


@pytest.mark.integration
def test_each_is_about_a_published_question_and_only_what_is_wrong_was_given(clean_tables):
    asked = {tuple(row) for row in clean_tables.questions.select(*KEY, "en_question").iter_rows()}
    given: dict[tuple[str, str], set[str]] = {}
    for template_id, tag, groups in clean_tables.annotations.select(*KEY, "annotations").iter_rows():
        texts = {text.lower() for group in groups for text in group["en_answers"]}
        given[template_id, tag] = texts
    assert set(shipped_turned_down()) <= asked
    for (template_id, tag, _), options in shipped_turned_down().items():
        for option, kind in options:
            assert (option in given[template_id, tag]) == (kind == "wrong"), (template_id, tag, option)
