"""Commands that look and change nothing: show, stats, status, plan, schema, locales, audit, diff, validate."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from rich.cells import cell_len

import blend
from blend.builders.release import build_release
from blend.builders.stats.dataset import stats_of_release
from blend.cli.registry import _schema_models
from blend.loaders.recipes import sample_recipe
from helpers.in_process import run
from helpers.messages import wrong

FIVE = ("en-US", "ko-KR", "ar-DZ", "zh-CN", "fa-IR")


def in_a_line(printed: str) -> str:
    """What is printed, whatever the line that it stands in."""
    return " ".join(printed.split())


def test_show_prints_a_row_of_every_configuration(sample_release: Path):
    printed = run("show", sample_release)
    assert printed.count('load_dataset("') == 4
    for column in ("ID", "Translation", "en_prompt", "MCQID"):
        assert column in printed


def test_show_refuses_a_release_that_lacks_a_file(sample_release: Path, tmp_path: Path):
    lacking = shutil.copytree(sample_release, tmp_path / "lacking")
    (lacking / "data/annotations/US-00000.parquet").unlink()
    assert "not those of release.json: data/annotations/US-00000.parquet (missing)" in wrong(
        lambda: run("show", lacking)
    )


def test_stats_prints_a_first_table_all_or_json_and_writes_files(sample_release: Path, tmp_path: Path):
    first, everything = run("stats", sample_release), run("stats", sample_release, "--all")
    assert first.split()[0] == "Counts"
    assert len(first.splitlines()) < 40
    names = [table.name for table in stats_of_release(sample_release).as_tables()]
    told = f"Further tables: {', '.join(names[1:])}. --all prints all."
    assert in_a_line(first).endswith(told)
    assert everything.startswith(first.partition("Further tables")[0])
    assert "Lemmas of English answers in common" in everything
    printed = json.loads(run("stats", sample_release, "--json", "--out", tmp_path / "stats"))
    assert sum(row["questions"] for row in printed["counts"]) == 395
    assert pl.read_parquet(tmp_path / "stats" / "counts.parquet")["questions"].sum() == 395


def test_status_is_that_of_locales_whose_answers_are_collected(tmp_path: Path, root: Path):
    valid, recipe = root / "tests" / "loaders" / "valid", tmp_path / "recipe.toml"
    sources = "".join(
        f'[[sources]]\nkind = "{kind}"\nlocation = "{valid / kind}"\n' for kind in ("responses", "blend")
    )
    recipe.write_text(f'name = "b"\nversion = "1.0.0"\nlicense = "mit"\n{sources}', encoding="utf-8")
    # Not those of which the other source has finished annotations, whatever their locale.
    asked = {(row["template_id"], row["locale"]) for row in json.loads(run("status", recipe, "--json"))}
    assert asked == {
        *(("food-01", tag) for tag in ("am-ET", "ko-KR")),
        ("work-01", "ko-KR"),
        ("work-02", "ko-KR"),
    }


def test_a_plan_is_by_the_mean_of_the_regions_by_some_of_them_or_by_a_pilot(mini_release: Path):
    printed = in_a_line(run("plan", "--price", "0.10"))
    as_in_blend = "as in BLEnD's regions (docs/contributing-data.md)."
    assert f"Needed: templates for 5 points. Pairs and MCQs of all: {as_in_blend}" in printed
    assert "cost" in printed
    assert "cost" not in run("plan")
    like = json.loads(run("plan", "--locale", "ha-NG", "--annotators", "3,5", "--json"))
    assert {(row["locale"], row["annotators"]) for row in like["designs"]} == {("ha-NG", 3), ("ha-NG", 5)}
    pilot = json.loads(run("plan", mini_release, "--annotators", "3,5", "--json"))
    assert {row["locale"] for row in pilot["designs"]} == {"ko-KR", "en-US", "fa-IR", "es-MX"}
    assert "Pairs and MCQs: as in the pilot." in in_a_line(run("plan", mini_release, "--locale", "ko-KR"))


@pytest.mark.parametrize("name", _schema_models())
def test_schema_prints_a_json_schema(name: str):
    printed = run("schema", name)
    assert json.loads(printed)["title"] == _schema_models()[name].__name__
    assert "``" not in printed
    assert re.search(rf"^{name} +\w", run("schema"), flags=re.MULTILINE)


@pytest.mark.slow
def test_locales_are_printed_all_or_one():
    assert "34 locales" in run("locales")
    assert json.loads(run("locales", "South_Korea", "--json"))[0]["tag"] == "ko-KR"
    assert "right to left" in run("locales", "ar-DZ")


@pytest.mark.parametrize(
    ("name", "tags"),
    [
        ("Korea", ["ko-KR", "ko-KP"]),
        ("uk", ["en-GB"]),
        ("the United Kingdom", ["en-GB"]),
        ("SG", ["en-SG", "ms-SG", "ta-SG", "zh-SG"]),
        ("New Zealand", ["en-NZ"]),
    ],
)
def test_locales_by_any_name(name: str, tags: list[str], root: Path):
    own = root / "loaders" / "starter" / "locales.toml"
    found = json.loads(run("locales", name, "--locale-file", own, "--json"))
    assert [locale["tag"] for locale in found] == tags
    assert tags[-1] in run("locales", name, "--locale-file", own)


def test_audit_fits_eighty_columns_and_can_be_kept(sample_release: Path, tmp_path: Path):
    printed = run("audit", sample_release, "--out", tmp_path / "kept", columns=80)
    assert max(map(cell_len, printed.splitlines())) <= 80
    for title in ("by simple rules", "stand out", "got right, by group"):
        assert title in printed
    kept = json.loads((tmp_path / "kept" / "audit.json").read_text(encoding="utf-8"))
    for name in kept:
        assert pl.read_parquet(tmp_path / "kept" / f"{name}.parquet").to_dicts() == kept[name]
    printed = json.loads(run("audit", sample_release, "--json"))
    assert printed == kept
    found = json.loads(json.dumps(blend.audit_release(sample_release).to_json()))
    assert printed | {"examples": []} == found | {"examples": []}  # of which the library gives more


@pytest.mark.landing
def test_diff_says_its_verdict_first_and_as_much_as_is_asked_for(tmp_path: Path):
    recipe, old, new = sample_recipe(), tmp_path / "old", tmp_path / "new"
    build_release(recipe.model_copy(update={"version": "1.0.0", "locales": FIVE}), old)
    # A locale more, which calls itself a correction; what others answer as well changes with it.
    changed = {"version": "1.0.1", "locales": (*FIVE, "am-ET")}
    build_release(recipe.model_copy(update=changed), new)
    lines = run("diff", old, new, columns=80).splitlines()
    assert lines[0] == "blend-sample 1.0.0 → blend-sample 1.0.1"
    assert in_a_line(" ".join(lines[1:3])).startswith(
        "Version step: minor, so 1.1.0 follows. The new release calls itself 1.0.1."
    )
    assert any(line.split()[:2] == ["minor", "annotations:"] for line in lines)
    assert "Examples" not in run("diff", old, new, "--examples", "0")
    assert "Examples" in run("diff", old, new, "--examples", "1", "--exit-code", code=3)
    same = "blend-sample 1.0.0 → blend-sample 1.0.0\nNothing differs.\n"
    assert run("diff", old, old, "--exit-code") == same
    found = json.loads(run("diff", old, new, "--json"))
    assert (found["step"], found["expected_version"]) == ("minor", "1.1.0")
    assert found["old"] == {"name": "blend-sample", "version": "1.0.0"}
    splits = {split["split"]: split for split in found["configs"][0]["splits"]}
    assert (splits["KR"]["changed"], splits["ET"]["old_rows"]) == (0, None)


def test_validate_fails_on_errors_and_when_asked_to_on_warnings(sample_release: Path, tmp_path: Path):
    copy = Path(shutil.copytree(sample_release, tmp_path / "copy"))
    audit = json.loads((copy / "reports" / "audit.json").read_text(encoding="utf-8"))
    for leak in audit["leaks"]:
        leak["share"] = 0.03 if (leak["name"], leak["group"]) == ("names-region", "all") else leak["share"]
    (copy / "reports" / "audit.json").write_text(json.dumps(audit), encoding="utf-8")
    assert run("validate", copy, "--only", "audit").endswith("valid: 0 errors, 1 warning\n")
    printed = run("validate", copy, "--only", "audit", "--strict", code=1)
    assert printed.endswith("not valid: 0 errors, 1 warning (--strict fails on warnings)\n")
    printed = run("validate", copy, "--only", "files", code=1)
    assert "error files: 1" in printed
    assert "reports/audit.json: changed: " in printed
    assert "docs/cards.md explains the checks, reports/details.md what a build found." in printed
    assert printed.endswith("not valid: 1 error, 0 warnings\n")
    report = json.loads(run("validate", copy, "--only", "audit", "--only", "files", "--json", code=1))
    levels = [(check["check"], check["level"]) for check in report["checks"]]
    assert (report["release"], levels) == (str(copy), [("files", "error"), ("audit", "warning")])
    for name in "abcd":
        (copy / name).touch()
    printed = run("validate", copy, "--only", "files", "--examples", "2", code=1)
    assert "error files: 5\n" in printed
    assert printed.count("is not in release.json") == 1  # beside the audit, which was changed
    assert "… and 3 more (--examples)" in printed


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.parametrize("command", ["stats", "audit"])
def test_rows_read_are_shown_at_a_terminal_and_not_in_a_log(command: str, sample_release: Path):
    typed = [str(Path(sys.executable).with_name("blend")), command, sample_release]
    at_a_terminal = [sys.executable, "-c", "import pty, sys; pty.spawn(sys.argv[1:])", *typed]
    streams = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
    shown = subprocess.run(
        at_a_terminal, **streams, env={**os.environ, "COLUMNS": "120", "TERM": "xterm"}
    ).stdout
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    for config in ("annotations", "multiple-choice-questions"):
        assert re.search(rf"read rows of {config} +\S+ +100% ", shown), shown
    assert subprocess.run(typed, capture_output=True, text=True, check=True).stderr == ""
