"""The option ``--record``, with which a net records what it would otherwise compare."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nets.records import differences, read_record, write_record

SHOWN = 20
"""Differences that a message shows at most."""

Compare = Callable[[str, Path, Any], list[str]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", action="store_true", help="record nets anew; compares nothing")


@pytest.fixture
def hold(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Fail where something is not as recorded; with ``--record``, record it and skip.

    It takes the name of the net, the file of the record and what there is now, and perhaps a function that
    tells two of its values apart better than `differences`.
    """
    recording = request.config.getoption("--record", default=False)

    def held(name: str, file: Path, now: Any, compare: Callable[[Any, Any], list[str]] = differences) -> None:
        if recording:
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
