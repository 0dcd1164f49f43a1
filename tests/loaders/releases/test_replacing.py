"""What a build or a pull may replace: the same dataset's release, and nobody's own files."""

import shutil
from pathlib import Path

import pytest

from blend.builders.release import build_release
from blend.loaders.recipes import sample_recipe
from blend.loaders.releases import read_manifest
from blend.loaders.releases.references import held_release, hub_reference, resolve_release
from blend.schemas.errors import BlendError
from helpers.hub.hub_releases import digests
from helpers.messages import wrong

pytestmark = pytest.mark.slow

SAMPLE = sample_recipe().model_copy(update={"locales": ("ko-KR",)})


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("replacing") / "release"
    build_release(SAMPLE, out)
    return out


@pytest.fixture
def out(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "release"))


def test_a_release_of_the_same_name_is_replaced(out: Path):
    build_release(SAMPLE.model_copy(update={"version": "0.2.0"}), out)
    assert read_manifest(out).version == "0.2.0"


@pytest.mark.parametrize(
    "path", ["notes.txt", ".git/HEAD", "data/annotations/mine.parquet", "reports/.hidden", "empty/"]
)
@pytest.mark.parametrize("replace", [False, True])
def test_files_that_are_not_the_releases_are_never_deleted(out: Path, path: str, replace: bool):
    own = out / path
    own.parent.mkdir(exist_ok=True)
    if path.endswith("/"):
        own.mkdir()
    else:
        own.write_text("my own")
    before = digests(out)
    assert wrong(lambda: build_release(SAMPLE, out, replace=replace)) == (
        f"{out}: holds what is not of the release blend-sample 0.1.0 there ({path}), so it is not replaced; "
        "move these files away or choose another `out`"
    )
    assert digests(out) == before
    assert own.exists()


@pytest.mark.parametrize("edit", [b"\nA paragraph of my own.\n", None])
@pytest.mark.parametrize("replace", [False, True])
def test_edits_are_never_lost(out: Path, edit: bytes | None, replace: bool):
    card = out / "README.md"
    content = card.read_bytes()
    # The same length, or longer.
    card.write_bytes(content.swapcase() if edit is None else content + edit)
    before = digests(out)
    assert wrong(lambda: build_release(SAMPLE, out, replace=replace)) == (
        f"{out}: README.md has been edited since the release blend-sample 0.1.0 there was made (release.json "
        "has another sha256), so it is not replaced; copy what you want to keep and delete the edited file, or "
        "choose another `out`"
    )
    assert digests(out) == before


@pytest.mark.nightly
def test_edits_during_the_build_are_not_lost(out: Path):
    def edit(stage: str, done: int, total: int) -> None:
        (out / "README.md").write_text("written while it was built")

    with pytest.raises(BlendError, match=r"README\.md has been edited since the release blend-sample 0\.1\.0"):
        build_release(SAMPLE, out, on_progress=edit)
    assert (out / "README.md").read_text() == "written while it was built"


@pytest.mark.nightly
def test_another_datasets_release_is_replaced_only_on_demand(out: Path):
    other = SAMPLE.model_copy(update={"name": "other"})
    before = digests(out)
    assert wrong(lambda: build_release(other, out)) == (
        f"{out}: holds the release blend-sample 0.1.0, and this one is of other; choose another `out`, or give "
        "`replace=True` to replace it"
    )
    assert digests(out) == before
    build_release(other, out, replace=True)
    assert read_manifest(out).name == "other"


@pytest.mark.parametrize("replace", [False, True])
def test_a_folder_with_somebody_elses_release_json_is_refused(tmp_path: Path, replace: bool):
    out = tmp_path / "web"
    out.mkdir()
    (out / "release.json").write_text('{"branches": ["main"]}', encoding="utf-8")
    assert wrong(lambda: build_release(SAMPLE, out, replace=replace)) == (
        f"{out}: its release.json is not the manifest of a release that this version reads, so nothing here is "
        "replaced; choose another `out` or move the directory away"
    )
    assert (out / "release.json").read_text() == '{"branches": ["main"]}'
    assert len(digests(out)) == 1
    assert held_release(out) is None


# References: what names a release, and what does not.


@pytest.mark.parametrize(
    "text",
    ["", "name", "name@v1.0.0", "./org/name", "/org/name", "a/b/c", "org/name@", "org/name@v1 0", "org/na me"],
)
def test_other_texts_name_no_repository(text: str):
    assert hub_reference(text) is None


def test_a_directory_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    below = tmp_path / "org" / "name"
    below.mkdir(parents=True)
    assert resolve_release(below) == below
    assert resolve_release(str(below)) == below
    # A directory comes before a repository of the same name.
    monkeypatch.chdir(tmp_path)
    assert resolve_release("org/name") == Path("org/name")
