"""Rungs: what they promise of any release."""

import shutil
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.audit.release import audit_release
from blend.builders.mcq import build_mcq
from blend.builders.mcq.further.region_questions import _is_far, without_region
from blend.builders.mcq.result import STAGE, McqBuild
from blend.builders.release import build_release
from blend.builders.validate import validate_release
from blend.loaders.recipes.ready import sample_recipe
from blend.loaders.releases import read_manifest
from blend.loaders.releases.audits import read_audit
from blend.loaders.releases.tables import read_config
from blend.schemas.errors import InputError
from blend.schemas.language.locales import registry
from blend.schemas.recipe.recipe import McqOptions
from blend.schemas.rows.configs import MULTIPLE_CHOICE_QUESTIONS, REGION_QUESTIONS, TRUE_FALSE_QUESTIONS
from blend.schemas.rows.frame_columns import EXCLUSIONS
from blend.schemas.rows.rung_rows import RegionQuestion
from helpers.in_process import run
from helpers.questions.mcq_inputs import RULES, frames_of, positions
from helpers.questions.rung_answers import gave_it

FRUITS = {
    "en-GB": [("apple", 5)],
    "ko-KR": [("plum", 4)],
    "ar-DZ": [("date", 4)],
    "es-ES": [("orange", 3)],
    "fa-IR": [("pomegranate", 5)],
}


@pytest.fixture(scope="module")
def rungs_release(once) -> Path:
    recipe = sample_recipe()
    with_rungs = recipe.model_copy(update={"mcq": recipe.mcq.model_copy(update={"rungs": True})})
    return once.path("sample-rungs", lambda out: build_release(with_rungs, out))


@pytest.fixture(scope="module")
def true_false(rungs_release: Path) -> pl.DataFrame:
    return read_config(rungs_release, TRUE_FALSE_QUESTIONS)


@pytest.fixture(scope="module")
def regions(rungs_release: Path) -> pl.DataFrame:
    return read_config(rungs_release, REGION_QUESTIONS)


PLUM_IS_RIGHT_IN_IRAN = pl.DataFrame(
    [{"template_id": "T-1", "locale": "fa-IR", "option": "plum", "kind": "also-right", "reviewer": "a"}],
    EXCLUSIONS,
)


def built_of(templates, exclusions: pl.DataFrame | None = None, **asked) -> McqBuild:
    """Rungs of a few answers; they are asked in the same words everywhere."""
    questions, annotations = frames_of(templates, **asked)
    options = McqOptions(rungs=True)
    return build_mcq(questions, annotations, options=options, seed=0, judges=RULES, exclusions=exclusions)


def asked_of(templates) -> pl.DataFrame:
    """The region questions of a few answers."""
    return pl.concat(built_of(templates).rungs().get(REGION_QUESTIONS, [pl.DataFrame()]))


def test_the_other_tables_are_as_without_them(rungs_release: Path, sample_release: Path):
    for path in (sample_release / "data").rglob("*.parquet"):
        assert (rungs_release / path.relative_to(sample_release)).read_bytes() == path.read_bytes()
    assert not (sample_release / "data" / TRUE_FALSE_QUESTIONS).exists()


@pytest.mark.nightly
def test_a_second_build_writes_the_same_bytes(rungs_release: Path, tmp_path: Path):
    recipe = sample_recipe()
    again = recipe.model_copy(update={"mcq": recipe.mcq.model_copy(update={"rungs": True})})
    build_release(again, tmp_path / "again")
    for path in filter(Path.is_file, rungs_release.rglob("*")):
        assert (tmp_path / "again" / path.relative_to(rungs_release)).read_bytes() == path.read_bytes()


def test_each_question_yields_exactly_its_options(rungs_release: Path, true_false: pl.DataFrame):
    mcqs = read_config(rungs_release, MULTIPLE_CHOICE_QUESTIONS).join(true_false, on="mcq_id", how="semi")
    assert len(true_false) == 4 * len(mcqs)
    assert not true_false["true_false_id"].is_duplicated().any()
    rows = true_false.group_by("mcq_id", maintain_order=True).agg(
        "option",
        "option_region",
        correct=(pl.col("answer") == "yes").arg_max(),
        n=(pl.col("answer") == "yes").sum(),
    )
    assert rows["mcq_id"].to_list() == mcqs["mcq_id"].to_list()
    assert rows["option"].to_list() == mcqs["options"].to_list()
    assert rows["option_region"].to_list() == mcqs["option_regions"].to_list()
    assert rows["correct"].to_list() == mcqs["answer"].to_list()
    assert rows["n"].unique().to_list() == [1]


