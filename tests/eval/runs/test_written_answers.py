"""Written answers: what was thought is told from what was said, whichever tool kept it."""

from typing import Any

import polars as pl
import pytest

from blend.eval.models.protocols import ModelDescription
from blend.eval.runs.answers import ANSWERS, as_scored, says_nothing
from blend.eval.runs.run_description import AskedRelease, RecordedAnswers, RunDescription


def run_of(backend: str = "transformers", *, chat: bool = True, **further: Any) -> RunDescription:
    recorded = RecordedAnswers(id="m", file="answers.csv", sha256="0")
    asked = ModelDescription(backend="server", id="m", chat=chat, delimiter="")
    return RunDescription(
        sdk_version="0",
        release=AskedRelease(name="r", version="1.0.0", tables={}),
        task="short-answer",
        options={},
        kind="text",
        n_items=1,
        prompts={},
        model=recorded if backend == "recorded" else asked.model_copy(update={"backend": backend}),
        decoding=None,
        **further,
    )


def answers_of(*texts: str | None, **columns: Any) -> pl.DataFrame:
    rows = pl.DataFrame({"text": texts}, schema={"text": pl.String}).with_columns(
        **{name: pl.Series(values, dtype=ANSWERS[name]) for name, values in columns.items()}
    )
    absent = [pl.lit(None, dtype).alias(name) for name, dtype in ANSWERS.items() if name not in rows.columns]
    return rows.with_columns(absent).select(list(ANSWERS))


def scored(answers: pl.DataFrame, run: RunDescription | None = None) -> list[tuple[Any, ...]]:
    return as_scored(answers, run or run_of()).select("text", "thought").rows()


def test_thoughts_in_texts_of_other_tools_are_told_apart():
    texts = ["<think>popcorn</think>Nachos", "<think>Maybe popcorn? But the", "Nachos", None]
    wanted = [("Nachos", "popcorn"), ("", "Maybe popcorn? But the"), ("Nachos", None), (None, None)]
    assert scored(answers_of(*texts)) == wanted
    assert scored(answers_of(*texts), run_of("recorded")) == wanted


def test_what_was_told_apart_before_stays_so():
    answers = answers_of("Nachos", "<think>a</think>Nachos", thought=["popcorn", "popcorn"])
    assert scored(answers) == [("Nachos", "popcorn"), ("Nachos", "popcorn\na")]
    assert scored(as_scored(answers, run_of())) == scored(answers)


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
    answers = answers_of("Nachos and", "Nachos", None, finish_reason=["length", "stop", "error"])
    assert scored(answers, run_of(backend, chat=chat)) == [
        ("Nachos and" if counts else "", None),
        ("Nachos", None),
        (None, None),
    ]


@pytest.mark.parametrize(("backend", "chat"), [("server", True), ("server", False), ("recorded", True)])
def test_what_a_content_filter_stopped_is_unanswered(backend: str, chat: bool):
    answers = answers_of("A", "", "A", finish_reason=["content_filter", "content_filter", "stop"])
    assert scored(answers, run_of(backend, chat=chat)) == [("", None), ("", None), ("A", None)]


def test_what_says_nothing():
    answers = as_scored(answers_of("", " \n", "<think>a</think> ", "<think>a", "a", None), run_of())
    assert answers.select(says_nothing("text")).to_series().to_list() == [True] * 4 + [False, None]
