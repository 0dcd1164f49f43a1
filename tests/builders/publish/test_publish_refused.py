"""Publishing: who may, and what is not published."""

import io
import re
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.validate import NEEDED, validate_release
from blend.schemas.errors import BlendError
from blend.schemas.manifest import CHANGELOG_NAME
from helpers.hub.hub_releases import (
    FIRST,
    FOUR,
    REPO,
    SECOND,
    altered,
    digests,
    make_release,
    published,
    writes,
)
from helpers.hub.hub_server import Hub
from helpers.hub.hub_store import BOB, CAROL, DAVE, Account

# Who may.


@pytest.mark.nightly
def test_a_private_repository_is_seen_by_its_owners_only(hub: Hub, publish, releases, login, tmp_path: Path):
    from blend.loaders.releases.references import pull_release

    publish(releases / FIRST, private=True)
    assert hub.repository(REPO).private
    login(CAROL)
    pull_release("org/blend@v1.0.0", tmp_path / "carol", endpoint=hub.url)
    assert digests(tmp_path / "carol") == published(releases / FIRST, hub.url)
    for stranger in (DAVE, None):
        login(stranger)
        with pytest.raises(BlendError, match="not found, private or gated"):
            pull_release("org/blend@v1.0.0", tmp_path / "stranger", endpoint=hub.url)
    login(BOB)
    assert publish(releases / FIRST, private=True).plan.action == "nothing"
    assert publish(releases / SECOND, force_version="no flag needed", dry_run=True).action == "publish"


@pytest.mark.parametrize("parameter", ["force_version", "allow_errors"])
@pytest.mark.parametrize("reason", ["", " \t"])
def test_a_reason_that_says_nothing_is_none(refusal, tmp_path: Path, parameter: str, reason: str):
    assert refusal(tmp_path, **{parameter: reason}) == (
        f"`{parameter}` is blank; say in a few words why, for whoever reads the release's history"
    )


@pytest.mark.landing
def test_a_public_repository_is_not_taken_for_a_private_one(hub: Hub, publish, refusal, releases):
    publish(releases / FIRST)
    assert refusal(releases / SECOND, private=True) == (
        "Hub dataset org/blend: exists and is public, so `private` cannot be kept; make it private in its "
        "settings, or publish to another repository"
    )


@pytest.mark.landing
def test_messages_about_tokens(hub: Hub, publish, refusal, releases, login):
    login(None)
    assert refusal(releases / FIRST) == (
        "Hub dataset org/blend: not logged in; run `hf auth login`, or set HF_TOKEN to a token that may write"
    )
    login(CAROL)
    assert refusal(releases / FIRST) == (
        "Hub dataset org/blend: the Hub refuses this (403 You don't have the rights to create a dataset under "
        "this namespace, POST /api/repos/create); do what it says, or make a token with write access to this "
        "account or organisation at https://huggingface.co/settings/tokens, and run the same command again"
    )
    login(Account("nobody", "hf_unknownUnknownUnknown"))
    assert refusal(releases / FIRST) == (
        "Hub dataset org/blend: the Hub does not accept the token; log in again with `hf auth login`, "
        "or correct HF_TOKEN"
    )


# What is not published.


@pytest.mark.landing
def test_files_of_others_are_not_replaced(hub: Hub, publish, refusal, releases):
    hub.store.create(REPO, private=False, author="bob")
    hub.repository(REPO).edit({"data.csv": b"a,b\n", "README.md": b"# Bob's"})
    assert refusal(releases / FIRST) == (
        "Hub dataset org/blend: holds files but no release.json (data.csv), so it is not a release and is not "
        "replaced; publish to another repository, or remove these files yourself"
    )


@pytest.mark.nightly
def test_another_dataset_is_not_replaced(publish, refusal, releases, tmp_path: Path):
    publish(releases / FIRST)
    make_release(tmp_path / "other", "3.0.0", name="another")
    assert refusal(tmp_path / "other", force_version="mistaken") == (
        "Hub dataset org/blend: holds the dataset 'blend-sample', and this release is of 'another'; "
        "publish to another repository, or correct `name` in the recipe"
    )


@pytest.mark.landing
def test_a_release_that_is_not_as_its_manifest_says(publish, refusal, releases, tmp_path: Path):
    release = make_release(tmp_path / "release", FIRST)
    (release / "README.md").write_text("changed")
    (release / "recipe.toml").unlink()
    (release / "notes.txt").write_text("mine")
    assert refusal(release) == (
        f"{release}: the files are not those of release.json: recipe.toml (missing), README.md (changed), "
        "notes.txt (not in the manifest); copy or build the release again, and keep other files elsewhere"
    )


@pytest.mark.nightly
def test_a_file_that_changes_while_it_is_sent(hub: Hub, publish, refusal, tmp_path: Path):
    release = make_release(tmp_path / "release", FIRST)
    table = release / "data" / "annotations" / "KR-00000.parquet"
    hub.fail(
        "POST /api/datasets/org/blend/preupload/main",
        action=lambda: table.write_bytes(table.read_bytes()[::-1]),
    )
    assert refusal(release) == (
        f"{table}: changed while it was sent; nothing is published; publish again when the release is whole"
    )
    assert writes(hub) == ["POST /api/repos/create"]