def test_ids_tell_nothing_of_the_answer(true_false: pl.DataFrame):
    numbers = true_false.with_columns(number=pl.col("true_false_id").str.slice(-1))
    shares = numbers.group_by("number").agg(yes=(pl.col("answer") == "yes").mean())["yes"]
    assert all(0.1 < share < 0.4 for share in shares), shares


def test_what_a_person_reads(true_false: pl.DataFrame, regions: pl.DataFrame):
    row = true_false.filter(locale="ko-KR").row(0, named=True)
    assert row["prompt"] == (
        f'{row["question"]}\n\nIs "{row["option"]}" among the first things that people in South Korea '
        "would say? Answer only with yes or no.\n\nAnswer:"
    )
    row = regions.row(0, named=True)
    assert row["question"] == (
        f'People in different regions were asked: "{row["neutral_question"]}" Where did most people say '
        f'"{row["given_answer"]}"?'
    )
    assert f"\n\nA. {row['options'][0]}\nB. {row['options'][1]}\n" in row["prompt"]


def test_exactly_one_of_four_regions_gave_the_answer(rungs_release: Path, regions: pl.DataFrame):
    from blend.loaders.releases.tables import read_tables, release_locales

    locales = release_locales(rungs_release)
    found = gave_it(regions, read_tables(rungs_release).annotations, locales)
    assert len(found) > 50
    # Slips of the package's answers are put right, so that an answer may be typed otherwise where it was given.
    assert all(
        not any(of[:answer] + of[answer + 1 :]) for of, answer in zip(found, regions["answer"], strict=True)
    )
    assert sum(of[answer] for of, answer in zip(found, regions["answer"], strict=True)) > 0.9 * len(found)


def test_the_right_region_stands_everywhere_equally_often(regions: pl.DataFrame):
    for tag in regions["locale"].unique():
        counts = positions(regions.filter(locale=tag))
        assert max(counts) - min(counts) <= 1


