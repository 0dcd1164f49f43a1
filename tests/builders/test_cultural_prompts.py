"""Cultural prompts: the published set exactly, the rules of articles and names, and what is wrong in the
files."""

from pathlib import Path

import polars as pl
import pytest

from blend import Recipe, build_release
from blend.builders.cultural_prompts import build_prompts
from blend.loaders.topics import read_forms, read_topics
from blend.schemas.frames import CULTURAL_PROMPT_ROWS
from blend.schemas.languages import article_by_letter, article_by_sound, nationalities
from blend.schemas.recipe import CulturalOptions
from helpers.messages import wrong

TEMPLATES = {
    "qa": "_\t_\tExplain {topic} to {article} {nationality} person.\n",
    "stories": "_\t_\tTell {article} {nationality} kid of {topic}.\n",
}


def written(folder: Path, **files: str) -> Path:
    """A directory of topics; files by kind and name, ``qa__topics``."""
    contents = {
        "qa__topics": "physics\tgravity\nphysics\tsound\n",
        "qa__templates": TEMPLATES["qa"],
        **files,
    }
    for name, text in contents.items():
        kind, _, file = name.partition("__")
        (folder / kind).mkdir(parents=True, exist_ok=True)
        (folder / kind / f"{file}.tsv").write_text(text, encoding="utf-8")
    return folder


def built(folder: Path, forms: Path | None = None, **options: object) -> pl.DataFrame:
    read = None if forms is None else read_forms(forms)
    return build_prompts(read_topics(folder), CulturalOptions(**options), forms=read).prompts


@pytest.fixture(scope="module")
def published(shared: Path) -> Path:
    return shared / "data" / "extrinsic"


@pytest.fixture(scope="module")
def release(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = Recipe(
        name="eecc",
        version="1.0.0",
        license="mit",
        sources=({"kind": "topics", "location": str(published)},),
        cultural={"mode": "paper"},
    )
    out = tmp_path_factory.mktemp("releases") / "eecc"
    build_release(recipe, out)
    return out


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "n"), [("qa", 66_585), ("stories", 6_755)])
def test_the_published_prompts_exactly(published, release, kind, n):
    people = [line.split("\t")[1] for line in (published / "identities.tsv").read_text().splitlines()]
    lines = (published / kind / "concepts.tsv").read_text().splitlines()
    topics = dict.fromkeys(line.split("\t")[1] for line in lines)
    template = (published / kind / "templates.tsv").read_text().splitlines()[0].split("\t")[2]
    expected = [
        template.format(concept=topic, vowel="an" if one[0].lower() in "aeiou" else "a", identity=one)
        for topic in topics
        for one in people
    ]
    rows = pl.read_parquet(release / "data" / "cultural-prompts" / f"{kind}-*.parquet")
    assert len(expected) == n
    assert rows["prompt"].to_list() == expected


def test_the_table_of_nationalities_is_the_published_one_and_more(published):
    people = {line.split("\t")[1] for line in (published / "identities.tsv").read_text().splitlines()}
    table = nationalities()
    assert {one.demonym for one in table if one.un} == people
    assert sum(one.un for one in table) == 195
    assert len({one.code for one in table}) == len(table) > 200


@pytest.mark.parametrize(
    ("word", "by_sound", "by_letter"),
    [
        ("Ugandan", "a", "an"),
        ("Uzbek", "an", "an"),
        ("European", "a", "an"),
        ("Ukrainian", "a", "an"),
        ("Uruguayan", "a", "an"),
        ("Emirati", "an", "an"),
        ("I-Kiribati", "an", "an"),
        ("Honduran", "a", "a"),
        ("honest", "an", "a"),
        ("Ni-Vanuatu", "a", "a"),
        ("unusual", "an", "an"),
        ("unique", "a", "an"),
        ("São Toméan", "a", "a"),
    ],
)
def test_articles(word, by_sound, by_letter):
    assert (article_by_sound(word), article_by_letter(word)) == (by_sound, by_letter)


def test_two_countries_of_one_demonym_are_asked_about_once(tmp_path):
    rows = built(written(tmp_path), nationalities=("DM", "DO", "Brazilian"))
    assert rows.columns == list(CULTURAL_PROMPT_ROWS)
    assert rows.select("nationality", "country_codes", "region").unique(maintain_order=True).rows() == [
        ("Brazilian", ["BR"], "South America"),
        ("Dominican", ["DM", "DO"], "Caribbean"),
    ]
    assert rows["prompt_id"].to_list()[0] == "t1/physics/gravity/Brazilian"


def test_templates_in_another_language(tmp_path):
    folder = written(
        tmp_path / "topics", qa__templates=TEMPLATES["qa"] + "de\tde\tErkläre {nationality} {topic}.\n"
    )
    forms = tmp_path / "forms.tsv"
    forms.write_text("de\tBrazilian\tBrasilianern\nde\tFrench\tFranzosen\n")
    found = build_prompts(
        read_topics(folder),
        CulturalOptions(nationalities=("BR", "FR", "JP")),
        forms=read_forms(forms),
    )
    german = found.prompts.filter(pl.col("language") == "de")
    assert german["prompt"].to_list() == [
        "Erkläre Brasilianern gravity.",
        "Erkläre Franzosen gravity.",
        "Erkläre Brasilianern sound.",
        "Erkläre Franzosen sound.",
    ]
    assert german["nationality"].to_list()[:2] == ["Brazilian", "French"]
    assert found.findings["detail"].to_list() == ["no name of 'Japanese' in 'de'; not asked about there"]


def test_an_unknown_nationality_suggests_the_closest(tmp_path):
    assert wrong(lambda: built(written(tmp_path), nationalities=("Brasilian",))).startswith(
        "unknown nationality 'Brasilian'; did you mean 'Brazilian'? the nearest of the 418 there are: "
        "Brazilian, "
    )


def test_a_language_without_forms_is_told(tmp_path):
    folder = written(tmp_path, qa__templates="_\tko\t{topic}, {nationality}\n")
    assert wrong(lambda: built(folder)) == (
        "qa/templates.tsv:1: nothing says what people are called in 'ko'; name a file with their forms in the "
        "recipe, key cultural.forms"
    )
