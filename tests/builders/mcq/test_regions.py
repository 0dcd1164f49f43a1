"""Regions: which questions enough of them are asked, and what is said where they are too few."""

from itertools import product
from pathlib import Path

import polars as pl
import pytest

from blend.builders.mcq.result import too_few_regions
from blend.cli import app
from blend.loaders.sample import sample_path
from blend.schemas.locales import registry

PROPOSED = "template_id,option,verdict,with,reader\nfood-01,kiwi,proposed,GR,r1\n"
CANNOT = (
    "cannot become multiple-choice questions. Each shows an answer of one region beside 3 answers of other "
    "regions, so at least 4 regions must be asked the same question: ask BLEnD's own, by its template ids, "
    'with its published answers as a further source (`kind = "blend"`), ask more regions, or propose '
    "options (docs/mcq.md)."
)


FOUR = ["ko-KR", "ja-JP", "zh-CN", "en-US"]


@pytest.mark.parametrize(
    ("asked", "short", "here"),
    [
        (product("ab", FOUR), None, None),
        (product("ab", ["ko-KR", "ja-JP", "en-US"]), "6 of 6 questions",
         "3 regions are asked (US, JP, KR); 1 more is missing"),
        ([("a", "ko-KR")], "1 of 1 question", "1 region is asked (KR); 3 more are missing"),
        # Chinese and Tamil in Singapore are one; so are West Java and Indonesia for each other,
        # though each stands beside the others.
        (product("a", ["ko-KR", "ja-JP", "zh-SG", "ta-SG"]), "4 of 4 questions",
         "3 regions are asked (JP, KR, SG); ta-SG and zh-SG count as one; 1 more is missing"),
        (product("a", ["ko-KR", "ja-JP", "id-ID", "su-JB"]), "2 of 4 questions",
         "4 regions are asked (ID, JP, KR, JB); id-ID and su-JB count as one"),
        # What is not asked everywhere is counted.
        ([*product("a", FOUR), *product("b", FOUR[:2])], "2 of 6 questions",
         "4 regions are asked (US, JP, KR, CN)"),
    ],
)  # fmt: skip
def test_four_regions_are_needed(asked, short: str | None, here: str | None):
    frame = pl.DataFrame(list(asked), ["template_id", "locale"], orient="row")
    told = too_few_regions(frame, registry())
    assert told == (None if short is None else f"{short} {CANNOT} Here, {here}")


RECIPE = """\
name = "t"
version = "0.1.0"
license = "cc-by-4.0"
[[sources]]
kind = "responses"
location = "collected"
"""


@pytest.mark.slow
def test_the_state_of_a_collection_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "recipe.toml").write_text(RECIPE)
    (tmp_path / "collected" / "responses").mkdir(parents=True)
    with sample_path() as sample:
        for name in ("templates.csv", "responses/ko-KR.csv"):
            (tmp_path / "collected" / name).write_bytes((sample / name).read_bytes())
        questions = pl.read_csv(sample / "questions.csv").filter(pl.col("locale") == "ko-KR")
        questions.write_csv(tmp_path / "collected" / "questions.csv")

    def said() -> str:
        app(["status", str(tmp_path / "recipe.toml")], standalone_mode=False)
        return capsys.readouterr().out

    one = "Here, 1 region is asked (KR); 3 more are missing"
    assert said().endswith(f"40 of 40 questions {CANNOT} {one}.\n")
    named = RECIPE.replace("[[sources]]", '[mcq]\nverdicts = "verdicts.csv"\n[[sources]]')
    (tmp_path / "recipe.toml").write_text(named)
    (tmp_path / "verdicts.csv").write_text(PROPOSED)
    assert "multiple-choice" not in said()
