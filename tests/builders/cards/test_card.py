"""The card: its header loads, its text describes everything that is in the release."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import DatasetCardData
from markdown_it import MarkdownIt

from blend.builders.cards.facts import canary, citation, source_kinds
from blend.builders.cards.rendering import described_fields
from blend.builders.release import build_release
from blend.loaders.recipes import sample_recipe
from blend.loaders.releases import read_manifest
from blend.schemas.arrow_types import arrow_schema
from blend.schemas.recipe import Recipe, Source
from blend.schemas.reports import finding_kinds
from blend.schemas.rows import model_of
from blend.schemas.summaries import markdown_text


@pytest.fixture(scope="session")
def card(sample_release: Path) -> str:
    return (sample_release / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def header(card: str) -> dict[str, Any]:
    fields: dict[str, Any] = yaml.safe_load(card.split("---\n")[1])
    return fields


@pytest.fixture(scope="session")
def details(sample_release: Path) -> str:
    return (sample_release / "reports" / "details.md").read_text(encoding="utf-8")


def body(card: str) -> str:
    return card.split("---\n", 2)[2]


ABOUT = {
    "authors": ("Mina Kim", "Sara Ahmadi"),
    "contact": "blend@example.org",
    "homepage": "https://example.org/blend",
}
TITLE = "<script>alert(1)</script> *A* [b](http://c) &amp; \u202edrawkcab `d_e`\n# E | $f$"


@pytest.mark.slow
def test_title_and_authors_are_shown_as_they_were_typed(tmp_path: Path):
    changes = {"title": TITLE, "authors": ("<b>Mina</b> *Kim*", "Sara Ahmadi"), "locales": ("ko-KR", "fa-IR")}
    build_release(sample_recipe().model_copy(update=ABOUT | changes), tmp_path / "release")
    seen = TITLE.replace("\u202e", "\\u202e").replace("\n", " ")
    for name, heading in (("README.md", seen), ("DATASHEET.md", f"Datasheet of {seen}")):
        text = (tmp_path / "release" / name).read_text(encoding="utf-8")
        assert "\u202e" not in text
        title = next(
            token for token in MarkdownIt().parse(body(text) if text[0] == "-" else text) if token.children
        )
        assert [child.type for child in title.children or ()] == ["text"] * len(title.children or ())
        assert "".join(child.content for child in title.children or ()) == heading
    card = (tmp_path / "release" / "README.md").read_text(encoding="utf-8")
    assert yaml.safe_load(card.split("---\n", 2)[1])["pretty_name"] == seen
    assert (
        "**Authors:** &lt;b&gt;Mina&lt;/b&gt; \\*Kim\\*, Sara Ahmadi  \n**Contact:** blend@example.org  \n"
        "**Homepage:** <https://example.org/blend>\n"
    ) in card


def test_every_field_is_described_with_its_sentence(details, sample_release: Path):
    for config in {table.config for table in read_manifest(sample_release).tables}:
        part = details.split(f"\n### `{config}`\n")[1].split("\n#", 1)[0]
        rows = re.findall(r"^\| `(.+?)` \| `(.+?)` \| (.+) \|$", part, flags=re.MULTILINE)
        fields = list(described_fields(model_of(config)))
        assert [row[:2] for row in rows] == [(field.name, field.type) for field in fields]
        columns = [name for name, _, _ in rows if "." not in name]
        assert columns == arrow_schema(model_of(config)).names
        assert all(len(sentence) > 5 and "``" not in sentence for _, _, sentence in rows)


@pytest.mark.integration
@pytest.mark.landing
def test_the_card_of_16_regions_is_short(regions_release: Path):
    card = (regions_release / "README.md").read_text(encoding="utf-8")
    assert len(body(card).split()) <= 1_500


def test_every_link_of_the_card_is_in_the_release(card, sample_release: Path):
    targets = re.findall(r"\]\((?!https?://)([^)]+)\)", body(card))
    assert {"reports/details.md"} <= set(targets)
    assert "DATASHEET.md" in targets
    for target in targets:
        assert (sample_release / target).is_file()


def test_the_canary_stands_in_every_document_and_never_changes(sample_release: Path):
    for name in ("README.md", "DATASHEET.md", "croissant.json"):
        assert canary("blend-sample") in (sample_release / name).read_text(encoding="utf-8")
    # Corpora are filtered by it: another text would let every earlier copy pass.
    assert canary("blend") == (
        "blend is evaluation data and must not be in any training corpus; "
        "canary 2bc08cf6-11de-53c3-819d-4170d7f7c51c"
    )
    assert canary("blend") != canary("blend2")


@pytest.mark.nightly
def test_another_version_keeps_the_canary_and_tells_the_history(tmp_path: Path):
    first = sample_recipe().model_copy(update={"locales": ("ko-KR", "su-JB", "es-MX", "zh-CN")})
    build_release(first, tmp_path / "first")
    second = sample_recipe().model_copy(
        update={"version": "0.2.0", "citation": "@misc{mine, year = {2026}}", "previous": "first"}
    )
    build_release(second, tmp_path / "second", base=tmp_path)
    written = (tmp_path / "second" / "README.md").read_text(encoding="utf-8")
    assert canary("blend-sample") in written
    assert "@misc{mine, year = {2026}}" in written
    told = written.split("## Version history\n")[1]
    assert told.index("### 0.2.0") < told.index("### 0.1.0")
    changelog = (tmp_path / "second" / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changelog.count("\n## ") == 2
    assert "annotations: 6 splits added: US, DZ, IR, ET, KP" in changelog


@pytest.mark.integration
def test_the_language_with_most_dishes_comes_first(food_release: Path):
    _, header, body = (food_release / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    # What the viewer of the Hub opens, what the example loads, and the first row of the table.
    configs = {config["config_name"]: config["data_files"] for config in yaml.safe_load(header)["configs"]}
    assert configs["food-triples"][0]["split"] == "en"
    assert [file["split"] for file in configs["food-triples"][-2:]] == ["zh_hans", "zh_tw"]
    assert 'load_dataset("REPOSITORY", "food-triples", split="en"' in body
    assert body.index("| en | English | English | 1,609 |") < body.index("| ru | Russian | русский | 177 |")


# What a card tells of who made a dataset, of its makers' tags and of its judges.


def test_a_citation_is_made_that_names_authors_and_version():
    recipe = Recipe(name="my-data", version="1.2.3", title="My Data", sources=(Source(kind="sample"),))
    assert citation(recipe) == (
        "@misc{mydata_v1.2.3,\n  title = {My Data},\n  note = {Version 1.2.3, built with blend-sdk},\n}\n"
    )
    assert citation(sample_recipe().model_copy(update=ABOUT)) == (
        "@misc{blendsample_v0.1.0,\n"
        "  title = {BLEnD embedded sample},\n"
        "  author = {Mina Kim and Sara Ahmadi},\n"
        "  url = {https://example.org/blend},\n"
        "  note = {Version 0.1.0, built with blend-sdk},\n"
        "}\n"
    )


def test_tags_are_values_that_the_hub_knows():
    for makers in source_kinds().values():
        # What the Hub's client says that these fields of a card may have.
        assert f"'{makers['annotations']}'" in (DatasetCardData.__doc__ or "")
        assert f"'{makers['language']}'" in (DatasetCardData.__doc__ or "")
        assert re.fullmatch(r"original|extended\|other-[a-z]+", makers["extended"])
    kinds = Source.model_fields["kind"].annotation
    assert set(source_kinds()) == set(kinds.__args__)


def test_the_judge_is_named_and_what_it_cannot_see(details: str, sample_release: Path):
    section = details.split("## Who decided that two answers mean the same\n")[1]
    assert "1. **Decisions that come with blend-sdk**" in section
    assert "2. **Rules about words**: two answers mean the same if they share a word" in section
    assert "**What this cannot see.** Rules see words and not meanings" in section
    notes = next(stage.notes for stage in read_manifest(sample_release).report if "choice" in stage.stage)
    same, different = (notes[f"decisions:model, {verdict}"] for verdict in ("same", "different"))
    assert f"| `decisions:model` | {same:,} | {different:,} |" in section


def test_the_card_explains_the_kinds_of_findings_that_it_counts(details: str, sample_release: Path):
    report = read_manifest(sample_release).report
    kinds = {kind for stage in report for kind in stage.findings}
    assert {"short", "invalid-answers"} <= kinds
    for kind in kinds:
        count = sum(stage.findings.get(kind, 0) for stage in report)
        meaning, remedy = (markdown_text(getattr(finding_kinds()[kind], of)) for of in ("meaning", "remedy"))
        assert f"| {kind} | {count:,} | {meaning} | {remedy} |" in details
