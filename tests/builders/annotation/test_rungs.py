"""The stage rungs: what natives are asked of a release, and what becomes of their answers."""

from pathlib import Path

import polars as pl
import pytest

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import Project
from blend.builders.annotation.pseudonyms import new_key
from blend.builders.annotation.rung_questions import rung_questions
from blend.builders.annotation.stages import STAGES
from blend.builders.annotation.stages.model import Material
from blend.builders.release import build_release
from blend.eval.evaluation import run_task
from blend.eval.models.chosen import Recorded
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from blend.loaders.datasets import read_config
from blend.loaders.recipes.ready import sample_recipe
from blend.schemas.errors import RowError
from helpers.label_studio.exported import (
    KOREAN,
    PLACE,
    PROJECT,
    A,
    annotation,
    chosen,
    done,
    read,
    told,
    write_lines,
)


@pytest.fixture(scope="module")
def rungs_release(once) -> Path:
    """The whole sample, with enough pages for their order to be looked at."""
    recipe = sample_recipe()
    with_rungs = recipe.model_copy(update={"mcq": recipe.mcq.model_copy(update={"rungs": True})})
    return once.path("sample-rungs", lambda out: build_release(with_rungs, out))


@pytest.fixture(scope="module")
def questions(rungs_release: Path) -> pl.DataFrame:
    return rung_questions(rungs_release)


@pytest.mark.landing
@pytest.mark.slow
def test_no_rung_gives_away_what_another_one_asks(questions: pl.DataFrame, rungs_release: Path):
    rungs = questions.with_columns(rung=pl.col("id").str.extract(r"^([a-z-]+)/"))
    assert set(rungs["rung"]) == {"multiple-choice", "true-false"}
    assert rungs.group_by("template_id").agg(pl.col("rung").n_unique())["rung"].eq(1).all()
    # A template is asked about on the rung that it is dealt to, so none is lost.
    choices = read_config(rungs_release, "multiple-choice-questions")
    assert set(rungs["template_id"]) == set(choices["template_id"])
    # Every id is one under which models are asked the same.
    for rung, rows in rungs.partition_by("rung", as_dict=True).items():
        asked = read_items(rungs_release, TASKS[str(rung[0])]).asked
        names = rows["id"].str.strip_prefix(f"{rung[0]}/")
        assert set(names) <= set(asked.items["item_id"])
        assert names.n_unique() == rows.height


@pytest.mark.slow
def test_options_of_a_question_are_asked_one_by_one(questions: pl.DataFrame):
    options = questions.filter(pl.col("id").str.starts_with("true-false/"))
    assert options.group_by("template_id", "locale").len()["len"].eq(4).all()
    assert set(options["options"].to_list()[0]) == {"yes", "no"}
    assert options["question"].str.ends_with("would say?").all()
    # Of four pages one after the other, of which one is true, the last would give itself away.
    korean = questions.filter(locale="ko-KR")["template_id"]
    assert (korean != korean.shift(1)).mean() > 0.7


@pytest.mark.landing
@pytest.mark.slow
def test_an_answer_is_what_a_model_would_say(questions: pl.DataFrame, rungs_release: Path, tmp_path: Path):
    choices = questions.filter(pl.col("id").str.starts_with("multiple-choice/"))
    first, *_ = STAGES["rungs"].tasks(PROJECT, KOREAN, Material(rungs=choices))
    assert first.blend_id.startswith("rungs/ko-KR/multiple-choice/")
    keys = [(one["alias"], one["hotkey"]) for one in first.data["options"]]
    assert keys == list(zip("ABCD", "1234", strict=True))
    task = done("rungs", Material(rungs=choices), chosen("C", control="answer"))
    task["annotations"] += [annotation(2, 2, chosen("A", control="answer"))]
    reading = read(task, stage="rungs")
    item_id = first.blend_id.split("/", 3)[3]
    assert reading.rows == {"multiple-choice": [{"item_id": item_id, "response": "C", "annotator": A}]}
    assert [kind for kind, *_ in told(reading)] == ["annotated-twice"]
    write_lines(tmp_path / "answers.jsonl", reading.rows["multiple-choice"])
    with pytest.warns(UserWarning, match="items without an answer in the file"):
        run = run_task(
            rungs_release,
            "multiple-choice",
            Recorded(path=tmp_path / "answers.jsonl", name="people"),
            tmp_path / "run",
        )
    assert run.answers("item_id", "text").rows() == [(item_id, "C")]
    nothing = read(done("rungs", Material(rungs=choices)), stage="rungs")
    assert nothing.rows == {}
    assert told(nothing) == [("empty-annotation", PLACE, f"{A}: no option is chosen; left out")]


def test_the_project_chooses_the_templates(questions: pl.DataFrame):
    name = questions.filter(locale="ko-KR")["template_id"][0]
    project = Project.model_validate({**PROJECT.model_dump(), "templates": [name]})
    tasks = STAGES["rungs"].tasks(project, KOREAN, Material(rungs=questions))
    assert 1 <= len(tasks) <= 4
    assert STAGES["rungs"].tasks(PROJECT, KOREAN, Material()) == []


@pytest.mark.landing
@pytest.mark.slow
def test_the_release_has_to_be_there_with_its_rungs(tmp_path: Path, mini_release: Path, rungs_release: Path):
    file = tmp_path / "project.toml"
    (tmp_path / "annotators.key").write_text(new_key())
    text = 'name = "trial"\nstages = ["rungs"]\n'
    locales = '[[locales]]\nlocale = "ko-KR"\n'

    def wrong(release: str) -> str:
        file.write_text(text + release + locales)
        with pytest.raises(RowError) as caught:
            check_project(file)
        return str(caught.value).replace(f"{tmp_path}/", "")

    assert wrong("") == (
        'project.toml:1, key release: the stage rungs needs a release; name it, for example release = "release"'
    )
    assert wrong(f'release = "{mini_release}"\n').startswith(
        "project.toml:3, key release: unknown configuration 'true-false-questions'"
    )
    assert wrong('release = "nowhere"\n').startswith("project.toml:3, key release: nowhere: no such directory")
    file.write_text(f'{text}release = "{rungs_release}"\n{locales}')
    rungs = check_project(file).material.rungs
    assert rungs is not None
    assert rungs.height > 10
