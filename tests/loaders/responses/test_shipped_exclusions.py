"""The exclusions that come with the package, and copies of them in a recipe."""

from datetime import date
from functools import partial
from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest

from blend.builders.mcq.verdicts.exclusions import Exclusions
from blend.builders.release.tables import exclusions_of
from blend.loaders.responses.exclusions import read_exclusions
from blend.loaders.responses.shipped import shipped_exclusions
from blend.schemas.frames import KEY, QUESTIONS
from blend.schemas.locales import registry
from blend.schemas.recipe import JudgeOptions, McqOptions
from helpers.questions.mcq_inputs import FRUIT, build_of, offered_to

FOLDER = files("blend.decisions") / "blend"
COLUMNS = ["template_id", "locale", "question", "option", "kind", "reviewer", "when", "why"]
FILLED = COLUMNS[:-1]


@pytest.fixture(scope="module")
def rows():
    lines = (FOLDER / "exclusions.tsv").read_text(encoding="utf-8")
    return pl.read_csv(lines.encode(), separator="\t", infer_schema=False)


def test_every_row_is_complete_and_none_is_there_twice(rows):
    assert rows.columns == COLUMNS
    assert all((rows[name] == rows[name].str.strip_chars()).all() for name in FILLED)
    assert rows.select(FILLED).null_count().row(0) == (0,) * len(FILLED)
    assert set(rows["locale"]) <= set(registry().tags)
    assert set(rows["kind"]) == {"also-right", "silly", "wrong"}
    assert set(rows["reviewer"]) == {"model"}
    assert all(date.fromisoformat(day) for day in rows["when"].unique())
    keys = rows.select(COLUMNS[:4]).rows()
    assert keys == sorted(set(keys))
    assert shipped_exclusions().select(FILLED[:-1]).rows() == rows.select(FILLED[:-1]).rows()


@pytest.mark.integration
def test_they_are_what_the_reader_of_such_files_finds_in_them():
    assert shipped_exclusions().equals(read_exclusions(Path(str(FOLDER / "exclusions.tsv"))))


@pytest.mark.slow
def test_each_is_about_a_published_question_and_only_what_is_wrong_was_given(clean_tables):
    asked = {tuple(row) for row in clean_tables.questions.select(*KEY, "en_question").iter_rows()}
    given: dict[tuple[str, str], set[str]] = {}
    for template_id, tag, groups in clean_tables.annotations.select(*KEY, "annotations").iter_rows():
        texts = {text.lower() for group in groups for text in group["en_answers"]}
        given[template_id, tag] = texts
    assert set(shipped_exclusions().select(*KEY, "question").rows()) <= asked
    for template_id, tag, option, kind in shipped_exclusions().select(*KEY, "option", "kind").iter_rows():
        assert (option in given[template_id, tag]) == (kind == "wrong"), (template_id, tag, option)


@pytest.mark.slow
def test_a_copy_that_a_recipe_names_holds_the_same(tmp_path: Path):
    (tmp_path / "mine.tsv").write_bytes((FOLDER / "exclusions.tsv").read_bytes())
    without = McqOptions(judge=JudgeOptions(shipped=False))
    options = without.model_copy(update={"exclusions": "mine.tsv"})
    mine = exclusions_of(options, tmp_path, pl.DataFrame(schema=QUESTIONS))
    assert mine is not None
    assert mine.drop("source").equals(shipped_exclusions().drop("source"))
    # Its rows are about questions of BLEnD, which need not be built here.
    assert build_of(FRUIT, options=without, exclusions=mine).frame().equals(build_of(FRUIT).frame())


@pytest.mark.integration
def test_a_copy_excludes_what_the_shipped_file_excludes(clean_tables, tmp_path: Path):
    (tmp_path / "mine.tsv").write_bytes((FOLDER / "exclusions.tsv").read_bytes())
    mine = read_exclusions(tmp_path / "mine.tsv")
    replaced = Exclusions(mine, clean_tables.questions, registry(), shipped=False)
    shipped = Exclusions(None, clean_tables.questions, registry(), shipped=True)
    questions = clean_tables.questions.select(*KEY).rows()
    for template_id, tag in questions:
        # The package's own verdicts are about the texts that it shows, slips put right.
        put_right = partial(shipped.options.text, template_id)
        distractors, golds = (map(put_right, texts) for texts in replaced.of(template_id, tag))
        assert shipped.of(template_id, tag) == (tuple(sorted(set(distractors))), frozenset(golds))
    assert any(shipped.of(*key).golds for key in questions)


@pytest.mark.slow
def test_a_row_with_a_question_counts_where_that_is_asked(tmp_path: Path):
    more = {**FRUIT, "es-MX": [("mango", 3)]}
    for question, is_shown in (("What do people eat? (T-1)", False), ("What do people drink?", True)):
        file = tmp_path / "mine.csv"
        header, row = "template_id,locale,option,kind,reviewer,question", "T-1,en-GB,pear,silly,r1"
        file.write_text(f"{header}\n{row},{question}\n", encoding="utf-8")
        assert (("en-US", "pear") in offered_to(more, "en-GB", exclusions=read_exclusions(file))) == is_shown


def test_the_readme_counts_the_rows(rows):
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    pairs = (FOLDER / "same_answers.tsv").read_text(encoding="utf-8").count("\n") - 1
    assert f"| `exclusions.tsv` | {rows.height:,} |" in readme
    assert f"| `same_answers.tsv` | {pairs:,} |" in readme
