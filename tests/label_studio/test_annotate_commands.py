"""``blend annotate`` without a server: an export file is pulled, shown, and turned into pseudonyms."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import pseudonym, read_key
from blend.schemas.errors import InputError, RowError
from helpers.in_process import run
from helpers.label_studio.studio_fixtures import typed

annotate = partial(run, "annotate")


@pytest.fixture
def pulled(project: Callable[..., ProjectFile], tmp_path: Path) -> tuple[ProjectFile, Path]:
    """A project, and an export with two answers by one person whose account has the number 7."""
    file = project("http://127.0.0.1:1")
    tasks = []
    for number, template in enumerate(("food-01", "work-01"), start=1):
        data = {"blend_id": f"answer/ko-KR/{template}", "template_id": template, "locale": "ko-KR"}
        made = {"id": number, "completed_by": 7, "result": [typed("밥" if number == 1 else "18:00")]}
        day = {"created_at": "2026-11-20T10:11:12Z", "lead_time": 30.0}
        tasks.append({"id": number, "data": data, "annotations": [{**made, **day}]})
    export = tmp_path / "export.json"
    export.write_text(json.dumps(tasks), encoding="utf-8")
    return file, export


@pytest.mark.slow
def test_an_export_is_pulled_and_shown(pulled: tuple[ProjectFile, Path]):
    file, export = pulled
    title = f"{file.project.name} answer"
    responses = file.collected / "responses" / "ko-KR.jsonl"
    accounts = export.with_name("accounts.csv")
    accounts.write_text("id,email\n7,Mina@example.org\n")
    assert annotate("pull", file.path, "--export", export, "--accounts", accounts).splitlines() == [
        f"{title} ko-KR: 2 annotations (2 added)",
        f"{title} fa-IR: not on the server yet",
        f"{responses}: 2 rows",
    ]
    assert "No news: all files are as they were." in annotate("pull", file.path, "--export", export)
    found = json.loads(annotate("status", file.path, "--offline", "--json"))
    who = pseudonym("mina@example.org", read_key(file.key_file))
    assert found["people"] == [
        {
            "stage": "answer", "locale": "ko-KR", "annotator": who, "counted": 2, "skipped": 0, "refused": 0,
            "seconds": 30.0, "last": "2026-11-20",
        }
    ]  # fmt: skip
    assert [(row["locale"], row["valid"], row["still_needed"]) for row in found["locales"]] == [
        ("fa-IR", 0, 10), ("ko-KR", 2, 8),
    ]  # fmt: skip
    page = file.path.with_name("status.html")
    annotate("status", file.path, "--offline", "--html", page)
    assert who in page.read_text(encoding="utf-8")
    # Nothing finer than a day leaves the pull folder.
    assert "10:11" not in page.read_text(encoding="utf-8") + responses.read_text(encoding="utf-8")


def test_an_export_by_people_whom_nobody_knows_is_not_taken(
    pulled: tuple[ProjectFile, Path], monkeypatch: pytest.MonkeyPatch
):
    file, export = pulled
    monkeypatch.delenv("LABEL_STUDIO_API_KEY", raising=False)
    with pytest.raises(InputError) as raised:
        annotate("pull", file.path, "--export", export)
    assert str(raised.value) == (
        f"{export}: holds work of account 7, whose e-mail address is not known, so that nobody would have the "
        "pseudonym of a pull from the server; set LABEL_STUDIO_API_KEY to a token, by which the server is "
        "asked, or name them in a table with the columns id and email, as --accounts"
    )
    assert len((file.pulled / "events.jsonl").read_text().splitlines()) == 1
    accounts = export.with_name("accounts.csv")
    accounts.write_text("id,email\n7,not an address\n")
    with pytest.raises(RowError) as wrong:
        annotate("pull", file.path, "--export", export, "--accounts", accounts)
    assert str(wrong.value) == (
        "accounts.csv:2, column email: is not an e-mail address; write the address with which the account "
        "signs in"
    )


def test_a_pseudonym_is_printed(pulled: tuple[ProjectFile, Path]):
    file, _ = pulled
    expected = pseudonym("mina@example.org", read_key(file.key_file))
    assert annotate("pseudonym", file.path, "Mina@example.org").strip() == expected
