"""BLEnD's files from a Hub repository, by the real Hub client over HTTP."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from blend.loaders.hub import fetch_dataset
from blend.loaders.recipes.sources import load_source
from blend.loaders.releases import read_manifest
from blend.loaders.upstream.blend import HUB_PATTERNS
from blend.schemas.recipe import Source
from helpers.messages import wrong

pytestmark = pytest.mark.integration

VALID = Path(__file__).parents[1] / "loaders" / "valid" / "blend"
REPO = "org/blend-data"


def test_message_for_a_repository_without_blend_files(hub, hub_cache):
    commit = hub.repository(REPO).commit({"README.md": b"empty"})
    fetch = partial(fetch_dataset, patterns=HUB_PATTERNS, endpoint=hub.url, timeout_s=30)
    assert wrong(lambda: fetch(REPO, commit)) == (
        f"Hub dataset org/blend-data: commit {commit} holds no annotations/*_data.json, "
        "questions/*_questions.csv, questions/*_questions.json, annotations_hf/*_data.json, "
        "questions_hf/*_questions.csv, questions_hf/*_questions.json, prompts/*_prompts.csv, "
        "data/annotations/*_data.json, data/questions/*_questions.csv, data/questions/*_questions.json, "
        "data/annotations_hf/*_data.json, data/questions_hf/*_questions.csv, "
        "data/questions_hf/*_questions.json, data/prompts/*_prompts.csv; name the repository that does"
    )


@pytest.mark.nightly
def test_a_release_is_built_from_a_repository_without_a_recipe(hub, tmp_path):
    # The public repository keeps the files under data/, beside much that is not wanted.
    beside = {"README.md": b"# BLEnD", "data/annotations_hf/KR.json": b"{}"}
    repository = hub.repository(REPO)
    files = {f"data/{path.relative_to(VALID).as_posix()}": path for path in VALID.rglob("*") if path.is_file()}
    commit = repository.commit({name: path.read_bytes() for name, path in files.items()} | beside)
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
