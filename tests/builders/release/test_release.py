"""The release: recipes of every kind become directories, and what was read is pinned and accounted for."""

import json
import shutil
import tomllib
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.builders.release import build_release
from blend.builders.release.inputs import read_inputs
from blend.builders.saq import aggregate
from blend.builders.stats.dataset import stats_of_release
from blend.builders.stats.measures import question_tables
from blend.builders.validate import validate_release
from blend.loaders.recipes import RecipeInPlace, read_recipe, sample_path, sample_recipe, write_starter
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import read_config, read_figures
from blend.loaders.responses import read_responses
from blend.schemas.errors import BlendError, RowError
from blend.schemas.manifest import AGREEMENT_NAME
from blend.schemas.recipe import McqOptions, Recipe, SaqOptions, Source
from helpers.messages import wrong


@pytest.fixture
def responses(tmp_path: Path) -> Path:
    """A directory of raw responses to three questions, one of them without any."""
    folder = tmp_path / "collected"
    (folder / "responses").mkdir(parents=True)
    (folder / "templates.csv").write_text(
        "template_id,topic,source_locale,text\n"
        + "".join(f"t{i},Food,en-GB,What is dish {i} in {{country}}?\n" for i in (1, 2, 3)),
        encoding="utf-8",
    )
    (folder / "questions.csv").write_text(
        "template_id,locale,question,en_question\n"
        + "".join(f"t{i},en-GB,What is dish {i} in the UK?,What is dish {i} in the UK?\n" for i in (1, 2, 3)),
        encoding="utf-8",
    )
    (folder / "responses" / "en-GB.csv").write_text(
        "template_id,annotator,answer_1,answer_2,answer_3,non_answer,reason\n"
        "t1,a1,Pie,,,,\nt1,a2,pie,,,,\nt2,a1,,,,idk,\n",
        encoding="utf-8",
    )
    return folder


def recipe_of(*sources: Source, **changes: object) -> Recipe:
    return Recipe(name="test", version="1.0.0", license="cc-by-sa-4.0", sources=sources, **changes)


