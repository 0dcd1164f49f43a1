"""BLEnD's files from a Hub repository, by the real Hub client over HTTP."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from blend.loaders.hub import fetch_dataset
from blend.loaders.recipes.sources import load_source
from blend.loaders.releases import read_manifest
from blend.loaders.upstream.blend import HUB_PATTERNS
from blend.schemas.errors import BlendError
from blend.schemas.recipe import Source

pytestmark = pytest.mark.integration

VALID = Path(__file__).parents[1] / "loaders" / "valid" / "blend"
REPO = "org/blend-data"


def files_of(folder: Path, below: str = "") -> dict[str, bytes]:
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {below + path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_message_for_a_repository_without_blend_files(hub, hub_cache):
    commit = hub.repository(REPO).commit({"README.md": b"empty"})
    assert message(hub.url, commit) == (
        f"Hub dataset org/blend-data: commit {commit} holds no annotations/*_data.json, "
        "questions/*_questions.csv, questions/*_questions.json, annotations_hf/*_data.json, "
        "questions_hf/*_questions.csv, questions_hf/*_questions.json, prompts/*_prompts.csv, "
        "data/annotations/*_data.json, data/questions/*_questions.csv, data/questions/*_questions.json, "
        "data/annotations_hf/*_data.json, data/questions_hf/*_questions.csv, "
        "data/questions_hf/*_questions.json, data/prompts/*_prompts.csv; name the repository that does"
    )


def test_messages_for_revisions_that_are_no_pin(hub, hub_cache):
    repository = hub.repository(REPO)
    commit = repository.commit(files_of(VALID))
    assert message(hub.url, None) == (
        "Hub dataset org/blend-data: no revision; write org/blend-data@ and a tag (it has none) or a commit"
    )
    assert message(hub.url, "main") == (
        "Hub dataset org/blend-data: revision 'main' is a branch and can change; "
        f"pin the commit that it names now, {commit}, or a tag (it has none)"
    )


def message(endpoint: str, revision: str | None, *, repo_id: str = REPO, timeout_s: float = 30) -> str:
    with pytest.raises(BlendError) as caught:
        fetch_dataset(repo_id, revision, patterns=HUB_PATTERNS, endpoint=endpoint, timeout_s=timeout_s)
    return str(caught.value)


@pytest.mark.nightly
def test_a_release_is_built_from_a_repository_without_a_recipe(hub, tmp_path):
    # The public repository keeps the files under data/, beside much that is not wanted.
    beside = {"README.md": b"# BLEnD", "data/annotations_hf/KR.json": b"{}"}
    repository = hub.repository(REPO)
    commit = repository.commit(files_of(VALID, "data/") | beside)
    repository.tags["v1.0"] = commit
    env = {**os.environ, "HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path), "NO_PROXY": "127.0.0.1"}
    build = [sys.executable, "-m", "blend", "build", "--out", str(tmp_path / "release"), "--blend"]
    run = subprocess.run([*build, f"{REPO}@v1.0"], env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    (source,) = read_manifest(tmp_path / "release").sources
    here = load_source(Source(kind="blend", location=str(VALID))).info
    assert (source.location, source.revision, source.sha256) == (REPO, commit, here.sha256)
    fetched = {request.partition(f"/resolve/{commit}/")[2] for request in hub.requests} - {""}
    assert fetched == {f"data/{file.path}" for file in here.files}
    run = subprocess.run([*build, f"{REPO}@main"], env=env, capture_output=True, text=True)
    assert run.returncode == 1
    assert "'main'" in run.stderr.splitlines()[-1]
