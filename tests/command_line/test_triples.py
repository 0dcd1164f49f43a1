"""Triples of Wikidata on the command line: a snapshot is taken, a release built, loaded, counted, checked."""

import json
import re
import shlex
import shutil
import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import blend
from blend.loaders.releases import read_manifest
from blend.schemas.recipe import Domain, DomainFile
from helpers.in_process import run
from helpers.messages import wrong
from helpers.wikidata.wikidata_endpoint import serve
from helpers.wikidata.wikidata_fixtures import ntriples

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

CLOTHES = """
    Q500 P279 Q11460
    Q1 P31 Q500
    Q1 label en:kilt
    Q1 label fr:kilt
    Q1 description en:knee-length skirt
    Q1 P495 Q22
    Q1 P186 Q42329
    Q2 P31 Q11460
    Q2 label en:hanbok
    Q2 label fr:hanbok
    Q2 P2596 Q600
    Q2 P186 Q37681
    Q600 P17 Q884
    Q3 P31 Q11460
    Q3 label en:loincloth
    Q3 P186 Q42329
    Q22 P31 Q6256
    Q22 label en:United Kingdom
    Q22 label fr:Royaume-Uni
    Q884 P31 Q6256
    Q884 label en:South Korea
    Q884 label fr:Corée du Sud
    Q42329 label en:wool
    Q42329 label fr:laine
    Q37681 label en:silk
    Q37681 label fr:soie
"""
FOOD_WORDS = r"(?i)\b(dish|dishes|ingredients?|cuisine|meal)\b"


def test_every_split_counts_and_is_valid(food_release: Path, tmp_path: Path):
    printed = run("stats", food_release, "--json", "--out", tmp_path / "stats")
    languages = {row["language"]: row["dishes"] for row in json.loads(printed)["food_languages"]}
    assert languages["ko"] == 175
    assert pl.read_parquet(tmp_path / "stats" / "food_common_parts.parquet")["rank"].max() == 10
    assert "The most common parts, with the dishes" in run("stats", food_release, "--all")
    assert "valid: 0 errors" in run("validate", food_release)
    assert "Nothing differs" in run("diff", food_release, food_release)
    assert wrong(lambda: run("plan", food_release)) == (
        f"{food_release}: no annotations in this release; plan from one that has some, or from BLEnD's "
        "regions: leave RELEASE out"
    )


def own_domains(folder: Path) -> tuple[Domain, ...]:
    return DomainFile.model_validate(tomllib.loads((folder / "domains.toml").read_text())).domain


def section(root: Path) -> str:
    text = (root / "docs" / "wikidata.md").read_text(encoding="utf-8")
    return text.partition("## Another domain")[2].partition("\n## ")[0]


def code_blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


