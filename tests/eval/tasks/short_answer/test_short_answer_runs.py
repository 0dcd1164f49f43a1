"""A run of short answers from release to scores: recorded answers, both rules, and what is refused."""

from pathlib import Path

import polars as pl
import pytest

from blend.builders.release import build_release
from blend.eval.recorded_answers import read_recorded
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items, read_run
from blend.eval.runs.answers import write_answers
from blend.eval.runs.run_directory import Run, opened
from blend.eval.scoring import score_answers
from blend.loaders.recipes import sample_recipe
from blend.schemas.errors import InputError


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The most frequent answer of every question, typed as people there typed it."""
    folder = tmp_path_factory.mktemp("short")
    recipe = sample_recipe().model_copy(update={"locales": ("ko-KR", "en-US")})
    build_release(recipe, folder / "release")
    asked = read_items(folder / "release", TASKS["short-answer"])
    gold = pl.concat(
        pl.read_parquet(path)
        for path in sorted((folder / "release" / "data" / "annotations").glob("*.parquet"))
    )
    group = pl.col("annotations").list.first()
    top = gold.select(
        locale="locale",
        template_id="ID",
        local=group.struct.field("answers").list.first(),
        english=group.struct.field("en_answers").list.first(),
    )
    answers = asked.asked.items.join(top, on=["locale", "template_id"]).select(
        "item_id", response=pl.when(pl.col("language") == "ko").then("local").otherwise("english")
    )
    answers.write_parquet(folder / "answers.parquet")
    recorded = read_recorded(folder / "answers.parquet", asked.asked, model="people")
    with opened(folder / "run", asked, recorded.description, None) as started:
        write_answers(started.answers_folder / "main.jsonl", recorded.answers)
    return read_run(folder / "run")


@pytest.mark.slow
def test_message_for_lemmas_where_no_words_are_compared(tmp_path: Path):
    recipe = sample_recipe().model_copy(update={"locales": ("ko-KR", "en-US", "fa-IR", "es-MX")})
    build_release(recipe, tmp_path / "release")
    asked = read_items(tmp_path / "release", TASKS["multiple-choice"], style="json")
    asked.asked.items.select("item_id", response=pl.lit("A")).write_parquet(tmp_path / "answers.parquet")
    recorded = read_recorded(tmp_path / "answers.parquet", asked.asked)
    with opened(tmp_path / "run", asked, recorded.description, None) as started:
        write_answers(started.answers_folder / "main.jsonl", recorded.answers)
    with pytest.raises(InputError) as caught:
        score_answers(read_run(tmp_path / "run"), lemmas="none")
    assert str(caught.value) == "`lemmas`: the task multiple-choice has no such option; it has none"