@pytest.mark.slow
def test_raw_responses_without_reviews_become_proposals(responses: Path, tmp_path: Path):
    recipe = recipe_of(Source(kind="responses", location="collected"))
    manifest = build_release(recipe, tmp_path / "release", base=tmp_path)
    annotations = read_config(tmp_path / "release", "annotations")
    assert annotations["template_id"].to_list() == ["t1", "t2", "t3"]
    assert annotations["annotations"].list.len().to_list() == [1, 0, 0]
    assert annotations["annotations"].to_list()[0][0]["count"] == 2
    assert annotations["grouping"].to_list()[0] == "proposed"
    # One region alone has no distractors, so there is no such configuration, and the report says why.
    assert {table.config for table in manifest.tables} == {"annotations", "short-answer-questions"}
    assert sum(manifest.report[-1].findings.values()) == 3
    assert "no person has merged" in (tmp_path / "release" / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_recipe_in_the_release_pins_what_was_read(responses: Path, tmp_path: Path):
    recipe = recipe_of(Source(kind="responses", location="collected"))
    manifest = build_release(recipe, tmp_path / "release", base=tmp_path)
    assert manifest.recipe.sources[0].sha256 == manifest.sources[0].sha256
    with (responses / "responses" / "en-GB.csv").open("a") as file:
        file.write("t2,a2,stew,,,,\n")
    with pytest.raises(BlendError, match="but the recipe says " + manifest.sources[0].sha256):
        build_release(manifest.recipe, tmp_path / "again", base=tmp_path)
    assert not (tmp_path / "again").exists()


def test_words_on_a_version_are_not_those_of_the_one_before(mini_release: Path, tmp_path: Path):
    before = read_manifest(mini_release)
    said = before.model_copy(update={"recipe": before.recipe.model_copy(update={"changes": "New answers."})})
    (tmp_path / "release.json").write_text(said.to_json(), encoding="utf-8")
    recipe = recipe_of(Source(kind="sample"), previous=str(tmp_path), changes="New answers.")
    assert wrong(lambda: build_release(recipe, tmp_path / "release")) == (
        f"recipe, key changes: says word for word what it says of {before.version}; write what is new since "
        "then, or remove the key"
    )


def test_the_release_before_is_of_an_earlier_version(mini_release: Path, tmp_path: Path):
    before = read_manifest(mini_release)
    for version in (before.version, "0.0.1"):
        again = Recipe.model_validate(
            {**before.recipe.model_dump(), "version": version, "previous": str(mini_release)}
        )
        assert wrong(lambda again=again: build_release(again, tmp_path / "release")) == (
            f"recipe, key previous: {mini_release} is version {before.version}, and the recipe's is {version}; "
            "raise the recipe's, or name the one before it"
        )


def test_a_question_in_two_sources(responses: Path, tmp_path: Path):
    shutil.copytree(responses, tmp_path / "other")
    recipe = recipe_of(*(Source(kind="responses", location=name) for name in ("collected", "other")))
    assert wrong(lambda: read_inputs(RecipeInPlace.of(recipe, tmp_path))).splitlines()[1] == (
        "other/questions.csv:2: question 't1' in en-GB is also in collected/questions.csv:2; keep it in one "
        "source"
    )


def test_two_templates_of_one_id_in_two_sources(responses: Path, tmp_path: Path):
    other = shutil.copytree(responses, tmp_path / "other")
    recipe = recipe_of(*(Source(kind="responses", location=name) for name in ("collected", "other")))
    for path in [*other.glob("*.csv"), *other.glob("*/*.csv")]:
        text = path.read_text(encoding="utf-8").replace("en-GB", "en-AU").replace("the UK", "Australia")
        path.with_name(path.name.replace("GB", "AU")).write_text(text, encoding="utf-8")
    (other / "responses/en-GB.csv").unlink()
    assert read_inputs(RecipeInPlace.of(recipe, tmp_path)).questions.height == 6
    for path in (other / "templates.csv", other / "questions.csv"):
        path.write_text(path.read_text(encoding="utf-8").replace("is dish 2", "is sport 2"), encoding="utf-8")
    assert wrong(lambda: read_inputs(RecipeInPlace.of(recipe, tmp_path))) == (
        "other/templates.csv:3, column text: template 't2' asks 'What is sport 2 in {country}?', and in "
        "collected/templates.csv:3 'What is dish 2 in {country}?'; correct the id, ask the same, or give your "
        "question an id of its own"
    )


@pytest.mark.slow
def test_of_several_sources_errors_and_findings_name_theirs(responses: Path, tmp_path: Path):
    with (responses / "templates.csv").open("a", encoding="utf-8") as file:
        file.write("t9,Food,,What do people in {country} drink?\n")
    recipe = recipe_of(Source(kind="sample"), Source(kind="responses", location="collected"))
    inputs = read_inputs(RecipeInPlace.of(recipe, tmp_path))
    assert set(inputs.questions["source"].str.extract("^([a-z]+)/")) == {"sample", "collected"}
    findings = inputs.stages[1].findings.filter(kind="template-without-questions")
    assert findings["source"].to_list() == ["collected/templates.csv:5"]
    with (responses / "responses" / "en-GB.csv").open("a", encoding="utf-8") as file:
        file.write("t8,a1,tea,,,,\n")
    with pytest.raises(RowError, match=r"^collected/responses/en-GB\.csv:5, column template_id: "):
        read_inputs(RecipeInPlace.of(recipe, tmp_path))
    (responses / "templates.tsv").touch()
    assert wrong(lambda: read_inputs(RecipeInPlace.of(recipe, tmp_path))).startswith("collected/templates: ")


@pytest.mark.slow
def test_a_locale_that_no_source_holds():
    recipe = sample_recipe().model_copy(update={"locales": ("ko-KR", "sv-SE")})
    assert wrong(lambda: read_inputs(RecipeInPlace.of(recipe))) == (
        "recipe, key locales: no source has a question in sv-SE; the sources hold am-ET, ar-DZ, en-US, es-MX, "
        "fa-IR, ja-JP, ko-KP, ko-KR, su-JB, zh-CN"
    )


def test_a_locale_that_nobody_knows():
    recipe = sample_recipe().model_copy(update={"locales": ("ko-KX",)})
    said = wrong(lambda: read_inputs(RecipeInPlace.of(recipe)))
    assert said.startswith(
        "recipe, key locales: unknown locale 'ko-KX'; did you mean 'ko-KR'? the nearest of the 34 "
    )
    assert said.endswith("describe a region of your own in a locale file (`locale_file`, see docs/recipe.md)")


@pytest.mark.nightly
def test_verdicts_are_used_and_pinned(tmp_path: Path):
    (tmp_path / "verdicts.csv").write_text(
        "template_id,locale,option,verdict,with,reader,why\n"
        "edu-02,en-US,a made-up meal,proposed,GB,mina,nobody eats it\n"
        ",,teach,same_as,instruct,mina,\n"
        ",,stand up,same_as,pray,mina,\n",
        encoding="utf-8",
    )
    mcq = McqOptions(verdicts="verdicts.csv")
    recipe = sample_recipe().model_copy(update={"mcq": mcq})
    manifest = build_release(recipe, tmp_path / "release", base=tmp_path)
    assert [info.kind for info in manifest.sources] == ["sample", "verdicts"]
    assert manifest.sources[1].files[0].path == "verdicts.csv"
    together = [
        row
        for row in read_config(tmp_path / "release", "multiple-choice-questions")["options"].to_list()
        if {"stand up", "pray"} <= set(row)
    ]
    assert together == []
    assert manifest.report[-1].notes["decisions:mina, same"] >= 1


def test_findings_are_lines_that_name_their_step(mini_release: Path):
    manifest = read_manifest(mini_release)
    lines = (mini_release / "reports" / "findings.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    counted = pl.DataFrame(rows).group_by("stage").len().rows()
    reported = {stage.stage: sum(stage.findings.values()) for stage in manifest.report}
    assert dict(counted) == {stage: n for stage, n in reported.items() if n}


@pytest.mark.slow
def test_a_locale_of_ones_own_is_an_entry_in_a_file(tmp_path: Path):
    project, release = tmp_path / "project", tmp_path / "release"
    write_starter(project)
    locales = (project / "locales.toml").read_text(encoding="utf-8")
    # As an editor on Windows may save it.
    (project / "locales.toml").write_bytes(locales.replace("\n", "\r\n").encode("utf-16"))
    manifest = build_release(read_recipe(project / "recipe.toml"), release, base=project)
    assert [table.split for table in manifest.tables] == ["GB", "NZ"] * 3
    assert manifest.recipe.locale_file == "locales.toml"
    assert (release / "locales.toml").read_text(encoding="utf-8") == locales
    assert not validate_release(release).errors
    source_paths = {"collected": project / "collected"}
    build_release(manifest.recipe, tmp_path / "again", base=release, source_paths=source_paths)
    for name in ("release.json", "README.md", "data/annotations/NZ-00000.parquet"):
        assert (tmp_path / "again" / name).read_bytes() == (release / name).read_bytes()


def test_a_missing_locale_file(tmp_path: Path):
    write_starter(tmp_path)
    (tmp_path / "locales.toml").unlink()
    recipe = read_recipe(tmp_path / "recipe.toml")
    assert wrong(lambda: build_release(recipe, tmp_path / "release", base=tmp_path)) == (
        f"recipe, key locale_file: no such file: {tmp_path}/locales.toml; correct the path"
    )


@pytest.mark.slow
def test_where_inputs_lie_on_this_machine_is_told_nowhere(responses: Path, tmp_path: Path):
    source = Source(kind="responses", location=str(responses))
    recipe = Recipe(name="own", version="1.0.0", license="cc-by-4.0", sources=(source,))
    build_release(recipe, tmp_path / "first")
    after = recipe.model_copy(update={"version": "1.0.1", "previous": str(tmp_path / "first")})
    build_release(after, tmp_path / "second")
    manifest = read_manifest(tmp_path / "second")
    assert (manifest.sources[0].location, manifest.recipe.previous) == ("collected", "first")
    assert manifest.recipe.sources[0].sha256 == manifest.sources[0].sha256
    texts = [path for path in (tmp_path / "second").rglob("*") if path.is_file()]
    assert not [path.name for path in texts if str(tmp_path).encode() in path.read_bytes()]
    # What is written down builds the same again, beside what it names.
    built = tomllib.loads((tmp_path / "second" / "recipe.toml").read_text(encoding="utf-8"))
    build_release(Recipe.model_validate(built), tmp_path / "again", base=tmp_path)
    assert (tmp_path / "again" / "release.json").read_text() == (
        tmp_path / "second" / "release.json"
    ).read_text()


# A release made from responses says how far its annotators agree: in a file, in figures, on its card.


def test_what_is_released_is_what_the_responses_say(sample_release: Path):
    with sample_path() as folder:
        tables = read_responses(folder)
    made = aggregate(tables.questions, tables.responses, tables.reviews, options=SaqOptions()).agreement
    held = read_figures(sample_release, AGREEMENT_NAME)
    assert held is not None
    assert_frame_equal(held.sort("locale"), made)
    stats = stats_of_release(sample_release).questions
    assert stats is not None
    assert_frame_equal(stats.annotator_agreement, held)
    assert "annotators" in {table.name for table in question_tables(stats)}


def test_a_release_without_or_with_a_broken_file(tmp_path: Path):
    assert read_figures(tmp_path, AGREEMENT_NAME) is None
    (tmp_path / "reports").mkdir()
    path = tmp_path / AGREEMENT_NAME
    for text in ('[{"locale": 3, "alpha": []}]', '[{"locale": "ko-KR", "questions": 1e400}]'):
        path.write_text(text)
        assert wrong(lambda: read_figures(tmp_path, AGREEMENT_NAME)) == (
            f"{path}: is not a list of figures per locale; copy or build the release again"
        )
    path.write_text('[{"locale": "tlh-QO"}]')
    assert wrong(lambda: read_figures(tmp_path, AGREEMENT_NAME)) == (
        f"{path}: has figures of 'tlh-QO', which the release does not know; copy or build the release again"
    )


# A release builds again from its own folder and the sources that it points to, byte for byte.


@pytest.mark.slow
def test_what_is_carried_is_as_it_was_and_named_by_the_recipe(tmp_path: Path):
    project, release = tmp_path / "project", tmp_path / "release"
    write_starter(project)
    judged = project / "judged" / "more.jsonl"
    judged.parent.mkdir()
    verdict = {"template_id": "food-01", "option": "a made-up meal", "verdict": "proposed", "with": "KR"}
    judged.write_text(json.dumps({**verdict, "reader": "mina"}) + "\n", encoding="utf-8")
    with (project / "recipe.toml").open("a", encoding="utf-8") as file:
        file.write('\n[mcq]\nverdicts = "judged/more.jsonl"\n')
    manifest = build_release(read_recipe(project / "recipe.toml"), release, base=project)
    [verdicts] = manifest.sources[1:]
    assert (verdicts.kind, verdicts.location, verdicts.files[0].path) == ("verdicts", *["verdicts.jsonl"] * 2)
    assert (release / "verdicts.jsonl").read_bytes() == judged.read_bytes()
    recipe = read_recipe(release / "recipe.toml")
    assert recipe.mcq.verdicts == "verdicts.jsonl"
    assert recipe == manifest.recipe
    assert "verdicts.jsonl" in {file.path for file in read_manifest(release).files}
