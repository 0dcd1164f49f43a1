"""Pulling a release from a Hub: byte for byte, whole or not at all."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blend.loaders.releases.references import pull_release
from blend.schemas.errors import BlendError
from blend.schemas.manifest import ReleaseManifest
from helpers.hub.hub_releases import altered, digests, make_release
from helpers.hub.hub_server import Hub
from helpers.hub.hub_store import Repository

pytestmark = [pytest.mark.integration, pytest.mark.landing]

REPO = "org/blend"
Pull = Callable[..., ReleaseManifest]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_release(tmp_path_factory.mktemp("releases") / "release", "1.0.0")


@pytest.fixture
def repository(hub: Hub, release: Path) -> Repository:
    """The release as version 1.0.0, its tables as large files, beside a file of the Hub's own."""
    repository = hub.store.create(REPO, private=False, author="alice")
    files = dict(repository.files())
    for path, sha256 in digests(release).items():
        content = (release / path).read_bytes()
        if path.endswith(".parquet"):
            hub.store.large_path(sha256).write_bytes(content)
            files[path] = hub.store.large_entry(sha256, len(content))
        else:
            files[path] = hub.store.keep_regular(content)
    repository.tags["v1.0.0"] = repository.add_commit(files)
    return repository


@pytest.fixture
def pull(hub: Hub, hub_cache: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Pull:
    monkeypatch.delenv("HF_TOKEN", raising=False)

    def pull(reference: str, out: Path) -> ReleaseManifest:
        return pull_release(reference, out, endpoint=hub.url)

    return pull


def refusal(pull: Pull, reference: str, out: Path) -> str:
    with pytest.raises(BlendError) as caught:
        pull(reference, out)
    return str(caught.value)


def test_it_comes_back_byte_for_byte(pull: Pull, release: Path, tmp_path: Path, repository: Repository):
    assert pull(f"{REPO}@v1.0.0", tmp_path / "back").version == "1.0.0"
    assert digests(tmp_path / "back") == digests(release)
    assert not any(path.is_symlink() for path in (tmp_path / "back").rglob("*"))
    commit = repository.tags["v1.0.0"]
    pull(f"{REPO}@{commit}", tmp_path / "by commit")
    assert digests(tmp_path / "by commit") == digests(release)


def test_a_connection_that_breaks_in_the_middle_of_a_file(hub: Hub, pull: Pull, release: Path, tmp_path: Path):
    faults = [hub.fail("GET /large/.*", drop_after=1000), hub.fail("GET /large/.*", status=503, skip=2)]
    pull(f"{REPO}@v1.0.0", tmp_path / "back")
    assert [fault.struck for fault in faults] == [1, 1]
    assert digests(tmp_path / "back") == digests(release)


def test_messages(hub: Hub, pull: Pull, tmp_path: Path):
    assert refusal(pull, "blend", tmp_path / "back") == (
        "blend: names no release on the Hub; write org/name@v1.0.0"
    )
    assert refusal(pull, str(tmp_path), tmp_path / "back") == (
        f"{tmp_path}: names no release on the Hub; write org/name@v1.0.0"
    )
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    assert refusal(pull, f"{REPO}@v1.0.0", mine) == (
        f"{mine}: holds 'thesis.txt' and is not a release, so nothing is written there; "
        "choose another `out` or empty it yourself"
    )
    assert (mine / "thesis.txt").exists()
    assert "v1.0.0" in refusal(pull, REPO, tmp_path / "back")
    assert "v1.0.0" in refusal(pull, f"{REPO}@main", tmp_path / "back")


def test_a_manifest_from_elsewhere_writes_nothing_elsewhere(
    hub: Hub, pull: Pull, repository: Repository, tmp_path: Path
):
    manifest = json.loads(repository.content("release.json"))
    manifest["files"] = [{**manifest["files"][0], "path": "../../blobs/escaped"}]
    edited = repository.edit({"release.json": json.dumps(manifest).encode()})
    assert refusal(pull, f"{REPO}@{edited}", tmp_path / "back") == (
        "release.json of blend-sample 1.0.0 names the path '../../blobs/escaped', which leads out of the "
        "release; do not use it, and tell who publishes it"
    )
    assert not (tmp_path / "back").exists()
    assert not list(tmp_path.rglob("escaped"))


def test_a_table_that_would_fill_the_memory_is_not_pulled(
    hub: Hub, pull: Pull, release: Path, repository: Repository, tmp_path: Path
):
    name = "data/annotations/KR-00000.parquet"

    def swollen(content: bytes) -> bytes:
        rows, file = pq.read_table(io.BytesIO(content)), io.BytesIO()
        text = pa.array(["x" * 280_000_000] + [""] * (len(rows) - 1))
        rows = rows.set_column(rows.column_names.index("en_question"), "en_question", text)
        pq.write_table(rows, file, compression="zstd", write_statistics=False)
        return file.getvalue()

    bomb = altered(release, tmp_path / "bomb", name, swollen)
    edited = repository.edit({path: (bomb / path).read_bytes() for path in (name, "release.json")})
    refused = refusal(pull, f"{REPO}@{edited}", tmp_path / "back")
    size = (bomb / name).stat().st_size
    assert size < 100_000
    assert re.search(
        rf"/{name}: {size:,} bytes that unpack to [\d,]+ or more, and more than 268,435,456 is not read "
        r"of a file of this size; do not use it, and tell who made it$",
        refused,
    )
    assert not (tmp_path / "back").exists()
