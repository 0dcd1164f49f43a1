"""One repository by many names: whichever a maintainer uses, a release that is published there is the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from blend.loaders.releases import read_manifest
from blend.loaders.releases.repository import addressed_files
from helpers.hub.hub_releases import REPO
from helpers.hub.hub_server import Hub

THE_HUB, MIRROR = "https://huggingface.co", "https://mirror.example"


def in_form_of(release: Path, endpoint: str, repo_id: str = REPO) -> dict[str, bytes]:
    """All files of a release as they are published at an address of the Hub."""
    manifest = read_manifest(release)
    files = {file.path: (release / file.path).read_bytes() for file in manifest.files}
    return files | addressed_files(release, manifest, repo_id=repo_id, endpoint=endpoint)


def addresses(metadata: bytes) -> list[str]:
    """The addresses of the files in Croissant metadata."""
    return [entry["contentUrl"] for entry in json.loads(metadata)["distribution"]]


def put_there(hub: Hub, files: dict[str, bytes], *, tag: str | None) -> str:
    """Let the files be what somebody has published; gives the commit."""
    hub.store.create(REPO, private=False, author="bob")
    commit = hub.repository(REPO).edit(files, title="Release blend-sample 1.0.0")
    if tag is not None:
        hub.repository(REPO).tags[tag] = commit
    return commit


@pytest.mark.landing
@pytest.mark.parametrize("endpoint", [THE_HUB, "https://hf.co", "https://www.huggingface.co/"])
def test_files_have_their_address_on_the_hub(releases: Path, endpoint: str):
    files = in_form_of(releases / "1.0.0", endpoint)
    folder = f"{THE_HUB}/datasets/org/blend/resolve/v1.0.0/"
    found = addresses(files["croissant.json"])
    assert len(found) > 10
    assert all(address.startswith(folder) and address.removeprefix(folder) in files for address in found)


@pytest.mark.landing
@pytest.mark.parametrize("address", [THE_HUB, MIRROR])
def test_a_release_that_was_published_with_other_addresses(
    hub: Hub, publish: Any, releases: Path, hub_cache: Path, address: str
):
    files = in_form_of(releases / "1.0.0", THE_HUB)
    # As versions before this one wrote it.
    files["croissant.json"] = files["croissant.json"].replace(THE_HUB.encode(), address.encode())
    commit = put_there(hub, files, tag="v1.0.0")
    done = publish(releases / "1.0.0")
    assert (done.plan.action, done.commit) == ("nothing", commit)


@pytest.mark.landing
def test_a_reason_that_is_not_given_again_is_no_other_content(hub: Hub, publish: Any, releases: Path):
    first = publish(releases / "1.0.0", allow_errors="nobody reads it yet")
    done = publish(releases / "1.0.0")
    assert (done.plan.action, done.commit) == ("nothing", first.commit)


@pytest.mark.landing
@pytest.mark.parametrize(
    ("path", "found", "instead"),
    [
        ("README.md", b"Everyday", b"Everynight"),
        ("croissant.json", b'"isLiveDataset": false', b'"isLiveDataset": true'),
        ("CHANGELOG.md", b"First version.", b"Last version."),
        ("release.json", b'"mcq"', b'"mcx"'),
    ],
)
def test_other_words_are_other_content(
    hub: Hub, refusal: Any, releases: Path, path: str, found: bytes, instead: bytes
):
    files = in_form_of(releases / "1.0.0", hub.url)
    assert found in files[path]
    put_there(hub, {**files, path: files[path].replace(found, instead)}, tag="v1.0.0")
    assert refusal(releases / "1.0.0") == (
        f"Hub dataset org/blend: v1.0.0 is published with other content and never changes (changed: {path}); "
        f"see `blend diff org/blend@v1.0.0 {releases / '1.0.0'}`, raise `version` in the recipe and build again"
    )
