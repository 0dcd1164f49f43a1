"""Answers on disk, of which nothing is lost, and as they are scored: without what was thought."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from blend.eval.judging import JUDGE
from blend.eval.runs import AskedRelease, RunDescription
from blend.eval.runs.answers import (
    RESTORE,
    WRITTEN,
    AnswerFile,
    Answers,
    as_scored,
    says_nothing,
)
from blend.eval.scoring import score_answers
from blend.eval.tasks import TASKS
from blend.schemas.errors import UnknownNameError
from helpers.asking import ask
from helpers.messages import wrong
from helpers.models.own_models import Chooser
from helpers.tiers import rest_nightly

NASTY = st.text(min_size=0, max_size=30) | st.sampled_from(
    ["a\nb", "\u2028\x1c\x85", "\x1b[2J", '"\\', "\ud7ff"]
)


MAIN = "main.jsonl"


@pytest.fixture
def kept(tmp_path: Path) -> Callable[..., pl.DataFrame]:
    """Answers as they are read after they were kept."""

    def kept(*answers: dict[str, object]) -> pl.DataFrame:
        with AnswerFile(tmp_path / MAIN) as file:
            file.append(answers)
        return Answers(tmp_path).read()

    return kept


def answer(n: int, text: str | None = "yes", **more: object) -> dict[str, object]:
    return {"item_id": f"i{n}", "text": text, **more}


@pytest.mark.slow
@given(texts=st.lists(NASTY, min_size=1, max_size=8), cut=st.integers(1, 200))
def test_a_cut_file_holds_every_answer_before_the_cut(tmp_path_factory, texts: list[str], cut: int):
    folder = tmp_path_factory.mktemp("answers")
    with AnswerFile(folder / MAIN) as kept:
        for n, text in enumerate(texts):
            kept.append([answer(n, text)])
    content = (folder / MAIN).read_bytes()
    (folder / MAIN).write_bytes(content[: max(0, len(content) - cut)])
    whole = content[: max(0, len(content) - cut)].count(b"\n")
    assert Answers(folder).read()["text"].to_list() == texts[:whole]
    with AnswerFile(folder / MAIN) as kept:
        for n in range(whole, len(texts)):
            kept.append([answer(n, texts[n])])
    assert (folder / MAIN).read_bytes() == content


def test_reading_leaves_a_half_line_where_it_is(tmp_path: Path):
    path = tmp_path / MAIN
    path.write_bytes(json.dumps(answer(0)).encode() + b'\n{"item_id": "i1", "te')
    before = path.read_bytes()
    assert Answers(tmp_path).asked["item_id"].to_list() == ["i0"]
    assert path.read_bytes() == before
    with AnswerFile(path):
        assert path.read_bytes() == json.dumps(answer(0)).encode() + b"\n"


@pytest.mark.parametrize("line", [b"\x00\x00\x00\x00", b"[]", b"{}", b"", b"{} {}", b"\xff\xfe"])
def test_a_broken_line_in_the_middle_is_named(tmp_path: Path, line: bytes):
    good = json.dumps(answer(0)).encode()
    (tmp_path / MAIN).write_bytes(b"\n".join([good, line, good, b""]))
    assert wrong(lambda: Answers(tmp_path)) == (
        f"{tmp_path / MAIN}:2: the line is not an answer; delete this line; its item will be asked again"
    )


def test_numbers_come_back_to_the_last_bit(kept: Callable[..., pl.DataFrame]):
    numbers = [-0.1 - 1e-16, -1e300, -5e-324, 0.0]
    scored = answer(0, None, logprobs=numbers, option_tokens=[1, 2, 3, 4], option_bytes=[1, 1, 1, 1])
    assert kept(scored)["logprobs"].to_list() == [numbers]


def test_scores_without_the_tokens_of_their_options_are_refused(tmp_path: Path):
    (tmp_path / MAIN).write_text('{"item_id": "i0", "logprobs": [-1.0]}\n')
    told = f"{tmp_path}: not answers as a run keeps them; {RESTORE}"
    assert wrong(lambda: Answers(tmp_path).read()) == told


def test_half_a_character_that_a_server_has_cut_is_kept_as_a_question_mark(kept: Callable[..., pl.DataFrame]):
    assert kept(answer(0, "rice \ud83c"))["text"].to_list() == ["rice ?"]


# As they are scored: what was thought is told from what was said, whichever tool kept it.

Row = tuple[str | None, str | None, str | None]
"""Text, thought and finish reason."""


def run_of(backend: str = "transformers", *, chat: bool = True) -> RunDescription:
    described = {"backend": backend, "id": "m"}
    described |= {"file": "a.csv", "sha256": "0"} if backend == "recorded" else {"chat": chat, "delimiter": ""}
    release = AskedRelease(name="r", version="1.0.0", tables={})
    asked: dict[str, Any] = {"task": "short-answer", "options": {}, "kind": "text", "n_items": 1, "prompts": {}}
    return RunDescription(sdk_version="0", release=release, model=described, decoding=None, **asked)


def scored(rows: Iterable[Row], run: RunDescription) -> list[tuple[str | None, str | None]]:
    """Texts and thoughts as they are scored."""
    answers = pl.DataFrame(list(rows), dict.fromkeys(WRITTEN, pl.String), orient="row")
    found = as_scored(answers, run)
    # Once more changes nothing.
    assert as_scored(found, run).equals(found)
    return found.select("text", "thought").rows()


SCORED: dict[Row, tuple[str | None, str | None]] = {
    ("<think>popcorn</think>Nachos", None, None): ("Nachos", "popcorn"),
    ("<think>Maybe popcorn? But the", None, None): ("", "Maybe popcorn? But the"),
    ("Nachos", None, None): ("Nachos", None),
    (None, None, "error"): (None, None),
    # What was told apart before stays so.
    ("Nachos", "popcorn", "stop"): ("Nachos", "popcorn"),
    ("<think>a</think>Nachos", "popcorn", "stop"): ("Nachos", "popcorn\na"),
    # What a content filter stopped is unanswered.
    ("A", None, "content_filter"): ("", None),
    ("", None, "content_filter"): ("", None),
}


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
def test_thoughts_and_texts_that_were_cut_do_not_count(backend: str, chat: bool, counts: bool):
    run = run_of(backend, chat=chat)
    assert scored(SCORED, run) == [*SCORED.values()]
    # What was cut does where a model never ends by itself.
    assert scored([("Nachos and", None, "length")], run) == [("Nachos and" if counts else "", None)]


def test_what_says_nothing():
    texts = scored(((text, None, None) for text in ("", " \n", "<think>a</think> ", "a")), run_of())
    found = pl.DataFrame({"text": [*(text for text, _ in texts), None]}).select(says_nothing("text"))
    assert found.to_series().to_list() == [True, True, True, False, None]


# In parts of any size they are those of all items at once, and so are decisions and scores.

SAID = ["rice, tea", "", "The answer is C.", '{"answer_choice":"B", "confidence": 80}', "<think>No", "Yes."]


@pytest.mark.parametrize(
    ("task", "options"),
    rest_nightly(
        [
            ("short-answer", {}),
            ("multiple-choice", {"style": "json", "confidence": True, "samples": 2, "temperature": 1}),
            ("multiple-choice", {"style": "texts"}),
            ("true-false", {"style": "written"}),
        ],
        ("short-answer", {}),
    ),
)
def test_scores_do_not_depend_on_the_parts(
    rungs_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str, options: dict[str, Any]
):
    class Model(Chooser):
        def generate(self, prompts: list[str]) -> list[str]:
            return [SAID[sum(prompt.encode()) % len(SAID)] for prompt in prompts]

    run = ask(rungs_release, task, tmp_path, model=Model(), limit=6, on_warning=lambda _: None, **options)
    for rule in (rule for rule in TASKS[task].rules if rule != JUDGE):
        try:
            at_once = score_answers(run, rule=rule)
        except UnknownNameError:  # of other answers
            continue
        with monkeypatch.context() as patch:
            patch.setattr("blend.eval.runs.run_directory.PART", 17)
            in_parts = score_answers(run, rule=rule)
        assert_frame_equal(in_parts.decisions, at_once.decisions, check_exact=True)
        assert in_parts.scores == at_once.scores
