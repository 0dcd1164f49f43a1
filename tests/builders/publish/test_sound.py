"""What gets a tag that never moves: releases that are sound, with a true version and a whole history."""

import io
import json
import re
import shutil
import urllib.request
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import polars as pl
import pytest

from blend.schemas.manifest import CHANGELOG_NAME
from helpers.hub.hub_releases import FOUR, altered, make_release, with_another_number
from helpers.hub.hub_server import Hub

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
        pytest.param(
            "README.md",
            with_another_number,
            "README.md: dataset_info is not what release.json makes",
            id="card",
        ),
        pytest.param(KR, lambda _: b"PAR1 and no table PAR1", "annotations/KR: ", id="not parquet"),
        pytest.param(KR, half_of_the_rows, "annotations/KR: ", id="cut"),
    ],
)
def test_an_unsound_release_is_refused(
    hub: Hub, refusal: Any, releases: Path, tmp_path: Path, path: str, change: Any, found: str
):
    release = altered(releases / "1.0.0", tmp_path / "unsound", path, change)
    message = refusal(release)
    assert message.startswith(f"{release}: not sound, and a published version never changes: {found}")
    assert message.endswith(
        f"; see `blend validate {release}`, build the release again, or give a reason with `allow_errors`"
    )
    assert hub.store.repositories == {}


@pytest.mark.landing
def test_a_reason_to_publish_it_all_the_same_stands_in_changelog_and_commit(
    hub: Hub, publish: Any, releases: Path, tmp_path: Path
):
    release = altered(releases / "1.0.0", tmp_path / "unsound", "README.md", with_another_number)
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
def test_the_step_follows_from_the_tables_whatever_the_manifest_says(
    publish: Any, refusal: Any, releases: Path, tmp_path: Path
):
    publish(releases / "1.0.0")
    again = make_release(tmp_path / "again", "1.0.1", after=releases / "1.0.0")
    # Half of the rows are gone, and the digest of the content is that of all of them.
    cut = altered(again, tmp_path / "cut", KR, half_of_the_rows)
    message = refusal(cut, allow_errors="I know better")
    assert "version 1.0.1 does not follow from what changed since 1.0.0 (major: annotations: " in message
    assert "20 rows removed" in message


@pytest.mark.nightly
@pytest.mark.parametrize("after", [None, "1.0.0"])
def test_a_changelog_that_leaves_the_latest_version_out_is_refused(
    publish: Any, refusal: Any, releases: Path, tmp_path: Path, after: str | None
):
    publish(releases / "1.0.0")
    publish(make_release(tmp_path / "latest", "1.0.1", title="Better", after=releases / "1.0.0"))
    before = None if after is None else releases / after
    release = make_release(tmp_path / "next", "1.1.0", locales=(*FOUR, "zh-CN"), after=before)
    assert refusal(release) == (
        "Hub dataset org/blend: CHANGELOG.md has no section for 1.0.1, so it would not tell readers what "
        "changed since 1.0.1, the latest version there; build it again on top of that: "
        f"`blend build {release}/recipe.toml --previous org/blend@v1.0.1 --out {release}`"
    )


@pytest.mark.landing
def test_another_locale_is_a_minor_version_and_only_what_changed_is_downloaded(
    hub: Hub, publish: Any, releases: Path, hub_cache: Path
):
    publish(releases / "1.0.0")
    shutil.rmtree(hub_cache, ignore_errors=True)
    hub.requests.clear()
    # A third of the other regions' questions have other options then, and all of them are still asked.
    assert publish(releases / "1.1.0").plan.previous == "1.0.0"
    fetched = {request for request in hub.requests if re.match("(GET|HEAD) /datasets/.*parquet", request)}
    table = "multiple-choice-questions/test-00000.parquet"
    assert {request.rpartition("data/")[2] for request in fetched} == {table}


@pytest.mark.landing
def test_the_published_metadata_lead_to_the_files(hub: Hub, publish: Any, releases: Path):
    publish(releases / "1.0.0")
    url = f"{hub.url}/datasets/org/blend/resolve/v1.0.0/croissant.json"
    with urllib.request.urlopen(url) as answer:
        metadata = json.load(answer)
    for entry in metadata["distribution"]:
        with urllib.request.urlopen(urljoin(url, entry["contentUrl"])) as answer:
            assert sha256(answer.read()).hexdigest() == entry["sha256"]
    card = hub.repository("org/blend").content("README.md", "v1.0.0").decode()
    assert 'load_dataset("org/blend", "annotations", split="US", revision="v1.0.0")' in card
    assert "REPOSITORY" not in card
