"""What all tests share: the real data beside the checkout, what is dear to make, homes of their own for caches.

Look here before you build a release or parse the published data in a test. What several modules need and
nobody changes is made once per run, also when xdist runs the tests in several processes: `sample_release`,
`mini_release`, `rungs_release`, `regions_release`, `paper_release`, `raw_tables`, `clean_tables`. More of the
kind is a fixture of a few lines, with `once`. A test that changes a release copies it first. CONTRIBUTING.md
says which marks make which tests run when.
"""

import os
import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import hypothesis
import pytest
from filelock import FileLock

if TYPE_CHECKING:
    from blend.loaders.upstream.blend import BlendTables
    from helpers.hub.hub_server import Hub

pytest_plugins = [
    "helpers.label_studio.studio_fixtures",
    "helpers.wikidata.wikidata_fixtures",
]

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[1]

# Set before any test imports huggingface_hub, which reads them once.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
# No release passes here because it has passed before; the test of that sets a folder.
os.environ["HF_ASSETS_CACHE"] = os.devnull
# Otherwise datasets imports torch in every process that streams, a second or two; no test reads tensors.
os.environ.setdefault("USE_TORCH", "0")

# No property depends on how fast the machine is. The profile says how many examples are tried, and `examples`
# scales by it what a test asks for; `make check` and `make nightly` choose theirs by --hypothesis-profile.
for profile, max_examples in {"check": 15, "test": 20, "nightly": 300}.items():
    hypothesis.settings.register_profile(
        profile,
        deadline=None,
        max_examples=max_examples,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
hypothesis.settings.load_profile("test")


NIGHTLY_FIXTURES = {"label_studio", "chromium"}
"""Fixtures whose tests `make test` leaves out, as setting up what they need takes minutes."""

LANDING_FIXTURES = {"regions_release", "regions_release_again", "paper_release"}
"""Fixtures whose tests run before a landing: making a release of 16 regions takes ten seconds."""

SLOW_FIXTURES = {"one_thread", "once"}
"""Fixtures whose tests `make check` leaves out: importing torch, or a release, takes each process seconds."""


@pytest.hookimpl(tryfirst=True)  # before those that were not asked for are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need Label Studio, the browser, torch or a release, by the fixtures they ask for.

    Tests with real servers run once more when they ran out of time. Of a test marked ``sampled``, all
    parameters but the first are nightly. What is marked ``landing`` runs there, whatever else it is marked.
    """
    begun = set()
    for item in items:
        if item.get_closest_marker("sampled"):
            name = item.nodeid.partition("[")[0]
            if name in begun:
                item.own_markers = [mark for mark in item.own_markers if mark.name != "landing"]
                item.add_marker("nightly")
            begun.add(name)
        asked = set(getattr(item, "fixturenames", ()))
        if asked & NIGHTLY_FIXTURES:
            item.add_marker("integration")
            item.add_marker("nightly")
        if asked & LANDING_FIXTURES and not item.get_closest_marker("nightly"):
            item.add_marker("landing")
        if asked & SLOW_FIXTURES:
            item.add_marker("slow")
        if item.get_closest_marker("integration"):
            # Servers and browsers on a busy machine can keep a test waiting for too long. These alone: whether
            # a test has run already is asked of another process, which takes 20 ms.
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun="Timeout"))


def absent(part: str) -> NoReturn:
    """Skip for want of an optional part of the machine; with BLEND_REQUIRE_ALL=1 (CI) fail instead."""
    if os.environ.get("BLEND_REQUIRE_ALL") == "1":
        pytest.fail(f"{part} is required here")
    pytest.skip(f"{part} is not here")


@pytest.fixture(scope="session")
def missing() -> Callable[[str], None]:
    """Call it with the name of an optional part that is not here; see `absent`."""
    return absent


@pytest.fixture(scope="session")
def chromium(missing: Callable[[str], None]) -> str:
    """The real browser."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        missing("the browser chromium")
    return str(found)


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and golden results; see tests/helpers/published.py."""
    from helpers.published import NOT_FETCHED, asked_to_fetch, shared_folder

    folder = shared_folder()
    if not folder.is_dir():
        if asked_to_fetch():  # Where data are fetched, nobody can have the rest, whatever else is required.
            pytest.skip(f"{NOT_FETCHED} is not here")
        absent(NOT_FETCHED)
    return folder


@pytest.fixture(scope="session")
def blend_data() -> Path:
    """The published data of BLEnD's 16 regions, from ``shared/`` or fetched."""
    from helpers.published import Unavailable, fetched_blend, shared_folder

    if (folder := shared_folder() / "data" / "blend").is_dir():
        return folder
    try:
        return fetched_blend()
    except Unavailable as error:
        return absent(str(error))


@pytest.fixture(scope="session")
def golden(shared: Path) -> Path:
    """Results expected on the published data."""
    return shared / "golden" / "blend"


@pytest.fixture
def hub(tmp_path: Path) -> "Iterator[Hub]":
    """A running Hub of the test's own, without repositories; see tests/helpers/hub/hub_server.py."""
    from helpers.hub.hub_server import Hub

    with Hub(tmp_path / "hub").serving() as hub:
        yield hub


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own for the Hub client in this process."""
    from huggingface_hub import constants

    cache = tmp_path / "hub-cache"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    return cache


class Once:
    """Makes things once per run, whichever process needs them first; the others wait for it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, name: str, make: Callable[[Path], object]) -> Path:
        """The file or directory ``name``, which ``make`` has written to the path that it is given."""
        self._folder.mkdir(exist_ok=True)
        made, unfinished = self._folder / name, self._folder / f"{name}.unfinished" / name
        with FileLock(self._folder / f"{name}.lock"):
            if not made.exists():
                # A path of the same name: what is made may hold its own name.
                unfinished.parent.mkdir()
                make(unfinished)
                unfinished.rename(made)
        return made

    def value(self, name: str, make: Callable[[], T]) -> T:
        """What ``make`` returns; each process gets a copy of its own."""
        path = self.path(f"{name}.pickle", lambda path: path.write_bytes(pickle.dumps(make())))
        value: T = pickle.loads(path.read_bytes())
        return value


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Makes what tests share, once per run; see `Once`."""
    # The folder of the run: below it, xdist gives each of its processes a folder of its own. Not by xdist's
    # variable, which a run inherits that a test starts.
    own = tmp_path_factory.getbasetemp()
    return Once((own.parent if own.name.startswith("popen-") else own) / "made-once")


@pytest.fixture(scope="session")
def sample_release(once: Once) -> Path:
    """The release of the embedded sample, as ``blend build`` makes it; not to be changed."""
    from blend.builders.release import build_release
    from blend.loaders.recipes import sample_recipe

    return once.path("sample", lambda out: build_release(sample_recipe(), out))


@pytest.fixture(scope="session")
def mini_release(once: Once) -> Path:
    """The release of four locales of the sample, for tests that need any; not to be changed."""
    from blend.builders.release import build_release
    from helpers.mini_release import mini_recipe

    return once.path("mini", lambda out: build_release(mini_recipe(), out))


@pytest.fixture(scope="session")
def rungs_release(once: Once) -> Path:
    """The same with all rungs; not to be changed."""
    from blend.builders.release import build_release
    from helpers.mini_release import mini_recipe

    mcq = mini_recipe().mcq.model_copy(update={"rungs": True})
    return once.path("mini-rungs", lambda out: build_release(mini_recipe(mcq=mcq), out))


@pytest.fixture(scope="session")
def command_release(once: Once, blend_data: Path) -> Callable[..., Path]:
    """Makes a release of the 16 published regions by the command, under a name; not to be changed."""
    from nets.commands import blend

    def made(name: str, *options: str, **environment: str) -> Path:
        build = ("build", "--blend", blend_data, *options)
        return once.path(name, lambda out: blend(*build, "--out", out, **environment))

    return made


@pytest.fixture(scope="session")
def regions_release(command_release: Callable[..., Path]) -> Path:
    return command_release("regions", PYTHONHASHSEED="1")


@pytest.fixture(scope="session")
def regions_release_again(command_release: Callable[..., Path]) -> Path:
    """The same, made by another process with another hash seed in another time zone."""
    return command_release("regions-again", PYTHONHASHSEED="2", TZ="Asia/Seoul")


@pytest.fixture(scope="session")
def paper_release(command_release: Callable[..., Path]) -> Path:
    """The same in paper mode."""
    return command_release("paper", "--mcq-mode", "paper")


@pytest.fixture(scope="session")
def raw_tables(once: Once, blend_data: Path) -> "BlendTables":
    """The published data of 16 regions, texts exactly as published."""
    from blend.loaders.upstream.blend import read_blend

    return once.value("raw-tables", lambda: read_blend(blend_data, clean=False))


@pytest.fixture(scope="session")
def clean_tables(once: Once, blend_data: Path) -> "BlendTables":
    """The published data of 16 regions, texts tidied."""
    from blend.loaders.upstream.blend import read_blend

    return once.value("clean-tables", lambda: read_blend(blend_data))
