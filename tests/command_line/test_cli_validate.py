"""``blend validate``: what it prints, and when it fails."""

import json
from functools import partial
from pathlib import Path

import pytest

from blend.builders.validate import CHECKS
from blend.schemas.errors import BlendError
from helpers.in_process import run

validate = partial(run, "validate")

QUICK = ("--skip", "loading")


@pytest.fixture
def release(sample_release: Path) -> Path:
    return sample_release


@pytest.fixture
def warned(release: Path, tmp_path: Path) -> Path:
    """The release, with an audit that warns."""
    import shutil

    copy = Path(shutil.copytree(release, tmp_path / "copy"))
    path = copy / "reports" / "audit.json"
    audit = json.loads(path.read_text(encoding="utf-8"))
    for leak in audit["leaks"]:
        leak["share"] = 0.03 if (leak["name"], leak["group"]) == ("names-region", "all") else leak["share"]
    path.write_text(json.dumps(audit), encoding="utf-8")
    return copy


@pytest.mark.slow
def test_a_valid_release(release: Path):
    printed = validate(release, *QUICK, "--strict")
    assert "blend-sample 0.1.0, 1,097 rows" in printed
    assert all(check in printed for check in CHECKS if check != "loading")
    assert printed.endswith("valid: 0 errors, 0 warnings\n")


@pytest.mark.slow
def test_warnings_fail_only_when_asked_to(warned: Path):
    assert validate(warned, "--only", "audit").endswith("valid: 0 errors, 1 warning\n")
    printed = validate(warned, "--only", "audit", "--strict", code=1)
    assert printed.endswith("not valid: 0 errors, 1 warning (--strict fails on warnings)\n")


def test_errors_fail(warned: Path):
    printed = validate(warned, "--only", "files", code=1)
    assert "error files: 1" in printed
    assert "reports/audit.json: changed: " in printed
    assert printed.endswith("not valid: 1 error, 0 warnings\n")


@pytest.mark.slow
def test_json_is_the_report_and_nothing_else(warned: Path):
    report = json.loads(validate(warned, "--only", "audit", "--only", "files", "--json", code=1))
    assert [(check["check"], check["level"]) for check in report["checks"]] == [
        ("files", "error"),
        ("audit", "warning"),
    ]
    assert report["release"] == str(warned)


@pytest.mark.slow
def test_as_many_examples_as_wanted(warned: Path):
    for name in "abcd":
        (warned / name).touch()
    printed = validate(warned, "--only", "files", "--examples", "2", code=1)
    assert "error files: 5\n" in printed
    assert printed.count("is not in release.json") == 1  # beside the audit, which was changed
    assert "… and 3 more (--examples)" in printed
    none = validate(warned, "--only", "files", "--examples", "0", code=1)
    assert "error files: 5\n  … and 5 more (--examples)" in none


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--only", "file"],
            (
                f"unknown check 'file'; did you mean 'files'? the nearest of the {len(CHECKS)} there are: "
                "files, tables, ids"
            ),
        ),
        (
            ["--skip", "all"],
            f"unknown check 'all'; the nearest of the {len(CHECKS)} there are: tables, card, translations",
        ),
        (["--only", "files", "--skip", "files"], "--only and --skip leave no check; name other ones"),
    ],
)
def test_what_validate_refuses(release: Path, arguments: list[str], message: str):
    with pytest.raises(BlendError) as caught:
        validate(release, *arguments)
    assert str(caught.value) == message


def test_no_such_release(tmp_path: Path):
    with pytest.raises(BlendError) as caught:
        validate(tmp_path / "nowhere")
    assert str(caught.value) == (
        f"{tmp_path}/nowhere: no such directory; name the directory of a release, or org/name@v1.0.0"
    )