@pytest.mark.nightly
def test_the_release_is_valid_and_says_what_it_holds(rungs_release: Path, regions: pl.DataFrame):
    report = validate_release(rungs_release)
    assert not report.errors
    assert next(check for check in report.checks if check.check == "rungs").applies
    tasks = yaml.safe_load((rungs_release / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
    assert {TRUE_FALSE_QUESTIONS, REGION_QUESTIONS} <= {task["id"] for task in tasks}
    audit = read_audit(rungs_release)
    assert audit is not None
    assert audit.regions is not None
    assert audit.true_false is not None
    assert audit.regions.questions == len(regions)
    card = (rungs_release / "README.md").read_text(encoding="utf-8")
    assert f"Of `{TRUE_FALSE_QUESTIONS}` (chance 50 %): " in card
    assert f"Of `{REGION_QUESTIONS}`: " in card


def test_a_release_without_annotations_is_not_audited(rungs_release: Path, tmp_path: Path):
    from blend.loaders.releases import read_manifest

    release = Path(shutil.copytree(rungs_release, tmp_path / "release"))
    manifest = read_manifest(release)
    kept = tuple(table for table in manifest.tables if table.config != "annotations")
    (release / "release.json").write_text(
        manifest.model_copy(update={"tables": kept}).to_json(), encoding="utf-8"
    )
    with pytest.raises(InputError) as refused:
        audit_release(release, config=REGION_QUESTIONS)
    assert str(refused.value) == (
        f"{release}: no annotations in this release, and region-questions is audited with them"
    )


# What is asked as true or false, and why else not


@pytest.mark.slow
def test_options_are_asked_one_by_one_where_all_five_agree():
    build = built_of({"T-1": FRUITS})
    asked = pl.concat(build.rungs()[TRUE_FALSE_QUESTIONS])
    assert set(asked["locale"]) == {"en-GB", "fa-IR"}
    assert build.found.select("locale", "reason", "detail").rows() == [
        ("ko-KR", "few-votes-true-false", "4 votes for 'plum'; 5 needed"),
        ("ar-DZ", "few-votes-true-false", "4 votes for 'date'; 5 needed"),
        ("es-ES", "few-votes-region", "3 votes for 'orange'; 4 needed"),
        ("es-ES", "few-votes-true-false", "3 votes for 'orange'; 5 needed"),
    ]


@pytest.mark.slow
def test_no_wrong_number_is_near_those_that_people_gave():
    numbers = {"en-GB": [("10", 5)], "ko-KR": [("12", 5)], "ar-DZ": [("20", 5)], "es-ES": [("40", 5)]}
    build = built_of({"T-1": numbers}, answer_format="integer")
    asked = pl.concat(build.rungs()[TRUE_FALSE_QUESTIONS])
    assert set(asked["locale"]) == {"ar-DZ", "es-ES"}
    assert ("T-1", "en-GB", "near-number", "'12' beside '10'") in build.found.rows()
    assert ("T-1", "ko-KR", "near-number", "'10' beside '12'") in build.found.rows()


@pytest.mark.slow
def test_answers_without_a_region_question_are_counted():
    three = {tag: FRUITS[tag] for tag in ("en-GB", "ko-KR", "ar-DZ", "fa-IR")} | {"en-GB": [("roast", 5)]}
    shared = {**three, "fa-IR": [("pomegranate", 5), ("plum", 1)]}
    found = built_of({"T-1": shared}).found.filter(reason="few-other-regions")
    assert found.rows() == [
        (
            "T-1",
            "ko-KR",
            "few-other-regions",
            "'plum': of other regions 2 surely say otherwise; three apart are needed",
        )
    ]


# Which regions may stand beside the right one


@pytest.mark.slow
def test_every_region_can_be_right_where_all_differ():
    rows = asked_of({"T-1": FRUITS})
    # Spain's answer has three votes: enough to be asked about, not enough to ask whose it is.
    assert set(rows["locale"]) == {"en-GB", "ko-KR", "ar-DZ", "fa-IR"}
    counts = Counter(region for regions in rows["option_regions"] for region in regions)
    assert max(counts.values()) <= 4


@pytest.mark.slow
def test_a_region_where_anybody_gave_it_is_not_shown():
    shared = {**FRUITS, "fa-IR": [("pomegranate", 5), ("plum", 1)]}
    rows = asked_of({"T-1": shared})
    plum = rows.filter(given_answer="plum").row(0, named=True)
    assert "IR" not in plum["option_regions"]


@pytest.mark.slow
def test_a_region_that_gave_it_to_another_question_is_not_shown():
    rows = asked_of({"T-1": FRUITS, "T-2": {"fa-IR": [("plums", 1)], "en-GB": [("tea", 5)]}})
    assert "IR" not in rows.filter(given_answer="plum").row(0, named=True)["option_regions"]


@pytest.mark.parametrize(
    "missing", [{}, {"es-ES": []}, {"es-ES": [("orange", 2)]}], ids=["absent", "none", "few"]
)
def test_a_region_without_a_known_top_answer_is_not_shown(missing):
    four = {tag: answers for tag, answers in FRUITS.items() if tag != "es-ES"} | missing
    rows = asked_of({"T-1": four})
    assert len(rows) == 4
    assert all(set(regions) == {"GB", "KR", "DZ", "IR"} for regions in rows["option_regions"])


def test_with_three_regions_nothing_is_asked():
    three = {tag: FRUITS[tag] for tag in ("en-GB", "ko-KR", "ar-DZ")}
    assert asked_of({"T-1": three}).is_empty()


@pytest.mark.slow
def test_the_verdict_of_a_reader_counts_as_given():
    rows = pl.concat(built_of({"T-1": FRUITS}, PLUM_IS_RIGHT_IN_IRAN).rungs()[REGION_QUESTIONS])
    assert "IR" not in rows.filter(given_answer="plum").row(0, named=True)["option_regions"]


@pytest.mark.slow
def test_a_question_that_is_missing_for_a_verdict_says_so():
    # Spain gave both; Iran's verdict takes the fourth region from Korea's answer, and Korea from Iran's own.
    both = {**FRUITS, "es-ES": [("orange", 3), ("plum", 1), ("pomegranate", 1)]}
    found = built_of({"T-1": both}, PLUM_IS_RIGHT_IN_IRAN).found.filter(reason="few-other-regions")
    why = "of other regions 2 surely say otherwise; three apart are needed"
    assert found.select("locale", "detail").rows() == [
        ("ko-KR", f"'plum': {why}; left out: 1 by verdicts (IR)"),
        ("fa-IR", f"'pomegranate': {why}; left out: 1 by verdicts (KR)"),
    ]
    # Where people of Korea gave Iran's answer themselves, it takes no verdict.
    given = {**both, "ko-KR": [("plum", 4), ("pomegranate", 1)]}
    found = built_of({"T-1": given}, PLUM_IS_RIGHT_IN_IRAN).found.filter(reason="few-other-regions")
    assert found.filter(locale="fa-IR")["detail"].to_list() == [f"'pomegranate': {why}"]


def test_every_correct_answer_is_asked_about_or_counted(rungs_release: Path, regions: pl.DataFrame):
    mcqs = read_config(rungs_release, MULTIPLE_CHOICE_QUESTIONS)
    correct = mcqs.select("template_id", "locale", text=pl.col("options").list.get(pl.col("answer"))).unique()
    (report,) = (one for one in read_manifest(rungs_release).report if one.stage == STAGE)
    left_out = [report.findings[kind] for kind in ("few-votes-region", "region-named", "few-other-regions")]
    assert len(correct) == len(regions) + sum(left_out)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do people in the UK eat?", "What do people in your homeland eat?"),
        ("What do people in UK eat?", "What do people in your homeland eat?"),
        ("The UK's best food?", "Your homeland's best food?"),
        ("What do people eat?", "What do people eat?"),
        ("What British food do people in the UK eat?", None),
        ("What do people in the UK think of Korea?", None),
    ],
)
def test_a_question_does_not_tell_its_region(question, expected):
    assert without_region(question, registry().get("en-GB"), registry()) == expected