@pytest.mark.landing
def test_data_that_may_not_be_passed_on_is_refused(refusal, tmp_path: Path):
    from blend.builders.release import build_release
    from blend.loaders.recipes import semeval_recipe
    from helpers.semeval_files import write_semeval

    files = write_semeval(tmp_path / "files")
    build_release(semeval_recipe(files), tmp_path / "release", source_paths={files.name: files})
    assert refusal(tmp_path / "release") == (
        f"{tmp_path / 'release'}: holds data of SemEval-2026 Task 7, whose terms forbid to pass it on; keep "
        "the release, and publish scores alone"
    )


# What gets a tag that never moves: releases that are valid, with a true version and a whole history.


KR = "data/annotations/KR-00000.parquet"


def half_of_the_rows(table: bytes) -> bytes:
    rows, file = pl.read_parquet(table), io.BytesIO()
    rows.head(rows.height // 2).write_parquet(file)
    return file.getvalue()


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("path", "change", "found"),
    [
        pytest.param(KR, lambda _: b"PAR1 and no table PAR1", "annotations/KR: ", id="not parquet"),
        pytest.param(KR, half_of_the_rows, "annotations/KR: ", id="cut"),
    ],
)
def test_an_invalid_release_is_refused(
    hub: Hub, refusal, releases, tmp_path: Path, path: str, change: Any, found: str
):
    release = altered(releases / "1.0.0", tmp_path / "unsound", path, change)
    message = refusal(release)
    assert message.startswith(f"{release}: not valid, and a published version never changes: {found}")
    assert message.endswith(
        f"; see `blend validate {release}`, build the release again, or give a reason with `allow_errors`"
    )
    assert hub.store.repositories == {}


@pytest.mark.landing
def test_what_was_validated_here_is_not_checked_again_until_it_differs(
    publish, refusal, releases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_ASSETS_CACHE", str(tmp_path / "assets"))
    steps = set()
    assert validate_release(releases / "1.0.0", checks=NEEDED).passes()
    publish(releases / "1.0.0", dry_run=True, on_progress=lambda step, *_: steps.add(step))
    assert steps == {"look at the repository"}
    release = altered(releases / "1.0.0", tmp_path / "unsound", KR, half_of_the_rows)
    assert "not valid" in refusal(release)
    assert not validate_release(release).passes()
    assert "not valid" in refusal(release)


@pytest.mark.landing
def test_a_reason_to_publish_it_all_the_same_stands_in_changelog_and_commit(
    hub: Hub, publish, releases, tmp_path: Path
):
    release = altered(releases / "1.0.0", tmp_path / "unsound", KR, half_of_the_rows)
    done = publish(release, allow_errors="the Hub's page counts them")
    repository = hub.repository("org/blend")
    assert repository.commits[done.commit].description.splitlines()[-1] == (
        "Published despite errors that validation reports: the Hub's page counts them"
    )
    published = repository.content(CHANGELOG_NAME, "v1.0.0").decode()
    assert (
        "## 1.0.0\n\nPublished despite errors that `blend validate` reports: the Hub's page counts them\n"
        in published
    )
    # The directory is as it was, and the same command again does nothing.
    assert "despite" not in (release / CHANGELOG_NAME).read_text()
    assert publish(release, allow_errors="the Hub's page counts them").plan.action == "nothing"


@pytest.mark.nightly
@pytest.mark.parametrize("after", [None, "1.0.0"])
def test_a_changelog_that_leaves_the_latest_version_out_is_refused(
    publish, refusal, releases, tmp_path: Path, after: str | None
):
    publish(releases / "1.0.0")
    publish(make_release(tmp_path / "latest", "1.0.1", title="Better", after=releases / "1.0.0"))
    before = None if after is None else releases / after
    release = make_release(tmp_path / "next", "1.1.0", locales=(*FOUR, "zh-CN"), after=before)
    assert refusal(release) == (
        "Hub dataset org/blend: CHANGELOG.md has no section for 1.0.1, so it would not tell readers what "
        "changed since 1.0.1, the latest version there; build it again on top of that, with "
        'previous = "org/blend@v1.0.1" in its recipe'
    )


@pytest.mark.landing
def test_another_locale_is_a_minor_version_and_only_what_changed_is_downloaded(
    hub: Hub, publish, releases, hub_cache
):
    publish(releases / "1.0.0")
    shutil.rmtree(hub_cache, ignore_errors=True)
    hub.requests.clear()
    # A third of the other regions' questions have other options then, and all of them are still asked.
    assert publish(releases / "1.1.0").plan.previous == "1.0.0"
    fetched = {request for request in hub.requests if re.match("(GET|HEAD) /datasets/.*parquet", request)}
    table = "multiple-choice-questions/test-00000.parquet"
    assert {request.rpartition("data/")[2] for request in fetched} == {table}
