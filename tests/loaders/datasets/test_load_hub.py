"""Loading from the Hub: by real clients over HTTP, from caches good and bad, and as docs/loading.md says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal

import blend
from blend.loaders.datasets import load
from helpers.hub.hub_releases import make_release
from helpers.hub.hub_server import Hub
from helpers.messages import wrong
from helpers.own_process import END_AT_ONCE

pytestmark = [pytest.mark.integration]

REPO = "org/blend"

# What users of the public dataset have written, word for word but for the repository's name.
PUBLIC_CODE = """
import json, sys
from datasets import get_dataset_config_names, load_dataset

repo, options = sys.argv[1], json.loads(sys.argv[2])
annotations = load_dataset(repo, "annotations", **options)
row = annotations["AS"][0]
iran = load_dataset(repo, "multiple-choice-questions", split="test", **options).filter(
    lambda r: r["country"] == "Iran"
)
first = iran[0]
five = load_dataset(repo, "annotations", split="KR[:5]", **options)
stream = load_dataset(repo, "annotations", split="KR", streaming=True, **options)
questions = load_dataset(repo, "short-answer-questions", split="KR", **options)
print(json.dumps({
    "configs": get_dataset_config_names(repo, **options),
    "splits": list(annotations),
    "no-answer": row["idks"]["no-answer"],
    "iran": len(iran),
    "choice": json.loads(first["choices"])[first["answer_idx"]],
    "option": first["options"][first["answer"]],
    "country": json.loads(first["choice_countries"])[first["answer_idx"]],
    "five": five["ID"][:],
    "streamed": [r["ID"] for r in stream.take(5)],
    "answers": five[0]["annotations"][0]["en_answers"],
    "question": [questions[0][column] for column in ("ID", "Topic", "Source", "Question", "Translation")],
}))
"""


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two versions of a release by their tags."""
    folder = tmp_path_factory.mktemp("releases")
    versions = {"1.0.0": ("ko-KR", "en-US", "fa-IR", "es-MX"), "1.1.0": ("ko-KR", "en-US", "fa-IR", "ar-DZ")}
    return {
        f"v{version}": make_release(folder / version, version, locales=locales)
        for version, locales in versions.items()
    }


