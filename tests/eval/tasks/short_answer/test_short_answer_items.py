"""Short-answer items: which questions, in which words, in which language."""

from pathlib import Path

import polars as pl
import pytest

from blend.builders.release import build_release
from blend.eval.release_items import read_items
from blend.eval.tasks import TASKS
from blend.eval.tasks.short_answer import ShortAnswerOptions
from blend.eval.tasks.short_answer.short_answer_items import short_answer_items
from blend.loaders.recipes import read_recipe, write_starter
from helpers.messages import wrong


def tables(*, idk: int = 0, prompts: tuple[str, ...] = ("inst-4", "pers-3", "x")):
    key = {"template_id": "food-01", "locale": "ko-KR", "region": "KR"}
    annotation = {"answers": ["밥"], "en_answers": ["rice"], "count": 3}
    idks = {"idk": idk, "no-answer": 0, "not-applicable": 0, "others": []}
    question = {"topic": "Food", "question": "무엇 {q} $1?", "en_question": "What {q} $1?", "language": "ko"}
    return {
        "short-answer-questions": pl.DataFrame([{**key, **question, "answer_format": "text"}]),
        "annotations": pl.DataFrame([{**key, "annotations": [annotation], "idks": idks}]),
        "short-answer-prompts": pl.DataFrame(
            [
                {"prompt_id": name, "prompt": f"{name}: {{q}} 또 {{q}}", "en_prompt": f"{name} en {{q}}"}
                | {"locale": "ko-KR", "language": "ko", "region": "KR"}
                for name in prompts
            ]
        ),
    }


@pytest.mark.slow
def test_a_release_without_prompts_says_how_to_get_them(tmp_path: Path):
    folder, out = tmp_path / "mine", tmp_path / "release"
    write_starter(folder)
    (folder / "collected" / "prompts.csv").unlink()
    build_release(read_recipe(folder / "recipe.toml"), out, base=folder)
    assert wrong(lambda: read_items(out, TASKS["short-answer"])) == (
        "everyday 0.1.0: the release has no configuration short-answer-prompts, which the task short-answer "
        "reads; it has annotations, short-answer-questions: say in a file prompts.csv beside questions.csv how "
        "a model is asked (docs/responses.md) and build the release again; or choose another `task`, or "
        "another release"
    )


@pytest.mark.slow
def test_a_region_that_is_named_and_would_not_be_asked_is_told(tmp_path: Path):
    folder, out = tmp_path / "mine", tmp_path / "release"
    write_starter(folder)
    prompts = (folder / "collected" / "prompts.csv").read_text(encoding="utf-8")
    (folder / "collected" / "prompts.csv").write_text(prompts.replace("plain,en-NZ", "mine,en-NZ"), "utf-8")
    build_release(read_recipe(folder / "recipe.toml"), out, base=folder)
    asked = read_items(out, TASKS["short-answer"], locales=["NZ", "GB"]).asked.items
    assert set(asked.select("region", "prompt_id").iter_rows()) == {("NZ", "mine"), ("GB", "plain")}
    assert wrong(lambda: read_items(out, TASKS["short-answer"], locales=["NZ", "GB"], prompts=("mine",))) == (
        "everyday 0.1.0: nothing to ask about GB for the task short-answer; choose other `locales`"
    )


def asked_of(frames, **options: object):
    return short_answer_items(frames, ShortAnswerOptions(**options))


def test_every_question_is_asked_with_the_published_prompts_in_both_languages():
    asked = asked_of(tables())
    assert asked.kind == "text"
    assert dict(asked.items.select("item_id", "prompt").iter_rows()) == {
        "KR/food-01/inst-4/ko": "inst-4: 무엇 {q} $1? 또 무엇 {q} $1?",
        "KR/food-01/pers-3/ko": "pers-3: 무엇 {q} $1? 또 무엇 {q} $1?",
        "KR/food-01/inst-4/en": "inst-4 en What {q} $1?",
        "KR/food-01/pers-3/en": "pers-3 en What {q} $1?",
    }
    assert asked.items["language"].to_list() == ["ko", "ko", "en", "en"]
    assert asked.gold["annotations"].to_list() == [[{"answers": ["밥"], "en_answers": ["rice"], "count": 3}]]


def test_a_release_with_prompts_of_its_own_is_asked_with_all_of_them():
    asked = asked_of(tables(prompts=("a", "b")), languages=("english",))
    assert asked.items["prompt_id"].to_list() == ["a", "b"]
    # Beside regions that have the published prompts, too.
    published, own = tables(), {name: rows.clone() for name, rows in tables(prompts=("plain",)).items()}
    elsewhere = {"locale": pl.lit("tr-TR"), "language": pl.lit("tr"), "region": pl.lit("TR")}
    both = {
        name: pl.concat(
            [rows, own[name].with_columns(**{key: to for key, to in elsewhere.items() if key in rows.columns})]
        )
        for name, rows in published.items()
    }
    asked = asked_of(both, languages=("english",))
    assert asked.items["item_id"].to_list() == [
        "KR/food-01/inst-4/en",
        "KR/food-01/pers-3/en",
        "TR/food-01/plain/en",
    ]


def test_a_question_that_no_score_counts_is_not_asked():
    asked = asked_of(tables(idk=5))
    assert asked.items.is_empty()
    assert asked.skipped["template_id"].unique().to_list() == ["food-01"]


def test_an_unknown_prompt_lists_those_of_the_release():
    assert wrong(lambda: asked_of(tables(), prompts=("inst-5",))) == (
        "unknown prompt 'inst-5'; did you mean 'inst-4'? choose one of: inst-4, pers-3, x"
    )


def test_english_locales_are_asked_once(mini_release: Path):
    items = read_items(mini_release, TASKS["short-answer"], locales=["US"]).asked.items
    assert items["item_id"].n_unique() == items.height
    assert items["language"].unique().to_list() == ["en"]
    assert items.group_by("template_id").len()["len"].unique().to_list() == [2]
