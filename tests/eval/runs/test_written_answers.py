"""Written answers: what was thought is told from what was said, whichever version or tool kept it."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.models.protocols import ModelDescription
from blend.eval.runs.answer_files import ANSWERS, PARQUET, AnswerReader, read_answers
from blend.eval.runs.run_description import AskedRelease, RecordedAnswers, RunDescription
from blend.eval.runs.written_answers import as_scored, count_texts, says_nothing


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


def test_thoughts_in_texts_of_earlier_runs_and_of_other_tools_are_told_apart():
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


def test_texts_are_counted_by_why_they_are_unanswered():
    texts = ["a</think>b", "c", "c", "<think>d", "", "e", "f", "", None, "g"]
    ends = ["stop", "stop", None, "stop", "stop", "length", *["content_filter"] * 2, "error", "stop"]
    answers = answers_of(*texts, finish_reason=ends, thought=[*[None] * 9, "told apart"])
    assert count_texts([answers[:4], answers[4:]], run_of()) == (9, 2, 1, 2)
    # Where cut texts are read, "e" and "f" are thoughts that do not end like others without a mark.
    assert count_texts([answers], run_of(), cut_is_read=True) == (9, 1, 1, 4)
    assert count_texts([answers], run_of()).begun
    assert not count_texts([answers.slice(1)], run_of()).begun


@pytest.mark.parametrize(
    ("text", "finish_reason", "said"),
    [
        ('{"answer_choice": "B"}', None, True),
        ('```json\n{"answer_choice": "B"}\n```', "stop", True),
        ('{"answer_choice": "B"', "stop", False),
        ('So {"answer_choice": "B"}', "stop", False),
        ("B", "stop", True),
        ("B", "tool_calls", True),
        ("B", "length", False),
        ("B", None, False),
        ("B because", "stop", False),
    ],
)
def test_a_text_that_is_nothing_but_what_was_asked_for_is_no_thought(
    text: str, finish_reason: str | None, said: bool
):
    answers = answers_of("popcorn</think>Nachos", text, finish_reason=["stop", finish_reason])
    assert scored(answers, run_of("recorded"))[1][0] == (text if said else "")


def test_where_the_template_begins_every_thought_a_text_without_a_mark_is_one():
    # Nine texts end a thought that they have not begun; the tenth was cut in it.
    texts = ["popcorn</think>Nachos"] * 9 + ["Maybe popcorn? But the"]
    assert scored(answers_of(*texts))[-1] == ("", "Maybe popcorn? But the")
    # One stray mark among eleven texts says nothing of the others.
    assert scored(answers_of(*["Nachos"] * 10, "a</think>b"))[0] == ("Nachos", None)
    # What a server has told apart is no thought.
    assert scored(answers_of(*texts, thought=[*[None] * 9, "popcorn"]))[-1] == (
        "Maybe popcorn? But the",
        "popcorn",
    )


def test_further_marks_of_a_run():
    answers = answers_of("⟦popcorn⟧Nachos")
    assert scored(answers) == [("⟦popcorn⟧Nachos", None)]
    assert scored(answers, run_of(thought_marks=(("⟦", "⟧"),))) == [("Nachos", "popcorn")]


def test_what_says_nothing():
    answers = as_scored(answers_of("", " \n", "<think>a</think> ", "<think>a", "a", None), run_of())
    assert answers.select(says_nothing("text")).to_series().to_list() == [True] * 4 + [False, None]


def test_answers_of_earlier_versions_are_read_without_thoughts(tmp_path: Path):
    rows = answers_of("Nachos").with_columns(item_id=pl.lit("a"))
    rows.drop("thought").write_parquet(tmp_path / PARQUET)
    line = {"item_id": "b", "text": "Rice", "finish_reason": "stop"}
    (tmp_path / "journal.jsonl").write_text(json.dumps(line) + "\n")
    read = read_answers(tmp_path).sort("item_id")
    assert read.columns == list(ANSWERS)
    assert read.select("item_id", "text", "thought").rows() == [("a", "Nachos", None), ("b", "Rice", None)]
    columns = ("item_id", "text", "thought", "error")
    some = AnswerReader(tmp_path).of(pl.DataFrame({"item_id": ["a", "b"]}), *columns)
    assert some.sort("item_id").rows() == [("a", "Nachos", None, None), ("b", "Rice", None, None)]
