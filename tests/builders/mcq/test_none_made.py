"""Too few regions, or no English: before and after a build it is said why no question can be made."""

from itertools import product
from pathlib import Path

import polars as pl
import pytest

from blend.builders.mcq.result import too_few_regions, why_none_made
from blend.loaders.recipes import sample_path
from blend.loaders.releases import read_manifest
from blend.schemas.locales import registry
from blend.schemas.manifest import ReleaseManifest
from helpers.in_process import run

NEEDED = (
    "Each shows an answer of one region beside 3 answers of other regions, so at least 4 regions must be asked "
    "the same question: ask BLEnD's own, by its template ids, with its published answers as a further source "
    '(`kind = "blend"`, whose regions the key `locales` must not leave out), ask more regions, or propose '
    "options (docs/mcq.md)."
)
FOUR = ["ko-KR", "ja-JP", "zh-CN", "en-US"]


@pytest.mark.parametrize(
    ("asked", "short", "here"),
    [
        (product("ab", FOUR), None, None),
        (product("ab", ["ko-KR", "ja-JP", "en-US"]), "6 of 6 questions", "US, JP, KR"),
        ([("a", "ko-KR")], "1 of 1 question", "KR"),
        # Chinese and Tamil in Singapore are one; so are West Java and Indonesia for each other,
        # though each stands beside the others.
        (product("a", ["ko-KR", "ja-JP", "zh-SG", "ta-SG"]), "4 of 4 questions", "JP, KR, SG"),
        (product("a", ["ko-KR", "ja-JP", "id-ID", "su-JB"]), "2 of 4 questions", "ID, JP, KR, JB"),
        # What is not asked everywhere is counted.
        ([*product("a", FOUR), *product("b", FOUR[:2])], "2 of 6 questions", "US, JP, KR, CN"),
    ],
)  # fmt: skip
def test_four_regions_are_needed(asked, short: str | None, here: str | None):
    frame = pl.DataFrame(list(asked), ["template_id", "locale"], orient="row")
    told = f"{short} cannot become multiple-choice questions. {NEEDED} Regions asked here: {here}"
    assert too_few_regions(frame, registry()) == (None if short is None else told)


RECIPE = 'name = "t"\nversion = "1.0.0"\nlicense = "cc-by-4.0"\n'


@pytest.mark.slow
def test_the_state_of_a_collection_says_it(tmp_path: Path):
    source = '[[sources]]\nkind = "responses"\nlocation = "."\n'
    (tmp_path / "recipe.toml").write_text(RECIPE + source)
    (tmp_path / "responses").mkdir()
    with sample_path() as sample:
        for name in ("templates.csv", "responses/ko-KR.csv"):
            (tmp_path / name).write_bytes((sample / name).read_bytes())
        questions = pl.read_csv(sample / "questions.csv").filter(pl.col("locale") == "ko-KR")
        questions.write_csv(tmp_path / "questions.csv")
    told = f"40 of 40 questions cannot become multiple-choice questions. {NEEDED} Regions asked here: KR.\n"
    assert run("status", tmp_path / "recipe.toml").endswith(told)
    (tmp_path / "recipe.toml").write_text(f'{RECIPE}[mcq]\nverdicts = "v.csv"\n{source}')
    (tmp_path / "v.csv").write_text("template_id,option,verdict,with,reader\nfood-01,kiwi,proposed,GR,r1\n")
    assert "multiple-choice" not in run("status", tmp_path / "recipe.toml")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[ReleaseManifest, str]:
    """A release of three regions, and what its build has printed."""
    folder = tmp_path_factory.mktemp("three")
    locales = 'locales = ["ko-KR", "ja-JP", "zh-CN"]\n'
    (folder / "recipe.toml").write_text(f'{RECIPE}{locales}[[sources]]\nkind = "sample"\n')
    printed = run("build", folder / "recipe.toml", "--out", folder / "release")
    return read_manifest(folder / "release"), printed


@pytest.mark.slow
def test_three_regions_give_none_and_the_build_says_it(built: tuple[ReleaseManifest, str]):
    manifest, printed = built
    findings = next(stage.findings for stage in manifest.report if stage.stage.startswith("make multiple"))
    causes = ", ".join(f"{kind} {count}" for kind, count in findings.items())
    asked = sum(table.rows for table in manifest.tables if table.config == "short-answer-questions")
    why = f"No multiple-choice question was made of {asked} questions ({causes}). {NEEDED} There are 3."
    assert why_none_made(manifest) == why
    assert why in " ".join(printed.split())


def test_what_else_can_be_the_cause(built: tuple[ReleaseManifest, str], mini_release: Path):
    manifest, _ = built

    def cause(of: ReleaseManifest, recipe: str = "") -> str:
        return (why_none_made(of, recipe) or "").partition("). ")[2]

    # Four regions, of which one has no review.
    tables = [table for table in manifest.tables if table.config == "short-answer-questions"]
    report = [
        stage.model_copy(update={"findings": {**stage.findings, "no-translation": 7}})
        if stage.stage == "aggregate responses"
        else stage
        for stage in manifest.report
    ]
    american = tables[0].model_copy(update={"split": "US"})
    four = manifest.model_copy(update={"tables": (*tables, american), "report": tuple(report)})
    assert cause(four, "mine/recipe.toml") == (
        f"Options are answers in English: 7 of {sum(table.rows for table in four.tables)} questions have some "
        "without; `blend reviews propose mine/recipe.toml` makes a sheet to write it."
    )
    # Two languages of one region are one region.
    jeju = tables[0].model_copy(update={"split": f"{tables[0].split}_jje"})
    assert cause(manifest.model_copy(update={"tables": (*tables, jeju)})).endswith("There are 3.")
    assert why_none_made(read_manifest(mini_release)) is None
