"""A reader in a process of its own: loads a revision with plain ``datasets``, and validates it.

It answers one JSON line per question, so that many questions cost one start of the interpreter.
"""

import functools
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self


class Reader:
    """A process that reads from a Hub."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **environment},
        )

    def read(self, repo_id: str, revision: str, commit: str) -> dict[str, Any]:
        """Rows by configuration and split at a revision, and what validation of the commit says."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([repo_id, revision, commit]) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.communicate()


# What a commit holds never changes: the same revision at the same commit is read once.
@functools.cache
def _answer(repo_id: str, revision: str, commit: str) -> dict[str, Any]:
    import datasets

    configs = datasets.get_dataset_config_names(repo_id, revision=revision)
    rows = {
        config: {
            split: loaded.num_rows
            for split, loaded in datasets.load_dataset(repo_id, config, revision=revision).items()
        }
        for config in configs
    }
    return {"rows": rows, "problems": _problems(repo_id, commit)}


@functools.cache
def _problems(repo_id: str, commit: str) -> list[str]:
    from blend.builders.validate import validate_release
    from blend.loaders.releases.references import fetch_release

    report = validate_release(fetch_release(repo_id, commit))
    return [str(problem) for check in report.checks for problem in check.examples if problem.level == "error"]


if __name__ == "__main__":
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        try:
            answer = _answer(*json.loads(line))
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)
