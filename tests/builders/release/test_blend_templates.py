"""Own responses beside BLEnD's: an id of BLEnD's means BLEnD's question, topic and source."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.release import build_release
from blend.builders.release.inputs import read_inputs
from blend.builders.templates.beside_blend import compared_with_blend
from blend.loaders.recipes import RecipeInPlace
from blend.loaders.recipes.sources import load_source
from blend.loaders.releases.tables import read_config
from blend.schemas.errors import RowErrors
from blend.schemas.locales import registry
from blend.schemas.recipe import Recipe, Source
from helpers.messages import wrong

PUBLISHED = Path(__file__).parents[2] / "loaders" / "valid" / "blend"
"""Al-en-01, a snack, and Al-en-02, a time; both on food, from en-US and ko-KR."""
SNACK = ("Al-en-01", "Food", "", "What is a common snack in {country}?")
TOLD = tomllib.loads(Path(__file__).with_name("told.toml").read_text(encoding="utf-8"))


def beside_blend(folder: Path, *templates: Sequence[str], asked: str | None = None) -> Recipe:
    own = folder / "collected"
    (own / "responses").mkdir(parents=True)
    lines = [f'{name},{topic},{source},"{text}"' for name, topic, source, text in templates]
    header = "template_id,topic,source_locale,text"
    (own / "templates.csv").write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    texts = [(name, asked or text.replace("{country}", "the US")) for name, _, _, text in templates]
    lines = [f'{name},en-US,"{text}","{text}"' for name, text in texts]
    header = "template_id,locale,question,en_question"
    (own / "questions.csv").write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    lines = [f"{templates[0][0]},a1,,idk", ""]
    (own / "responses" / "en-US.csv").write_text(
        "\n".join(["template_id,annotator,answer_1,non_answer", *lines]), encoding="utf-8"
    )
    sources = Source(kind="responses", location="collected"), Source(kind="blend", location=str(PUBLISHED))
    return Recipe(name="x", version="1.0.0", license="cc-by-sa-4.0", sources=sources)


def test_topics_that_are_others_but_for_capitals_or_a_plural(tmp_path: Path):
    topics = ["food", "Sports", "Sport", "Sport", "food"]
    own = [(f"mine-0{n}", topic, "", f"What do {n} do in {{country}}?") for n, topic in enumerate(topics, 1)]
    inputs = read_inputs(RecipeInPlace.of(beside_blend(tmp_path, *own), tmp_path))
    found = pl.concat([stage.findings for stage in inputs.stages]).filter(kind="like-topics")
    said = "column topic: '{}' beside the topic '{}'; kept as two, write one of them throughout"
    assert found.select("source", "detail").rows() == [
        ("collected/templates.csv:2", said.format("food", "Food")),
        ("collected/templates.csv:3", said.format("Sports", "Sport")),
    ]


def test_questions_that_ask_what_another_template_asks(tmp_path: Path):
    own = [("mine-01", "Food", "", "What do people in {country} bake?")]
    own += [("mine-02", "Food", "", "What do people in {country} boil?")]
    own += [("mine-03", "Food", "", "What do people in {country} fry?")]
    recipe = beside_blend(tmp_path, *own)
    questions = tmp_path / "collected" / "questions.csv"
    other = {"bake": "boil", "boil": "bake", "fry": "grill"}
    moved = re.sub("|".join(other), lambda word: other[word[0]], questions.read_text(encoding="utf-8"))
    questions.write_text(moved, encoding="utf-8")
    inputs = read_inputs(RecipeInPlace.of(recipe, tmp_path))
    found = pl.concat([stage.findings for stage in inputs.stages]).filter(kind="other-template")
    assert found.select("source", "locale", "template_id").rows() == [
        ("collected/questions.csv:2", "en-US", "mine-01"),
        ("collected/questions.csv:3", "en-US", "mine-02"),
    ]
    assert found["detail"][0] == (
        "column en_question: 'What do people in the US boil?' is what template 'mine-02' asks, not 'mine-01'; "
        "kept, look whether texts and ids were moved apart"
    )


def test_what_is_left_open_is_blends(tmp_path: Path):
    reworded = ("Al-en-02", "Food", "ko-KR", "At which time do the people of {country} eat? (e.g., HH:MM)")
    own = ("mine-01", "Sport", "", "What do people in {country} play?")
    build_release(beside_blend(tmp_path, SNACK, reworded, own), tmp_path / "release", base=tmp_path)
    rows = read_config(tmp_path / "release", "short-answer-questions").filter(pl.col("locale") == "en-US")
    assert rows.select("template_id", "topic", "source_label").rows() == [
        ("Al-en-01", "Food", "English (US)"),
        ("Al-en-02", "Food", "Korean (Korea)"),
        ("mine-01", "Sport", ""),
    ]


@pytest.mark.parametrize("case", TOLD["differs"], ids=lambda case: case["told"][:40])
def test_what_differs_is_an_error(tmp_path: Path, case: dict[str, Any]):
    recipe = beside_blend(tmp_path, *case["templates"], asked=case.get("asked"))
    assert wrong(lambda: build_release(recipe, tmp_path / "release", base=tmp_path)) == case["told"]


@pytest.mark.parametrize("case", TOLD["kept"], ids=lambda case: "".join(row[0] for row in case["told"]))
def test_other_words_are_told(tmp_path: Path, case: dict[str, Any]):
    recipe = beside_blend(tmp_path, *case["templates"], asked=case.get("asked"))
    findings = read_inputs(RecipeInPlace.of(recipe, tmp_path)).stages[0].findings
    assert findings.select("kind", "source", "detail").rows() == [*map(tuple, case["told"])]


@pytest.mark.slow
def test_all_published_wordings_pass_and_no_shifted_id_does(blend_data: Path):
    known = registry()
    blend = load_source(Source(kind="blend", location=str(blend_data)))
    info = blend.info.model_copy(update={"kind": "responses"})
    own = replace(blend, info=info)
    (_, passed) = compared_with_blend([blend, own], known)
    assert passed.questions.equals(blend.questions)
    uk = blend.questions.filter(pl.col("locale") == "en-GB")
    shifted = uk.with_columns(pl.col("en_question").shift(1, fill_value=uk["en_question"][-1]))
    with pytest.raises(RowErrors) as caught:
        compared_with_blend([blend, replace(own, questions=shifted)], known)
    assert len(caught.value.errors) == 500
