"""A domain of one's own: from an endpoint over snapshot and release to rows, as ``docs/wikidata.md`` walks."""

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from blend.cli import app
from blend.loaders.files.toml import known_domains
from blend.loaders.releases import read_manifest
from blend.schemas.errors import BlendError
from blend.schemas.recipe import domains

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


def blend(*arguments: str) -> str:
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def refusal(*arguments: str) -> str:
    with pytest.raises(BlendError) as refused:
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    return str(refused.value)


def section(root: Path) -> str:
    text = (root / "docs" / "wikidata.md").read_text(encoding="utf-8")
    return text.partition("## Another domain")[2].partition("\n## ")[0]


def code_blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


@pytest.fixture(scope="module")
def walked(
    root: Path, endpoints: Any, shorthand: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder of somebody who did what the page says, with a store of their own."""
    folder = tmp_path_factory.mktemp("walk")
    names = ("domains.toml", "clothes_prompts.toml", "recipe.toml")
    for name, text in zip(names, code_blocks(section(root), "toml"), strict=True):
        (folder / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, endpoints.serve(shorthand(CLOTHES).encode()) as endpoint:
        patch.chdir(folder)
        for line in "".join(code_blocks(section(root), "bash")).splitlines():
            program, *arguments = shlex.split(line.replace("http://localhost:7001", endpoint.url))
            assert program == "blend"
            blend(*arguments)
    return folder


def test_the_rows_are_what_the_endpoint_holds(
    walked: Path, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
):
    import datasets

    monkeypatch.chdir(walked)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(walked / "cache"))
    (example,) = code_blocks(section(root), "python")
    exec(compile(example, "docs/wikidata.md", "exec"), {})
    assert (
        capsys.readouterr().out.splitlines()[-1] == "kilt United Kingdom [{'qid': 'Q42329', 'label': 'wool'}]"
    )
    rows = datasets.load_dataset("clothes", "clothes-aligned", split="fr", cache_dir=str(walked / "cache"))
    assert [(row["label"], row["origin"], row["parts"][0]["label"]) for row in rows] == [
        ("kilt", "Royaume-Uni", "laine"),
        ("hanbok", "Corée du Sud", "soie"),
    ]
    prompts = datasets.load_dataset("clothes", "clothes-templates", split="en", cache_dir=str(walked / "cache"))
    assert prompts["relation"] == ["hasParts_1", "country_1"]


def test_the_release_builds_again_from_what_it_holds(walked: Path):
    held = {path.relative_to(walked / "clothes") for path in (walked / "clothes").rglob("*") if path.is_file()}
    assert {Path("domains.toml"), Path("templates.toml")} <= held
    for path in held:
        assert (walked / "again" / path).read_bytes() == (walked / "clothes" / path).read_bytes(), path
    assert read_manifest(walked / "clothes").recipe.food.domain_file == "domains.toml"
    carried = known_domains(walked / "clothes" / "domains.toml")["clothing"]
    written = known_domains(walked / "domains.toml")["clothing"]
    assert carried == written.model_copy(update={"templates": "templates.toml"})


def test_english_names_stand_in_a_sentence(walked: Path):
    import polars as pl

    rows = pl.read_parquet(walked / "clothes" / "data" / "clothes-triples" / "en-*.parquet")
    shown = dict(rows.select("origin", "origin_prompt_name").iter_rows())
    assert shown == {"United Kingdom": "the United Kingdom", "South Korea": "South Korea"}


def test_every_text_is_about_clothes(walked: Path):
    card = (walked / "clothes" / "README.md").read_text(encoding="utf-8")
    _, header, about = card.split("---\n", 2)
    body = about + (walked / "clothes" / "reports" / "details.md").read_text(encoding="utf-8")
    assert yaml.safe_load(header)["pretty_name"] == "Clothes of the world"
    assert "Clothes of Wikidata with the country that they come from" in body
    assert "One garment in one language: its name, where it comes from, and what it is made of." in body
    assert "A prompt about one garment and one material, with placeholders." in body
    assert "| Identifier of the garment in Wikidata; unique within a language. |" in body
    assert "| Materials that have a label in the language, by item number. |" in body
    assert "by ranking the\nmaterials of each" in body
    for path in ("README.md", "DATASHEET.md", "croissant.json", "reports/findings.jsonl"):
        text = (walked / "clothes" / path).read_text(encoding="utf-8").replace("Food-related", "")
        assert not re.search(r"\b(dish|dishes|ingredients?|cuisine|meal)\b", text, re.IGNORECASE), path


def test_statistics_are_about_clothes(walked: Path):
    printed = blend("stats", str(walked / "clothes"), "--all")
    assert "clothes" in printed
    assert "garment" in printed
    assert "dish" not in printed.lower()


def test_a_recipe_is_not_needed(walked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(walked)
    domain = ("--domain", "clothing", "--domain-file", "domains.toml")
    blend("build", "--food", "clothes.nt.gz", *domain, "--out", str(tmp_path / "release"))
    manifest = read_manifest(tmp_path / "release")
    assert (manifest.name, manifest.recipe.title) == ("clothes", "Clothes")
    # Not all of the languages that are aligned by default have rows.
    assert {table.config for table in manifest.tables} == {"clothes-triples", "clothes-templates"}


def test_the_instruments_card_reads_right(shorthand: Callable[[str], str], tmp_path: Path):
    facts = (
        "Q500 P31 Q34379\nQ500 label en:lute\nQ500 P495 Q142\nQ500 P527 Q503\nQ503 label en:string\n"
        "Q142 P31 Q6256\nQ142 label en:France\n"
    )
    (tmp_path / "facts.nt").write_text(shorthand(facts), encoding="utf-8")
    out = str(tmp_path / "release")
    blend("build", "--food", str(tmp_path / "facts.nt"), "--domain", "musical-instrument", "--out", out)
    body = (tmp_path / "release" / "README.md").read_text(encoding="utf-8").split("---\n", 2)[2]
    assert body.startswith(
        "\n# Instruments\n\nMusical instruments of Wikidata with the country that they come from"
    )
    details = (tmp_path / "release" / "reports" / "details.md").read_text(encoding="utf-8")
    assert "One musical instrument in one language: its name, where it comes from, and" in details
    assert "| Parts that have a label in the language, by item number. |" in details
    body += details
    assert not re.search(
        r"\b(dish|dishes|ingredients?|garment)\b", body.replace("Food-related", ""), re.IGNORECASE
    )


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", "recipe, key food.domain_file: no such file: {folder}/domains.toml; correct the path"),
        (
            "[[domain]]\nname = 'wine'\n",
            "7 problems:\ndomains.toml, entry 1 (wine), field title: the field is missing; add title = …\n",
        ),
        (
            "same name",
            "domains.toml, domain 'dish': the package has a domain of this name; rename it",
        ),
        (
            "another",
            (
                "unknown domain 'clothing'; did you mean 'clothes'? choose one of: clothes, dish, "
                "musical-instrument, or write one of your own into a domain file (docs/wikidata.md)"
            ),
        ),
        (
            "no prompts",
            (
                "domain, key templates: no such file: {folder}/clothes_prompts.toml; correct the path, or name "
                "the packaged food_templates.toml"
            ),
        ),
    ],
)
def test_what_is_wrong_with_a_domain_is_said(walked: Path, tmp_path: Path, written: str, message: str):
    text = (walked / "domains.toml").read_text(encoding="utf-8")
    written = {
        "same name": text.replace('name = "clothing"', 'name = "dish"'),
        "another": text.replace('name = "clothing"', 'name = "clothes"'),
        "no prompts": text,
    }.get(written, written)
    if written:
        (tmp_path / "domains.toml").write_text(written, encoding="utf-8")
    shutil.copy(walked / "recipe.toml", tmp_path)
    shutil.copy(walked / "clothes.nt.gz", tmp_path)
    said = refusal("build", str(tmp_path / "recipe.toml"), "--out", str(tmp_path / "out"))
    assert said.startswith(message.format(folder=tmp_path))
    assert not (tmp_path / "out").exists()


def test_a_domain_without_a_snapshot_is_refused(walked: Path):
    assert refusal("build", str(walked / "recipe.toml"), "--domain", "dish") == (
        "--domain and --domain-file say what a snapshot given with --food alone is about; a recipe has domain "
        "and domain_file in its table [food]"
    )


def test_packaged_texts_have_no_article_that_could_be_the_wrong_one():
    from blend.builders.cards.rendering import described_fields
    from blend.schemas.rows import Triple, TripleTemplate

    texts = [
        text
        for model in (Triple, TripleTemplate)
        for text in (model.__doc__ or "", *(field.description for field in described_fields(model)))
    ]
    assert any("dish" in text for text in texts)
    for text in texts:
        assert not re.search(r"\ban? (dish|ingredient)", text, re.IGNORECASE), text
    told = domains()["musical-instrument"].reword("Dishes of one dish; ingredients, one Ingredient. Fishes.")
    assert told == "Musical instruments of one musical instrument; parts, one Part. Fishes."


def test_a_model_is_asked_and_told_of_in_the_words_of_the_domain(walked: Path, shared: Path, tmp_path: Path):
    from blend.eval.asked_runs import read_run

    clothes, runs = str(walked / "clothes"), {name: str(tmp_path / name) for name in ("listed", "probed")}
    about = ["eval", "run", clothes, "-T", "config=clothes-triples"]
    answers = tmp_path / "answers.csv"
    answers.write_text("item_id,response\nen/Q1/hasParts,wool\nen/Q1/country,wool\nen/Q2/hasParts,silk\n"
                       "en/Q2/country,cotton\n")  # fmt: skip
    said = blend(*about, "--task", "free-listing", "--answers", str(answers), "--out", runs["listed"])
    model = str(shared / "models" / "tiny-bert")
    said += blend(*about, "--task", "probing", "--model", model, "-T", "languages=en", "--out", runs["probed"])
    asked = read_run(runs["listed"]).items("prompt")["prompt"].to_list()
    assert asked[0] == (
        "Which materials does “kilt” have? Answer with a list of materials, separated by commas, and nothing "
        "else."
    )
    for run in runs.values():
        said += blend("eval", "score", run)
    said += blend("eval", "report", *runs.values(), "--out", str(tmp_path / "page.html"))
    said += blend("eval", "judge-sheet", runs["listed"], "--out", str(tmp_path / "sheet.csv"))
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    # The library that draws is not ours to word.
    said += re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert re.findall(r"(?i)\b(?:dish|dishes|ingredients?)\b", said) == []
    assert "or over clothes." in page
