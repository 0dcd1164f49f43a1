"""Own responses beside BLEnD's: an id of BLEnD's means BLEnD's question, topic and source."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from blend.builders.release import build_release
from blend.builders.release.tables import read_inputs
from blend.builders.templates.published import compared_with_blend
from blend.loaders.recipes import RecipeInPlace
from blend.loaders.recipes.sources import load_source
from blend.loaders.releases.tables import read_config
from blend.schemas.errors import InputError, RowErrors
from blend.schemas.locales import registry
from blend.schemas.recipe import Recipe, Source

PUBLISHED = Path(__file__).parents[2] / "loaders" / "valid" / "blend"
"""Al-en-01, a snack, and Al-en-02, a time; both on food, from en-US and ko-KR."""
SNACK = ("Al-en-01", "Food", "", "What is a common snack in {country}?")
TIME = ("Al-en-02", "Food", "", "When do people eat in {country}? (e.g., HH:MM)")
TEMPLATES = "collected/templates.csv"
SAME = "since a template is the same in all regions"
CORRECT = "correct the id, ask as BLEnD does, or give your question an id of its own"


def beside_blend(
    folder: Path, *templates: tuple[str, str, str, str], asked: dict[str, str] | None = None
) -> Recipe:
    own = folder / "collected"
    (own / "responses").mkdir(parents=True)
    lines = [f'{name},{topic},{source},"{text}"' for name, topic, source, text in templates]
    header = "template_id,topic,source_locale,text"
    (own / "templates.csv").write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    texts = {name: text.replace("{country}", "the US") for name, _, _, text in templates} | (asked or {})
    lines = [f'{name},en-US,"{text}","{text}"' for name, text in texts.items()]
    header = "template_id,locale,question,en_question"
    (own / "questions.csv").write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    lines = [f"{templates[0][0]},a1,,idk", ""]
    (own / "responses" / "en-US.csv").write_text(
        "\n".join(["template_id,annotator,answer_1,non_answer", *lines]), encoding="utf-8"
    )
    sources = (
        Source(kind="responses", location="collected"),
        Source(kind="blend", location=str(PUBLISHED)),
    )
    return Recipe(name="x", version="1.0.0", license="cc-by-sa-4.0", sources=sources)


def test_topics_that_are_others_but_for_capitals_or_a_plural(tmp_path: Path):
    own = [
        ("mine-01", "food", "", "What do children in {country} bake?"),
        ("mine-02", "Sports", "", "What do people in {country} play?"),
        ("mine-03", "Sport", "", "What do children in {country} play?"),
        ("mine-04", "Sport", "", "What do people in {country} watch?"),
        ("mine-05", "food", "", "What do people in {country} boil?"),
    ]
    inputs = read_inputs(RecipeInPlace.of(beside_blend(tmp_path, *own), tmp_path))
    found = pl.concat([stage.findings for stage in inputs.stages]).filter(kind="like-topics")
    assert found.select("source", "detail").rows() == [
        (
            "collected/templates.csv:2",
            "column topic: 'food' beside the topic 'Food'; kept as two, write one of them throughout",
        ),
        (
            "collected/templates.csv:3",
            "column topic: 'Sports' beside the topic 'Sport'; kept as two, write one of them throughout",
        ),
    ]


def test_questions_that_ask_what_another_template_asks(tmp_path: Path):
    own = [
        ("mine-01", "Food", "", "What do children in {country} bake?"),
        ("mine-02", "Food", "", "What do people in {country} boil?"),
        ("mine-03", "Food", "", "What do people in {country} fry?"),
    ]
    asked = {
        "mine-01": "What do people in the US boil?",
        "mine-02": "What do children in the US bake?",
        "mine-03": "What do people in the US grill?",
    }
    inputs = read_inputs(RecipeInPlace.of(beside_blend(tmp_path, *own, asked=asked), tmp_path))
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


@pytest.mark.parametrize(
    ("templates", "asked", "said"),
    [
        (
            [(*TIME[:3], "When do people eat in {country}?")],
            {},
            (
                "collected/templates.csv:2, column text: answer_format 'text' of template 'Al-en-02', for "
                "which BLEnD has 'HH:MM'; ask 'When do people eat in {country}? (e.g., HH:MM)', in column "
                "en_question likewise, or give your question an id of its own"
            ),
        ),
        (
            [(SNACK[0], "Snacks", "ko-KR", SNACK[3])],
            {},
            (
                f"{TEMPLATES}:2, column topic: topic 'Snacks' of template 'Al-en-01', for which BLEnD has "
                f"'Food'; write what BLEnD has, {SAME}\n"
                f"{TEMPLATES}:2, column source_locale: source_locale 'ko-KR' of template 'Al-en-01', for "
                f"which BLEnD has 'en-US'; write what BLEnD has or leave the cell empty, {SAME}"
            ),
        ),
        (
            [(SNACK[0], *TIME[1:]), (TIME[0], *SNACK[1:])],
            {},
            (
                f"{TEMPLATES}:2, column text: template 'Al-en-01' asks '{TIME[3]}', but BLEnD's of this id "
                f"'{SNACK[3]}'; did you mean 'Al-en-02'? {CORRECT}\n"
                f"{TEMPLATES}:3, column text: template 'Al-en-02' asks '{SNACK[3]}', but BLEnD's of this id "
                f"'{TIME[3]}'; did you mean 'Al-en-01'? {CORRECT}"
            ),
        ),
        (
            [SNACK],
            {"Al-en-01": "Which car do people drive in the US?"},
            (
                "collected/questions.csv:2, column en_question: template 'Al-en-01' asks 'Which car do people "
                f"drive in {{country}}?', but BLEnD's of this id '{SNACK[3]}'; {CORRECT}"
            ),
        ),
    ],
    ids=["format", "facts", "swapped", "another-question"],
)
def test_what_differs_is_an_error(
    tmp_path: Path, templates: list[tuple[str, str, str, str]], asked: dict[str, str], said: str
):
    recipe = beside_blend(tmp_path, *templates, asked=asked)
    with pytest.raises(InputError) as caught:
        build_release(recipe, tmp_path / "release", base=tmp_path)
    assert str(caught.value).removeprefix("2 problems:\n") == said


BLENDS = f"but BLEnD's of this id '{SNACK[3]}'; kept, look whether it asks the same: it differs in"
KEPT = {
    "another word in both texts": (
        ("Al-en-01", "Food", "", "What is a common salty snack in {country}?"),
        {},
        (
            "reworded-template",
            "collected/templates.csv:2",
            (
                "column text: template 'Al-en-01' asks 'What is a common salty snack in {country}?', "
                f"{BLENDS} 'salty'"
            ),
        ),
    ),
    "another word in the question": (
        SNACK,
        {"Al-en-01": "What is a common snuck in the US?"},
        (
            "reworded-template",
            "collected/questions.csv:2",
            (
                "column en_question: template 'Al-en-01' asks 'What is a common snuck in {country}?', "
                f"{BLENDS} 'snuck', 'snack'"
            ),
        ),
    ),
    "the same under an own id": (
        ("food-01", *SNACK[1:]),
        {},
        (
            "asked-by-blend",
            "collected/templates.csv:2",
            (
                "template 'food-01' asks what BLEnD asks under the id 'Al-en-01'; kept apart, without BLEnD's "
                "answers as options"
            ),
        ),
    ),
    "an own one of a locale that nobody is asked in": (
        ("food-01", "Food", "zh-CN", "What hangs above the stove in {country}?"),
        {},
        (
            "other-source",
            "collected/templates.csv:2",
            "column source_locale: own template 'food-01' comes from zh-CN, where it is not asked; kept",
        ),
    ),
    "the same": (SNACK, {}, None),
}


@pytest.mark.parametrize(("template", "asked", "said"), KEPT.values(), ids=KEPT)
def test_other_words_are_told(
    tmp_path: Path,
    template: tuple[str, str, str, str],
    asked: dict[str, str],
    said: tuple[str, str, str] | None,
):
    recipe = beside_blend(tmp_path, template, asked=asked)
    findings = read_inputs(RecipeInPlace.of(recipe, tmp_path)).stages[0].findings
    assert findings.select("kind", "source", "detail").rows() == ([] if said is None else [said])


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
