"""Written answers: what was thought is told from what was said, whichever tool kept it."""

from typing import Any

import polars as pl
import pytest

from blend.eval.runs.answers import WRITTEN, as_scored, says_nothing
from blend.eval.runs.run_description import AskedRelease, RunDescription

Row = tuple[str | None, str | None, str | None]
"""Text, thought and finish reason."""


def run_of(backend: str = "transformers", *, chat: bool = True) -> RunDescription:
    described = {"backend": backend, "id": "m"}
    described |= {"file": "a.csv", "sha256": "0"} if backend == "recorded" else {"chat": chat, "delimiter": ""}
    release = AskedRelease(name="r", version="1.0.0", tables={})
    asked: dict[str, Any] = {"task": "short-answer", "options": {}, "kind": "text", "n_items": 1, "prompts": {}}
    return RunDescription(sdk_version="0", release=release, model=described, decoding=None, **asked)


def scored(*rows: Row, run: RunDescription | None = None) -> list[tuple[str | None, str | None]]:
    """Texts and thoughts as they are scored."""
    answers = pl.DataFrame(rows, dict.fromkeys(WRITTEN, pl.String), orient="row")
    found = as_scored(answers, run or run_of())
    # Once more changes nothing.
    assert as_scored(found, run or run_of()).equals(found)
    return found.select("text", "thought").rows()


@pytest.mark.parametrize("backend", ["transformers", "recorded"])
@pytest.mark.parametrize(
    ("row", "found"),
    [
        (("<think>popcorn</think>Nachos", None, None), ("Nachos", "popcorn")),
        (("<think>Maybe popcorn? But the", None, None), ("", "Maybe popcorn? But the")),
        (("Nachos", None, None), ("Nachos", None)),
        ((None, None, "error"), (None, None)),
        # What was told apart before stays so.
        (("Nachos", "popcorn", "stop"), ("Nachos", "popcorn")),
        (("<think>a</think>Nachos", "popcorn", "stop"), ("Nachos", "popcorn\na")),
        # What a content filter stopped is unanswered.
        (("A", None, "content_filter"), ("", None)),
        (("", None, "content_filter"), ("", None)),
    ],
)
def test_what_is_said_is_told_from_what_is_thought(backend: str, row: Row, found: Row):
    assert scored(row, run=run_of(backend)) == [found]


@pytest.mark.parametrize(
    ("backend", "chat", "counts"),
    [
        ("transformers", True, False),
        ("server", True, False),
        ("python", False, False),
        ("transformers", False, True),
        ("server", False, True),
        ("recorded", True, False),
    ],
)
def test_a_text_that_was_cut_counts_where_a_model_never_ends_by_itself(backend: str, chat: bool, counts: bool):
    cut: Row = ("Nachos and", None, "length")
    assert scored(cut, run=run_of(backend, chat=chat)) == [("Nachos and" if counts else "", None)]


def test_what_says_nothing():
    texts = [
        text for text, _ in scored(*((text, None, None) for text in ("", " \n", "<think>a</think> ", "a")))
    ]
    found = pl.DataFrame({"text": [*texts, None]}).select(says_nothing("text"))
    assert found.to_series().to_list() == [True, True, True, False, None]
