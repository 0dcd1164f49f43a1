"""Hard questions: what they promise of any release, and how much can be guessed in those of the 16 regions."""

import json
import shutil
from pathlib import Path

import datasets
import numpy as np
import polars as pl
import pytest
import yaml
from typer.testing import CliRunner

from blend.builders.audit.release import audit_release, audit_rows
from blend.builders.mcq import build_mcq
from blend.builders.mcq.result import McqBuild
from blend.builders.release import build_release
from blend.builders.stats.dataset import stats_of_release
from blend.builders.stats.tables import dataset_tables
from blend.builders.validate import validate_release
from blend.builders.validate.checks.audit import check_audit
from blend.cli import app
from blend.eval.export.hub_results import push_scores
from blend.loaders.recipes.ready import sample_recipe
from blend.loaders.releases.audits import read_audit
from blend.loaders.releases.tables import read_config
from blend.schemas.errors import UnknownNameError
from blend.schemas.language.locales import registry
from blend.schemas.recipe.recipe import McqOptions
from blend.schemas.release.release_layout import AUDIT_NAME
from blend.schemas.rows.configs import MULTIPLE_CHOICE_HARD
from helpers.questions.mcq_inputs import positions


def audited(questions: pl.DataFrame, annotations: pl.DataFrame) -> pl.DataFrame:
    """What the baselines of the audit get right."""
    return audit_rows(
        questions, annotations=annotations, locales=registry(), examples=0, synonyms=False
    ).baselines


@pytest.fixture(scope="module")
def hard_release(once) -> Path:
    recipe = sample_recipe()
    options = recipe.mcq.model_copy(update={"hard": True})
    with_hard = recipe.model_copy(update={"mcq": options})
    return once.path("sample-hard", lambda out: build_release(with_hard, out))


@pytest.fixture(scope="module")
def rows(hard_release: Path) -> pl.DataFrame:
    return read_config(hard_release, MULTIPLE_CHOICE_HARD)


@pytest.mark.landing
@pytest.mark.slow
def test_the_other_tables_are_as_without_it(hard_release: Path, sample_release: Path):
    for path in (sample_release / "data").rglob("*.parquet"):
        assert (hard_release / path.relative_to(sample_release)).read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_each_template_asks_a_region_once_and_never_by_name(rows: pl.DataFrame):
    assert len(rows) > 100
    assert not rows.select("template_id", "locale").is_duplicated().any()
    for tag in rows["locale"].unique():
        counts = positions(rows.filter(locale=tag))
        assert max(counts) - min(counts) <= 1


@pytest.mark.nightly
def test_the_release_is_valid_and_loads(hard_release: Path, rows: pl.DataFrame, tmp_path: Path):
    assert not validate_release(hard_release).errors
    loaded = datasets.load_dataset(
        str(hard_release), MULTIPLE_CHOICE_HARD, split="test", cache_dir=str(tmp_path)
    )
    assert list(loaded["MCQID"]) == rows["mcq_id"].to_list()
    assert f'"{MULTIPLE_CHOICE_HARD}", split="test"' in (hard_release / "README.md").read_text(encoding="utf-8")


