"""Agreement of readers: counted per option, one beside others, models in a release and on its card."""

import csv
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.mcq import build_mcq
from blend.builders.release import build_release
from blend.builders.release.verdict_agreement import compared_verdicts, model_report, verdict_agreement
from blend.loaders.recipes import read_recipe
from blend.loaders.responses.verdicts import shipped_verdicts
from blend.schemas.frames import KEY
from blend.schemas.manifest import MODEL_VERDICTS_NAME
from blend.schemas.recipe import McqOptions
from blend.schemas.reports import ComparedKind, ModelReport
from helpers.in_process import run
from helpers.questions.lunch import lunch, question
from helpers.questions.mcq_inputs import DEFAULT, RULES, frames_of, shown_to, verdicts_of


def verdicts(*rows: tuple[Any, ...]) -> pl.DataFrame:
    """Locale, option, verdict, reader, whether a native says so, and perhaps confidence."""
    named = []
    for locale, option, verdict, reader, native, *confidence in rows:
        kind = "model" if reader.startswith("chat:") else "native" if native == "yes" else "other"
        about = {"locale": locale, "option": option, "verdict": verdict, "reader": reader, "kind": kind}
        named.append(about | {"confidence": next(iter(confidence), None)})
    return verdicts_of(*named)


TWO = verdicts(
    ("ko-KR", "rice", "ok", "r1", "yes"), ("ko-KR", "rice", "ok", "r2", None),
    ("ko-KR", "beef", "also_correct", "r1", "yes"), ("ko-KR", "beef", "silly", "r2", None),
    ("ko-KR", "soup", "ok", "r1", "yes"), ("ko-KR", "soup", "also_correct", "r2", None),
    ("ko-KR", "sand", "silly", "r1", "yes"), ("ko-KR", "sand", "silly", "r2", None),
    ("es-MX", "rice", "ok", "r2", None),
)  # fmt: skip


def test_options_count_once_and_alpha_is_nominal():
    every, mexico, korea = verdict_agreement(TWO).iter_rows(named=True)
    assert (every["locale"], every["options"], every["by_natives"], every["by_others"]) == ("all", 5, 4, 1)
    assert (mexico["read_twice"], mexico["alike"], mexico["alpha"]) == (0, None, None)
    assert (korea["refused"], korea["read_twice"], korea["alike"]) == (3, 4, 0.75)
    # Coincidences of 8 verdicts, 5 of them refusals: 1 - 7 * 2 / (2 * 5 * 3).
    assert korea["alpha"] == pytest.approx(1 - 7 * 2 / 30)


def test_models_are_counted_apart_and_overruled_by_people():
    model = verdicts(
        ("ko-KR", "rice", "silly", "chat:m", None), ("ko-KR", "stone", "silly", "chat:m", None),
        ("ko-KR", "stone", "ok", "chat:n", None),
    )  # fmt: skip
    alone, both = verdict_agreement(TWO), verdict_agreement(pl.concat([TWO, model]))
    differ = {"options": 6, "by_models": 1, "refused": 4}
    assert both.row(0, named=True) == alone.row(0, named=True) | differ
    # A native who accepts rice is right beside the model that refuses it, and no model is held against itself.
    native = verdicts(("ko-KR", "rice", "ok", "r9", "yes"), ("ko-KR", "stone", "silly", "r9", "yes"))
    found = compared_verdicts(native, pl.concat([TWO, model])).filter(locale="all", kind="ok")
    assert found.row(0)[2:] == (1, 0, 0.0, 1, 1, 1.0)
    assert compared_verdicts(model.filter(reader="chat:m"), model.filter(reader="chat:m")).is_empty()


def test_a_reader_beside_others():
    model = verdicts(
        ("ko-KR", "rice", "also_correct", "m", None), ("ko-KR", "beef", "also_correct", "m", None),
        ("ko-KR", "soup", "ok", "m", None), ("ko-KR", "stone", "silly", "m", None),
    )  # fmt: skip
    # Of two kinds of refusal the graver one counts; what the others have not read does not.
    assert compared_verdicts(model, TWO).filter(locale="all").rows() == [
        ("all", "refusal", 2, 1, 0.5, 2, 1, 0.5),
        ("all", "silly", 1, 1, 1.0, 0, 0, None),
        ("all", "also_correct", 1, 0, 0.0, 2, 1, 0.5),
        ("all", "ok", 1, 1, 1.0, 1, 0, 0.0),
    ]
    unsure = model.with_columns(confidence=pl.when(pl.col("option") == "rice").then(0.5))
    sure = compared_verdicts(unsure, TWO, model_confidence=0.8)
    assert sure.row(0) == ("all", "refusal", 2, 1, 0.5, 1, 1, 1.0)
    # Who is just as sure as a build asks for counts.
    assert compared_verdicts(unsure, TWO, model_confidence=0.5).equals(compared_verdicts(model, TWO))
    assert compared_verdicts(model, TWO.filter(locale="es-MX")).is_empty()


