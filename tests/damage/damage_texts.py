"""Texts of the inputs to damage: files that no command writes, and the facts of a small snapshot."""

from typer.testing import CliRunner

RECIPE = """\
name = "everything"
version = "1.0.0"
title = "Everything"
license = "cc-by-4.0"
authors = ["Mina Kim"]
contact = "blend@example.org"
homepage = "https://example.org/blend"
datasheet = "datasheet.toml"
seed = 1
locale_file = "locales.toml"
previous = "before"

[[sources]]
kind = "responses"
location = "collected"

[[sources]]
kind = "wikidata"
location = "dishes.nt"

[[sources]]
kind = "topics"
location = "topics"

[saq]
wanted = 3
max_idk = 5

[mcq]
target_min_votes = 1
distractor_min_votes = 1
verdicts = "verdicts.jsonl"

[mcq.judge]
kind = "lexical"

[food]
domain = "dish"
domain_file = "domains.toml"
languages = ["en", "ko"]
aligned_languages = ["en", "ko"]

[cultural]
nationalities = ["BR", "JP", "UZ"]
forms = "forms.tsv"
"""

LOCALE = """\
[[locale]]
tag = "gn-PY"
language = "gn"
region = "PY"
region_name = "Paraguay"
upstream = "Paraguay"
prompt_name = "Paraguay"
nationalities = ["Paraguayan"]
aliases = []
native_name = "Paraguái"
direction = "ltr"
script = "Latn"
parent = "PY"
split = "PY"
"""

PROJECT = """\
name = "trial"
stages = ["answer", "review"]
wanted = 2
locale_file = "../locales.toml"
topics = ["Food"]
[instructions]
ko = "ko.md"
[[locales]]
locale = "ko-KR"
reviewers = ["p-1a2b3c4d5e6f", "mina@example.org"]
[[locales]]
locale = "fa-IR"
[server]
url = "http://127.0.0.1:9"
"""

ENTITY, DIRECT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"

DISHES = {"Q901": ("bibimbap", "비빔밥", "Q884"), "Q902": ("pancake", "팬케이크", "Q30")}
PARTS = {"Q911": ("rice", "쌀"), "Q912": ("egg", "달걀"), "Q913": ("flour", "밀가루")}
COUNTRIES = {"Q884": ("South Korea", "대한민국"), "Q30": ("United States", "미국")}


def run_blend(*words: str) -> None:
    """Run a command that must succeed."""
    from blend.cli import app

    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
