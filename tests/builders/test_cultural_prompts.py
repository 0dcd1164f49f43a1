"""Cultural prompts: the published set exactly, the rules of articles and names, and what is wrong in the
files."""

from pathlib import Path

import polars as pl
import pytest

from blend import Recipe, build_release
from blend.builders.cultural_prompts import build_prompts
from blend.loaders.topics import read_forms, read_topics
from blend.schemas.errors import BlendError
from blend.schemas.frames import CULTURAL_PROMPT_ROWS
from blend.schemas.languages import article_by_letter, article_by_sound, nationalities
from blend.schemas.recipe import CulturalOptions

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


BROKEN = {
    "no-folder": (
        None,
        (
            "source topics: no such directory: {0}; give the path of a directory with one folder per kind of "
            "text, each with topics.tsv and templates.tsv"
        ),
    ),
    "no-kinds": (
        {},
        (
            "source topics: {0}: no folder with a file templates.tsv; make one per kind of text, for example"
            " qa/templates.tsv and qa/topics.tsv"
        ),
    ),
    "cells": (
        {"qa__topics": "gravity\n"},
        ("qa/topics.tsv:1: topic is blank; write category, topic with tabs between them"),
    ),
    "no-topics": (
        {"qa__topics": "\n"},
        ("qa/topics.tsv: no line holds anything; write category, topic with tabs between them"),
    ),
    "no-templates": (
        {"qa__templates": ""},
        (
            "qa/templates.tsv: no line holds anything; write name or _, language or _, template with tabs "
            "between them"
        ),
    ),
    "template-cells": (
        {"qa__templates": "Explain {topic}\n"},
        (
            "qa/templates.tsv:1: language or _ is blank; write name or _, language or _, template with tabs "
            "between them"
        ),
    ),
    "no-nationality": (
        {"qa__templates": "_\t_\tExplain {topic}.\n"},
        ("qa/templates.tsv:1: no slot for the nationality; write {{nationality}} where it stands"),
    ),
    "language": (
        {"qa__templates": "_\tx!\tExplain {topic} to {nationality}.\n"},
        ("qa/templates.tsv:1: 'x!' is not a language; write a BCP 47 tag such as 'en' or 'pt-BR'"),
    ),
    "twice": (
        {"qa__templates": TEMPLATES["qa"].replace("_\t", "a\t", 1) * 2},
        ("qa/templates.tsv:2: a second template 'a'; give each a name of its own"),
    ),
    "slot": (
        {"qa__templates": "_\t_\tTell {topic} to {nationality} {kid}.\n"},
        (
            "qa/templates.tsv:1: unknown slot {{kid}}; the slots are {{topic}}, {{concept}}, {{article}}, "
            "{{vowel}}, {{nationality}}, {{identity}}"
        ),
    ),
    "hidden": (
        {"qa__topics": "physics\tgra\x1bvity\n"},
        "qa/topics.tsv:1: the line holds control characters: U+001B; delete it",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_every_fault_of_topics_is_told(tmp_path, name):
    files, message = BROKEN[name]
    folder = tmp_path / "topics"
    if files == {}:
        folder.mkdir()
    elif files is not None:
        written(folder, **files)
    with pytest.raises(BlendError) as told:
        read_topics(folder)
    assert str(told.value) == message.format(folder)


FORMS = {
    "cells": (
        "de\tThai\n",
        ("forms.tsv:1: form is blank; write language, demonym, form, article with tabs between them"),
    ),
    "language": (
        "deutsch!\tThai\tThailänder\n",
        ("forms.tsv:1: 'deutsch!' is not a language; write a BCP 47 tag such as 'en' or 'pt-BR'"),
    ),
    "twice": (
        "de\tThai\tThai\nde\tThai\tThailänder\n",
        ("forms.tsv:2: a second form of 'Thai' in 'de'; delete this line or forms.tsv:1"),
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_fault_of_forms_is_told(tmp_path, name):
    text, message = FORMS[name]
    path = tmp_path / "forms.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BlendError) as told:
        read_forms(path)
    assert str(told.value) == message


def test_forms_that_are_not_there_are_told(tmp_path):
    path = tmp_path / "forms.tsv"
    with pytest.raises(BlendError) as told:
        read_forms(path)
    assert str(told.value) == f"recipe, key cultural.forms: no such file: {path}; correct the path"


def test_an_unknown_nationality_suggests_the_closest(tmp_path):
    with pytest.raises(BlendError) as told:
        built(written(tmp_path), nationalities=("Brasilian",))
    assert str(told.value).startswith(
        "unknown nationality 'Brasilian'; did you mean 'Brazilian'? the nearest of the 418 there are: "
        "Brazilian, "
    )


def test_a_language_without_forms_is_told(tmp_path):
    folder = written(tmp_path, qa__templates="_\tko\t{topic}, {nationality}\n")
    with pytest.raises(BlendError) as told:
        built(folder)
    assert str(told.value) == (
        "qa/templates.tsv:1: nothing says what people are called in 'ko'; name a file with their forms in the "
        "recipe, key cultural.forms"
    )


@pytest.mark.slow
def test_two_sources_of_topics_are_refused(tmp_path):
    folder = written(tmp_path / "topics")
    source = {"kind": "topics", "location": str(folder)}
    recipe = Recipe(name="x", version="1.0.0", sources=(source, source))
    with pytest.raises(BlendError) as told:
        build_release(recipe, tmp_path / "out")
    assert str(told.value) == (
        "the recipe has 2 sources of kind 'topics', which would make the same configuration; keep one, with a "
        "folder for each kind of text"
    )
