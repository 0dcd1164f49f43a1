"""Answers on disk: nothing that was kept is lost, and half a line is nothing."""

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.models.protocols import Generation
from blend.eval.runs.answer_files import ANSWERS, JOURNAL, PARQUET, cut_half_line, finish, journal, read_answers
from blend.eval.runs.ask_model import MOST_CHARACTERS, generated
from blend.schemas.errors import RowError

NASTY = st.text(min_size=0, max_size=30) | st.sampled_from(
    ["a\nb", "\u2028\x1c\x85", "\x1b[2J", '"\\', "\ud7ff"]
)


def answer(n: int, text: str | None = "yes", **more: object) -> dict[str, object]:
    return {"item_id": f"i{n}", "locale": "ko-KR", "prompt_id": "json", "text": text, **more}


def items(count: int) -> pl.DataFrame:
    return pl.DataFrame({"item_id": [f"i{n}" for n in range(count)]})


@pytest.mark.slow
@given(texts=st.lists(NASTY, min_size=1, max_size=8), cut=st.integers(1, 200))
def test_a_cut_journal_holds_every_answer_before_the_cut(tmp_path_factory, texts: list[str], cut: int):
    folder = tmp_path_factory.mktemp("answers")
    with journal(folder) as kept:
        for n, text in enumerate(texts):
            kept.append([answer(n, text)])
    content = (folder / JOURNAL).read_bytes()
    (folder / JOURNAL).write_bytes(content[: max(0, len(content) - cut)])
    whole = content[: max(0, len(content) - cut)].count(b"\n")
    assert read_answers(folder)["text"].to_list() == texts[:whole]
    with journal(folder) as kept:
        for n in range(whole, len(texts)):
            kept.append([answer(n, texts[n])])
    assert (folder / JOURNAL).read_bytes() == content


def test_reading_leaves_a_half_line_where_it_is(tmp_path: Path):
    path = tmp_path / JOURNAL
    path.write_bytes(json.dumps(answer(0)).encode() + b'\n{"item_id": "i1", "te')
    before = path.read_bytes()
    assert read_answers(tmp_path)["item_id"].to_list() == ["i0"]
    assert path.read_bytes() == before
    assert cut_half_line(path) == len(b'{"item_id": "i1", "te')


@pytest.mark.parametrize(
    "line", [b"\x00\x00\x00\x00", b"[]", b"{}", b'{"item_id": "a", "strange": 1}', b"\xff\xfe"]
)
def test_a_broken_line_in_the_middle_is_named(tmp_path: Path, line: bytes):
    good = json.dumps(answer(0)).encode()
    (tmp_path / JOURNAL).write_bytes(b"\n".join([good, line, good, b""]))
    with pytest.raises(RowError) as raised:
        read_answers(tmp_path)
    assert str(raised.value) == (
        f"{tmp_path / JOURNAL}:2: the line is not an answer; delete this line; its item will be asked again"
    )


def test_a_later_answer_takes_the_place_of_an_error(tmp_path: Path):
    with journal(tmp_path) as kept:
        kept.append([answer(0, None, error="timed out"), answer(1)])
    finish(tmp_path, items(2), read_answers(tmp_path))
    assert not (tmp_path / JOURNAL).exists()
    with journal(tmp_path) as kept:
        kept.append([answer(0, "late")])
    merged = read_answers(tmp_path).sort("item_id")
    assert merged["text"].to_list() == ["late", "yes"]
    assert merged["error"].to_list() == [None, None]


def test_finished_answers_stand_in_the_order_of_the_items(tmp_path: Path):
    with journal(tmp_path) as kept:
        kept.append([answer(n) for n in (2, 0, 1)])
    finish(tmp_path, items(3), read_answers(tmp_path))
    kept_rows = pl.read_parquet(tmp_path / PARQUET)
    assert kept_rows["item_id"].to_list() == ["i0", "i1", "i2"]
    assert kept_rows.schema == ANSWERS


def test_parquet_that_is_none_says_what_to_do(tmp_path: Path):
    (tmp_path / PARQUET).write_bytes(b"PAR1 not really")
    with pytest.raises(RowError, match="restore the file, or delete it to have all items asked again"):
        read_answers(tmp_path)


def test_numbers_come_back_to_the_last_bit(tmp_path: Path):
    numbers = [-0.1 - 1e-16, -1e300, -5e-324, 0.0]
    with journal(tmp_path) as kept:
        kept.append([answer(0, None, logprobs=numbers, option_tokens=[1, 2, 3, 4], option_bytes=[1, 1, 1, 1])])
    assert read_answers(tmp_path)["logprobs"].to_list() == [numbers]


@pytest.mark.parametrize("name", ["text", "thought"])
def test_an_endless_reply_is_cut_where_it_is_kept_and_told(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
):
    long = {"text": "4", "thought": None} | {name: "\x00" * (20 << 20)}
    answers = [
        generated(Generation(tokens_in=None, tokens_out=None, finish_reason="stop", **one))
        for one in (long, {"text": "x" * MOST_CHARACTERS})
    ]
    with journal(tmp_path) as kept:
        kept.append([answer(n) | one for n, one in enumerate(answers)])
    finish(tmp_path, items(2), read_answers(tmp_path))
    rows = read_answers(tmp_path)
    assert len(rows[name][0]) == len(rows["text"][1]) == MOST_CHARACTERS
    assert rows["finish_reason"].to_list() == ["length", "stop"]
    assert caplog.messages == ["an answer of 20971520 characters is kept as one that was cut, at 1048576"]
