"""Models that read options, beside people: counted, stored with the release, told by its card and checked."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.mcq import build_mcq
from blend.builders.release import build_release
from blend.builders.release.verdict_agreement import model_report
from blend.loaders.recipes import read_recipe
from blend.loaders.responses.verdicts import shipped_verdicts
from blend.schemas.frames import KEY, VERDICTS
from blend.schemas.manifest import MODEL_VERDICTS_NAME
from blend.schemas.reports import ComparedKind, ModelReport
from helpers.questions.lunch import lunch, question
from helpers.questions.mcq_inputs import DEFAULT, RULES, frames_of, shown_to

KIND = (
    pl.when(pl.col("reader").str.starts_with("chat:"))
    .then(pl.lit("model"))
    .when(pl.col("native") == "yes")
    .then(pl.lit("native"))
    .otherwise(pl.lit("other"))
)

Verdict = tuple[str, str, str, str, str, str]
"""Locale, option, verdict, reader, whether a native says so, and confidence."""

MODEL = "chat:m1@prompt-1"
COLUMNS = ["locale", "option", "verdict", "reader", "native", "confidence"]


def beside(*rows: tuple[Any, ...]) -> pl.DataFrame:
    overrides = {"reader": pl.String, "native": pl.String}
    found = pl.DataFrame(rows, COLUMNS, orient="row", schema_overrides=overrides).with_columns(
        kind=KIND, template_id=pl.lit("T-1")
    )
    absent = {name: pl.lit(None, dtype) for name, dtype in VERDICTS.items() if name not in found.columns}
    return found.with_columns(**absent).select(list(VERDICTS)).cast(dict(VERDICTS))


def accepted(folder: Path, verdicts: Sequence[Verdict], **mcq: Any) -> Path:
    """A release whose table holds verdicts."""
    recipe = lunch(folder, verdicts="verdicts.csv", **mcq)
    with (folder / "verdicts.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["template_id", "question", *COLUMNS[:4], "kind", "confidence"])
        for one in verdicts:
            writer.writerow(("food-00", question(one[0]), *one[:4], "native" if one[4] else "", one[5]))
    build_release(read_recipe(recipe), folder / "release", base=folder)
    return folder / "release"


def test_models_are_compared_one_by_one_and_together():
    rows = beside(
        ("ko-KR", "beef", "also_correct", MODEL, None, 0.9), ("ko-KR", "beef", "silly", "r1", "yes", None),
        ("ko-KR", "soup", "ok", MODEL, None, 1.0), ("ko-KR", "soup", "also_correct", "r2", None, None),
        ("ko-KR", "rice", "ok", MODEL, None, 0.8), ("ko-KR", "rice", "ok", "r2", "no", None),
        ("ko-KR", "sand", "silly", MODEL, None, 0.5), ("ko-KR", "sand", "silly", "r2", None, None),
        ("es-MX", "stone", "ok", MODEL, None, 0.9),
        ("ko-KR", "soup", "also_correct", "chat:m2", None, 1.0),
    )  # fmt: skip
    report = model_report(rows, [MODEL, "chat:m2", "chat:void"], model_confidence=0.8)
    assert report.confidence == 0.8
    both, first, second, void = report.models
    assert (both, report.together, report.each) == (both, both, (first, second, void))
    # Sure of beef, soup, rice and stone, which no person has read.
    assert (first.verdicts, first.unsure, first.natives, first.others) == (4, 1, 1, 2)
    assert first.of("all", "refusal") == ComparedKind(
        locale="all", kind="refusal", options=2, refused=1, share=0.5, given=1, confirmed=1, precision=1.0
    )
    assert first.of("ko-KR", "ok") == ComparedKind(
        locale="ko-KR", kind="ok", options=1, refused=0, share=0.0, given=2, confirmed=1, precision=0.5
    )
    assert first.of("es-MX", "ok") is None
    # Of all that models say of soup one refusal is enough, as in a build.
    together = both.of("all", "refusal")
    assert together is not None
    assert (together.refused, second.verdicts, void.verdicts, void.kinds) == (2, 1, 0, ())
    assert model_report(rows, [MODEL], model_confidence=0.8).models == (first,)


READ_BY_BOTH: list[Verdict] = [
    ("en-GB", "pizza", "ok", MODEL, "", "0.9"),
    ("en-GB", "pizza", "ok", "r7", "yes", ""),
    ("en-GB", "salad", "also_correct", MODEL, "", "0.95"),
    ("en-GB", "salad", "also_correct", "r7", "yes", ""),
    ("en-GB", "tacos", "ok", MODEL, "", "1"),
    ("en-GB", "tacos", "silly", "r8", "", ""),
    ("en-GB", "meat pie", "ok", MODEL, "", "0.9"),
    ("en-GB", "soup", "silly", MODEL, "", "0.5"),
]


@pytest.mark.landing
@pytest.mark.slow
def test_a_release_says_how_the_model_compares(tmp_path: Path):
    release = accepted(tmp_path, READ_BY_BOTH)
    report = ModelReport.model_validate_json((release / MODEL_VERDICTS_NAME).read_bytes())
    [model] = report.models
    assert (model.verdicts, model.unsure, model.natives, model.others) == (4, 1, 2, 1)
    card = (release / "README.md").read_text(encoding="utf-8")
    told = (
        " Of 3 options on which chat:m1@prompt-1 is sure and that people have read as well, they say alike "
        "of 2 "
        "whether they may be shown (`reports/model_verdicts.json`)."
    )
    assert told in card


@pytest.mark.landing
@pytest.mark.slow
def test_the_model_of_the_package_checks_no_other():
    template_id, tag, asked = shipped_verdicts().filter(verdict="read").select(*KEY, "question").row(0)
    answers = {
        tag: [("a", 3)],
        "en-AU": [("b", 3)],
        "el-GR": [("c", 3)],
        "es-MX": [("d", 3)],
        "zh-CN": [("e", 3)],
    }
    questions, annotations = frames_of({template_id: answers})
    questions = questions.with_columns(en_question=pl.lit(asked))
    rows = [(tag, "c", "silly", MODEL, None, 1.0), (tag, "d", "ok", MODEL, None, 1.0)]
    rows += [(tag, "e", "silly", MODEL, None, 1.0), (tag, "e", "ok", "r1", "yes", None)]
    verdicts = beside(*rows).with_columns(template_id=pl.lit(template_id))
    built = build_mcq(questions, annotations, options=DEFAULT, seed=0, judges=RULES, verdicts=verdicts)
    # What one model refuses is out, though another accepted it, and what a native accepts stays.
    assert shown_to(built, tag) == {("en-AU", "b"), ("es-MX", "d"), ("zh-CN", "e")}
    [model] = model_report(built.beside_models, [MODEL], model_confidence=0.8).models
    assert (model.verdicts, model.natives, model.others) == (3, 1, 0)
