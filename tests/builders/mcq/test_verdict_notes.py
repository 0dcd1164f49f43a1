"""Options left out: named where a question is short of them, summed up by the build, repeated by validation."""

from pathlib import Path

import polars as pl
import pytest

from blend.builders.mcq.verdicts.verdict_notes import left_out_summary, verdict_notes
from blend.builders.validate import CHECKS, validate_release
from blend.loaders.releases import read_manifest
from blend.schemas.recipe.recipe import McqOptions
from blend.schemas.rows.frame_columns import EXCLUSIONS
from helpers.in_process import run
from helpers.questions.lunch import lunch
from helpers.questions.mcq_inputs import FRUIT, build_of, loss_of

MORE = {**FRUIT, "es-MX": [("mango", 3)]}
SHORT = (
    "2 of 4 other regions have an option left, 3 are needed; 0 offer none, 2 only what an acceptable answer "
    "rules out or is left out; options left out: "
)


def verdicts(*rows: tuple[str, str, str]) -> pl.DataFrame:
    """Verdicts: locale asked about, option and kind."""
    named = [
        {"template_id": "T-1", "locale": tag, "option": option, "kind": kind, "reviewer": "r1"}
        for tag, option, kind in rows
    ]
    return pl.DataFrame(named, EXCLUSIONS)


@pytest.mark.parametrize(
    ("options", "rows", "left_out", "cause"),
    [
        pytest.param(
            {"unread": "drop"},
            [("en-GB", one, "ok") for one in ("apple", "pear", "plum")],
            "2 by mcq.unread ('dates', 'mango')",
            "2 by mcq.unread",
            id="unread",
        ),
        pytest.param(
            {"max_risk": 1e-9},
            [("en-GB", one, "ok") for one in ("pear", "plum")],
            "2 by mcq.max_risk ('dates', 'mango')",
            "2 by mcq.max_risk",
            id="max_risk",
        ),
        pytest.param(
            {"max_silly": 1e-9},
            [("en-GB", "pear", "ok"), ("en-GB", "plum", "ok"), ("en-GB", "mango", "also-right")],
            "1 by mcq.max_silly ('dates'), 1 by verdicts ('mango')",
            "1 by mcq.max_silly, 1 by verdicts",
            id="max_silly and a refusal",
        ),
    ],
)
def test_what_takes_options_is_named(options, rows, left_out: str, cause: str):
    build = build_of(MORE, exclusions=verdicts(*rows), options=McqOptions(**options))
    assert loss_of(build, "en-GB") == ("short", SHORT + left_out)
    only = build.left_out.filter(locale="en-GB")
    assert ", ".join(f"{n} by {by}" for by, n in only.select("cause", "options").rows()) == cause


def test_what_its_own_region_refuses_is_named_as_well():
    rows = verdicts(("ar-DZ", "dates", "wrong"), ("en-GB", "mango", "silly"))
    reason, detail = loss_of(build_of(MORE, exclusions=rows), "en-GB")
    assert reason == "short"
    assert detail.endswith("rules out or is left out; options left out: 2 by verdicts ('dates', 'mango')")


@pytest.mark.slow
def test_what_an_answer_rules_out_is_left_out_by_nobody():
    # The region gave dates and mango itself, so no verdict on them takes anything away.
    own = {**MORE, "en-GB": [("apple", 5), ("dates", 1), ("mango", 1)]}
    rows = verdicts(("en-GB", "dates", "also-right"), ("en-GB", "mango", "also-right"))
    build = build_of(own, exclusions=rows)
    assert loss_of(build, "en-GB")[1].endswith("2 only what an acceptable answer rules out")
    assert build.left_out.filter(locale="en-GB").is_empty()
    assert left_out_summary(build_of(MORE)) is None


@pytest.mark.slow
def test_the_build_sums_up_what_validation_repeats(tmp_path: Path):
    recipe = lunch(tmp_path, exclusions="verdicts.tsv", max_risk=1e-9)
    header = "template_id\tlocale\toption\tkind\treviewer\n"
    rows = [("pizza", "silly"), ("salad", "silly"), ("tacos", "ok"), ("meat pie", "ok")]
    lines = [f"food-00\ten-GB\t{option}\t{kind}\tr1\n" for option, kind in rows]
    (tmp_path / "verdicts.tsv").write_text(header + "".join(lines), "utf-8")
    printed = run("build", recipe, "--out", tmp_path / "release")
    [(note, remedy)] = verdict_notes(read_manifest(tmp_path / "release"))
    assert note == (
        "4 of 4 questions that are short of options lack some that are left out: 20 by mcq.max_risk, 2 by "
        "verdicts (en-AU 1, en-GB 1, en-US 1, es-MX 1)"
    )
    assert remedy == (
        "findings of the kind short name them; have people read those that nobody has "
        "(`blend questions options --unread`), ease the limits, or add reviewed fillers (docs/mcq.md)"
    )
    # A build names its recipe, whose path may be longer than a line.
    named = remedy.replace("questions options", f"questions options {recipe}")
    assert "".join(f"{note}; {named}. Built".split()) in "".join(printed.split())
    (result,) = validate_release(tmp_path / "release", checks={"verdicts": CHECKS["verdicts"]}).checks
    assert [str(problem) for problem in result.examples] == [f"multiple-choice-questions: {note}; {remedy}"]
    assert (result.errors, result.warnings, result.infos) == (0, 0, 1)


@pytest.mark.slow
def test_validation_says_what_nobody_has_read(tmp_path: Path):
    run("build", lunch(tmp_path), "--out", tmp_path / "release")
    (result,) = validate_release(tmp_path / "release", checks={"verdicts": CHECKS["verdicts"]}).checks
    [note] = map(str, result.examples)
    assert note.startswith("multiple-choice-questions: ")
    assert " multiple-choice questions show options that nobody has read (" in note
    # In the words of the build report, and of as many as the findings count.
    assert read_manifest(tmp_path / "release").report[-1].findings["unread-options"] == 4
