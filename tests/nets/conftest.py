"""Releases of the nets, and ``--record``, with which a net records what it would otherwise compare."""

from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nets.commands import blend
from nets.records import differences, read_record, write_record

if TYPE_CHECKING:
    from conftest import Once

SHOWN = 20
"""Differences that a message shows at most."""

NETS = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", action="store_true", help="record nets anew; compares nothing")


@pytest.fixture
def hold(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Fail where something is not as recorded; with ``--record``, record it and compare nothing.

    It takes the name of the net, the file of the record and what there is now, and perhaps a function that
    tells two of its values apart better than `differences`.
    """
    recording = request.config.getoption("--record", default=False)

    def held(name: str, file: Path, now: Any, compare: Callable[[Any, Any], list[str]] = differences) -> None:
        if recording:
            # What is as recorded stays as it is, to the digits that depend on the processor.
            if not file.exists() or differences(read_record(file), now):
                write_record(file, now)
            return
        if not file.exists():
            pytest.fail(f"{name}: nothing is recorded in {file.name}; tests/nets/README.md says how to record")
        found = compare(read_record(file), now)
        if found:
            more = [f"… and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
            lines = [f"{name} is not as recorded in tests/nets:", *found[:SHOWN], *more]
            pytest.fail("\n  ".join(lines), pytrace=False)

    return held


@pytest.fixture
def hold_text(request: pytest.FixtureRequest) -> Callable[[str, Path, str], None]:
    """The same of a text, line by line."""
    recording = request.config.getoption("--record", default=False)

    def held(name: str, file: Path, now: str) -> None:
        if recording:
            file.write_text(now, encoding="utf-8")
        recorded = file.read_text(encoding="utf-8") if file.exists() else ""
        if now != recorded:
            lines = unified_diff(
                recorded.splitlines(), now.splitlines(), f"recorded {file.name}", "now", n=1, lineterm=""
            )
            pytest.fail("\n".join([f"{name} is not as recorded in tests/nets:", *lines]), pytrace=False)

    return held


@pytest.fixture(scope="session")
def food_release(once: "Once", shared: Path) -> Path:
    """Dishes and ingredients of the snapshot of Wikidata, in default mode."""
    snapshot = shared / "data" / "wikidata" / "food_snapshot.nt.gz"
    return once.path("nets-food", lambda out: blend("build", "--food", snapshot, "--out", out))


@pytest.fixture(scope="session")
def culture_release(once: "Once") -> Path:
    """A culture of its own with responses, reviews, verdicts, decisions and all rungs."""
    recipe = NETS / "culture" / "recipe.toml"
    return once.path("nets-culture", lambda out: blend("build", recipe, "--out", out))


@pytest.fixture(scope="session")
def cultural_release(once: "Once", shared: Path) -> Path:
    """The published topics and templates for readers of all nationalities, in default mode."""
    recipe = NETS / "cultural_prompts" / "recipe.toml"
    topics = f"extrinsic={shared / 'data' / 'extrinsic'}"
    return once.path(
        "nets-cultural-prompts", lambda out: blend("build", recipe, "--source-path", topics, "--out", out)
    )
