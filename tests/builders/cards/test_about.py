"""What a card tells of who made a dataset, of its makers' tags and of its judges."""

import re
from pathlib import Path

import pytest
from huggingface_hub import DatasetCardData

from blend.builders.cards.card import Judging, judging_of
from blend.builders.cards.credits import citation, source_kinds
from blend.builders.release import build_release
from blend.loaders.recipes.ready import sample_recipe
from blend.loaders.releases import read_manifest
from blend.schemas.errors import BlendError
from blend.schemas.recipe import JudgeOptions, McqOptions, Recipe, Source
from blend.schemas.reports import finding_kinds
from blend.schemas.summaries import markdown_text

ABOUT = {
    "authors": ("Mina Kim", "Sara Ahmadi"),
    "contact": "blend@example.org",
    "homepage": "https://example.org/blend",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("about") / "release"
    build_release(sample_recipe().model_copy(update={**ABOUT, "locales": ("ko-KR", "fa-IR")}), out)
    return out


def card_of(release: Path) -> str:
    return (release / "README.md").read_text(encoding="utf-8")


def details_of(release: Path) -> str:
    return (release / "reports" / "details.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_authors_contact_and_homepage_stand_on_the_card(made: Path):
    expected = (
        "**Authors:** Mina Kim, Sara Ahmadi  \n**Contact:** blend@example.org  \n"
        "**Homepage:** <https://example.org/blend>\n"
    )
    assert expected in card_of(made)


def test_the_citation_names_them():
    assert citation(sample_recipe().model_copy(update=ABOUT)) == (
        "@misc{blendsample_v0.1.0,\n"
        "  title = {BLEnD embedded sample},\n"
        "  author = {Mina Kim and Sara Ahmadi},\n"
        "  url = {https://example.org/blend},\n"
        "  note = {Version 0.1.0, built with blend-sdk},\n"
        "}\n"
    )


def test_without_them_the_datasheet_speaks(sample_release: Path):
    card = card_of(sample_release)
    assert "**Contact:** By an issue in the repository of blend-sdk.\n" in card
    assert "**Homepage:**" not in card
    assert "authors" not in (sample_release / "recipe.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "wrong", [{"homepage": "example.org"}, {"authors": ()}, {"contact": " "}, {"authors": ("a\nb",)}], ids=str
)
def test_what_they_cannot_be(wrong: dict[str, object]):
    with pytest.raises((BlendError, ValueError)):
        Recipe.model_validate({**sample_recipe().model_dump(), **wrong})


def options_of(field: str) -> set[str]:
    """The values that the Hub's client says a field of a card may have."""
    said = re.search(rf"{field} \(.*?\n(.*?)\n        \w+ \(", DatasetCardData.__doc__ or "", flags=re.DOTALL)
    assert said is not None
    return set(re.findall(r"'([a-z-]+)'", said[1]))


def test_tags_are_values_that_the_hub_knows():
    for makers in source_kinds().values():
        assert makers.annotations in options_of("annotations_creators")
        assert makers.language in options_of("language_creators")
        assert re.fullmatch(r"original|extended\|other-[a-z]+", makers.extended)
    assert {"monolingual", "multilingual"} <= options_of("multilinguality")
    kinds = Source.model_fields["kind"].annotation
    assert set(source_kinds()) == set(kinds.__args__)


def test_the_judge_is_named_and_what_it_cannot_see(sample_release: Path):
    section = details_of(sample_release).split("## Who decided that two answers mean the same\n")[1]
    assert "1. **Decisions that come with blend-sdk**" in section
    assert "2. **Rules about words**: two answers mean the same if they share a word" in section
    assert "**What this cannot see.** Rules see words and not meanings" in section
    notes = next(stage.notes for stage in read_manifest(sample_release).report if "choice" in stage.stage)
    same, different = (notes[f"decisions:model, {verdict}"] for verdict in ("same", "different"))
    assert f"| `decisions:model` | {same:,} | {different:,} |" in section


def test_every_kind_of_judge_has_its_limits(sample_release: Path):
    manifest = read_manifest(sample_release)

    def judged_by(mcq: McqOptions) -> Judging:
        return judging_of(
            manifest.model_copy(update={"recipe": manifest.recipe.model_copy(update={"mcq": mcq})})
        )

    for kind in JudgeOptions.model_fields["kind"].annotation.__args__:
        judge = JudgeOptions(kind=kind, model="a-model")
        found = judged_by(McqOptions(judge=judge, verdicts="verdicts.tsv"))
        assert found.who[0].startswith("**Verdicts on pairs**")
        assert any("`a-model`" in sentence for sentence in found.who) == (kind != "lexical")
        assert len(found.blind) > 100
    without = judged_by(McqOptions(judge=JudgeOptions(shipped=False)))
    assert len(without.who) == 1
    published = judged_by(McqOptions(mode="paper"))
    assert [sentence[:22] for sentence in published.who] == ["**The published rule**"]


def test_the_card_explains_the_kinds_of_findings_that_it_counts(sample_release: Path):
    details = details_of(sample_release)
    report = read_manifest(sample_release).report
    kinds = {kind for stage in report for kind in stage.findings}
    assert {"short", "invalid-answers"} <= kinds
    for kind in kinds:
        count = sum(stage.findings.get(kind, 0) for stage in report)
        assert f"| {kind} | {count:,} | {markdown_text(finding_kinds()[kind].meaning)} |" in details
