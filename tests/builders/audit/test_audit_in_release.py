"""The audit that a release brings along: written, shown, told and checked."""

import json
import shutil

import polars as pl
import pytest

from blend.builders.audit.release import audit_report
from blend.builders.validate import validate_release
from blend.builders.validate.files import check_audit
from blend.loaders.releases.tables import read_audit, read_config
from blend.schemas.errors import RowError
from blend.schemas.locales import registry
from blend.schemas.manifest import AUDIT_NAME
from helpers.messages import message_of


@pytest.fixture
def release(sample_release, tmp_path):
    return shutil.copytree(sample_release, tmp_path / "release")


def problems(release):
    report = validate_release(release, checks={"audit": check_audit})
    (result,) = report.checks
    return [f"{problem.level}: {problem}" for problem in result.examples]


def changed(release, **figures):
    """The release with other figures in ``reports/audit.json``, those of a rule if it is named."""
    audit = json.loads((release / AUDIT_NAME).read_text(encoding="utf-8"))
    for rule in (*audit["baselines"], *audit["leaks"]):
        if rule["group"] == "all" and rule["name"] == figures.get("name"):
            rule.update(figures)
    if "name" not in figures:
        audit.update(figures)
    (release / AUDIT_NAME).write_text(json.dumps(audit), encoding="utf-8")
    return release


def test_a_release_says_what_can_be_guessed(sample_release):
    audit = read_audit(sample_release)
    rows = read_config(sample_release, "multiple-choice-questions")
    assert audit.questions == audit.audited == len(rows)
    assert {rule.group for rule in audit.baselines} == {"all", *rows["locale"].unique()}
    assert set(audit.overall) == set(audit.definitions) - {rule.name for rule in audit.leaks} | {"names-region"}
    assert audit.overall["combined"].questions > 0
    assert problems(sample_release) == []


def test_the_card_tells_it(sample_release):
    card = (sample_release / "README.md").read_text(encoding="utf-8")
    audit = read_audit(sample_release)
    by_pair = audit.overall["combined"].by_pair
    assert f"everything that can be seen of a question, weighed as in others {by_pair:.0%}" in card
    # First what is right most often: who knows the other regions' answers.
    best = max(audit.overall, key=lambda name: audit.overall[name].by_pair)
    assert next(iter(audit.overall)) == best == "elimination"
    assert "(`reports/audit.json`): the option that nobody of another region gave, else" in card


def test_of_large_releases_whole_templates_are_looked_at(sample_release):
    rows, annotations = (
        read_config(sample_release, name) for name in ("multiple-choice-questions", "annotations")
    )
    some = audit_report(rows.lazy(), annotations=annotations, locales=registry(), most=100)
    sizes = dict(rows.group_by("template_id").len().iter_rows())
    assert 100 <= some.audited < 100 + max(sizes.values())
    assert some.questions == len(rows)
    fewer = rows.filter(pl.col("template_id") != min(sizes))
    all_of_them = audit_report(fewer.lazy(), annotations=annotations, locales=registry(), most=10**9)
    assert all_of_them.audited == len(fewer)


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        (
            {"name": "names-region", "share": 0.022},
            "in 2.2% of the questions an option names the region asked about",
        ),
        (
            {"name": "typical", "questions": 80, "accuracy": 0.75, "low": 0.66},
            "the rule 'typical' gets 75.0% of 80 questions right (95 % interval from 66.0%)",
        ),
        (
            {"name": "recurring", "questions": 1, "accuracy": 1.0, "low": 0.46},
            "the rule 'recurring' gets 100.0% of 1 question right (95 % interval from 46.0%)",
        ),
        (
            {"name": "smallest", "questions": 1234, "accuracy": 0.35, "low": 0.3},
            "the rule 'smallest' gets 35.0% of 1,234 questions right (95 % interval from 30.0%)",
        ),
    ],
)
def test_validation_warns_of_what_can_be_guessed(release, figures, said):
    told = problems(changed(release, **figures))
    assert told == [f"warning: reports/audit.json: {said}; see docs/stats.md"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the JSON ends in the middle"),
        ("[]", "Input should be a valid dictionary or instance of AuditReport"),
        ('{"questions": 1}', "audited: Field required"),
        ("\x00", "every second byte is null, so this is not UTF-8"),
    ],
)
def test_what_is_no_audit_is_an_error(release, text, why):
    (release / AUDIT_NAME).write_text(text, encoding="utf-8")
    assert problems(release) == [f"error: reports/audit.json: is not an audit ({why}); rebuild the release"]
    assert message_of(RowError, lambda: read_audit(release)) == (
        f"{release / AUDIT_NAME}: is not an audit ({why}); copy or build the release again"
    )