@pytest.fixture
def published(
    hub: Hub, hub_cache: Path, datasets_cache: Path, releases: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> Hub:
    """A Hub with both versions, which the clients in this process talk to."""
    from huggingface_hub import constants

    for tag, release in releases.items():
        publish(hub, tag, release)
    monkeypatch.setattr(constants, "ENDPOINT", hub.url)
    template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace("https://huggingface.co", hub.url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return hub


def publish(hub: Hub, tag: str, release: Path) -> str:
    """Put a release into the repository as large and small files, and tag it."""
    repository = hub.repository(REPO)
    files = [path for path in sorted(release.rglob("*")) if path.is_file()]
    commit = repository.commit({path.relative_to(release).as_posix(): path.read_bytes() for path in files})
    repository.tags[tag] = commit
    return commit


def in_a_new_process(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)


def result_of(code: str, *arguments: str, **environment: str) -> Any:
    run = in_a_new_process(code + END_AT_ONCE, *arguments, **environment)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.landing
def test_code_for_the_public_dataset_works_here_and_on_the_hub(hub: Hub, tmp_path: Path):
    locales = ("ko-KR", "fa-IR", "en-US", "es-MX", "am-ET")
    release = make_release(tmp_path / "release", "1.0.0", locales=locales)
    # The sample has nobody from Assam: another region of the same form stands in its place.
    code = PUBLIC_CODE.replace('["AS"]', '["ET"]')
    here = result_of(code, str(release), "{}", HF_HOME=str(tmp_path / "here"), HF_HUB_OFFLINE="1")
    assert here["configs"] == [
        "annotations",
        "short-answer-questions",
        "short-answer-prompts",
        "multiple-choice-questions",
    ]
    assert set(here["splits"]) == {"KR", "IR", "US", "MX", "ET"}
    assert here["no-answer"] >= 0
    assert here["iran"] > 0
    assert here["choice"] == here["option"]
    assert here["country"] == "Iran"
    assert here["five"] == here["streamed"]
    publish(hub, "v1.0.0", release)
    hub.repository(REPO).commit({"README.md": b"main has moved on"})
    options = json.dumps({"revision": "v1.0.0"})
    assert result_of(code, REPO, options, **hub.environment(tmp_path / "home")) == here


@pytest.mark.landing
def test_a_version_is_read_and_nothing_else_is_downloaded(
    published: Hub, releases: dict[str, Path], monkeypatch: pytest.MonkeyPatch
):
    here = releases["v1.1.0"]
    loaded = load(f"{REPO}@v1.1.0", "annotations")
    assert {split: rows.to_list() for split, rows in loaded.items()} == {
        split: rows.to_list() for split, rows in load(here, "annotations").items()
    }
    tables = {f"data/annotations/{split}-00000.parquet" for split in ("KR", "US", "IR", "DZ")}
    contents = [one for one in published.requests if one.startswith("GET") and "/resolve/" in one]
    fetched = {request.partition("/resolve/")[2].partition("/")[2] for request in contents}
    assert fetched == {"release.json", *tables}
    published.requests.clear()
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    # What is in the cache needs no connection, by tag or by commit.
    for revision in ("v1.1.0", published.repository(REPO).tags["v1.1.0"]):
        frame = blend.read_config(f"{REPO}@{revision}", "annotations")
        assert_frame_equal(frame, blend.read_config(here, "annotations"))
    assert published.requests == []
    assert wrong(lambda: load(f"{REPO}@v1.1.0", "multiple-choice-questions")) == (
        "Hub dataset org/blend: HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE forbids to ask the Hub; unset it and "
        "run the same command again"
    )


@pytest.mark.nightly
@pytest.mark.parametrize("how", [{"drop": True}, {"status": 503}], ids=str)
def test_message_for_a_cache_that_is_damaged_while_the_hub_cannot_be_reached(
    published: Hub, hub_cache: Path, monkeypatch: pytest.MonkeyPatch, how: dict[str, Any]
):
    load(f"{REPO}@v1.0.0", "annotations")
    (cached,) = hub_cache.glob("datasets--org--blend/snapshots/*/**/KR-00000.parquet")
    cached.resolve().write_bytes(b"PAR1 damaged PAR1")
    published.fail(".*", times=10_000, **how)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    commit = published.repository(REPO).tags["v1.0.0"]
    told = wrong(lambda: load(f"{REPO}@v1.0.0", "annotations"))
    assert told.startswith(
        f"Hub dataset org/blend, commit {commit}: not whole in the cache (data/annotations/KR-00000.parquet), "
        "and the Hub does not give it again ("
    )
    assert told.endswith("); try again when the Hub can be reached")


@pytest.mark.nightly
def test_the_examples_of_the_page_run_as_they_stand(hub: Hub, root: Path, tmp_path: Path):
    page = (root / "docs" / "loading.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == 7
    locales = ("ko-KR", "en-US", "fa-IR", "su-JB")
    publish(hub, "v1.2.0", make_release(tmp_path / "release", "1.2.0", locales=locales))
    checks = (
        "assert set(iran['locale']) == {'fa-IR'} < set(questions['locale'])",
        "assert json.loads(row_of_iran['choice_countries'])[row_of_iran['answer_idx']] == 'Iran'",
        "assert votes.height > 100 and len(here) and len(there) == len(answers)",
    )
    code = "\n".join(["import os", f"os.chdir({str(tmp_path)!r})", *blocks, "row_of_iran = iran[0]", *checks])
    run = in_a_new_process(code + END_AT_ONCE, **hub.environment(tmp_path / "home"))
    assert run.returncode == 0, run.stderr
