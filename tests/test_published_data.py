"""Published data that tests fetch: by commit and digest, when asked to, from a server of the test's own."""

import hashlib
import io
import tarfile
from collections.abc import Iterator, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from helpers.published import BLEND, Published, Unavailable, digest
from helpers.served import served

FILES = {"annotations/UK_data.json": b"{}\n", "questions/UK_questions.csv": b"ID\n"}
LISTED = "".join(f"{hashlib.sha256(content).hexdigest()}  {path}\n" for path, content in FILES.items())
SHA256 = hashlib.sha256(LISTED.encode()).hexdigest()
SMALL = Published("small", "someone/small", "0" * 40, ("annotations", "questions"), SHA256)
ELSEWHERE = {"README.md": b"code", "evaluation/data/annotations/x.py": b"code", "data/other/x.csv": b"x"}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Keep the test's output clean."""


@pytest.fixture
def github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that is served in place of GitHub; the cache is empty, and ``shared/`` is not there."""
    (tmp_path / "github").mkdir()
    monkeypatch.setenv("BLEND_TEST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("BLEND_SHARED", str(tmp_path / "nothing"))
    monkeypatch.setenv("BLEND_FETCH", "1")
    handler = partial(Quiet, directory=str(tmp_path / "github"))
    with served(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as url:
        monkeypatch.setenv("BLEND_FETCH_FROM", url)
        yield tmp_path / "github"


def archive(github: Path, source: Published, files: Mapping[str, bytes]) -> Path:
    """An archive as GitHub makes it: a folder with everything, code and other data too."""
    path = github / source.repository / "tar.gz" / source.commit
    path.parent.mkdir(parents=True)
    with tarfile.open(path, "w:gz") as tar:
        for name, content in {**{f"data/{name}": files[name] for name in files}, **ELSEWHERE}.items():
            member = tarfile.TarInfo(f"{source.repository.partition('/')[2]}-{source.commit}/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def test_what_is_wanted_is_fetched_once(github: Path, monkeypatch: pytest.MonkeyPatch):
    served_file = archive(github, SMALL, FILES)
    folder = SMALL.fetched()
    assert {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.glob("*/*")} == FILES
    served_file.unlink()
    monkeypatch.delenv("BLEND_FETCH")
    assert SMALL.fetched() == folder
    (folder / "annotations/UK_data.json").write_bytes(b"{ }\n")
    with pytest.raises(ValueError, match=f"{folder}: these are not the files of github.com/someone/small"):
        SMALL.fetched()


def test_other_content_is_refused(github: Path, tmp_path: Path):
    archive(github, SMALL, {**FILES, "questions/UK_questions.csv": b"ID,Topic\n"})
    with pytest.raises(ValueError, match=f"their digest is [0-9a-f]{{64}}, not {SHA256}; remove the folder"):
        SMALL.fetched()
    assert not (tmp_path / "cache" / f"small-{SMALL.commit}").exists()


def test_why_it_cannot_be_had(github: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(
        Unavailable, match=r"^small \(http://.*/tar.gz/0{40}: HTTP Error 404: File not found\)$"
    ):
        SMALL.fetched()
    archive(github, SMALL, FILES).write_text("<html>Sign in to this network</html>")
    with pytest.raises(Unavailable, match=r"^small \(http://.*: not a gzip file\)$"):
        SMALL.fetched()
    monkeypatch.setenv("BLEND_FETCH_FROM", "http://127.0.0.1:1")
    with pytest.raises(Unavailable, match="Connection refused"):
        SMALL.fetched()
    monkeypatch.delenv("BLEND_FETCH")
    with pytest.raises(Unavailable, match=r"^small \(github.com/someone/small; BLEND_FETCH=1 fetches it\)$"):
        SMALL.fetched()


@pytest.mark.landing
@pytest.mark.integration
def test_the_real_data(shared: Path, github: Path):
    real = shared / "data" / "blend"
    assert digest(real, BLEND.folders) == BLEND.sha256
    archive(github, BLEND, {path.relative_to(real).as_posix(): path.read_bytes() for path in real.glob("*/*")})
    assert digest(BLEND.fetched(), BLEND.folders) == BLEND.sha256


TO_FETCH = "BLEnD (github.com/nlee0212/BLEnD; BLEND_FETCH=1 fetches it) is not here"
USING_THEM = (
    "tests/schemas/test_articles.py::test_the_names_of_the_published_data",  # FmLAMA's
    "tests/schemas/test_locales.py::test_upstream_names_are_the_file_names",  # BLEnD's
)
NOT_FOUND = "HTTP Error 404: File not found) is required here"
