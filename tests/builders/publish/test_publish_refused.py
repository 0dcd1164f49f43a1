"""Publishing: who may, and what is not published."""

from pathlib import Path
from typing import Any

import pytest

from blend.schemas.errors import BlendError
from helpers.hub.hub_releases import (
    FIRST,
    REPO,
    SECOND,
    Publish,
    Refusal,
    digests,
    held,
    make_release,
    published,
    writes,
)
from helpers.hub.hub_server import Hub
from helpers.hub.hub_store import BOB, CAROL, DAVE, Account

# Who may.


@pytest.mark.nightly
def test_a_private_repository_is_seen_by_its_owners_only(
    hub: Hub, publish: Publish, releases: Path, login: Any, tmp_path: Path
):
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


@pytest.mark.landing
def test_a_public_repository_is_not_taken_for_a_private_one(
    hub: Hub, publish: Publish, refusal: Refusal, releases: Path
):
    publish(releases / FIRST)
    assert refusal(releases / SECOND, private=True) == (
        "Hub dataset org/blend: exists and is public, so `private` cannot be kept; make it private in its "
        "settings, or publish to another repository"
    )


@pytest.mark.landing
def test_messages_about_tokens(hub: Hub, publish: Publish, refusal: Refusal, releases: Path, login: Any):
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
def test_messages_for_repository_ids(publish: Publish, refusal: Refusal, releases: Path):
    expected = (
        "Hub dataset {}: not the name of a repository; write org/name, where org is an account or organisation"
    )
    assert refusal(releases / FIRST, "blend") == expected.format("blend")
    assert refusal(releases / FIRST, "a/b/c") == expected.format("a/b/c")
    assert refusal(releases / FIRST, "org/--") == (
        "Hub dataset org/--: not the name of a repository; write org/name"
    )


@pytest.mark.landing
def test_without_a_hub_a_plan_says_what_can_be_checked(
    refusal: Refusal, releases: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert refusal(releases / "1.0.0", dry_run=True) == (
        "Hub dataset org/blend: HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE forbids to ask the Hub; unset it and "
        f"run the same command again. What would change depends on what is published already; `blend validate "
        f"{releases / '1.0.0'}` checks the release itself without the Hub"
    )


@pytest.mark.landing
def test_files_of_others_are_not_replaced(hub: Hub, publish: Publish, refusal: Refusal, releases: Path):
    hub.store.create(REPO, private=False, author="bob")
    hub.repository(REPO).edit({"data.csv": b"a,b\n", "README.md": b"# Bob's"})
    assert refusal(releases / FIRST) == (
        "Hub dataset org/blend: holds files but no release.json (data.csv), so it is not a release and is not "
        "replaced; publish to another repository, or remove these files yourself"
    )


@pytest.mark.nightly
def test_another_dataset_is_not_replaced(publish: Publish, refusal: Refusal, releases: Path, tmp_path: Path):
    publish(releases / FIRST)
    make_release(tmp_path / "other", "3.0.0", name="another")
    assert refusal(tmp_path / "other", force_version="mistaken") == (
        "Hub dataset org/blend: holds the dataset 'blend-sample', and this release is of 'another'; "
        "publish to another repository, or correct `name` in the recipe"
    )


@pytest.mark.landing
def test_a_release_that_is_not_as_its_manifest_says(
    publish: Publish, refusal: Refusal, releases: Path, tmp_path: Path
):
    release = make_release(tmp_path / "release", FIRST)
    (release / "README.md").write_text("changed")
    (release / "recipe.toml").unlink()
    (release / "notes.txt").write_text("mine")
    assert refusal(release) == (
        f"{release}: the files are not those of release.json: recipe.toml (missing), README.md (changed), "
        "notes.txt (not in the manifest); copy or build the release again, and keep other files elsewhere"
    )


@pytest.mark.nightly
def test_a_file_that_changes_while_it_is_sent(hub: Hub, publish: Publish, refusal: Refusal, tmp_path: Path):
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
def test_a_repository_without_attributes_keeps_tables_as_small_files(
    hub: Hub, publish: Publish, releases: Path
):
    hub.repository(REPO).commit({"README.md": b"# by git"})
    publish(releases / FIRST)
    assert held(hub.repository(REPO), "v1.0.0") == published(releases / FIRST, hub.url)
    assert not any(entry.sha256 for entry in hub.repository(REPO).files().values())


@pytest.mark.landing
def test_data_that_may_not_be_passed_on_is_refused(refusal: Refusal, tmp_path: Path):
    from blend.builders.release import build_release
    from blend.loaders.recipes.ready import semeval_recipe
    from helpers.semeval_files import write_semeval

    files = write_semeval(tmp_path / "files")
    build_release(semeval_recipe(files), tmp_path / "release", source_paths={files.name: files})
    assert refusal(tmp_path / "release") == (
        f"{tmp_path / 'release'}: holds data of SemEval-2026 Task 7, whose terms forbid to pass it on; keep "
        "the release, and publish scores alone"
    )