def test_what_the_command_prints(tmp_path: Path):
    TWO.filter(reader="r2").drop("source").write_csv(tmp_path / "model.tsv", separator="\t")
    assert "Options that were read" in run("questions", "agreement", tmp_path / "model.tsv")


# Models that read options, beside people: counted, stored with the release, told by its card.


MODEL = "chat:m1@prompt-1"


def test_models_are_compared_one_by_one_and_together():
    rows = verdicts(
        ("ko-KR", "beef", "also_correct", MODEL, None, 0.9), ("ko-KR", "beef", "silly", "r1", "yes", None),
        ("ko-KR", "soup", "ok", MODEL, None, 1.0), ("ko-KR", "soup", "also_correct", "r2", None, None),
        ("ko-KR", "rice", "ok", MODEL, None, 0.8), ("ko-KR", "rice", "ok", "r2", "no", None),
        ("ko-KR", "sand", "silly", MODEL, None, 0.5), ("ko-KR", "sand", "silly", "r2", None, None),
        ("es-MX", "stone", "ok", MODEL, None, 0.9),
        ("ko-KR", "soup", "also_correct", "chat:m2", None, 1.0),
    )  # fmt: skip
    named = pl.concat([rows, verdicts(("ko-KR", "soup", "ok", "chat:void", None, 1.0))])
    report = model_report(rows, named, McqOptions())
    assert report.confidence == 0.8
    both, first, second, void = report.models
    assert report.each == (first, second, void)
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
    assert model_report(rows, rows.filter(reader=MODEL), McqOptions()).models == (first,)


READ_BY_BOTH = [
    # Locale, option, verdict, reader, kind of reader, confidence.
    ("en-GB", "pizza", "ok", MODEL, "", "0.9"),
    ("en-GB", "pizza", "ok", "r7", "native", ""),
    ("en-GB", "salad", "also_correct", MODEL, "", "0.95"),
    ("en-GB", "salad", "also_correct", "r7", "native", ""),
    ("en-GB", "tacos", "ok", MODEL, "", "1"),
    ("en-GB", "tacos", "silly", "r8", "", ""),
    ("en-GB", "meat pie", "ok", MODEL, "", "0.9"),
    ("en-GB", "soup", "silly", MODEL, "", "0.5"),
]


@pytest.mark.landing
def test_a_release_says_how_the_model_compares(tmp_path: Path):
    recipe, release = lunch(tmp_path, verdicts="verdicts.csv"), tmp_path / "release"
    with (tmp_path / "verdicts.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        columns = ("locale", "option", "verdict", "reader", "kind", "confidence")
        writer.writerow(["template_id", "question", *columns])
        writer.writerows(("food-00", question(one[0]), *one) for one in READ_BY_BOTH)
    build_release(read_recipe(recipe), release, base=tmp_path)
    report = ModelReport.model_validate_json((release / MODEL_VERDICTS_NAME).read_bytes())
    [model] = report.models
    assert (model.verdicts, model.unsure, model.natives, model.others) == (4, 1, 2, 1)
    card = (release / "README.md").read_text(encoding="utf-8")
    told = (
        " Of 3 options on which chat:m1@prompt-1 is sure and that people have read as well, they say alike of "
        "2 whether they may be shown (`reports/model_verdicts.json`)."
    )
    assert told in card


@pytest.mark.landing
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
    given = verdicts(*rows).with_columns(template_id=pl.lit(template_id))
    built = build_mcq(questions, annotations, options=DEFAULT, seed=0, judges=RULES, verdicts=given)
    # What one model refuses is out, though another accepted it, and what a native accepts stays.
    assert shown_to(built, tag) == {("en-AU", "b"), ("es-MX", "d"), ("zh-CN", "e")}
    [model] = model_report(built.beside_models, given, McqOptions()).models
    assert (model.verdicts, model.natives, model.others) == (3, 1, 0)