@pytest.mark.landing
@pytest.mark.slow
def test_a_model_is_asked_the_hard_questions(hard_release: Path, rows: pl.DataFrame, tmp_path: Path):
    answers = rows.select(item_id="mcq_id", response="answer_idx")
    answers.write_csv(tmp_path / "answers.csv")
    command = ["eval", "run", str(hard_release), "-T", f"config={MULTIPLE_CHOICE_HARD}"]
    out = ["--answers", str(tmp_path / "answers.csv"), "--out", str(tmp_path / "run")]
    ran = CliRunner().invoke(app, [*command, *out])
    assert ran.exit_code == 0, ran.output
    assert f"{len(rows):,}" in ran.output
    scored = CliRunner().invoke(app, ["eval", "score", str(tmp_path / "run")])
    assert scored.exit_code == 0, scored.output
    sent = push_scores(tmp_path / "run", "org/model", dataset="org/blend", dry_run=True)
    (entry,) = yaml.safe_load(sent.content)
    assert entry["dataset"]["task_id"] == MULTIPLE_CHOICE_HARD
    assert sent.path == f".eval_results/org--blend--{MULTIPLE_CHOICE_HARD}.yaml"
    tasks = yaml.safe_load((hard_release / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
    assert (MULTIPLE_CHOICE_HARD, MULTIPLE_CHOICE_HARD) in {(task["id"], task["config"]) for task in tasks}


@pytest.mark.landing
@pytest.mark.slow
def test_one_configuration_is_audited(hard_release: Path, sample_release: Path, rows: pl.DataFrame):
    found = audit_release(hard_release, config=MULTIPLE_CHOICE_HARD, examples=0)
    assert found.size["questions"][0] == len(rows)
    with pytest.raises(UnknownNameError, match=r"choose one of: multiple-choice-questions$"):
        audit_release(sample_release, config=MULTIPLE_CHOICE_HARD)


@pytest.mark.landing
@pytest.mark.slow
def test_the_release_brings_an_audit_of_both(hard_release: Path, sample_release: Path, rows: pl.DataFrame):
    audit, without = read_audit(hard_release), read_audit(sample_release)
    assert audit is not None
    assert audit.hard is not None
    assert audit.hard.questions == len(rows)
    assert audit.model_copy(update={"hard": None}) == without
    written = json.loads((sample_release / AUDIT_NAME).read_text(encoding="utf-8"))
    assert "hard" not in written
    widespread = audit.hard.overall["widespread"]
    card = (hard_release / "README.md").read_text(encoding="utf-8")
    assert f"Of `{MULTIPLE_CHOICE_HARD}`: the option that nobody of another region gave" in card
    assert f"the option that most other regions gave {widespread.by_pair:.0%}." in card
    figures = stats_of_release(hard_release)
    assert figures.frames()["audit_hard_baselines"].height == len(audit.hard.baselines)
    assert {"mcq-guessing", "mcq-hard-guessing"} <= {table.name for table in dataset_tables(figures)}


def test_validation_looks_at_the_audit_of_both(hard_release: Path, rows: pl.DataFrame, tmp_path: Path):
    release = shutil.copytree(hard_release, tmp_path / "release")
    audit = json.loads((release / AUDIT_NAME).read_text(encoding="utf-8"))
    audit["hard"]["questions"] = 7
    named = {rule["name"]: rule for rule in audit["hard"]["baselines"] if rule["group"] == "all"}
    named["typical"].update(questions=80, accuracy=0.6, low=0.51)
    (release / AUDIT_NAME).write_text(json.dumps(audit), encoding="utf-8")
    (result,) = validate_release(release, checks={"audit": check_audit}).checks
    number, guessed = map(str, result.examples)
    assert number == (
        f"reports/audit.json: is of 7 questions of multiple-choice-hard, the release has {len(rows)}; rebuild "
        "the release"
    )
    assert guessed == (
        "reports/audit.json: the rule 'typical' gets 60.0% of 80 questions of "
        "multiple-choice-hard right (95 % interval from 51.0%); see docs/stats.md"
    )


PAIRS = 1219
GUESSED = {
    "typical": 23.7,
    "widespread": 25.7,
    "classifier": 27.4,
    "frequent": 24.1,
    "combined": 26.9,
}
"""What baselines of the audit get right, in percent: the figures of docs/mcq.md."""
ELIMINATED = {"elimination": 69.7, "elimination-2": 55.2}
"""The same by what other regions answer."""
PLACES = {"largest": 22.7, "smallest": 25.6, "nearest-mean": 26.2}
"""The same of the 277 questions about numbers."""


@pytest.fixture(scope="module")
def hard_build(built) -> McqBuild:
    return built(hard=True)


@pytest.fixture(scope="module")
def hard_mcqs(hard_build: McqBuild) -> pl.DataFrame:
    return pl.concat(list(hard_build.batches(hard=True)))


@pytest.mark.nightly
@pytest.mark.integration
def test_rules_that_know_no_other_answers_find_chance_in_the_16_regions(hard_mcqs, published):
    assert len(hard_mcqs) == hard_mcqs.unique(["template_id", "locale"]).height == PAIRS
    found = {row["baseline"]: row for row in audited(hard_mcqs, published.annotations).iter_rows(named=True)}
    assert {name: round(100 * found[name]["overall"], 1) for name in GUESSED} == GUESSED
    assert {name: round(100 * found[name]["overall"], 1) for name in ELIMINATED} == ELIMINATED
    assert {name: round(100 * found[name]["accuracy"], 1) for name in PLACES} == PLACES
    assert all(abs(share - 25) < 3 for share in (*GUESSED.values(), *PLACES.values()))
    assert found["largest"]["questions"] == 277


@pytest.mark.integration
@pytest.mark.nightly
def test_a_correct_answer_is_a_distractor_three_times_as_often(hard_mcqs):
    """The answers that are correct most often tell nothing by that."""
    shown = hard_mcqs["options"].explode().str.to_lowercase()
    correct = hard_mcqs.select(pl.col("options").list.get(pl.col("answer"))).to_series().str.to_lowercase()
    often = pl.DataFrame({"text": correct}).group_by("text").len("correct")
    often = often.join(pl.DataFrame({"text": shown}).group_by("text").len("shown"), on="text")
    most = often.filter(pl.col("shown") >= 12)
    assert len(most) > 30
    assert most["correct"].sum() / most["shown"].sum() == pytest.approx(0.25, abs=0.03)


@pytest.mark.nightly
@pytest.mark.integration
def test_who_has_read_the_options_is_counted_as_well(hard_build, build):
    added = hard_build.reading.join(build.reading, on="locale", suffix="_before")
    assert (added["mcqs"] - added["mcqs_before"]).sum() == PAIRS
    # A correct answer and three distractors each. Some pairs show answers that people did not read there.
    assert (added["options"] - added["options_before"]).sum() == 4 * PAIRS
    assert (added["nobody"].sum(), added["nobody_before"].sum()) == (20, 0)


@pytest.mark.nightly
@pytest.mark.integration
def test_the_order_of_rows_changes_no_hard_question(hard_mcqs, published):
    rng = np.random.default_rng(0)
    shuffled = published.annotations[rng.permutation(published.annotations.height)]
    again = build_mcq(published.questions, shuffled, options=McqOptions(hard=True), seed=0)
    assert pl.concat(list(again.batches(hard=True))).equals(hard_mcqs)
