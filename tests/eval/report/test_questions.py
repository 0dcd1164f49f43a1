"""Single questions in the report: nothing is lost on the way into the page, and what does not fit is said."""

import base64
import hashlib
import itertools
import json
import re
import zlib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.evaluation import read_scored
from blend.eval.report import REASONS
from blend.eval.report.pages import embed_questions
from blend.eval.tasks.short_answer.short_answer_decisions import WHYS


def unpacked(data: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(data), -15))


def embedded(runs: Any) -> Any:
    task = runs[0].task
    answers = [task.single_answers(run) for run in runs]
    return unpacked(embed_questions(runs, answers, task.known_questions(runs[0]), page_bytes=6_000_000)[0])


def test_every_item_and_every_answer_is_there(good: Path, evil: Path):
    runs = read_scored([good, evil])
    data = embedded(runs)
    assert data["models"] == ["good", "evil"]
    items = runs[0].run.items("item_id", "prompt")
    assert [(one["id"], one["prompt"]) for one in data["questions"]] == items.rows()
    for number, run in enumerate(runs):
        answers = [one["answers"][number] for one in data["questions"]]
        assert [correct for correct, *_ in answers] == run.decisions()["correct"].cast(pl.Int64).to_list()
        said = run.run.answers("item_id", "text", "error")
        in_order = items.join(said, on="item_id", how="left", maintain_order="left")["text"].to_list()
        assert [reply or answer for _, _, answer, reply, *_ in answers] == in_order
    first = data["questions"][0]
    assert [note[:2] for *_, note in first["candidates"]] == ["A,", "B,", "C,", "D,"]
    assert sum(is_gold for _, is_gold, *_ in first["candidates"]) == 1
    options = [text for text, *_ in first["candidates"]]
    assert first["answers"][0][2] in options
    assert first["title"] == f"{first['prompt'].partition('?')[0]}? {' / '.join(options)}"


def test_gold_answers_stand_with_their_votes(short: Path):
    data = embedded(read_scored([short]))
    votes = [[vote for _, _, vote, _ in one["candidates"]] for one in data["questions"]]
    assert all(of_one == sorted(of_one, reverse=True) for of_one in votes)
    assert max(itertools.chain(*votes)) > 1


def test_every_reason_has_words():
    assert set(WHYS) <= set(REASONS)
    assert {"strict", "lenient", "unparsable", "likeliest"} <= set(REASONS)


def incompressible(seed: str) -> str:
    return "".join(hashlib.sha256(f"{seed}{i}".encode()).hexdigest() for i in range(47))


@pytest.mark.nightly
def test_questions_that_do_not_fit_go_and_the_page_says_so(evil: Path):
    (run,) = read_scored([evil])
    answers = run.task.single_answers(run).with_columns(
        thought=pl.col("item_id").map_elements(incompressible, return_dtype=pl.String)
    )
    known = run.task.known_questions(run)
    data, left_out = embed_questions([run], [answers], known, page_bytes=1 << 40)
    assert left_out == ""
    size = len(data)
    kept, left_out = embed_questions([run], [answers], known, page_bytes=size // 25)
    assert len(kept) <= size // 25
    assert re.fullmatch(r"[\d,]+ of [\d,]+ questions are here, taken evenly from all\.", left_out)
    assert len({one["facets"][0] for one in unpacked(kept)["questions"]}) > 1
