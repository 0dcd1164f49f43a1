"""Texts for readers of many nationalities on the command line, from a release to scores."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from blend import Recipe, build_release
from blend.cli import app
from blend.eval.models.tiny_model import make_tiny_model
from blend.schemas.errors import ArgumentError, BlendError

RUNNER = CliRunner()
SURVEY = "Demonym,power,joy\nBrazilian,1,2\nJapanese,3,9\nUzbek,4,4\n"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cultural")
    (folder / "topics" / "qa").mkdir(parents=True)
    (folder / "topics" / "qa" / "topics.tsv").write_text("physics\tgravity\nphysics\tsound\n")
    (folder / "topics" / "qa" / "templates.tsv").write_text(
        "_\t_\tExplain {topic} to {article} {nationality}.\n"
    )
    recipe = Recipe(
        name="prompts",
        version="1.0.0",
        sources=({"kind": "topics", "location": str(folder / "topics")},),
        cultural={"nationalities": ("BR", "JP", "UZ")},
    )
    build_release(recipe, folder / "release")
    return folder / "release"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "tiny"
    make_tiny_model(folder)
    return folder


def run(*command: str):
    result = RUNNER.invoke(app, list(command))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def ask(release: Path, model: Path, out: Path, *options: str):
    how = ("--task", "cultural-prompts", "--model", str(model), "--out", str(out), "--max-tokens", "12")
    return run("eval", "run", str(release), *how, "-T", "samples=2", "-M", "device=cpu", *options)


@pytest.mark.nightly
@pytest.mark.slow
def test_two_machines_and_their_scores(release: Path, model: Path, tmp_path: Path):
    for shard in ("1/2", "2/2"):
        ask(release, model, tmp_path / "shards", "--temperature", "0.9", "--shard", shard)
    ask(release, model, tmp_path / "alone", "--temperature", "0.9")
    survey = tmp_path / "own.csv"
    survey.write_text(SURVEY)
    scores = {}
    for name in ("shards", "alone"):
        printed = run("eval", "score", str(tmp_path / name), "-T", f"surveys=own={survey}", "--json").stdout
        scores[name] = json.loads(printed)
        assert (tmp_path / name / "scores.json").read_text() == printed
    # The same answers in other files.
    assert scores["shards"].pop("answers") != scores["alone"].pop("answers")
    assert scores["shards"] == scores["alone"]
    assert "|s:2|" in scores["alone"]["signature"]
    found = {(one["metric"], one["key"]): one["value"] for one in scores["alone"]["scores"]}
    assert found["texts", "qa"] == 12
    assert found["variance-across", "qa"] > 0
    assert ("tau-bleu-own", "qa") in found


@pytest.mark.landing
@pytest.mark.slow
def test_a_table_of_texts_needs_no_release(tmp_path: Path):
    table = tmp_path / "texts.csv"
    rows = [f"{group},rain,{sample},{group} rain {sample}" for group in ("old", "young") for sample in (0, 1)]
    table.write_text("group,topic,sample,text\n" + "\n".join(rows) + "\n")
    out = tmp_path / "run"
    printed = run(
        "eval", "run", "--task", "cultural-prompts", "--answers", str(table), "--out", str(out)
    ).stdout
    assert f"4 of 4 items are answered in {out}. Score them:" in printed
    result = run("eval", "score", str(out))
    assert "variance-across-unbiased" in result.stdout


@pytest.mark.landing
@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            (),
            "2 samples at temperature 0 are one text 2 times; give a --temperature above 0, or -T samples=1",
        ),
        (
            ("--temperature", "1", "--shard", "3/2"),
            "--shard 3/2: expected two numbers such as 2/4, the second of four machines",
        ),
    ],
)
def test_what_does_not_fit_is_refused(release: Path, model: Path, tmp_path: Path, options, message: str):
    with pytest.raises(ArgumentError) as told:
        ask(release, model, tmp_path / "run", *options)
    assert str(told.value) == message


@pytest.mark.parametrize(
    ("surveys", "message"),
    [
        (("hofstede.csv",), "-T surveys=hofstede.csv: expected a name and a file, such as hofstede=FILE"),
        (("a=1.csv", "a=2.csv"), "-T surveys=a=2.csv: there is a file for a already; name each once"),
    ],
)
def test_surveys_that_are_not_named_are_refused(tmp_path: Path, surveys, message: str):
    options = [part for survey in surveys for part in ("-T", f"surveys={survey}")]
    table = tmp_path / "texts.csv"
    table.write_text("group,topic,text\nold,rain,a\nyoung,rain,b\n")
    run("eval", "run", "--task", "cultural-prompts", "--answers", str(table), "--out", str(tmp_path / "run"))
    with pytest.raises(ArgumentError) as told:
        run("eval", "score", str(tmp_path / "run"), *options)
    assert str(told.value) == message


@pytest.mark.slow
def test_stop_words_that_are_not_there_are_told(tmp_path: Path):
    table = tmp_path / "texts.csv"
    table.write_text("group,topic,text\nold,rain,a\nyoung,rain,b\n")
    run("eval", "run", "--task", "cultural-prompts", "--answers", str(table), "--out", str(tmp_path / "run"))
    path = tmp_path / "words.txt"
    with pytest.raises(BlendError) as told:
        run("eval", "score", str(tmp_path / "run"), "-T", f"stop_words={path}")
    assert str(told.value) == f"-T stop_words={path}: no such file; name one with one word per line"


@pytest.mark.landing
@pytest.mark.slow
def test_options_of_texts_are_refused_for_other_tasks(sample_release: Path, model: Path, tmp_path: Path):
    out = tmp_path / "run"
    run("eval", "run", str(sample_release), "--model", str(model), "--limit", "1", "--out", str(out))
    with pytest.raises(BlendError) as told:
        run("eval", "score", str(out), "-T", "top=3")
    assert str(told.value) == ("-T top=3: the task multiple-choice has no such option; it has none")


ASKED = "where a model is asked, and recorded answers ask nobody"
OF_ITEMS = "for answers to items, and this is a table of texts"


@pytest.mark.parametrize(
    ("option", "where"),
    [
        ("--shard 1/2", ASKED),
        ("--price 1,2", ASKED),
        ("-M chat=no", ASKED),
        ("--limit 2", OF_ITEMS),
        ("-T kinds=qa", OF_ITEMS),
        ("-T nationalities=KR", OF_ITEMS),
    ],
)
def test_a_table_is_not_asked(option: str, where: str, tmp_path: Path):
    table = tmp_path / "texts.csv"
    table.write_text("group,topic,text\nold,rain,a\nyoung,rain,b\n")
    with pytest.raises(ArgumentError) as told:
        run("eval", "run", "--task", "cultural-prompts", "--answers", str(table), *option.split())
    assert str(told.value) == f"{option} makes sense only {where}; leave it out"