@given(st.integers(1, 400), st.lists(st.integers(1, 400), min_size=1))
def test_a_number_is_far_from_all_that_were_given(number, numbers):
    found = _is_far(number, numbers)
    assert not (found and min(numbers) <= number <= max(numbers))
    assert _is_far(number * 10, [of * 10 for of in numbers]) == found
    assert not _is_far(number, [])


# The model


def test_a_region_question_has_four_regions_and_a_letter(regions: pl.DataFrame):
    row = regions.row(0, named=True)
    with pytest.raises(ValueError, match="regions are not distinct: "):
        RegionQuestion(**{**row, "options": ["a", "b", "c", "a"]})
    with pytest.raises(ValueError, match=f"letter X is not option {row['answer']}"):
        RegionQuestion(**{**row, "answer_idx": "X"})


@pytest.mark.slow
@pytest.mark.parametrize("config", [TRUE_FALSE_QUESTIONS, REGION_QUESTIONS])
def test_the_command_shows_what_can_be_guessed(rungs_release: Path, config: str):
    shown = run("audit", rungs_release, "--config", config, columns=120)
    rows = read_config(rungs_release, config)
    assert shown.startswith(f"Answering {len(rows)} questions by simple rules")
    audit = audit_release(rungs_release, config=config)
    assert dict(audit.size.select("group", "questions").rows()) == {
        "all": len(rows),
        **dict(rows.group_by("locale").len().rows()),
    }
    for solver in audit.baselines["baseline"]:
        assert shown.count(solver.split("-")[0]) >= 3, solver
    assert "by group" in " ".join(shown.split())
    assert "stand out" not in shown


def test_nothing_is_asked_of_the_form_of_an_answer(true_false: pl.DataFrame, regions: pl.DataFrame):
    for prompt in (*true_false["prompt"], *regions["prompt"]):
        assert "HH:MM" not in prompt
        assert "numerals" not in prompt