@pytest.fixture(scope="module")
def walked(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of somebody who did what the page says, with a store of their own."""
    folder = tmp_path_factory.mktemp("walk")
    names = ("domains.toml", "clothes_prompts.toml", "recipe.toml")
    for name, text in zip(names, code_blocks(section(root), "toml"), strict=True):
        (folder / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, serve(ntriples(CLOTHES).encode()) as endpoint:
        patch.chdir(folder)
        for line in "".join(code_blocks(section(root), "bash")).splitlines():
            program, *arguments = shlex.split(line.replace("http://localhost:7001", endpoint.url))
            assert program == "blend"
            run(*arguments)
    return folder


def test_a_domain_of_ones_own_gives_the_rows_that_the_endpoint_holds(
    walked: Path, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
):
    monkeypatch.chdir(walked)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(walked / "cache"))
    (example,) = code_blocks(section(root), "python")
    exec(compile(example, "docs/wikidata.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()[-1]
    assert printed == "kilt United Kingdom [{'qid': 'Q42329', 'label': 'wool'}]"
    rows = blend.read_config("clothes", "clothes-aligned").filter(pl.col("language") == "fr")
    assert [(row["label"], row["origin"], row["parts"][0]["label"]) for row in rows.to_dicts()] == [
        ("kilt", "Royaume-Uni", "laine"),
        ("hanbok", "Corée du Sud", "soie"),
    ]
    prompts = blend.read_config("clothes", "clothes-templates")
    assert prompts["relation"].to_list() == ["hasParts_1", "country_1"]
    english = pl.read_parquet(walked / "clothes" / "data" / "clothes-triples" / "en-*.parquet")
    names = dict(english.select("origin", "origin_prompt_name").iter_rows())  # as they stand in a sentence
    assert names == {"United Kingdom": "the United Kingdom", "South Korea": "South Korea"}


def test_its_release_builds_again_from_what_it_holds(walked: Path):
    held = {path.relative_to(walked / "clothes") for path in (walked / "clothes").rglob("*") if path.is_file()}
    assert {Path("domains.toml"), Path("templates.toml")} <= held
    for path in held:
        assert (walked / "again" / path).read_bytes() == (walked / "clothes" / path).read_bytes(), path
    assert read_manifest(walked / "clothes").recipe.food.domain_file == "domains.toml"
    (carried,) = own_domains(walked / "clothes")
    (written,) = own_domains(walked)
    assert carried == written.model_copy(update={"templates": "templates.toml"})


def test_every_text_of_it_is_about_clothes(walked: Path, shared: Path, tmp_path: Path):
    from blend.eval.release_items import read_run

    clothes = walked / "clothes"
    card = (clothes / "README.md").read_text(encoding="utf-8")
    _, header, about = card.split("---\n", 2)
    body = about + (clothes / "reports" / "details.md").read_text(encoding="utf-8")
    assert yaml.safe_load(header)["pretty_name"] == "Clothes of the world"
    assert "Clothes of Wikidata with the country that they come from" in body
    assert "A prompt about one garment and one material, with placeholders." in body
    assert "| Materials that have a label in the language, by item number. |" in body
    names = ("README.md", "DATASHEET.md", "croissant.json", "reports/findings.jsonl")
    said = [(clothes / path).read_text(encoding="utf-8").replace("Food-related", "") for path in names]
    said.append(run("stats", clothes, "--all"))
    assert "garment" in said[-1]
    # A model is asked and told of in the words of the domain.
    runs = {name: tmp_path / name for name in ("listed", "probed")}
    asking, answers = ("eval", "run", clothes, "-T", "config=clothes-triples"), tmp_path / "answers.csv"
    ids = ("en/Q1/hasParts", "en/Q1/country", "en/Q2/hasParts", "en/Q2/country")
    answers.write_text("\n".join(["item_id,response", *(f"{one},wool" for one in ids)]) + "\n")
    said.append(run(*asking, "--task", "free-listing", "--answers", answers, "--out", runs["listed"]))
    probing = ("--task", "probing", "--model", shared / "models" / "tiny-bert", "-T", "languages=en")
    said.append(run(*asking, *probing, "--out", runs["probed"]))
    prompts = read_run(runs["listed"]).items("prompt")["prompt"].to_list()
    assert prompts[0] == (
        "Which materials does “kilt” have? Answer with a list of materials, separated by commas, and nothing "
        "else."
    )
    said += [run("eval", "score", one) for one in runs.values()]
    said.append(run("eval", "report", *runs.values(), "--out", tmp_path / "page.html"))
    said.append(run("eval", "judge-sheet", runs["listed"], "--out", tmp_path / "sheet.csv"))
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "or over clothes." in page
    # The library that draws is not ours to word.
    said.append(re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))
    assert re.findall(FOOD_WORDS, body.replace("Food-related", "")) == []
    assert [word for text in said for word in re.findall(r"(?i)\b(?:dish|dishes|ingredients?)\b", text)] == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "recipe, key food.domain_file: no such file: {folder}/domains.toml; correct the path"),
        ("clothing", "clothes_prompts.toml: no such file; correct the path"),
    ],
)
def test_what_a_recipe_names_and_is_not_there_is_said(walked: Path, tmp_path: Path, name: str, message: str):
    if name:
        shutil.copy(walked / "domains.toml", tmp_path)
    for file in ("recipe.toml", "clothes.nt.gz"):
        shutil.copy(walked / file, tmp_path)
    said = wrong(lambda: run("build", tmp_path / "recipe.toml", "--out", tmp_path / "out"))
    assert said == message.format(folder=tmp_path)
    assert not (tmp_path / "out").exists()
