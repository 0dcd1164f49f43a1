"""Exclusions: what people of a region excluded is not shown about it again, and elsewhere as before."""

from pathlib import Path

import polars as pl
import pytest

from blend.builders.release import build_release
from blend.loaders.recipes.ready import sample_recipe
from blend.loaders.releases.tables import read_config
from blend.loaders.responses.exclusions import read_exclusions
from blend.schemas.errors import BlendError, RowErrors
from blend.schemas.recipe.recipe import McqOptions
from blend.schemas.rows.frame_columns import EXCLUSIONS
from helpers.questions.mcq_inputs import FRUIT, build_of, loss_of, shown_to

ROW = {"template_id": "T-1", "locale": "en-GB", "option": "Pear", "kind": "also-right", "reviewer": "r1"}
MORE = {**FRUIT, "es-MX": [("mango", 3)]}


def exclusions_of(*rows):
    return pl.DataFrame([{**ROW, **row} for row in rows], schema=EXCLUSIONS)


@pytest.mark.parametrize("kind", ["also-right", "silly"])
def test_an_excluded_option_is_shown_elsewhere_only(kind):
    before = build_of(MORE)
    build = build_of(MORE, exclusions=exclusions_of({"kind": kind}))
    assert ("en-US", "pear") in shown_to(before, "en-GB")
    assert ("en-US", "pear") not in shown_to(build, "en-GB")
    assert ("en-US", "pear") in shown_to(build, "ko-KR")
    others = [frame.filter(pl.col("locale") != "en-GB") for frame in (before.frame(), build.frame())]
    assert others[0].equals(others[1])


def test_a_right_answer_that_is_none_is_not_asked_for():
    two = {**MORE, "en-GB": [("apple", 4), ("cherry", 4)]}
    build = build_of(two, exclusions=exclusions_of({"option": "apple", "kind": "wrong"}))
    asked = build.frame().filter(locale="en-GB")
    assert {options[answer] for options, answer in asked.select("options", "answer").rows()} == {"cherry"}
    none_left = build_of(MORE, exclusions=exclusions_of({"option": "apple", "kind": "wrong"}))
    assert none_left.frame().filter(locale="en-GB").is_empty()
    assert loss_of(none_left, "en-GB") == ("turned-down", "reviewers say that 'apple' is wrong")


def test_every_mistake_is_told():
    rows = exclusions_of(
        {"template_id": "T-9"}, {"locale": "en-XX"}, {"kind": "bad"}, {"option": " ", "reviewer": None}
    )
    with pytest.raises(RowErrors) as raised:
        build_of(MORE, exclusions=rows)
    told = [str(error).partition(" the nearest of ")[0] for error in raised.value.errors]
    assert told == [
        "exclusions, row 1: unknown template 'T-9'; write the id of a template that is built",
        "exclusions, row 2: unknown locale 'en-XX'; did you mean 'es-MX'?",
        "exclusions, row 3: unknown kind 'bad'; the kinds are also-right, silly, wrong",
        "exclusions, row 4: an exclusion without option, reviewer; fill it in or delete the row",
    ]


@pytest.mark.slow
def test_a_release_uses_and_carries_them(tmp_path: Path):
    whole = build_release(sample_recipe(), tmp_path / "before")
    mcqs = read_config(tmp_path / "before", "multiple-choice-questions")
    first = mcqs.row(0, named=True)
    excluded = first["options"][(first["answer"] + 1) % 4]
    header = "template_id,locale,option,kind,reviewer,why\n"
    line = f'{first["template_id"]},{first["locale"]},"{excluded}",also-right,r1,\n'
    (tmp_path / "mine.csv").write_text(header + line, encoding="utf-8")
    recipe = sample_recipe().model_copy(update={"mcq": McqOptions(exclusions="mine.csv")})
    manifest = build_release(recipe, tmp_path / "after", base=tmp_path)
    asked = read_config(tmp_path / "after", "multiple-choice-questions").filter(
        template_id=first["template_id"], locale=first["locale"]
    )
    assert excluded not in asked["options"].explode().to_list()
    assert [info.kind for info in manifest.sources] == ["sample", "exclusions"]
    assert manifest.recipe.mcq.exclusions == "exclusions.csv"
    assert (tmp_path / "after" / "exclusions.csv").read_text(encoding="utf-8") == header + line
    assert whole.recipe.mcq.exclusions is None


def test_a_file_that_is_not_there(tmp_path: Path):
    with pytest.raises(BlendError) as raised:
        read_exclusions(tmp_path / "no.csv")
    told = "there is no such file of exclusions; correct the recipe's key mcq.exclusions"
    assert str(raised.value) == f"{tmp_path}/no.csv: {told}"
