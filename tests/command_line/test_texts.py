"""Texts for readers of many nationalities on the command line, from a release to scores."""

import json
from pathlib import Path

import pytest

from blend import Recipe, build_release
from blend.eval.models.tiny_model import make_tiny_model
from helpers.in_process import run
from helpers.messages import wrong

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
        printed = run("eval", "score", str(tmp_path / name), "-T", f"surveys=own={survey}", "--json")
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
    printed = run("eval", "run", "--task", "cultural-prompts", "--answers", table, "--out", out)
    assert f"4 of 4 items are answered in {out}. Score them:" in printed
    assert "variance-across-unbiased" in run("eval", "score", out)


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
    assert wrong(lambda: ask(release, model, tmp_path / "run", *options)) == message


ASKED = "where a model is asked, and recorded answers ask nobody"
OF_ITEMS = "for answers to items, and this is a table of texts"


def test_a_table_is_not_asked_and_its_files_are_named_once(tmp_path: Path):
    table, out, words = tmp_path / "texts.csv", tmp_path / "run", tmp_path / "words.txt"
    table.write_text("group,topic,text\nold,rain,a\nyoung,rain,b\n")
    ask_for = ("eval", "run", "--task", "cultural-prompts", "--answers", str(table), "--out", str(out))
    for where, options in (
        (ASKED, ("--shard 1/2", "--price 1,2", "-M chat=no")),
        (OF_ITEMS, ("--limit 2", "-T kinds=qa", "-T nationalities=KR")),
    ):
        for option in options:
            told = wrong(lambda option=option: run(*ask_for, *option.split()))
            assert told == f"{option} makes sense only {where}; leave it out"
    run(*ask_for)
    for options, told in {
        "-T surveys=own.csv": "-T surveys=own.csv: expected a name and a file, such as hofstede=FILE",
        "-T surveys=a=1.csv -T surveys=a=2.csv": (
            "-T surveys=a=2.csv: there is a file for a already; name each once"
        ),
        f"-T stop_words={words}": f"-T stop_words={words}: no such file; name one with one word per line",
    }.items():
        assert wrong(lambda options=options: run("eval", "score", str(out), *options.split())) == told


@pytest.mark.landing
@pytest.mark.slow
def test_options_of_texts_are_refused_for_other_tasks(sample_release: Path, model: Path, tmp_path: Path):
    out = str(tmp_path / "run")
    run("eval", "run", str(sample_release), "--model", str(model), "--limit", "1", "--out", out)
    told = "-T top=3: the task multiple-choice has no such option; it has none"
    assert wrong(lambda: run("eval", "score", out, "-T", "top=3")) == told
